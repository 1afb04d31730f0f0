/** `turngraph forget`: deletes a world, the worlds of a task, a session of transcripts, or a project. */
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import type { ForgetAnswer } from '../maintenance/forget/record.ts'
import { action, type Given, JSON_FORM } from './command.ts'
import { printJson, printNote, printText, showProgress } from './output.ts'

const OPTIONS = {
  worldSlug: ['--world <slug>', 'this world alone'],
  featureId: ['--feature <id>', 'with --task: all worlds of the task'],
  taskId: ['--task <id>', 'with --feature'],
  sessionId: ['--session <id>', 'this session of transcripts alone, with its agents'],
  before: [
    '--before <instant>',
    'only what was last active before it, such as 2026-01-31',
    { parse: String },
  ],
  yes: ['--yes', 'do it; there is no way back'],
  project: [
    '--project <project>',
    'default: TURNGRAPH_PROJECT, otherwise the project of the server; to forget a whole project, name it here',
  ],
  ...JSON_FORM,
} as const
type Options = Given<typeof OPTIONS>

type Forgotten = Pick<ForgetAnswer, 'dryRun' | 'worlds' | 'skipped'> & { counts: Record<string, number> }

export const addForget = action(
  {
    name: 'forget',
    description:
      'delete a world, the worlds of a task, a session of transcripts, or a project: really; without --yes it only says what would go',
    options: OPTIONS,
    help: `With --project alone the whole project goes, with its transcripts. A world where a run or an attempt is active is
refused, or stays where many go. Killed in between, run it again: it goes on from there.

Examples:
  turngraph forget --world TASK-1
  turngraph forget --world TASK-1 --yes
  turngraph forget --feature FEAT-1 --task TASK-1 --yes
  turngraph forget --session 5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01 --yes
  turngraph forget --project shop --before 2026-01-31 --yes`,
  },
  forgetNodes,
)

async function forgetNodes(options: Options): Promise<void> {
  const { withClient } = await import('./connect.ts')
  const { project, yes = false, json } = options
  refuseUnclear(options)
  const forgotten = await withClient({ project, readsOnly: !yes }, (client) => forgetAll(client, options))
  if (json) {
    const { toSnakeCase } = await import('../core/wire-form.ts')
    const { dryRun, worlds, counts, skipped } = forgotten
    return printJson(toSnakeCase({ dryRun, worlds, counts, skipped: skipped.map(toSnakeCase) }))
  }
  await printForgotten(forgotten)
}

const isWholeProject = ({ worldSlug, featureId, taskId, sessionId, project }: Options): boolean =>
  project !== undefined && [worldSlug, featureId, taskId, sessionId].every((name) => name === undefined)

function refuseUnclear(options: Options): void {
  const { worldSlug, featureId, taskId, sessionId } = options
  const isOfTask = featureId !== undefined || taskId !== undefined
  const named = [worldSlug !== undefined, sessionId !== undefined, isOfTask, isWholeProject(options)]
  const isWhole = (featureId === undefined) === (taskId === undefined)
  if (isWhole && named.filter(Boolean).length === 1) return
  throw new TurngraphError('invalid_request', 'It is not clear what is to be forgotten.', {
    hint: 'Name a world with --world, a task with --feature and --task, a session of transcripts with --session, or a whole project with --project alone.',
  })
}

async function forgetAll(client: TurngraphClient, options: Options): Promise<Forgotten> {
  const { yes = false, json: _json, ...named } = options
  // The default project is never forgotten, because the user did not name it.
  const request = { ...named, wholeProject: isWholeProject(options), dryRun: !yes }
  if (yes) await client.forget({ ...request, dryRun: true }) // rejects unknown names
  const all: Forgotten = { dryRun: !yes, worlds: [], skipped: [], counts: {} }
  let nodes = 0
  for (let answer: ForgetAnswer | null = null; answer?.done !== true; ) {
    answer = await client.forget({ ...request, cursor: answer?.nextCursor ?? null })
    all.worlds.push(...answer.worlds)
    all.skipped.push(...answer.skipped)
    for (const [label, count] of Object.entries(answer.counts)) {
      all.counts[label] = (all.counts[label] ?? 0) + count
      nodes += count
    }
    showProgress(`${plural(nodes, 'node')} ${yes ? 'gone' : 'would go'}`)
  }
  showProgress('')
  return all
}

async function printForgotten({ dryRun, worlds, counts, skipped }: Forgotten): Promise<void> {
  const labels = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))
  if (labels.length === 0) printText('There is nothing to forget.')
  else {
    const { printTable } = await import('./table.ts')
    printTable(['nodes', dryRun ? 'would go' : 'gone'], labels)
  }
  for (const { worldSlug } of skipped)
    printNote(`World ${worldSlug} stays: a run or an attempt is active in it.`)
  if (worlds.length > 0) printNote(`${dryRun ? 'Would forget' : 'Forgot'} ${plural(worlds.length, 'world')}.`)
  if (dryRun && labels.length > 0) printNote('Nothing was changed. --yes does it; there is no way back.')
}
