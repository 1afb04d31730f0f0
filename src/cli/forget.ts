import type { Command } from 'commander'
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import type { ForgetAnswer } from '../maintenance/forget/record.ts'
import { named, withJson, withProject } from './options.ts'
import { counted, printJson, printNote, printText, showProgress } from './output.ts'

type Options = {
  world?: string
  feature?: string
  task?: string
  project?: string
  before?: string
  yes?: boolean
  json?: boolean
}

type Forgotten = Pick<ForgetAnswer, 'dryRun' | 'worlds' | 'skipped'> & { counts: Record<string, number> }

export function addForget(program: Command): void {
  const forget = program
    .command('forget')
    .description(
      'delete a world, the worlds of a task, or a project: really; without --yes it only says what would go',
    )
    .option('--world <slug>', 'this world alone', named)
    .option('--feature <id>', 'with --task: all worlds of the task', named)
    .option('--task <id>', 'with --feature', named)
    .option('--before <instant>', 'only what was last active before it, such as 2026-01-31')
    .option('--yes', 'do it; there is no way back')
    .addHelpText(
      'after',
      `
With --project alone the whole project goes, with its transcripts. A world where a run or an attempt is active is
refused, or stays where many go. Killed in between, run it again: it goes on from there.

Examples:
  turngraph forget --world TASK-1
  turngraph forget --world TASK-1 --yes
  turngraph forget --feature FEAT-1 --task TASK-1 --yes
  turngraph forget --project shop --before 2026-01-31 --yes
`,
    )
    .action(forgetNodes)
  withJson(withProject(forget))
}

async function forgetNodes(options: Options): Promise<void> {
  const { withClient } = await import('./connect.ts')
  const { project, yes = false, json } = options
  refuseUnclear(options)
  const forgotten = await withClient({ project, readsOnly: !yes }, (client) => forgetAll(client, options))
  if (json) {
    const { worlds, counts, skipped } = forgotten
    const asSent = skipped.map(({ worldSlug, attemptId, turnRunId }) => ({
      world_slug: worldSlug,
      attempt_id: attemptId,
      turn_run_id: turnRunId,
    }))
    return printJson({ dry_run: forgotten.dryRun, worlds, counts, skipped: asSent })
  }
  await printForgotten(forgotten)
}

function refuseUnclear({ world, feature, task, project }: Options): void {
  const named = [world !== undefined, feature !== undefined || task !== undefined].filter(Boolean).length
  const isClear = named === 1 ? (feature === undefined) === (task === undefined) : named === 0 && project
  if (isClear) return
  throw new TurngraphError('invalid_request', 'It is not clear what is to be forgotten.', {
    hint: 'Name a world with --world, a task with --feature and --task, or a whole project with --project alone.',
  })
}

async function forgetAll(client: TurngraphClient, options: Options): Promise<Forgotten> {
  const { world, feature, task, project, before, yes = false } = options
  const nothingElse = world === undefined && feature === undefined && task === undefined
  const asked = {
    project,
    worldSlug: world,
    featureId: feature,
    taskId: task,
    // Of the default project nobody spoke.
    wholeProject: nothingElse && project !== undefined,
    before,
    dryRun: !yes,
  }
  if (yes) await client.forget({ ...asked, dryRun: true }) // refuses a name that stands for nothing
  const all: Forgotten = { dryRun: !yes, worlds: [], skipped: [], counts: {} }
  let nodes = 0
  for (let answer: ForgetAnswer | null = null; answer?.done !== true; ) {
    answer = await client.forget({ ...asked, cursor: answer?.nextCursor ?? null })
    all.worlds.push(...answer.worlds)
    all.skipped.push(...answer.skipped)
    for (const [label, count] of Object.entries(answer.counts)) {
      all.counts[label] = (all.counts[label] ?? 0) + count
      nodes += count
    }
    showProgress(`${counted(nodes, 'node')} ${yes ? 'gone' : 'would go'}`)
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
  if (worlds.length > 0)
    printNote(`${dryRun ? 'Would forget' : 'Forgot'} ${counted(worlds.length, 'world')}.`)
  if (dryRun && labels.length > 0) printNote('Nothing was changed. --yes does it; there is no way back.')
}
