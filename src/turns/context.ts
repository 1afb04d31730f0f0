import * as z from 'zod'
import { readHistories, readMerges } from '../criteria/history.ts'
import { ledgerEntry } from '../criteria/ledger.ts'
import {
  NO_PROMISES,
  promisesIn,
  promisesOf,
  recoverPromises,
  withoutEvidence,
} from '../criteria/promises.ts'
import { type PromisesView, type Role, shownCriterion } from '../criteria/shown.ts'
import { analyseStall, type Stall } from '../criteria/stall.ts'
import { loadStall, reachesBack, sessionOf, stallFor, stallWarning } from '../criteria/stall-analysis.ts'
import {
  keptIsWhole,
  newestStanding,
  SMALL_WORLD,
  type Standing,
  standingAsOf,
  standingColumns,
  targetParams,
  WHOLE_LEDGER,
} from '../criteria/standing.ts'
import { type CriterionState, criterionStates, finalKeys, type LedgerEntry } from '../criteria/state.ts'
import { optionalText } from '../graph/columns.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readRows, readWholeRow } from '../graph/decode.ts'
import { ofOneMoment } from '../graph/one-moment.ts'
import type { Graph } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'
import { renderContext } from './budget.ts'
import type { ContextRequest, ContinuationContext, PriorTurn } from './continuation.ts'
import { bySeverity, type TurnState } from './record.ts'
import { withoutJudgement } from './render.ts'
import { recoveredIn } from './rendering-of.ts'
import { isWhole, promiseRow, toTurnState, turnWithParts } from './rows.ts'
import { unknownWorld, worldDeleted } from './world-errors.ts'

const contextInWorld = statement('turns/context-in-world')
const contextInTask = statement('turns/context-in-task')
const contextWithEntriesInWorld = statement('turns/context-with-entries-in-world')
const contextWithEntriesInTask = statement('turns/context-with-entries-in-task')
const previousInWorld = statement('turns/previous-in-world')
const previousInTask = statement('turns/previous-in-task')

const contextRow = turnWithParts.extend({
  turn: turnWithParts.shape.turn.extend({ digest: z.string() }),
  promises: z.array(z.tuple([promiseRow, z.string(), optionalText])),
  ...standingColumns,
  /** Of each turn its number, how many verifications it has, and those. */
  entries: z.array(z.tuple([z.number(), z.number(), z.array(ledgerEntry)])),
})

const previousRow = z.object({
  worldSlug: z.string(),
  worldKey: z.string(),
  deleted: z.boolean(),
  previous: z.number().nullable(),
})

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
  const context = await contextBelow(graph, request, request.currentTurn)
  if (context !== null) return context
  // A gap below the coming turn, no turn at all, or no world: the rare cases are told apart here.
  const world = await readPrevious(graph, request)
  if (world === null && request.worldSlug != null) throw unknownWorld(request.project, request.worldSlug)
  if (world?.deleted) throw worldDeleted(world.worldSlug)
  const worldSlug = world?.worldSlug ?? null
  if (request.currentTurn <= 1) return withoutPrior('first_turn', request, worldSlug)
  const beforeGap =
    world === null
      ? null
      : await ofOneMoment(graph, world.worldKey, (held) => contextBeforeGap(held, { ...request, worldSlug }))
  return beforeGap ?? withoutPrior('no_prior_turn', request, worldSlug)
}

/** Of a held world: what looked like a gap may have been half of a capture. */
async function contextBeforeGap(held: Graph, request: Request): Promise<ContinuationContext | null> {
  const context = await contextBelow(held, request, request.currentTurn)
  if (context !== null) return context
  const world = await readPrevious(held, request)
  return world?.previous == null ? null : contextBelow(held, request, world.previous + 1)
}

/** The context of the turn right below; null where there is none. */
async function contextBelow(
  graph: Graph,
  request: Request,
  turnNumber: number,
): Promise<ContinuationContext | null> {
  const row = await readContext(graph, request, turnNumber)
  if (row === null) return null
  const { slug: worldSlug, key } = row.world
  if (row.world.currentTurn < turnNumber) {
    const found = await newestFrom(graph, row, request)
    if (isEnough(found, request)) return contextFrom(found, await readMore(graph, found, request), request)
  }
  // As of an earlier turn one read may not be of one moment: a supersede may come between its look at the turn and the
  // look at what was said of the criteria.
  const answer = await ofOneMoment(graph, key, async (held) => {
    const named = { ...request, worldSlug }
    const again = await readContext(held, named, turnNumber)
    if (again === null) return null
    const found = await (again.world.currentTurn < turnNumber
      ? newestFrom(held, again, named)
      : pastFrom(held, again, named))
    return { found, more: await readMore(held, found, request) }
  })
  return answer === null ? null : contextFrom(answer.found, answer.more, request)
}

/** Runs the statements of a context where nothing matches: see `warmUpCapture`. */
export async function warmUpContext(graph: Graph): Promise<void> {
  const nowhere = { project: '', featureId: '', taskId: '', currentTurn: 2 }
  for (const role of ['player', 'coach'] as const) {
    const request = { ...nowhere, role, tokenBudget: 0, perspectiveReset: false, policy: 'sticky' as const }
    await readContext(graph, request, request.currentTurn)
    await readContext(graph, { ...request, worldSlug: '' }, request.currentTurn)
  }
}

type Found = { row: ContextRow; standing: Standing; states: readonly CriterionState[] }

async function readContext(graph: Graph, request: Request, turnNumber: number): Promise<ContextRow | null> {
  const entriesUpTo = entriesNeeded(request)
  const params = { ...targetParams(request), turnNumber, ...(entriesUpTo > 0 && { entriesUpTo }) }
  const isWhole = (row: ContextRow) => contextIsWhole(row, turnNumber, entriesUpTo)
  const row = await readWholeRow(graph, contextStatement(request), params, contextRow, isWhole)
  if (row?.world.deleted) throw worldDeleted(row.world.slug)
  return row
}

function contextStatement(request: Request): Statement {
  if (entriesNeeded(request) > 0)
    return request.worldSlug == null ? contextWithEntriesInTask : contextWithEntriesInWorld
  return request.worldSlug == null ? contextInTask : contextInWorld
}

/** Of worlds up to how many turns all entries are read at once: the Coach sees evidence. */
function entriesNeeded({ role, policy }: Request): number {
  if (policy !== 'sticky') return WHOLE_LEDGER // stall analysis asks for the verified set after each turn
  return role === 'coach' ? SMALL_WORLD : 0
}

/** Where nothing newer than the prior turn stands: what the captures kept is the answer. */
async function newestFrom(graph: Graph, row: ContextRow, request: Request): Promise<Found> {
  const hasEntries = row.world.turnCount <= entriesNeeded(request)
  return foundIn(row, newestStanding(row, hasEntries ? await entriesOf(graph, row) : null), request)
}

/** Each entry under the criterion that it counts for; one that merged into another no longer stands anywhere. */
async function entriesOf(graph: Graph, { entries, standing, world }: ContextRow): Promise<LedgerEntry[]> {
  const all = entries.flatMap(([, , ofTurn]) => ofTurn)
  const stand = new Set(standing.map(({ criterion }) => criterion.key))
  if (all.every(({ criterionKey }) => stand.has(criterionKey))) return all
  const keyOf = finalKeys(await readMerges(graph, world.taskKey))
  return all.map((entry) => ({ ...entry, criterionKey: keyOf(entry.criterionKey) }))
}

/** As of an earlier turn the ledger is folded again. */
async function pastFrom(held: Graph, row: ContextRow, request: Request): Promise<Found> {
  const standing = await standingAsOf(held, request, row.turn.number)
  if (standing === null) throw new Error('a world that is held has a standing')
  return foundIn(row, standing, request)
}

const foundIn = (row: ContextRow, standing: Standing, { policy }: Request): Found => ({
  row,
  standing,
  states: criterionStates(standing.criteria, standing.progress, policy),
})

function contextIsWhole(row: ContextRow, turnNumber: number, entriesUpTo: number): boolean {
  const { world, turn, entries } = row
  return (
    isWhole(row) &&
    // A node that a supersede takes its place from has another key: it was found by the one it had a moment before.
    !SUPERSEDED_KEY.test(turn.key) &&
    keptIsWhole(row) &&
    // A capture or a supersede that commits between the look at the world and the look at the turn would pair the
    // turn with the judgements of another.
    (world.currentTurn >= turnNumber ||
      (world.newestDigest === turn.digest &&
        isAsOf(row) &&
        (world.turnCount > entriesUpTo || entriesAreWhole(entries, turn.number))))
  )
}

const entriesAreWhole = (entries: ContextRow['entries'], newest: number): boolean =>
  entries.some(([turn]) => turn === newest) && entries.every(([, count, ofTurn]) => ofTurn.length === count)

/** `cypher/turns/supersede`: the key, `~`, and the record's revision. */
const SUPERSEDED_KEY = /~\d+$/

const isAsOf = ({ turn, standing }: ContextRow): boolean =>
  standing.every(({ progress: kept }) => {
    if (kept === null) return false
    const { firstTurn, lastTurn, promiseTurn } = kept.progress
    return Math.max(firstTurn, lastTurn ?? 0, promiseTurn ?? 0) <= turn.number
  })

async function readPrevious(graph: Graph, request: Request): Promise<z.output<typeof previousRow> | null> {
  const from = request.worldSlug == null ? previousInTask : previousInWorld
  const params = { ...targetParams(request), turnNumber: request.currentTurn }
  const [row] = await readRows(graph, from, params, previousRow)
  return row ?? null
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
    tokens: { budget: request.tokenBudget, used: 0 },
  }
}

/** Whether the one read holds all that is shown: nearly always. */
const isEnough = ({ row, standing, states }: Found, { role }: Request): boolean =>
  (role === 'player' || standing.ledger !== null) &&
  reachesBack(standing, states) &&
  (standing.promisedTurn === null || standing.promisedTurn === row.turn.number)

type More = {
  histories: ReadonlyMap<string, readonly LedgerEntry[]> | null
  stall: Stall
  promises: PromisesView
}

async function readMore(graph: Graph, { row, standing, states }: Found, request: Request): Promise<More> {
  const { role, policy } = request
  const target = { ...request, worldSlug: standing.worldSlug }
  const histories = role === 'coach' ? await readHistories(graph, standing, states) : null
  const stall = reachesBack(standing, states)
    ? analyseStall(sessionOf(standing, states, policy))
    : await loadStall(graph, { ...target, turn: standing.turn })
  const promises = await promisesFor(graph, row, standing, target)
  return { histories, stall, promises }
}

async function contextFrom(
  { row, standing, states }: Found,
  { histories, stall, promises }: More,
  request: Request,
): Promise<ContinuationContext> {
  const { role, currentTurn } = request
  const prior = priorOf(row, request)
  const criteria = states.map((state) => shownCriterion(state, role, standing, histories))
  const issues = request.perspectiveReset
    ? []
    : bySeverity(prior.issues).map((issue) => shownIssue(issue, role))
  const shown = priorFor(prior, request)
  const { text, ...rendered } = await renderContext(
    {
      prior: shown,
      criteria,
      issues,
      role,
      olderTurnsRecorded: [...standing.progress.values()].some(
        ({ firstJudgedTurn }) => firstJudgedTurn !== null && firstJudgedTurn < prior.turnNumber,
      ),
      verifiedInPrior: new Set(
        states.filter(({ lastVerifiedTurn }) => lastVerifiedTurn === prior.turnNumber).map(({ key }) => key),
      ),
      recovered: role === 'coach' ? recoveredIn(promises) : null,
      stallWarning: stallWarning(role, stall),
    },
    request.tokenBudget,
  )
  return {
    ...withoutPrior('ok', request, standing.worldSlug),
    context: text,
    previousTurn: prior.turnNumber,
    gap: prior.turnNumber !== currentTurn - 1,
    prior: shown,
    criteria,
    promises: role === 'coach' ? promises : withoutEvidence(promises),
    stall: stallFor(role, stall),
    issues,
    ...rendered,
  }
}

function priorOf(row: ContextRow, scope: Request): TurnState {
  const { digest, ...turn } = row.turn
  const promises = row.promises.map(([promise]) => promise)
  return toTurnState({ ...row, turn, promises }, { ...scope, worldSlug: row.world.slug })
}

/** Nearly always the prior turn has promises, or none of the world has: both are known already. */
async function promisesFor(
  graph: Graph,
  { turn, promises }: ContextRow,
  standing: Standing,
  request: Request,
): Promise<PromisesView> {
  const { currentTurn } = request
  if (standing.currentTurn >= currentTurn) return recoverPromises(graph, { ...request, turn: currentTurn })
  const { promisedTurn } = standing
  if (promisedTurn === null) return NO_PROMISES
  if (promisedTurn === turn.number) {
    return promisesOf(graph, { turn: turn.number, promises }, standing, currentTurn)
  }
  return promisesIn(graph, request, standing, promisedTurn, currentTurn)
}

/** Judge isolation (invariant 9): a Player's view holds no evidence, no source, no gate and no `details`. */
function priorFor({ createdAt, ...prior }: TurnState, { role, perspectiveReset }: ContextRequest): PriorTurn {
  const { verifications, gates, extra, ...open } = prior
  const promises = prior.promises.map(({ evidence, ...promise }) => promise)
  const seen: PriorTurn = role === 'coach' ? prior : { ...open, promises }
  return {
    ...(perspectiveReset ? withoutJudgement(seen) : seen),
    issues: perspectiveReset ? [] : prior.issues.map((issue) => shownIssue(issue, role)),
  }
}

function shownIssue(
  { details, ...issue }: TurnState['issues'][number],
  role: Role,
): PriorTurn['issues'][number] {
  return role === 'coach' ? { ...issue, details } : issue
}
