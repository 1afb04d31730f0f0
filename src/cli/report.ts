/** `turngraph report`: writes the views of a session or project to one file that can be attached and read anywhere. */
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import { action, type Given, PROJECT, ROLES, requireTarget, TASK } from './command.ts'
import { printNote } from './output.ts'
import type { ReportContent } from './report/report-content.ts'

const OPTIONS = {
  featureId: TASK.featureId,
  taskId: TASK.taskId,
  worldSlug: [
    '--world <slug>',
    'this session (default: the newest of --task, else all of the project)',
    { conflicts: ['feature', 'task'] },
  ],
  role: ['--role <role>', 'for whom (default: coach); a player sees no evidence and no gates', ROLES],
  out: ['--out <file>', 'where to write; it appears there once it is whole (default: standard output)'],
  ...PROJECT,
} as const

export const addReport = action(
  {
    name: 'report',
    description: 'write the views of one session, or of a project, as one HTML file without scripts',
    options: OPTIONS,
    help: `The file asks nobody for anything: it opens from a disk, as an attachment and in print. Long sessions and texts are cut, and it
says where.

Examples:
  turngraph report --world TASK-1 > report.html
  turngraph report --feature FEAT-1 --task TASK-1 --role player --out report.html
  turngraph report --project shop --out shop.html`,
  },
  writeReport,
)

type Options = Given<typeof OPTIONS>

/** Maximum wait of each call for the rate limit: a report makes thousands of calls. */
const RATE_LIMIT_WAIT_MS = 180_000

async function writeReport({ out, project, ...asked }: Options): Promise<void> {
  if (out === undefined && process.stdout.isTTY === true) {
    throw new TurngraphError('invalid_request', 'A report is a file for a browser, and this is a terminal.', {
      hint: 'turngraph report … > report.html, or --out report.html',
    })
  }
  const isOfTask = asked.featureId !== undefined || asked.taskId !== undefined
  if (isOfTask) requireTarget(asked)
  const { withClient } = await import('./connect.ts')
  const { renderReport } = await import('#report')
  const { checkOut, writeWhole } = await import('./write-whole.ts')
  const { cleanContent } = await import('./report/foreign-content.ts')
  if (out !== undefined) await checkOut(out)
  const content = await withClient(
    { project, readsOnly: true, rateLimitWaitMs: RATE_LIMIT_WAIT_MS },
    async (client) => readReport(client, project ?? (await client.describeCaller({})).project, asked),
  )
  await writeWhole([renderReport(cleanContent(content))], out)
  if (out !== undefined) printNote(`Wrote ${out}.`)
}

async function readReport(
  client: TurngraphClient,
  project: string,
  { featureId, taskId, worldSlug, role = 'coach' }: Omit<Options, 'out' | 'project'>,
): Promise<ReportContent> {
  const { findNewestSession, readProjectReport, readSessionReport } = await import('./report/read-report.ts')
  if (worldSlug !== undefined) return readSessionReport(client, project, worldSlug, role)
  if (taskId === undefined) return readProjectReport(client, project, role)
  const newest = await findNewestSession(client, { project, featureId, taskId })
  return readSessionReport(client, project, newest, role)
}
