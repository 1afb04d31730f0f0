/** `turngraph worlds`: lists, creates, shows, changes, rolls back and deletes worlds, and shows their turns. */

import { plural } from '../core/plural.ts'
import type { ListedWorld } from '../memory/worlds/list-worlds.ts'
import type { WorldProgress } from '../memory/worlds/world-progress.ts'
import { contestedNote } from '../rules/notes.ts'
import { totalTokens } from '../rules/turn-tokens.ts'
import { ask } from './ask.ts'
import { action, command, group, PAGE, SHARED } from './command.ts'
import { graphInUse } from './graph-in-use.ts'
import { printList, printText } from './output.ts'
import { describeSettings, RUN_SETTINGS, toSettings } from './run-settings.ts'
import { colors } from './terminal.ts'
import { addHistory, addTurn, addWorldTurns } from './world-turns.ts'

const addList = command({
  name: 'list',
  isDefault: true,
  description: 'list worlds, the last active first (what `turngraph worlds` does)',
  operation: 'listWorlds',
  options: {
    featureId: ['--feature <id>', 'those of a feature'],
    taskId: ['--task <id>', 'those of a task'],
    search: ['--search <text>', 'those with this text in the name of their feature, task or world'],
    running: ['--running', 'those with an active run or attempt'],
    notApproved: ['--not-approved', 'those whose newest turn is not approved'],
    stalledOrOscillating: ['--stalled-or-oscillating', 'those that stall analysis calls so'],
    ...PAGE,
    ...SHARED,
  },
  also: { order: 'last_activity' },
  print: ({ items }) => printWorlds(items, `There are no worlds of this project in ${graphInUse()}.`),
})

const addCreate = action(
  {
    name: 'create',
    description: "create a world; without a slug the task's next one",
    arguments: { worldSlug: ['[slug]', 'its name'] },
    options: {
      featureId: ['--feature <id>', 'the feature', { required: true }],
      taskId: ['--task <id>', 'the task', { required: true }],
      executor: ['--executor <name>', 'who does its turns (default: external)'],
      leaseTtlMs: ['--lease-ttl-ms <ms>', 'default: 60000'],
      ...RUN_SETTINGS,
      idempotencyKey: ['--idempotency-key <key>', 'a repeat with the same key answers the same world'],
      ...SHARED,
    },
  },
  ({
    project,
    json,
    idempotencyKey,
    featureId = '',
    taskId = '',
    worldSlug,
    executor,
    leaseTtlMs,
    ...settings
  }) =>
    ask(
      'createWorld',
      {
        worldSlug,
        executor,
        leaseTtlMs,
        ...toSettings(settings),
        featureId,
        taskId,
        // A repeated request must not create another world.
        idempotencyKey: idempotencyKey ?? (worldSlug === undefined ? crypto.randomUUID() : undefined),
      },
      { project, json },
      ({ created, worldSlug }) => printText(`${created ? 'Created' : 'There already:'} world ${worldSlug}`),
    ),
)

const addGet = command({
  name: 'get',
  description: 'show a world',
  operation: 'getWorld',
  arguments: { worldSlug: ['<slug>', ''] },
  options: SHARED,
  async print(world) {
    await printWorlds([world])
    for (const line of describeSettings(world)) printText(line)
  },
})

const addSet = action(
  {
    name: 'set',
    description: 'change when the runs of a world stop, pause and resume; none takes a value away',
    arguments: { worldSlug: ['<slug>', ''] },
    options: { ...RUN_SETTINGS, ...SHARED },
  },
  ({ project, json, worldSlug = '', ...settings }) =>
    ask('setWorld', { worldSlug, ...toSettings(settings) }, { project, json }, (world) => {
      const lines = describeSettings(world)
      for (const line of lines.length === 0 ? ['Its runs mind nothing beside their turns.'] : lines)
        printText(line)
    }),
)

const addDelete = command({
  name: 'delete',
  description: 'mark a world deleted; its slug stays taken',
  operation: 'deleteWorld',
  arguments: { worldSlug: ['<slug>', ''] },
  options: SHARED,
  print: ({ worldSlug }) => printText(`Deleted world ${worldSlug}`),
})

const addRollback = command({
  name: 'rollback',
  description: 'withdraw the newest turns of a world; the history of their numbers still shows them',
  operation: 'rollbackWorld',
  arguments: { worldSlug: ['<slug>', ''] },
  options: {
    toTurn: ['--to-turn <n>', 'the last turn that stays; 0: none', { required: true }],
    reason: ['--reason <text>', 'why: the next context says it'],
    ...SHARED,
  },
  print: ({ worldSlug, withdrawn, currentTurn }) =>
    printText(
      `Withdrew ${plural(withdrawn, 'turn')} of world ${worldSlug}; the next turn is ${currentTurn + 1}`,
    ),
})

export const addWorlds = group(
  {
    name: 'worlds',
    alias: 'world',
    description:
      'list, create, show, change, roll back and delete worlds: the sessions of a task, how far each has come, and their turns',
    help: `Examples:
  turngraph worlds --feature FEAT-1 --task TASK-1
  turngraph worlds create --feature FEAT-1 --task TASK-1
  turngraph worlds set TASK-1 --stop-when approved,stalled,budget --budget-minutes 90
  turngraph worlds turns TASK-1
  turngraph worlds turn TASK-1 2 --json
  turngraph worlds rollback TASK-1 --to-turn 1 --reason 'wrong branch'`,
  },
  [addList, addCreate, addGet, addSet, addDelete, addWorldTurns, addTurn, addHistory, addRollback],
)

type ShownWorld = WorldProgress & { tokens?: ListedWorld['tokens'] | undefined }

function printWorlds(worlds: readonly ShownWorld[], none: string | null = null): Promise<void> {
  const { green, red, yellow } = colors(process.stdout)
  const paint = {
    stalled: red,
    blocked: red,
    oscillating: yellow,
    plateau: yellow,
    no_growth: yellow,
    progressing: green,
    finished: String,
    insufficient_data: String,
  }
  return printList(worlds, none, {
    world: 'worldSlug',
    feature: 'featureId',
    task: 'taskId',
    turn: 'currentTurn',
    'last decision': 'lastDecision',
    proven: ({ verified, contested, criteria }) => `${verified}/${criteria}${contestedNote(contested)}`,
    verdict: ({ verdict }) => ({ text: verdict, paint: paint[verdict] }),
    'last activity': 'lastActivity',
    ...(worlds.some(({ tokens }) => tokens != null) && {
      tokens: ({ tokens }: ShownWorld) => (tokens == null ? null : totalTokens(tokens)),
    }),
    ...(worlds.some((world) => atWorkIn(world) !== null) && { 'at work': atWorkIn }),
  })
}

const atWorkIn = ({ activeTurnRunId, activeAttemptId }: WorldProgress): string | null => {
  if (activeTurnRunId !== null) return `run ${activeTurnRunId}`
  return activeAttemptId === null ? null : `attempt ${activeAttemptId}`
}
