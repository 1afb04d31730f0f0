import * as z from 'zod'
import { toWire } from '../../core/wire-form.ts'
import type { CoachDecision } from '../../graph/model/values.ts'
import type { Graph } from '../../graph/port.ts'
import { type Ledger, readLedger } from '../../memory/criteria/ledger.ts'
import { advance, criterionStates, finalKeys, type Progress } from '../../memory/criteria/state.ts'
import { listTurns } from '../../memory/record/read-turns.ts'
import { bySeverity, type TurnState, turnState } from '../../memory/record/record.ts'
import { AT_ONCE, featuresAfter, projectAfter, tasksAfter, worldsAfter } from './listing.ts'
import type { Exported } from './page.ts'
import { readWorlds } from './world.ts'

/**
 * Player and Coach as a training set: a line for each turn with a verdict, with what the Player had before it, what it
 * did, and what the Coach made of that. Worlds that were deleted, and records that were replaced, are left out.
 */

const { verifications, promises, issues, gates, acceptanceCriteriaStatus, ...of } = turnState.shape

export const pair = z.object({
  project: of.project,
  featureId: of.featureId,
  taskId: of.taskId,
  worldSlug: of.worldSlug,
  turnNumber: of.turnNumber,
  completedAt: of.completedAt,
  input: z
    .object({
      mode: of.mode,
      previousTurn: z.number().nullable(),
      previousFeedback: z.string().nullable().describe("the Coach's words on that turn"),
      criteria: z.array(
        z.object({
          criterionId: z.string(),
          text: z.string().nullable(),
          state: z.enum(['verified', 'rejected', 'pending']).describe('policy sticky'),
          verifiedInTurn: z.number().nullable(),
          contestedInTurn: z.number().nullable(),
        }),
      ),
    })
    .describe('what stood before the turn'),
  player: z.object({
    summary: of.playerSummary,
    decision: of.playerDecision,
    filesModified: of.filesModified,
    promises,
    blockersFound: of.blockersFound,
    lessonsFromTurn: of.lessonsFromTurn,
    progressSummary: of.progressSummary,
    whatToTryNext: of.whatToTryNext,
    commit: of.commit,
    testsPassed: of.testsPassed,
    testsFailed: of.testsFailed,
    coverage: of.coverage,
    archScore: of.archScore,
    verifications: verifications.describe('its own claims'),
  }),
  coach: z.object({
    decision: of.coachDecision,
    feedback: of.coachFeedback,
    issues: issues.describe('most severe first'),
    acceptanceCriteriaStatus,
    verifications: verifications.describe("the judges' own"),
    gates,
  }),
})
type Pair = z.output<typeof pair>

export const pairsPosition = z.strictObject({
  project: z.string(),
  feature: z.string().optional(),
  task: z.string().optional(),
  world: z.string().optional(),
  turn: z.number().optional(),
})
export type PairsPosition = z.output<typeof pairsPosition>

const VERDICTS: ReadonlySet<CoachDecision> = new Set(['approved', 'feedback', 'rejected', 'deferred'])

const BYTES_A_PAGE = 2 * 1024 * 1024
/** A page may end without a line: no request walks a whole graph. */
const WORLDS_A_PAGE = 300

/** Some lines of a training set, and where the next page begins: null after the last one. */
export async function pairsPage(
  graph: Graph,
  exported: Exported,
  from: PairsPosition | null,
  limit: number,
): Promise<{ lines: string[]; next: PairsPosition | null }> {
  const lines: string[] = []
  let bytes = 0
  let looked = 0
  for await (const at of worldsOf(graph, exported, from)) {
    for await (const { record, turn } of pairsOf(
      graph,
      at.world,
      exported.since,
      from?.world === at.world ? (from.turn ?? 0) : 0,
    )) {
      const line = JSON.stringify(toWire(pair, record))
      lines.push(line)
      bytes += Buffer.byteLength(line)
      if (lines.length >= limit || bytes >= BYTES_A_PAGE) return { lines, next: { ...at, turn } }
    }
    if (++looked === WORLDS_A_PAGE) return { lines, next: { ...at, turn: Number.MAX_SAFE_INTEGER } }
  }
  return { lines, next: null }
}

type Place = { project: string; feature: string; task: string; world: string }

/** From the world on where a page was left. */
async function* worldsOf(
  graph: Graph,
  { project, since }: Exported,
  from: PairsPosition | null,
): AsyncGenerator<Place> {
  let name = project ?? from?.project ?? (await projectAfter(graph, ''))
  for (let resumed = from; name !== null; resumed = null) {
    yield* worldsOfProject(graph, name, since, resumed)
    name = project === null ? await projectAfter(graph, name) : null
  }
}

async function* worldsOfProject(
  graph: Graph,
  project: string,
  since: string | null,
  from: PairsPosition | null,
): AsyncGenerator<Place> {
  if (from?.feature !== undefined)
    yield* worldsOfFeature(graph, { project, feature: from.feature }, since, from)
  for (let after = from?.feature ?? ''; ; ) {
    const features = await featuresAfter(graph, project, after)
    for (const { key } of features) yield* worldsOfFeature(graph, { project, feature: key }, since, null)
    if (features.length < AT_ONCE) return
    after = features.at(-1)?.key ?? ''
  }
}

async function* worldsOfFeature(
  graph: Graph,
  of: { project: string; feature: string },
  since: string | null,
  from: PairsPosition | null,
): AsyncGenerator<Place> {
  if (from?.task !== undefined) yield* worldsOfTask(graph, { ...of, task: from.task }, since, from)
  for (let after = from?.task ?? ''; ; ) {
    const tasks = await tasksAfter(graph, of.feature, since, after)
    for (const task of tasks) yield* worldsOfTask(graph, { ...of, task }, since, null)
    if (tasks.length < AT_ONCE) return
    after = tasks.at(-1) ?? ''
  }
}

async function* worldsOfTask(
  graph: Graph,
  of: { project: string; feature: string; task: string },
  since: string | null,
  from: PairsPosition | null,
): AsyncGenerator<Place> {
  if (from?.world !== undefined) yield { ...of, world: from.world }
  for (let after = from?.world ?? ''; ; ) {
    const worlds = await worldsAfter(graph, of.task, since, after)
    for (const world of worlds) yield { ...of, world }
    if (worlds.length < AT_ONCE) return
    after = worlds.at(-1) ?? ''
  }
}

/** The pairs of a world above a turn. */
async function* pairsOf(
  graph: Graph,
  worldKey: string,
  since: string | null,
  above: number,
): AsyncGenerator<{ record: Pair; turn: number }> {
  const [world] = await readWorlds(graph, [worldKey])
  if (world === undefined || world.standing.deletedAt !== undefined || world.standing.currentTurn <= above)
    return
  const { project, slug } = world.beginning
  const ledger = await readLedger(graph, worldKey)
  if (ledger === null) return
  const standing = new Standing(ledger)
  let previous: TurnState | null = null
  for (let after = Math.max(0, above - 1); ; ) {
    const turns = await listTurns(graph, project, slug, { after, limit: AT_ONCE })
    for (const turn of turns) {
      const isTold = turn.turnNumber > above && VERDICTS.has(turn.coachDecision) && moved(turn, since)
      if (isTold)
        yield { record: pairFrom(turn, previous, standing.around(turn.turnNumber)), turn: turn.turnNumber }
      previous = turn
    }
    after = turns.at(-1)?.turnNumber ?? after
    if (turns.length < AT_ONCE) return
  }
}

const moved = ({ completedAt, createdAt }: TurnState, since: string | null): boolean =>
  since === null || [completedAt, createdAt].some((at) => at !== null && Date.parse(at) >= Date.parse(since))

/** Where the criteria of a world stood before a turn: those that count after it, which the Player had to meet. */
class Standing {
  readonly #ledger: Ledger
  readonly #keyOf: (key: string) => string
  #progress: ReadonlyMap<string, Progress> = new Map()
  #upTo = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#keyOf = finalKeys(ledger.criteria)
  }

  /** Turns come ascending. */
  around(turn: number): Pair['input']['criteria'] {
    const { criteria, ledger, promised } = this.#ledger
    const between = (from: number, to: number) => {
      const isIn = (entry: { turn: number }) => entry.turn > from && entry.turn <= to
      return [ledger.filter(isIn), promised.filter(isIn)] as const
    }
    const before = advance(this.#progress, ...between(this.#upTo, turn - 1), this.#keyOf)
    const after = advance(before, ...between(turn - 1, turn), this.#keyOf)
    this.#progress = after
    this.#upTo = turn
    const stood = new Map(criterionStates(criteria, before, 'sticky').map((state) => [state.key, state]))
    return criterionStates(criteria, after, 'sticky').map(({ key, criterionId, text }) => {
      const { state = 'pending', verifiedInTurn = null, contestedInTurn = null } = stood.get(key) ?? {}
      return { criterionId, text, state, verifiedInTurn, contestedInTurn } as const
    })
  }
}

function pairFrom(turn: TurnState, previous: TurnState | null, criteria: Pair['input']['criteria']): Pair {
  const isClaim = ({ source }: { source: string }) => source === 'player'
  return {
    project: turn.project,
    featureId: turn.featureId,
    taskId: turn.taskId,
    worldSlug: turn.worldSlug,
    turnNumber: turn.turnNumber,
    completedAt: turn.completedAt,
    input: {
      mode: turn.mode,
      previousTurn: previous?.turnNumber ?? null,
      previousFeedback: previous?.coachFeedback ?? null,
      criteria,
    },
    player: {
      summary: turn.playerSummary,
      decision: turn.playerDecision,
      filesModified: turn.filesModified,
      promises: turn.promises,
      blockersFound: turn.blockersFound,
      lessonsFromTurn: turn.lessonsFromTurn,
      progressSummary: turn.progressSummary,
      whatToTryNext: turn.whatToTryNext,
      commit: turn.commit,
      testsPassed: turn.testsPassed,
      testsFailed: turn.testsFailed,
      coverage: turn.coverage,
      archScore: turn.archScore,
      verifications: turn.verifications.filter(isClaim),
    },
    coach: {
      decision: turn.coachDecision,
      feedback: turn.coachFeedback,
      issues: bySeverity(turn.issues),
      acceptanceCriteriaStatus: turn.acceptanceCriteriaStatus,
      verifications: turn.verifications.filter((one) => !isClaim(one)),
      gates: turn.gates,
    },
  }
}
