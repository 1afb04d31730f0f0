import type { Command } from 'commander'
import type { WorldProgress } from '../memory/worlds/world-progress.ts'
import { colours } from './colours.ts'
import { graphInUse } from './graph-in-use.ts'
import { requireProject } from './known-project.ts'
import { named, type PageOptions, whole, withJson, withPage, withProject } from './options.ts'
import { printJson, printNote, printText } from './output.ts'
import { addWorldTurns } from './world-turns.ts'

type ListOptions = PageOptions & { feature?: string; task?: string; project?: string; json?: boolean }
type CreateOptions = {
  feature: string
  task: string
  executor?: string
  leaseTtlMs?: number
  idempotencyKey?: string
  project?: string
  json?: boolean
}
type OneOptions = { project?: string; json?: boolean }

export function addWorlds(program: Command): void {
  const worlds = program
    .command('worlds')
    .alias('world')
    .description(
      'list, create, show and delete worlds: the sessions of a task, how far each has come, and their turns',
    )
  const list = worlds
    .command('list', { isDefault: true })
    .description('list worlds, the last active first (what `turngraph worlds` does)')
    .option('--feature <id>', 'those of a feature', named)
    .option('--task <id>', 'those of a task', named)
    .action(listWorlds)
  const create = worlds
    .command('create')
    .description("create a world; without a slug the task's next one")
    .argument('[slug]', 'its name')
    .requiredOption('--feature <id>', 'the feature', named)
    .requiredOption('--task <id>', 'the task', named)
    .option('--executor <name>', 'who does its turns (default: external)', named)
    .option('--lease-ttl-ms <ms>', 'default: 60000', whole)
    .option('--idempotency-key <key>', 'a repeat with the same key answers the same world', named)
    .action(createWorld)
  const get = worlds.command('get').description('show a world').argument('<slug>').action(showWorld)
  const remove = worlds
    .command('delete')
    .description('mark a world deleted; its slug stays taken')
    .argument('<slug>')
    .action(deleteWorld)
  withPage(list)
  for (const command of [list, create, get, remove]) withJson(withProject(command))
  addWorldTurns(worlds)
  worlds.addHelpText(
    'after',
    `
Examples:
  turngraph worlds --feature FEAT-1 --task TASK-1
  turngraph worlds create --feature FEAT-1 --task TASK-1
  turngraph worlds turns TASK-1
  turngraph worlds turn TASK-1 2 --json
`,
  )
}

async function listWorlds({ feature, task, project, json, ...page }: ListOptions): Promise<void> {
  const { withClient, readPages, operations, toWire } = await load()
  const filter = {
    ...(feature !== undefined && { featureId: feature }),
    ...(task !== undefined && { taskId: task }),
  }
  const found = await withClient({ project, readsOnly: true }, async (client) => {
    const worlds = await readPages(page, (window) =>
      client.listWorlds({ ...filter, order: 'last_activity', ...window }),
    )
    if (worlds.items.length === 0 && project !== undefined) await requireProject(client, project)
    return worlds
  })
  if (json) return printJson(toWire(operations.listWorlds.output, found))
  if (found.items.length === 0) printNote(`There are no worlds of this project in ${graphInUse()}.`)
  else await printWorlds(found.items)
  if (found.nextCursor !== null) printNote(`More: --cursor ${found.nextCursor}`)
}

async function createWorld(slug: string | undefined, options: CreateOptions): Promise<void> {
  const { feature, task, executor, leaseTtlMs, idempotencyKey, project, json } = options
  const { withClient, operations, toWire } = await load()
  const world = { featureId: feature, taskId: task, worldSlug: slug, executor, leaseTtlMs }
  const answer = await withClient({ project }, (client) =>
    client.createWorld(world, idempotencyKey === undefined ? {} : { idempotencyKey }),
  )
  if (json) return printJson(toWire(operations.createWorld.output, answer))
  printText(`${answer.created ? 'Created' : 'There already:'} world ${answer.worldSlug}`)
}

async function showWorld(worldSlug: string, { project, json }: OneOptions): Promise<void> {
  const { withClient, operations, toWire } = await load()
  const world = await withClient({ project, readsOnly: true }, (client) => client.getWorld({ worldSlug }))
  if (json) return printJson(toWire(operations.getWorld.output, world))
  await printWorlds([world])
}

async function deleteWorld(worldSlug: string, { project, json }: OneOptions): Promise<void> {
  const { withClient, operations, toWire } = await load()
  const world = await withClient({ project }, (client) => client.deleteWorld({ worldSlug }))
  if (json) return printJson(toWire(operations.deleteWorld.output, world))
  printText(`Deleted world ${world.worldSlug}`)
}

async function printWorlds(worlds: readonly WorldProgress[]): Promise<void> {
  const { printTable } = await import('./table.ts')
  const { green, red, yellow } = colours(process.stdout)
  const paint = { stalled: red, oscillating: yellow, plateau: yellow, progressing: green }
  const isActive = worlds.some((world) => atWorkIn(world) !== null)
  printTable(
    [
      'world',
      'feature',
      'task',
      'turn',
      'last decision',
      'proven',
      'verdict',
      'last activity',
      ...(isActive ? ['at work'] : []),
    ],
    worlds.map((world) => [
      world.worldSlug,
      world.featureId,
      world.taskId,
      world.currentTurn,
      world.lastDecision,
      `${world.verified}/${world.criteria}`,
      { text: world.verdict, paint: world.verdict === 'insufficient_data' ? String : paint[world.verdict] },
      world.lastActivity,
      ...(isActive ? [atWorkIn(world)] : []),
    ]),
  )
}

const atWorkIn = ({ activeTurnRunId, activeAttemptId }: WorldProgress): string | null => {
  if (activeTurnRunId !== null) return `run ${activeTurnRunId}`
  return activeAttemptId === null ? null : `attempt ${activeAttemptId}`
}

async function load() {
  const [{ withClient }, { readPages }, { operations }, { toWire }] = await Promise.all([
    import('./connect.ts'),
    import('./pages.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  return { withClient, readPages, operations, toWire }
}
