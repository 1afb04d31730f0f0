import { z } from 'zod'
import { ledgerColumns } from '../criteria/ledger.ts'
import {
  standingColumns,
  standingFrom,
  standingIsWhole,
  type Target,
  targetParams,
  WHOLE_LEDGER,
} from '../criteria/standing.ts'
import { advance, type CriterionState, criterionStates, type LedgerEntry } from '../criteria/state.ts'
import { TurngraphError } from '../errors.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readWholeRow } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { COACH_DECISIONS, GATE_STATUSES, PLAYER_DECISIONS, turnState } from './record.ts'
import { toTurnState, turnWithParts } from './rows.ts'
import { worldDeleted } from './worlds.ts'

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
  previousTurn: z.number().nullable(),
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
  ...standingColumns,
  ...ledgerColumns,
})

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
  const row = await readWholeRow(
    graph,
    request.worldSlug == null ? whyInTask : whyInWorld,
    {
      ...targetParams(request),
      turn: asked ?? 0,
      turnNumber: asked === null ? WHOLE_LEDGER : asked + 1,
      ledgerUpTo: WHOLE_LEDGER,
    },
    whyRow,
    (found) =>
      standingIsWhole(WHOLE_LEDGER)(found) &&
      found.issues.length === found.turn.issueCount &&
      found.gates.length === found.turn.gateCount &&
      found.turns.some(([number]) => number === found.turn.number),
  )
  if (row === null) throw noSuchTurn(request, asked)
  if (row.world.deleted) throw worldDeleted(row.world.slug)
  return whyFrom(row, request)
}

function whyFrom(row: z.output<typeof whyRow>, scope: Target): WhyView {
  const turn = row.turn.number
  const standing = standingFrom(row, turn, WHOLE_LEDGER)
  const ledger = standing.ledger ?? []
  const record = toTurnState(
    { ...row, verifications: [], promises: [] },
    { ...scope, worldSlug: row.world.slug },
  )
  const after = criterionStates(standing.criteria, standing.progress, 'latest')
  const earlier = advance(
    new Map(),
    ledger.filter((entry) => entry.turn < turn),
    [],
  )
  const wasVerified = (key: string) => earlier.get(key)?.latestState === 'verified'
  const isVerified = ({ state }: CriterionState) => state === 'verified'
  const show = (state: CriterionState) => ({
    criterionId: state.criterionId,
    key: state.key,
    text: state.text,
    evidence: lastWord(ledger, turn, state.key)?.evidence ?? null,
  })
  const accumulated = criterionStates(standing.criteria, standing.progress, 'sticky')
  return {
    worldSlug: row.world.slug,
    turn,
    previousTurn:
      Math.max(0, ...row.turns.map(([number]) => number).filter((number) => number < turn)) || null,
    playerSummary: record.playerSummary,
    playerDecision: record.playerDecision,
    coachDecision: record.coachDecision,
    coachFeedback: record.coachFeedback,
    blockingIssues: record.issues.filter(({ severity }) => severity === 'blocking'),
    won: after.filter((state) => isVerified(state) && !wasVerified(state.key)).map(show),
    lost: after.filter((state) => !isVerified(state) && wasVerified(state.key)).map(show),
    verified: accumulated.filter(isVerified).length,
    total: accumulated.length,
    gates: record.gates,
    blockingGates: Object.entries(record.gates)
      .filter(([, status]) => status === 'failed')
      .map(([name]) => name),
    whatToTryNext: record.whatToTryNext,
  }
}

const lastWord = (ledger: readonly LedgerEntry[], turn: number, key: string): LedgerEntry | undefined =>
  ledger
    .filter((entry) => entry.turn === turn && entry.criterionKey === key && entry.source !== 'player')
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
