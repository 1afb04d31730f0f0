import { z } from 'zod'
import { type CriterionState, criterionStates } from '../criteria/state.ts'
import { readWholeRow } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { worldKey } from '../keys.ts'
import type { ContextRequest, ContinuationContext, PriorTurn, Role, ShownCriterion } from './continuation.ts'
import { CRITERION_STATUSES, PROMISE_STATUSES, SEVERITIES, SOURCES, type TurnState } from './record.ts'
import { renderContext } from './render.ts'
import { criterionRow, isWhole, toTurnState, turnWithParts } from './rows.ts'
import { keyOfTask } from './scope.ts'
import { unknownWorld, worldDeleted } from './worlds.ts'

const inWorld = statement('turns/context-in-world')
const inTask = statement('turns/context-in-task')

const contextRow = z.object({
  world: z.object({ slug: z.string(), currentTurn: z.number(), turnCount: z.number(), deleted: z.boolean() }),
  turn: turnWithParts.shape.turn.nullable(),
  verifications: turnWithParts.shape.verifications,
  promises: turnWithParts.shape.promises,
  issues: turnWithParts.shape.issues,
  gates: turnWithParts.shape.gates,
  turns: z.array(z.tuple([z.number(), z.number(), z.number()])),
  criteria: z.array(criterionRow),
  ledger: z.array(
    z
      .tuple([
        z.number(),
        z.number(),
        z.string(),
        z.string(),
        z.enum(CRITERION_STATUSES),
        z.enum(SOURCES),
        z.enum(['status', 'entry']),
        z.boolean(),
        z.string().nullable(),
      ])
      .transform(([turn, position, criterionKey, label, status, source, form, substantiated, evidence]) => ({
        turn,
        position,
        criterionKey,
        label,
        status,
        source,
        form,
        substantiated,
        evidence,
      })),
  ),
  promised: z.array(
    z
      .tuple([z.number(), z.number(), z.string(), z.string(), z.enum(PROMISE_STATUSES)])
      .transform(([turn, position, criterionKey, label, status]) => ({
        turn,
        position,
        criterionKey,
        label,
        status,
      })),
  ),
})

type ContextRow = z.output<typeof contextRow>

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
  graph: Graph,
  request: ContextRequest & { project: string },
): Promise<ContinuationContext> {
  const row = await readContext(graph, request)
  if (row === null && request.worldSlug != null) throw unknownWorld(request.project, request.worldSlug)
  if (row?.world.deleted) throw worldDeleted(row.world.slug)
  if (request.currentTurn <= 1) return emptyContext('first_turn', request, row)
  if (row === null || row.turn === null) return emptyContext('no_prior_turn', request, row)
  const prior = toTurnState({ ...row, turn: row.turn }, { ...request, worldSlug: row.world.slug })
  const criteria = criterionStates(row.criteria, row.ledger, row.promised, request.policy)
  return {
    ...emptyContext('ok', request, row),
    previousTurn: prior.turnNumber,
    gap: prior.turnNumber !== request.currentTurn - 1,
    ...view(prior, criteria, row, request),
  }
}

function readContext(
  graph: Graph,
  request: ContextRequest & { project: string },
): Promise<ContextRow | null> {
  const { project, worldSlug, currentTurn, role } = request
  const params = { taskKey: keyOfTask(request), turnNumber: currentTurn, withEvidence: role === 'coach' }
  if (worldSlug == null) return readWholeRow(graph, inTask, params, contextRow, contextIsWhole)
  return readWholeRow(
    graph,
    inWorld,
    { ...params, worldKey: worldKey(project, worldSlug) },
    contextRow,
    contextIsWhole,
  )
}

/** Every turn of the world is there, the prior one with all of its parts, each earlier one with its ledger. */
function contextIsWhole(row: ContextRow): boolean {
  const below = row.turns.filter(([number]) => row.turn !== null && number <= row.turn.number)
  const counted = (i: 1 | 2) => below.reduce((sum, counts) => sum + counts[i], 0)
  return (
    row.turns.length === row.world.turnCount &&
    (row.turn === null || isWhole({ ...row, turn: row.turn })) &&
    row.ledger.length === counted(1) &&
    row.promised.length === counted(2)
  )
}

function emptyContext(
  status: ContinuationContext['status'],
  request: ContextRequest,
  row: ContextRow | null,
): ContinuationContext {
  return {
    status,
    context: null,
    role: request.role,
    worldSlug: row?.world.slug ?? request.worldSlug ?? null,
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

function view(prior: TurnState, criteria: CriterionState[], row: ContextRow, request: ContextRequest): View {
  const shown = criteria.map((criterion) => shownCriterion(criterion, request.role))
  const issues = request.perspectiveReset
    ? []
    : bySeverity(prior.issues).map((issue) => shownIssueFor(issue, request.role))
  const forRole = priorFor(prior, request)
  const rendered = renderContext({
    prior: forRole,
    criteria: shown,
    issues,
    role: request.role,
    olderTurnsRecorded: row.ledger.some(({ turn }) => turn < prior.turnNumber),
    verifiedInPrior: new Set(
      row.ledger
        .filter((e) => e.turn === prior.turnNumber && e.status === 'verified')
        .map((e) => e.criterionKey),
    ),
  })
  return {
    context: rendered.text,
    prior: forRole,
    criteria: shown,
    issues,
    included: rendered.included,
    omitted: [],
  }
}

/** Judge isolation (invariant 9): a Player's view holds no evidence, no source, no gate and no `details`. */
function priorFor({ createdAt, ...prior }: TurnState, { role, perspectiveReset }: ContextRequest): PriorTurn {
  const { verifications, gates, extra, ...open } = prior
  const seen: PriorTurn = role === 'coach' ? prior : open
  return {
    ...seen,
    coachFeedback: perspectiveReset ? null : prior.coachFeedback,
    issues: perspectiveReset ? [] : prior.issues.map((issue) => shownIssueFor(issue, role)),
  }
}

function shownIssueFor(
  { details, ...issue }: TurnState['issues'][number],
  role: Role,
): PriorTurn['issues'][number] {
  return role === 'coach' ? { ...issue, details } : issue
}

const HISTORY_SHOWN = 20

function shownCriterion({ history, contested, ...criterion }: CriterionState, role: Role): ShownCriterion {
  if (role === 'player') {
    return { ...criterion, contested: contested === null ? null : { turn: contested.turn } }
  }
  const newest = history.slice(-HISTORY_SHOWN)
  const omitted = history.length - newest.length
  return { ...criterion, contested, history: newest, ...(omitted === 0 ? {} : { historyOmitted: omitted }) }
}

/** Most severe first; equally severe ones in the order the Coach gave them. */
const bySeverity = (issues: TurnState['issues']): TurnState['issues'] =>
  issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
