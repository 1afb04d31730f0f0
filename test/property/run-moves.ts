/** Draws moves of turn runs: commands with a relative name, such as the newest attempt, instead of an id. */
import fc from 'fast-check'
import { type Command, LAST_TURN, type RunModel } from './run-model.ts'

type Which = 'own' | 'stale' | 'ahead'

/** `home` is the world of the run or attempt. It differs from `world` if a caller names the wrong one. */
export type Move = {
  /** `onward` is the next step of a coordinator and its worker. */
  do: Command['do'] | 'onward'
  world?: string
  home?: string
  /** Number of runs or attempts that started later. */
  run?: number
  attempt?: number
  fence?: Which
  attemptFence?: Which | null
  id?: 'new' | 'again'
  owner?: string
  turns?: number
  spare?: number
  record?: string
  tokens?: number
  /** The world whose runs and attempts the reconciling process executes. */
  held?: string | null
  /** Turn relative to the current one, or an absolute turn. */
  above?: number
  turn?: number
  [more: string]: unknown
}

/** Returns the moves of all combinations. A value that is listed twice is drawn twice as often. */
function every(choices: { do: Move['do'] } & Record<string, unknown>): Move[] {
  const { do: what, ...rest } = choices
  let moves: Move[] = [{ do: what }]
  for (const [name, values] of Object.entries(rest)) {
    const all = Array.isArray(values) ? values : [values]
    moves = moves.flatMap((move) => all.map((value: unknown) => ({ ...move, [name]: value })))
  }
  return moves
}

export const [OUTSIDE, INSIDE] = ['outside', 'inside']
export const world = [OUTSIDE, INSIDE]
const owner = ['instance-1', 'instance-2']
const fence: Which[] = ['own', 'own', 'own', 'own', 'own', 'stale', 'ahead']
const attempt = [0, 0, 0, 0, 0, 1, 2]
const run = [0, 0, 0, 0, 0, 1]
const id = ['new', 'new', 'new', 'again']
const record = ['a', 'a', 'b']

const end: Command['do'][] = ['commitAttempt', 'commitAttempt', 'failAttempt']
export const changes: [number, Move[]][] = [
  [60, every({ do: 'onward', world, owner, turns: [1, 2, 3], spare: [0, 1, 2], end, record })],
  [8, every({ do: 'startTurnRun', world, id, owner, turns: [1, 2, 3], spare: [0, 1, 2] })],
  [5, every({ do: 'startAttempt', world, id, owner })],
  [14, every({ do: 'startAttemptForTurnRun', world, run, fence, owner, id })],
  [8, every({ do: 'claimAttempt', world, attempt, worker: ['worker-1', 'worker-2', 'instance-1'] })],
  [12, every({ do: 'commitAttempt', world, attempt, fence, record, tokens: [0, 7] })],
  [
    8,
    every({
      do: 'failAttempt',
      world,
      attempt,
      fence,
      reason: ['it broke', 'it broke again'],
      tokens: [0, 5],
    }),
  ],
  [2, every({ do: 'interruptAttempt', world, attempt, fence })],
  [5, every({ do: 'heartbeatAttempt', world, attempt, fence })],
  [7, every({ do: 'renewTurnRun', world, run, fence, attemptFence: [null, 'own', 'own', 'stale'] })],
  [2, every({ do: 'finishTurnRunAttempt', world, run, attempt })],
  [
    4,
    every({
      do: 'requestTurnRunCancel',
      world,
      run,
      reason: ['enough', 'too slow'],
      abort: [false, true],
      stopReason: [null, 'budget'],
    }),
  ],
  [1, every({ do: 'finalizeCancelledTurnRunIfIdle', world, run })],
  [1, every({ do: 'handBackTurnRun', world, run, fence })],
  [2, every({ do: 'releaseTurnRun', world, run, fence })],
  [3, every({ do: 'pauseTurnRun', world, run, fence, ms: [20_000, 60_000] })],
  [1, every({ do: 'failTurnRun', world, run, fence, reason: ['the store said no'] })],
  [6, every({ do: 'captureTurnState', world, above: [-1, 0, 1, 1, 3], record, supersede: [false, true] })],
  [
    1,
    [
      ...astray(),
      ...every({ do: 'captureTurnState', world, turn: [LAST_TURN - 1, LAST_TURN], record, supersede: false }),
    ],
  ],
]
export const sweeps: [number, Move[]][] = [
  [
    7,
    every({
      do: 'reconcileRunningAttempts',
      instance: [...Array(12).fill(null), ...owner, 'worker-1'],
      held: [null, null, null, null, ...world],
      by: [null, 'later', ...owner],
      id: 'new',
    }),
  ],
]
export const deletions: [number, Move[]][] = [[1, every({ do: 'deleteWorld', world })]]
export const reads: [number, Move[]][] = [
  [2, every({ do: 'getTurnRunStatus', world, run })],
  [1, every({ do: 'listAttemptsOfRun', world, run, limit: [1, 2, 100], before: [2, 3, 1_000] })],
  [1, every({ do: 'listAttemptsOfWorld', world, limit: [1, 3, 100], before: [2, 4, 1_000] })],
]
export const passing = (ms: number[]): [number, Move[]][] => [[18, every({ do: 'pass', ms })]]

/** Moves with runs and attempts of another world, and with unknown worlds. */
function astray(): Move[] {
  const wrong = { world: [INSIDE, 'nowhere'], home: OUTSIDE }
  const held = { ...wrong, fence: 'own' }
  return [
    ...every({ do: 'startTurnRun', ...wrong, id: 'new', owner, turns: 1, spare: 0 }),
    ...every({ do: 'startAttempt', ...wrong, id: 'new', owner }),
    ...every({ do: 'startAttemptForTurnRun', ...held, run: 0, id: 'new', owner }),
    ...every({ do: 'claimAttempt', ...wrong, attempt: 0, worker: 'worker-1' }),
    ...every({ do: 'heartbeatAttempt', ...held, attempt: 0 }),
    ...every({ do: 'commitAttempt', ...held, attempt: 0, record: 'a' }),
    ...every({ do: 'failAttempt', ...held, attempt: 0, reason: 'it broke' }),
    ...every({
      do: 'requestTurnRunCancel',
      ...wrong,
      run: 0,
      reason: 'enough',
      abort: true,
      stopReason: null,
    }),
    ...every({ do: 'renewTurnRun', ...held, run: 0, attemptFence: null }),
    ...every({ do: 'handBackTurnRun', ...held, run: 0 }),
  ]
}

export const anyMove = (...lists: [number, Move[]][][]): fc.Arbitrary<Move> =>
  fc.oneof(...lists.flat().map(([weight, moves]) => ({ weight, arbitrary: fc.constantFrom(...moves) })))

/**
 * Moves that may happen in parallel in one world. Lists are excluded: they are read in several steps, so no single moment
 * explains their result.
 */
export const atOnceIn = (slug: string): fc.Arbitrary<Move> => {
  const status: [number, Move[]] = [2, every({ do: 'getTurnRunStatus', world: slug, run })]
  const here = [...changes, ...sweeps, ...deletions, status].map(([weight, moves]): [number, Move[]] => [
    weight,
    moves.filter((move) => (move.world ?? slug) === slug && move.home === undefined),
  ])
  return anyMove(here.filter(([, moves]) => moves.length > 0))
}

/** A worker is gone while its coordinator runs. Without this sequence, these moves rarely occur together. */
const lostWorkers = [OUTSIDE, OUTSIDE, INSIDE].map((world): Move[] => {
  const ms = world === OUTSIDE ? 40_000 : 20_000
  const renewed: Move = { do: 'renewTurnRun', world, run: 0, fence: 'own', attemptFence: null }
  const sweep: Move = { do: 'reconcileRunningAttempts', instance: null, held: null, by: null, id: 'new' }
  return [{ do: 'pass', ms }, renewed, { do: 'pass', ms }, sweep]
})

/** Returns sequences with half of `maxLength` on average. */
export const sequenceOf = (one: fc.Arbitrary<Move>, maxLength: number): fc.Arbitrary<Move[]> => {
  const some = fc.oneof(
    { weight: 25, arbitrary: one.map((move) => [move]) },
    { weight: 1, arbitrary: fc.constantFrom(...lostWorkers) },
  )
  return fc.noBias(fc.array(some, { maxLength, size: 'max' })).map((all) => all.flat())
}

/** Converts a move to a command on the current world. `issued` numbers the run or attempt that it starts. */
export function commandOf(move: Move, model: RunModel, issued: number): Command {
  if (move.do === 'onward') return commandOf(onward(move, model), model, issued)
  const { home = move.world, run, attempt, fence, attemptFence, id, spare, above, held, ...rest } = move
  const there = model.worlds.find(({ slug }) => slug === home)
  const runMeant = there?.runs.at(-1 - (run ?? 0))
  const attemptMeant = there?.attempts.at(-1 - (attempt ?? 0))
  const fenceOf = (held: { fence: number | null } | undefined, which: Which) =>
    (held?.fence ?? there?.fence ?? 1) + { own: 0, stale: -1, ahead: 1 }[which]
  const isOfRun = move.do === 'startTurnRun'
  const again = (isOfRun ? runMeant : attemptMeant)?.id
  const turn = Math.max(0, ...(there?.turns.keys() ?? [])) + (above ?? 0)
  return {
    ...rest,
    ...(run !== undefined && { run: runMeant?.id ?? 'no run' }),
    ...(attempt !== undefined && { attempt: attemptMeant?.id ?? 'no attempt' }),
    ...(fence !== undefined && { fence: fenceOf(attempt === undefined ? runMeant : attemptMeant, fence) }),
    ...(attemptFence !== undefined && {
      attemptFence: attemptFence === null ? null : fenceOf(there?.attempts.at(-1), attemptFence),
    }),
    ...(id !== undefined && { id: (id === 'again' && again) || `${isOfRun ? 'run' : 'attempt'}-${issued}` }),
    ...(spare !== undefined && { maxAttempts: (move.turns ?? 1) + spare }),
    ...(held !== undefined && { held: workOf(model, held) }),
    ...(above !== undefined && { turn: Math.max(1, Math.min(turn, LAST_TURN)) }),
  } as Command
}

/** Lists the ids of active runs and single attempts: the work of a process. */
function workOf(model: RunModel, slug: string | null): string[] {
  const { runs = [], attempts = [] } = model.worlds.find((world) => world.slug === slug) ?? {}
  return [...runs, ...attempts.filter(({ run }) => run === null)].flatMap(({ id, end }) =>
    end === null ? [id] : [],
  )
}

/** Starts a run if none is active, then its attempts, and claims and ends each of them. */
function onward(
  { world = INSIDE, owner = 'instance-1', turns = 1, spare = 0, record = 'a', end }: Move,
  model: RunModel,
): Move {
  const { runs = [], attempts = [] } = model.worlds.find(({ slug }) => slug === world) ?? {}
  const held = attempts.find((attempt) => attempt.end === null)
  if (held !== undefined && held.owner === null)
    return { do: 'claimAttempt', world, attempt: 0, worker: 'worker-1' }
  if (held !== undefined && end === 'commitAttempt')
    return { do: end, world, attempt: 0, fence: 'own', record }
  if (held !== undefined) return { do: 'failAttempt', world, attempt: 0, fence: 'own', reason: 'it broke' }
  if (runs.some(({ end }) => end === null))
    return { do: 'startAttemptForTurnRun', world, run: 0, fence: 'own', owner, id: 'new' }
  return { do: 'startTurnRun', world, id: 'new', owner, turns, spare }
}
