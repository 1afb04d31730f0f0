/** `turngraph report`: writes the views of a session or project to one file that can be attached and read anywhere. */
import { TurngraphError } from '../core/errors.ts'
import { action, type Given, PROJECT } from './command.ts'
import { printNote } from './output.ts'
import {
  findTargetSlug,
  REPORT_TARGET,
  requireTargetIfAny,
  withReportClient,
  writeShortForm,
} from './report/short-forms.ts'

const OPTIONS = {
  ...REPORT_TARGET,
  format: [
    '--format <format>',
    'html is a page; markdown fits a comment on GitHub; junit has one test case for each criterion (default: html)',
    { choices: ['html', 'markdown', 'junit'] },
  ],
  out: ['--out <file>', 'where to write; it appears there once it is whole (default: standard output)'],
  ...PROJECT,
} as const

export const addReport = action(
  {
    name: 'report',
    description:
      'write the views of one session, or of a project, as one file: HTML without scripts, Markdown or JUnit',
    options: OPTIONS,
    help: `The file asks nobody for anything: it opens from a disk, as an attachment and in print. Long sessions and texts are cut, and it
says where.

Examples:
  turngraph report --world TASK-1 > report.html
  turngraph report --feature FEAT-1 --task TASK-1 --role player --out report.html
  turngraph report --project shop --out shop.html
  turngraph report --world TASK-1 --format markdown
  turngraph report --world TASK-1 --format junit --out criteria.xml`,
  },
  writeReport,
)

type Options = Given<typeof OPTIONS>
type Asked = Omit<Options, 'out' | 'project' | 'format'>

async function writeReport({ out, project, format = 'html', ...parts }: Options): Promise<void> {
  if (format === 'html' && out === undefined && process.stdout.isTTY === true) {
    throw new TurngraphError('invalid_request', 'A report is a file for a browser, and this is a terminal.', {
      hint: 'turngraph report … > report.html, or --out report.html',
    })
  }
  requireTargetIfAny(parts)
  const { checkOut, writeWhole } = await import('./write-whole.ts')
  if (out !== undefined) await checkOut(out)
  const written =
    format === 'html' ? await writeHtml(project, parts) : await writeShortForm(format, project, parts)
  await writeWhole([written], out)
  if (out !== undefined) printNote(`Wrote ${out}.`)
}

async function writeHtml(project: string | undefined, { role = 'coach', ...target }: Asked): Promise<string> {
  const { renderReport } = await import('#report')
  const { cleanContent } = await import('./report/foreign-content.ts')
  const { readProjectReport, readSessionReport } = await import('./report/read-report.ts')
  const content = await withReportClient(project, async (client, of) => {
    const worldSlug = await findTargetSlug(client, of, target)
    if (worldSlug === null) return readProjectReport(client, of, role)
    return readSessionReport(client, of, worldSlug, role)
  })
  return renderReport(cleanContent(content))
}
