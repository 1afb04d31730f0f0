/** Exports the input and the result of Player and Coach in each turn, as training pairs. */
import * as z from 'zod'
import { toWire } from '../../core/wire-form.ts'
import type { Graph } from '../../graph/port.ts'
import { type Ledger, readLedger } from '../../memory/criteria/snapshot.ts'
import { type TurnState, turnState } from '../../memory/record/record.ts'
import { listTurns } from '../../memory/worlds/read-turns.ts'
import { criterionStates } from '../../rules/criterion-states.ts'
import { finalKeys, foldByTurn, type Progress } from '../../rules/progress.ts'
import { bySeverity } from '../../rules/severity.ts'
import type { CoachDecision } from '../../rules/values.ts'
import { AT_ONCE, type Exported, place, placesBelow, projectsFrom } from './list.ts'
import type { ExportedLine } from './page.ts'
import { readWorlds } from './world.ts'

/** Line per turn with a verdict: input of the Player, its work, and the reaction of the Coach. Leaves out deleted worlds. */

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

/** Last exported turn and its world; without a turn, the world is complete. */
export const pairsPosition = place.extend({ turn: z.number().optional() })
export type PairsPosition = z.output<typeof pairsPosition>

const VERDICTS: ReadonlySet<CoachDecision> = new Set(['approved', 'feedback', 'rejected', 'deferred'])

/** Yields the lines of a training set after a position. */
export async function* exportPairLines(
  graph: Graph,
  exported: Exported,
  from: PairsPosition | null,
): AsyncGenerator<ExportedLine<PairsPosition>> {
  for (const project of await projectsFrom(graph, exported, from)) {
    const own = from?.project === project ? from : null
    for await (const at of placesBelow(graph, { project }, exported.since, own)) {
      if (at.world === undefined) continue
      const above = at.world === own?.world ? (own.turn ?? Number.MAX_SAFE_INTEGER) : 0
      for await (const { record, turn } of exportPairs(graph, at.world, exported.since, above))
        yield { line: JSON.stringify(toWire(pair, record)), at: { ...at, turn } }
      yield { line: null, at }
    }
  }
}

async function* exportPairs(
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
  const criteriaBefore = followCriteria(ledger)
  let previous: TurnState | null = null
  for (let after = Math.max(0, above - 1); ; ) {
    const turns = await listTurns(graph, project, slug, { after, limit: AT_ONCE })
    for (const turn of turns) {
      const isPair = turn.turnNumber > above && VERDICTS.has(turn.coachDecision) && moved(turn, since)
      if (isPair)
        yield {
          record: pairFrom(turn, previous, criteriaBefore(turn.turnNumber)),
          turn: turn.turnNumber,
        }
      previous = turn
    }
    after = turns.at(-1)?.turnNumber ?? after
    if (turns.length < AT_ONCE) return
  }
}

const moved = ({ completedAt, createdAt }: TurnState, since: string | null): boolean =>
  since === null || [completedAt, createdAt].some((at) => at !== null && Date.parse(at) >= Date.parse(since))

/** Creates a function that returns the criteria of a turn with their states before it. Call the function with ascending turns. */
function followCriteria({ criteria, turns }: Ledger): (turn: number) => Pair['input']['criteria'] {
  const folded = foldByTurn(turns, finalKeys(criteria))
  const statesOf = (progress: ReadonlyMap<string, Progress>) => criterionStates(criteria, progress, 'sticky')
  return (turn) => {
    let at = folded.next()
    while (!at.done && at.value.turn < turn) at = folded.next()
    if (at.done) return []
    const stood = new Map(statesOf(at.value.before).map((state) => [state.key, state]))
    return statesOf(at.value.progress).map(({ key, criterionId, text }) => {
      const { state = 'pending', verifiedInTurn = null, contestedInTurn = null } = stood.get(key) ?? {}
      return { criterionId, text, state, verifiedInTurn, contestedInTurn } as const
    })
  }
}

/** Builds a pair from a turn. It includes all fields of the turn: `toWire` drops those that a pair does not have. */
function pairFrom(turn: TurnState, previous: TurnState | null, criteria: Pair['input']['criteria']): Pair {
  const isClaim = ({ source }: { source: string }) => source === 'player'
  return {
    ...turn,
    input: {
      mode: turn.mode,
      previousTurn: previous?.turnNumber ?? null,
      previousFeedback: previous?.coachFeedback ?? null,
      criteria,
    },
    player: {
      ...turn,
      summary: turn.playerSummary,
      decision: turn.playerDecision,
      verifications: turn.verifications.filter(isClaim),
    },
    coach: {
      ...turn,
      decision: turn.coachDecision,
      feedback: turn.coachFeedback,
      issues: bySeverity(turn.issues),
      verifications: turn.verifications.filter((one) => !isClaim(one)),
    },
  }
}
