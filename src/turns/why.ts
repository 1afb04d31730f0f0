import * as z from 'zod'
import { ledgerColumns, ledgerEntry, NO_TURN } from '../criteria/ledger.ts'
import {
  SMALL_WORLD,
  type Standing,
  standingColumns,
  standingFrom,
  standingIsWhole,
  type Target,
  targetParams,
  WHOLE_LEDGER,
} from '../criteria/standing.ts'
import {
  type CriterionState,
  criterionStates,
  entriesIn,
  finalKeys,
  type LedgerEntry,
} from '../criteria/state.ts'
import { TurngraphError } from '../errors.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readWholeRow } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import {
  COACH_DECISIONS,
  type CriterionStatus,
  GATE_STATUSES,
  PLAYER_DECISIONS,
  turnState,
} from './record.ts'
import { toTurnState, turnWithParts } from './rows.ts'
import { worldDeleted } from './world-errors.ts'

const whyInWorld = statement('turns/why-in-world')
const whyInTask = statement('turns/why-in-task')

const turned = z.object({
  criterionId: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  evidence: z.string().nullable().describe("the judge's, of this turn"),
})

/** What was tried in a turn and why it failed (seed 000, goal 4). */
export const whyView = z.object({
  worldSlug: z.string(),
  turn: z.number(),
  playerSummary: z.string(),
  playerDecision: z.enum(PLAYER_DECISIONS),
  coachDecision: z.enum(COACH_DECISIONS),
  coachFeedback: z.string().nullable(),
  blockingIssues: z.array(turnState.shape.issues.element),
  won: z.array(turned).describe('criteria whose last verdict became verified in this turn'),
  lost: z
    .array(turned)
    .describe('criteria whose last verdict was verified before this turn and is not after it'),
  verified: z.number().describe('accumulated, after this turn'),
  total: z.number(),
  gates: z.record(z.string(), z.enum(GATE_STATUSES)),
  blockingGates: z.array(z.string()).describe('those that failed'),
  whatToTryNext: z.string().nullable(),
})

export type WhyView = z.output<typeof whyView>

const whyRow = turnWithParts.omit({ verifications: true, promises: true }).extend({
  said: z.array(ledgerEntry),
  ...standingColumns,
  ...ledgerColumns,
})

type WhyRow = z.output<typeof whyRow>

/**
 * @param request `turn`: default the newest
 * @throws `not_found` where there is no such turn, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { lost, blockingIssues } = await explainTurn(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1' })
 */
export async function explainTurn(
  store: Graph,
  request: Target & { turn?: number | null | undefined },
): Promise<WhyView> {
  const graph = withOneDeadline(store)
  const asked = request.turn ?? null
  const read = (ledgerUpTo: number): Promise<WhyRow | null> =>
    readWholeRow(
      graph,
      request.worldSlug == null ? whyInTask : whyInWorld,
      {
        ...targetParams(request),
        turn: asked ?? 0,
        turnNumber: asked === null ? NO_TURN : asked + 1,
        ledgerUpTo,
      },
      whyRow,
      (found) => whyIsWhole(found, ledgerUpTo),
    )
  const row = await read(SMALL_WORLD)
  if (row === null) throw noSuchTurn(request, asked)
  if (row.world.deleted) throw worldDeleted(row.world.slug)
  const known = whyFrom(row, request, SMALL_WORLD)
  if (known !== null) return known
  const whole = await read(WHOLE_LEDGER)
  const why = whole === null ? null : whyFrom(whole, request, WHOLE_LEDGER)
  if (why === null) throw noSuchTurn(request, asked)
  return why
}

const whyIsWhole = (row: WhyRow, ledgerUpTo: number): boolean =>
  standingIsWhole(ledgerUpTo)(row) &&
  row.issues.length === row.turn.issueCount &&
  row.gates.length === row.turn.gateCount &&
  row.said.length === row.turn.verificationCount &&
  (row.world.turnCount > ledgerUpTo || row.turns.some(({ turn }) => turn === row.turn.number))

/** Null where it takes the ledger, and that was not read: of an earlier turn of a long world, or where criteria merged. */
function whyFrom(row: WhyRow, scope: Target, ledgerUpTo: number): WhyView | null {
  const turn = row.turn.number
  const standing = standingFrom(row, turn, ledgerUpTo)
  const merged = row.said.some(({ criterionKey }) => !standing.progress.has(criterionKey))
  if (standing.ledger === null && (turn < standing.currentTurn || merged)) return null
  const record = toTurnState(
    { ...row, verifications: [], promises: [] },
    { ...scope, worldSlug: row.world.slug },
  )
  const after = criterionStates(standing.criteria, standing.progress, 'latest')
  const verdictBefore = verdictsBefore(standing, turn)
  const before = new Map(after.map(({ key }) => [key, verdictBefore(key)]))
  if ([...before.values()].includes(undefined)) return null
  const keyOf = finalKeys(row.criteria)
  const show = (state: CriterionState) => ({
    criterionId: state.criterionId,
    key: state.key,
    text: state.text,
    evidence: lastWord(row.said, keyOf, state.key)?.evidence ?? null,
  })
  const accumulated = criterionStates(standing.criteria, standing.progress, 'sticky')
  return {
    worldSlug: row.world.slug,
    turn,
    playerSummary: record.playerSummary,
    playerDecision: record.playerDecision,
    coachDecision: record.coachDecision,
    coachFeedback: record.coachFeedback,
    blockingIssues: record.issues.filter(({ severity }) => severity === 'blocking'),
    won: after.filter((state) => isVerified(state) && before.get(state.key) !== 'verified').map(show),
    lost: after.filter((state) => !isVerified(state) && before.get(state.key) === 'verified').map(show),
    verified: accumulated.filter(isVerified).length,
    total: accumulated.length,
    gates: record.gates,
    blockingGates: Object.entries(record.gates)
      .filter(([, status]) => status === 'failed')
      .map(([name]) => name),
    whatToTryNext: record.whatToTryNext,
  }
}

const isVerified = ({ state }: CriterionState): boolean => state === 'verified'

/**
 * A judge's last word on each criterion before the turn: null where none had one, undefined where what was read does
 * not reach back.
 */
function verdictsBefore(
  standing: Standing,
  turn: number,
): (criterionKey: string) => CriterionStatus | null | undefined {
  const entriesOf = entriesIn(standing)
  return (key) => {
    const known = entriesOf(key)
    const last = known.findLast((entry) => entry.turn < turn && entry.judges && entry.status !== 'unknown')
    if (last !== undefined) return last.status
    const all = standing.ledger !== null || (standing.progress.get(key)?.entries ?? 0) <= known.length
    return all ? null : undefined
  }
}

const lastWord = (
  said: readonly LedgerEntry[],
  keyOf: (key: string) => string,
  key: string,
): LedgerEntry | undefined =>
  said
    .filter((entry) => keyOf(entry.criterionKey) === key && entry.source !== 'player')
    .toSorted((a, b) => a.position - b.position)
    .at(-1)

function noSuchTurn({ taskId, worldSlug }: Target, turn: number | null): TurngraphError {
  const where = worldSlug == null ? `task ${taskId}` : `world ${worldSlug} of task ${taskId}`
  const message =
    turn === null ? `There is no turn in ${where} yet.` : `There is no turn ${turn} in ${where}.`
  return new TurngraphError('not_found', message, {
    hint: '`turngraph worlds turns` lists the turns of a world.',
  })
}
