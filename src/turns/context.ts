import { z } from 'zod'
import type { Criterion } from '../criteria/identity.ts'
import { ledgerColumns, ledgerIsWhole } from '../criteria/ledger.ts'
import { criterionRow, progressIsWhole, progressRow } from '../criteria/rows.ts'
import {
  advance,
  type CriterionState,
  criterionStates,
  finalKeys,
  type LedgerEntry,
  type Progress,
} from '../criteria/state.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readRows, readWholeRow } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { worldKey } from '../keys.ts'
import type { ContextRequest, ContinuationContext, PriorTurn, Role, ShownCriterion } from './continuation.ts'
import { SEVERITIES, type TurnState } from './record.ts'
import { renderContext } from './render.ts'
import { isWhole, toTurnState, turnWithParts } from './rows.ts'
import { keyOfTask } from './scope.ts'
import { unknownWorld, worldDeleted } from './worlds.ts'

const contextInWorld = statement('turns/context-in-world')
const contextInTask = statement('turns/context-in-task')
const previousInWorld = statement('turns/previous-in-world')
const previousInTask = statement('turns/previous-in-task')

const contextRow = turnWithParts.extend({
  world: z.object({
    slug: z.string(),
    currentTurn: z.number(),
    progressSum: z.number(),
    deleted: z.boolean(),
  }),
  standing: z.array(
    z.tuple([progressRow, criterionRow]).transform(([progress, criterion]) => ({ progress, criterion })),
  ),
  ...ledgerColumns,
})

const previousRow = z.object({ worldSlug: z.string(), deleted: z.boolean(), previous: z.number().nullable() })

type ContextRow = z.output<typeof contextRow>
type Request = ContextRequest & { project: string }

/**
 * What the next turn needs to know: the prior turn, and all that was verified so far. One query by exact key.
 *
 * `context` is the seed's text (seed 000, `load_turn_continuation_context`); `null` in turn 1 and where
 * there is no prior turn, which is an answer: an unreachable store is an error.
 *
 * @throws `unknown_world` where the request names a world that the task does not have, `world_deleted`,
 *   `store_unavailable`, `timeout`
 */
export async function loadTurnContinuationContext(
  store: Graph,
  request: Request,
): Promise<ContinuationContext> {
  const graph = withOneDeadline(store)
  const row = await readContext(graph, request, request.currentTurn)
  if (row !== null) return contextFrom(row, request)
  // A gap below the coming turn, no turn at all, or no world: the rare cases are told apart here.
  const world = await readPrevious(graph, request)
  if (world === null && request.worldSlug != null) throw unknownWorld(request.project, request.worldSlug)
  if (world?.deleted) throw worldDeleted(world.worldSlug)
  const worldSlug = world?.worldSlug ?? null
  if (request.currentTurn <= 1) return withoutPrior('first_turn', request, worldSlug)
  if (world === null || world.previous === null) return withoutPrior('no_prior_turn', request, worldSlug)
  const beforeGap = await readContext(graph, request, world.previous + 1)
  return beforeGap === null
    ? withoutPrior('no_prior_turn', request, worldSlug)
    : contextFrom(beforeGap, request)
}

/** Runs the statements of a context where nothing matches: see `warmUpCapture`. */
export async function warmUpContext(graph: Graph): Promise<void> {
  const nowhere = { project: '', featureId: '', taskId: '', currentTurn: 2, role: 'player' as const }
  const request = { ...nowhere, tokenBudget: 0, perspectiveReset: false, policy: 'sticky' as const }
  await readContext(graph, request, request.currentTurn)
  await readContext(graph, { ...request, worldSlug: '' }, request.currentTurn)
}

function contextFrom(row: ContextRow, request: Request): ContinuationContext {
  if (row.world.deleted) throw worldDeleted(row.world.slug)
  const prior = toTurnState(row, { ...request, worldSlug: row.world.slug })
  return {
    ...withoutPrior('ok', request, row.world.slug),
    previousTurn: prior.turnNumber,
    gap: prior.turnNumber !== request.currentTurn - 1,
    ...view(prior, row, request),
  }
}

/**
 * Where nothing newer than the prior turn stands, what the captures kept is the answer; as of an earlier turn
 * the ledger is folded again. The Coach's view holds evidence, so it always reads the ledger.
 */
async function readContext(graph: Graph, request: Request, turnNumber: number): Promise<ContextRow | null> {
  const read = (withLedger: boolean): Promise<ContextRow | null> => {
    const params = { ...target(request), turnNumber, withLedger }
    const from = request.worldSlug == null ? contextInTask : contextInWorld
    return readWholeRow(graph, from, params, contextRow, (row) => contextIsWhole(row, withLedger, turnNumber))
  }
  const row = await read(request.role === 'coach')
  const newest = row === null || row.world.currentTurn < turnNumber
  return newest || request.role === 'coach' ? row : read(true)
}

const contextIsWhole = (row: ContextRow, withLedger: boolean, turnNumber: number): boolean =>
  isWhole(row) &&
  (row.world.currentTurn >= turnNumber || isAsOf(row)) &&
  progressIsWhole(
    row.world.progressSum,
    row.standing.map(({ progress }) => progress),
  ) &&
  (!withLedger || (row.turns.some(([number]) => number === row.turn.number) && ledgerIsWhole(row)))

/** A capture that commits between the look at the turn and the look at the criteria would show its own judgements. */
const isAsOf = ({ turn, standing }: ContextRow): boolean =>
  standing.every(({ progress: kept }) => {
    const { firstTurn = 0, lastTurn = null, promiseTurn = null } = kept?.progress ?? {}
    return Math.max(firstTurn, lastTurn ?? 0, promiseTurn ?? 0) <= turn.number
  })

async function readPrevious(graph: Graph, request: Request): Promise<z.output<typeof previousRow> | null> {
  const from = request.worldSlug == null ? previousInTask : previousInWorld
  const params = { ...target(request), turnNumber: request.currentTurn }
  const [row] = await readRows(graph, from, params, previousRow)
  return row ?? null
}

function target(request: Request): { taskKey: string; worldKey?: string } {
  const { project, worldSlug } = request
  return {
    taskKey: keyOfTask(request),
    ...(worldSlug == null ? {} : { worldKey: worldKey(project, worldSlug) }),
  }
}

function withoutPrior(
  status: ContinuationContext['status'],
  request: ContextRequest,
  worldSlug: string | null,
): ContinuationContext {
  return {
    status,
    context: null,
    role: request.role,
    worldSlug: worldSlug ?? request.worldSlug ?? null,
    currentTurn: request.currentTurn,
    previousTurn: null,
    gap: false,
    prior: null,
    criteria: [],
    promises: null,
    stall: null,
    issues: [],
    included: [],
    omitted: [],
  }
}

type View = Pick<ContinuationContext, 'context' | 'prior' | 'criteria' | 'issues' | 'included' | 'omitted'>

function view(turn: TurnState, row: ContextRow, request: ContextRequest): View {
  const { criteria, progress } = standingBefore(turn.turnNumber + 1, row)
  const states = criterionStates(criteria, progress, request.policy)
  const shown = states.map((state) => shownCriterion(state, request.role, row))
  const issues = request.perspectiveReset
    ? []
    : bySeverity(turn.issues).map((issue) => shownIssue(issue, request.role))
  const prior = priorFor(turn, request)
  const rendered = renderContext({
    prior,
    criteria: shown,
    issues,
    role: request.role,
    olderTurnsRecorded: [...progress.values()].some(
      ({ firstJudgedTurn }) => firstJudgedTurn !== null && firstJudgedTurn < turn.turnNumber,
    ),
    verifiedInPrior: new Set(
      states.filter(({ lastVerifiedTurn }) => lastVerifiedTurn === turn.turnNumber).map(({ key }) => key),
    ),
  })
  return { context: rendered.text, prior, criteria: shown, issues, included: rendered.included, omitted: [] }
}

function standingBefore(
  turnNumber: number,
  row: ContextRow,
): { criteria: Criterion[]; progress: Map<string, Progress> } {
  if (row.world.currentTurn < turnNumber) {
    return {
      criteria: row.standing.map(({ criterion }) => criterion),
      progress: new Map(
        row.standing.flatMap(({ criterion, progress: kept }) =>
          kept === null ? [] : [[criterion.key, kept.progress] as const],
        ),
      ),
    }
  }
  const progress = advance(new Map(), row.ledger, row.promised, finalKeys(row.criteria))
  return { criteria: row.criteria, progress }
}

/** Judge isolation (invariant 9): a Player's view holds no evidence, no source, no gate and no `details`. */
function priorFor({ createdAt, ...prior }: TurnState, { role, perspectiveReset }: ContextRequest): PriorTurn {
  const { verifications, gates, extra, ...open } = prior
  const seen: PriorTurn = role === 'coach' ? prior : open
  return {
    ...seen,
    coachFeedback: perspectiveReset ? null : prior.coachFeedback,
    issues: perspectiveReset ? [] : prior.issues.map((issue) => shownIssue(issue, role)),
  }
}

function shownIssue(
  { details, ...issue }: TurnState['issues'][number],
  role: Role,
): PriorTurn['issues'][number] {
  return role === 'coach' ? { ...issue, details } : issue
}

const HISTORY_SHOWN = 20

function shownCriterion(state: CriterionState, role: Role, row: ContextRow): ShownCriterion {
  const { lastVerifiedTurn, contestedInTurn, ...criterion } = state
  if (role === 'player') {
    return { ...criterion, contested: contestedInTurn === null ? null : { turn: contestedInTurn } }
  }
  const keyOf = finalKeys(row.criteria)
  const entries = row.ledger
    .filter(({ criterionKey }) => keyOf(criterionKey) === criterion.key)
    .sort((a, b) => a.turn - b.turn || a.position - b.position)
  const omitted = Math.max(0, entries.length - HISTORY_SHOWN)
  return {
    ...criterion,
    contested:
      contestedInTurn === null ? null : { turn: contestedInTurn, reason: reasonIn(contestedInTurn, entries) },
    history: entries
      .slice(omitted)
      .map(({ turn, status, source, evidence }) => ({ turn, status, source, evidence })),
    ...(omitted === 0 ? {} : { historyOmitted: omitted }),
  }
}

const reasonIn = (contested: number, entries: readonly LedgerEntry[]): string | null =>
  entries.findLast(
    ({ turn, status, source }) => turn === contested && status === 'rejected' && source !== 'player',
  )?.evidence ?? null

/** Most severe first; equally severe ones in the order the Coach gave them. */
const bySeverity = (issues: TurnState['issues']): TurnState['issues'] =>
  issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
