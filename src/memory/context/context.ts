/** Loads the continuation context of the next turn. */

import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { withOneDeadline } from '../../graph/deadline.ts'
import { retryTornRead } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { outcomeText } from '../../rules/outcome.ts'
import { finalKeys, type LedgerEntry, ledgerEntry } from '../../rules/progress.ts'
import { shownPromisedNotJudged } from '../../rules/specified-states.ts'
import { listTriedBefore, MAX_TRIED_TURNS } from '../../rules/tried-before.ts'
import { columns } from '../../rules/values.ts'
import { listWithdrawn, type WithdrawnTurn } from '../../rules/withdrawn.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import {
  arePromisesConsistent,
  findPromisedTurn,
  NO_PROMISES,
  promisedColumns,
  viewPromises,
  withoutEvidence,
} from '../criteria/promises.ts'
import { readDeclaredCriteria, readStates } from '../criteria/read-states.ts'
import {
  isLedgerWhole,
  isOfState,
  isStateWhole,
  ledgerColumns,
  newestSnapshot,
  placeEntries,
  readHistories,
  readLiveTarget,
  readMerges,
  readTarget,
  SMALL_WORLD,
  type Snapshot,
  snapshotColumns,
  snapshotFrom,
  statementOfTarget,
  WHOLE_LEDGER,
} from '../criteria/snapshot.ts'
import { stallAfter } from '../criteria/stall-analysis.ts'
import {
  type CriterionState,
  isWarned,
  type PromisesView,
  type Stall,
  shownCriterion,
  stallFor,
  stallWarning,
} from '../criteria/views.ts'
import { issueFor, issuesFor } from '../record/issues.ts'
import type { TurnState } from '../record/record.ts'
import { issuesFrom, isWhole, toTurnState, turnWithParts, withdrawnRow } from '../record/rows.ts'
import { keyOfTask } from '../scope/scope.ts'
import { unknownWorld, worldDeleted } from '../scope/world-errors.ts'
import { renderContext } from './budget.ts'
import { countTurns, type KnownThen, readKnownThen, worldRow } from './context-as-of.ts'
import type { ContextRequest, ContinuationContext, Elsewhere, LastJudged, PriorTurn } from './continuation.ts'
import { readEarlierSession } from './earlier-session.ts'
import { isKnownRequested, readKnown } from './other-sessions.ts'
import { EMPTY_HISTORY, hideVerdict } from './render.ts'
import { recoveredIn } from './rendering-from-context.ts'

const contextWithEntries = statementOfTarget('turns/context', 'with-entries')
const contextWithoutEntries = statementOfTarget('turns/context', 'without-entries')
const earlierContext = statementOfTarget('turns/context', 'as-of')

const contextRow = turnWithParts.extend({
  /** The prior turn, or the newest judged turn with its issues if the prior turn is not judged. */
  judged: turnWithParts.shape.turn
    .pick({
      key: true,
      number: true,
      digest: true,
      issueCount: true,
      coachDecision: true,
      coachFeedback: true,
      whatToTryNext: true,
    })
    .extend({ outcome: outcomeText.nullable() }),
  judgedIssues: turnWithParts.shape.issues,
  ...promisedColumns,
  /** Promises of the prior turn; only as of an earlier turn, because the requested turn may have promises of its own. */
  priorPromises: turnWithParts.shape.promises.optional(),
  ...snapshotColumns,
  /** All turns with their verifications, or none. */
  entries: z.array(
    columns({
      turn: z.number(),
      digest: z.string(),
      verificationCount: z.number(),
      entries: z.array(ledgerEntry),
    }),
  ),
  /** Summaries of the turns before the prior turn. */
  triedBefore: z.array(z.tuple([z.number(), z.string()])),
  withdrawn: z.array(withdrawnRow),
  /** True if the task has a newer session, and a stall may be warned of. */
  isSuperseded: z.boolean().default(false),
})

const earlierContextRow = contextRow.extend(ledgerColumns)

type ContextRow = z.output<typeof contextRow>
type Request = ContextRequest & { project: string }

/** Builds the row of a context from the records that were known at the capture; null if there was no earlier turn. */
function toContextRow({ records, snapshot, withdrawn }: KnownThen): ContextRow | null {
  const prior = records.at(-1)
  if (prior === undefined) return null
  const outcome = snapshot.outcomes.at(-1) ?? null
  const isUnjudged = ['error', 'deferred', 'unknown'].includes(prior.turn.coachDecision)
  const judged = (isUnjudged ? records.find(({ turn }) => turn.number === outcome?.turn) : prior) ?? prior
  const promised = records.findLast(({ promises }) => promises.length > 0) ?? prior
  const { worldSlug: slug, worldKey: key, taskKey, currentTurn, specifiedAfter, hasProofFiles } = snapshot
  const finalKey = finalKeys(snapshot.criteria)
  return {
    ...prior,
    world: {
      ...{ slug, key, taskKey, currentTurn, hasProofFiles, deleted: false, state: NO_TURNS },
      turnCount: records.length,
      specifiedAfter: [...specifiedAfter],
    },
    judged: { ...judged.turn, outcome },
    judgedIssues: judged === prior ? [] : judged.issues,
    promisedTurn: promised.turn,
    promises: promised.promises.map((promise) => ({
      promise,
      key: finalKey(promised.promisedKeys[promise.position] ?? ''),
      mergedInto: null,
    })),
    priorPromises: prior.promises,
    namedCriteria: [],
    entries: [],
    triedBefore: records
      .slice(0, -1)
      .slice(-MAX_TRIED_TURNS)
      .map(({ turn }) => [turn.number, turn.playerSummary]),
    withdrawn: [...withdrawn],
    isSuperseded: false, // a newer session came later
  }
}

/**
 * Loads the context of the next turn: the prior turn and everything verified so far. A query by exact key finds the prior turn.
 * If the world already has the requested turn or a later one, a second query also reads the ledger. More queries read the
 * specification, the histories of a large world for the Coach, and facts from other sessions.
 *
 * `context` is the seed's text (seed 000, `load_turn_continuation_context`). It is `null` if there is neither a prior turn nor
 * anything known before it, such as a specification or an earlier session. An unreachable store is an error, never a `null`.
 *
 * @throws `unknown_world` if the task does not have the named world, `world_deleted`,
 *   `store_unavailable`, `timeout`
 */
export async function loadTurnContinuationContext(
  store: Graph,
  request: Request,
): Promise<ContinuationContext> {
  const graph = withOneDeadline(store)
  return retryTornRead(
    () => loadContext(graph, request),
    (context) => context !== null,
  )
}

/** Loads a context; null if the reads saw only part of a commit or of a replacement. */
async function loadContext(graph: Graph, request: Request): Promise<ContinuationContext | null> {
  if (request.asOf === 'turn') return loadContextAtCapture(graph, request)
  if (request.currentTurn <= 1) return answerWithoutPrior('first_turn', graph, request)
  const newest = await readContext(graph, request)
  if (newest === null) {
    const without = await answerWithoutPrior('no_prior_turn', graph, request)
    if (without !== null) return without
  }
  if (newest !== null && newest.world.currentTurn < request.currentTurn) {
    // The stored state belongs to the prior turn, because no newer turn exists.
    const hasEntries = newest.world.turnCount <= maxTurnsWithEntries(request)
    const entries = hasEntries ? await readEntries(graph, newest) : null
    return answerFrom(graph, newest, newestSnapshot(newest, entries), request)
  }
  const row = await readContextOfEarlierTurn(graph, request)
  return row === null ? null : answerFrom(graph, row, snapshotFrom(row, row.turn.number), request)
}

/** Computes the context before the capture of the turn from the records of that time. */
async function loadContextAtCapture(graph: Graph, request: Request): Promise<ContinuationContext | null> {
  const known = await readKnownThen(graph, request)
  const row = known === null ? null : toContextRow(known)
  if (known !== null && row !== null) return answerFrom(graph, row, known.snapshot, request, known)
  const status = request.currentTurn <= 1 ? 'first_turn' : 'no_prior_turn'
  if (known === null) return answerWithoutPrior(status, graph, request)
  const answer = withWithdrawn(withoutPrior(status, request, known.worldSlug), known.withdrawn)
  if (known.snapshot.specifiedAfter.length === 0 && answer.withdrawn === undefined) return answer
  const states = await readStates(graph, known.snapshot, request.policy, known)
  const criteria = states.map((state) => shownCriterion(state, request.role, known.snapshot, null))
  return answerWithDeclared(answer, { criteria }, request)
}

/** Answers without a prior turn; null if one exists after all, below a gap or while it is being replaced. */
async function answerWithoutPrior(
  status: 'first_turn' | 'no_prior_turn',
  graph: Graph,
  request: Request,
): Promise<ContinuationContext | null> {
  const params = { turnNumber: request.currentTurn }
  const world = await readTarget(graph, countTurns, request, params, worldRow, () => true)
  if (world === null && request.worldSlug != null) throw unknownWorld(request.project, request.worldSlug)
  if (world?.deleted) throw worldDeleted(world.worldSlug)
  const isTorn = world !== null && (world.turnsFound !== world.turnCount || world.turnsBelow > 0)
  if (isTorn && status === 'no_prior_turn') return null
  const answer = withWithdrawn(
    withoutPrior(status, request, world?.worldSlug ?? null),
    world?.turnCount === 0 ? world.withdrawn : [],
  )
  const mayDeclare = world === null || (world.specifiedAfter ?? []).length > 0
  // The context of the first turn already contains the specification of the task.
  const [{ criteria }, elsewhere] = await Promise.all([
    mayDeclare ? readDeclaredCriteria(graph, keyOfTask(request), request) : { criteria: [] },
    readElsewhereWithoutPrior(graph, request, answer.worldSlug),
  ])
  if (criteria.length === 0 && elsewhere === null && answer.withdrawn === undefined) return answer
  return answerWithDeclared(answer, { criteria, ...(elsewhere !== null && { elsewhere }) }, request)
}

async function answerWithDeclared(
  answer: ContinuationContext,
  known: Pick<ContinuationContext, 'criteria' | 'elsewhere'>,
  { currentTurn, role, tokenBudget, sections }: Request,
): Promise<ContinuationContext> {
  const { text, ...rendered } = await renderContext(
    { ...EMPTY_HISTORY, ...known, withdrawn: answer.withdrawn, currentTurn, role },
    tokenBudget,
    { withSections: sections === true },
  )
  return { ...answer, context: text, ...known, ...rendered }
}

/** Adds the withdrawn turns of a world that has no turn before the next one. */
const withWithdrawn = (answer: ContinuationContext, turns: readonly WithdrawnTurn[]): ContinuationContext => {
  const withdrawn = listWithdrawn(turns, 0)
  return withdrawn.length === 0 ? answer : { ...answer, withdrawn }
}

/** Reads facts from other sessions for a context without a prior turn. */
async function readElsewhereWithoutPrior(
  graph: Graph,
  request: Request,
  worldSlug: string | null,
): Promise<Elsewhere | null> {
  if (request.elsewhere === 'off') return null
  const [earlierSession, known] = await Promise.all([
    request.currentTurn > 1 || worldSlug === null ? null : readEarlierSession(graph, request, worldSlug),
    isKnownRequested(request) ? readKnown(graph, request, worldSlug, null) : [],
  ])
  return earlierSession === null && known.length === 0 ? null : { earlierSession, known }
}

/** Reads facts from other sessions for a context with a prior turn. */
async function readElsewhereWithPrior(
  graph: Graph,
  row: ContextRow,
  request: Request,
): Promise<Elsewhere | null> {
  if (!isKnownRequested(request)) return null
  const { turn, gates } = row
  const openIssues = request.perspectiveReset ? [] : issuesFrom([...row.issues, ...row.judgedIssues])
  const known = await readKnown(graph, request, row.world.slug, { turn, gates, openIssues })
  return known.length === 0 ? null : { earlierSession: null, known }
}

/** Facts of a session that does not exist, for which `readKnown` runs each of its statements. */
const ABSENT_SESSION = {
  turn: { filesModified: ['-'], lessonsFromTurn: [], blockersFound: [] },
  gates: [{ name: '', status: 'failed' }],
  openIssues: [{ severity: 'blocking' as const, category: null, description: '`sumPrices` in src/till.ts' }],
}

/** Runs the statements of a context without a match: see `warmUpCapture`. */
export async function warmUpContext(graph: Graph): Promise<void> {
  for (const each of ABSENT_REQUESTS) {
    const request = { ...each, elsewhere: 'earlier' as const }
    await readContext(graph, request)
    await readContext(graph, { ...request, worldSlug: '' })
    await answerWithoutPrior('first_turn', graph, request)
    await readEarlierSession(graph, request, '')
  }
}

/** Runs the statements of less frequent contexts: those of an earlier turn, and those with related sessions. */
export async function warmUpContextDetails(graph: Graph): Promise<void> {
  for (const request of ABSENT_REQUESTS) {
    await readContextOfEarlierTurn(graph, request)
    await readContextOfEarlierTurn(graph, { ...request, worldSlug: '' })
    await readKnown(graph, request, null, ABSENT_SESSION)
  }
}

const ABSENT_REQUESTS = (['player', 'coach'] as const).map((role) => ({
  project: '',
  featureId: '',
  taskId: '',
  currentTurn: 2,
  role,
  tokenBudget: 0,
  perspectiveReset: false,
  policy: 'sticky' as const,
  elsewhere: 'known' as const,
  asOf: 'now' as const,
}))

async function readContext(graph: Graph, request: Request): Promise<ContextRow | null> {
  const entriesUpTo = maxTurnsWithEntries(request)
  const turnNumber = request.currentTurn
  return readLiveTarget(
    graph,
    entriesUpTo > 0 ? contextWithEntries : contextWithoutEntries,
    request,
    { turnNumber, ...(entriesUpTo > 0 && { entriesUpTo }) },
    contextRow,
    (found) => isContextConsistent(found, turnNumber, entriesUpTo),
  )
}

function maxTurnsWithEntries({ role, policy }: Request): number {
  if (policy !== 'sticky') return WHOLE_LEDGER // stall analysis needs the verified set after each turn
  return role === 'coach' ? SMALL_WORLD : 0
}

/** Reads the entries, each under the criterion for which it counts, which may be the target of a merge. */
async function readEntries(graph: Graph, { entries, world }: ContextRow): Promise<LedgerEntry[]> {
  const all = entries.flatMap((each) => each.entries)
  if (all.every(({ criterionKey }) => world.state.progress.has(criterionKey))) return all
  return placeEntries(all, finalKeys(await readMerges(graph, world.taskKey)))
}

/** Reads the row with the ledger, for a world that already has the requested turn or a later one. */
const readContextOfEarlierTurn = (graph: Graph, request: Request) =>
  readLiveTarget(
    graph,
    earlierContext,
    request,
    {
      turnNumber: request.currentTurn,
      promisedUpTo: request.currentTurn,
      ledgerUpTo: WHOLE_LEDGER,
    },
    earlierContextRow,
    isEarlierContextConsistent,
  )

/** True if the row shows one moment. {@link isEarlierContextConsistent} checks rows of turns that are not the newest. */
function isContextConsistent(row: ContextRow, turnNumber: number, entriesUpTo: number): boolean {
  const { world, turn } = row
  if (world.currentTurn >= turnNumber) return true // the row is not used: see loadContext
  return (
    hasAllParts(row) &&
    isStateWhole(row) &&
    // A capture that commits between the two reads would combine a turn with the judgements of another one.
    world.state.digest === turn.digest &&
    arePromisesConsistent(row, world.state.promised === null ? turn : findPromisedTurn(world.state)) &&
    isLastOutcome(row) &&
    hasAllTried(row, world.turnCount) &&
    (world.turnCount > entriesUpTo || areEntriesWhole(row))
  )
}

/** True if a row with the ledger shows one moment: each turn must be the record in the ledger. */
function isEarlierContextConsistent(row: z.output<typeof earlierContextRow>): boolean {
  const { turn, judged, promisedTurn, turns } = row
  const newestBelow = Math.max(...turns.map((said) => said.turn))
  const digestByTurn = new Map(turns.map((said) => [said.turn, said.digest]))
  return (
    hasAllParts(row) &&
    isLedgerWhole(row, row.world.turnCount) &&
    isStateWhole(row) &&
    turn.number === newestBelow &&
    hasAllTried(row, turns.length) &&
    digestByTurn.get(turn.number) === turn.digest &&
    digestByTurn.get(judged.number) === judged.digest &&
    arePromisesConsistent(row, {
      number: promisedTurn.number,
      // The requested turn may have promises of its own, whose entries are not in the ledger below it.
      digest: digestByTurn.get(promisedTurn.number) ?? null,
    })
  )
}

const hasAllParts = (row: ContextRow): boolean =>
  isWhole({ ...row, promises: promisesOfPrior(row) }) &&
  (row.judged.number === row.turn.number || row.judged.issueCount === row.judgedIssues.length) &&
  // A replaced node changes its key: the statement found it by its key of the moment before.
  ![row.turn.key, row.judged.key].some((key) => SUPERSEDED_KEY.test(key))

const hasAllTried = ({ triedBefore }: ContextRow, turnsUpToPrior: number): boolean =>
  triedBefore.length === Math.min(MAX_TRIED_TURNS, turnsUpToPrior - 1)

const promisesOfPrior = ({ turn, promisedTurn, promises, priorPromises }: ContextRow) =>
  priorPromises ?? (promisedTurn.number === turn.number ? promises.map(({ promise }) => promise) : [])

const areEntriesWhole = ({ world, entries: turns }: ContextRow): boolean =>
  isOfState(world.state, turns) &&
  turns.every(({ verificationCount, entries }) => entries.length === verificationCount)

/** Matches the key of a superseded record: the key, `~`, and the revision (`cypher/turns/supersede`). */
const SUPERSEDED_KEY = /~\d+$/

/** True if a judged turn before an unjudged one has the newest outcome of the state. */
const isLastOutcome = ({ turn, judged, world }: ContextRow): boolean =>
  judged.number === turn.number || isDeepStrictEqual(judged.outcome, world.state.outcomes.at(-1))

function withoutPrior(
  status: ContinuationContext['status'],
  request: ContextRequest,
  worldSlug: string | null,
): ContinuationContext {
  return {
    status,
    taskKnown: true, // the operation checks this again if no world was found
    context: null,
    role: request.role,
    worldSlug: worldSlug ?? request.worldSlug ?? null,
    currentTurn: request.currentTurn,
    previousTurn: null,
    gap: false,
    prior: null,
    lastJudged: null,
    criteria: [],
    promisedNotJudged: [],
    triedBefore: [],
    promises: null,
    stall: null,
    issues: [],
    included: [],
    omitted: [],
    tokens: { budget: request.tokenBudget, used: 0 },
  }
}

type Found = {
  row: ContextRow
  snapshot: Snapshot
  states: readonly CriterionState[]
  histories: ReadonlyMap<string, readonly LedgerEntry[]> | null
  stall: Stall
  promises: PromisesView
  elsewhere: Elsewhere | null
}

/** Builds the answer. Reads the missing data of long worlds and merged criteria. Null in the cases of {@link readHistories}. */
async function answerFrom(
  graph: Graph,
  row: ContextRow,
  snapshot: Snapshot,
  request: Request,
  known: Pick<KnownThen, 'specifications' | 'touchedSince'> | null = null,
): Promise<ContinuationContext | null> {
  const { role, policy } = request
  const states = await readStates(graph, snapshot, policy, { withStale: true, ...known })
  const histories = role === 'coach' ? await readHistories(graph, snapshot, states) : null
  if (role === 'coach' && histories === null) return null
  const asNewest = await stallAfter(graph, request, snapshot, states, false)
  const stall =
    isWarned(asNewest) && row.isSuperseded
      ? await stallAfter(graph, request, snapshot, states, true)
      : asNewest
  const promises =
    row.promises.length === 0
      ? NO_PROMISES
      : await viewPromises(graph, row, snapshot, states, request.currentTurn)
  const elsewhere = await readElsewhereWithPrior(graph, row, request)
  return contextFrom({ row, snapshot, states, histories, stall, promises, elsewhere }, request)
}

/** Returns the newest judged turn if the prior turn is not judged: `error`, `deferred` or `unknown`. */
const lastJudgedIn = ({ turn, judged }: ContextRow, { perspectiveReset }: Request): LastJudged | null => {
  if (perspectiveReset || judged.number === turn.number) return null
  const { number, coachDecision, coachFeedback, whatToTryNext } = judged
  return { turn: number, coachDecision, coachFeedback, whatToTryNext }
}

async function contextFrom(
  { row, snapshot, states, histories, stall, promises, elsewhere }: Found,
  request: Request,
): Promise<ContinuationContext> {
  const { role, currentTurn } = request
  const prior = toTurnState(
    { ...row, promises: promisesOfPrior(row) },
    { ...request, worldSlug: row.world.slug },
  )
  const criteria = states.map((state) => shownCriterion(state, role, snapshot, histories))
  const showIssues = issuesFor(states, snapshot.progress, role)
  const issues = request.perspectiveReset
    ? []
    : [
        ...showIssues(prior.issues),
        ...showIssues(issuesFrom(row.judgedIssues)).map((issue) => ({
          ...issue,
          turn: row.judged.number,
        })),
      ]
  // Below the newest turn, the place of a withdrawn turn is a gap.
  const withdrawn =
    prior.turnNumber < row.world.currentTurn ? [] : listWithdrawn(row.withdrawn, prior.turnNumber)
  const shown = {
    prior: priorFor(prior, request),
    criteria,
    lastJudged: lastJudgedIn(row, request),
    promisedNotJudged: shownPromisedNotJudged(snapshot, states),
    triedBefore: listTriedBefore(
      row.triedBefore.map(([turnNumber, playerSummary]) => ({ turnNumber, playerSummary })),
    ),
    issues,
    ...(withdrawn.length > 0 && { withdrawn }),
    ...(elsewhere !== null && { elsewhere }),
  }
  const { text, ...rendered } = await renderContext(
    {
      ...shown,
      currentTurn,
      role,
      olderTurnsRecorded: [...snapshot.progress.values()].some(
        ({ firstJudgedTurn }) => firstJudgedTurn !== null && firstJudgedTurn < prior.turnNumber,
      ),
      verifiedInPrior: new Set(
        states.filter(({ lastVerifiedTurn }) => lastVerifiedTurn === prior.turnNumber).map(({ key }) => key),
      ),
      recovered: role === 'coach' ? recoveredIn(promises) : null,
      stallWarning: stallWarning(role, stallFor(role, stall)),
    },
    request.tokenBudget,
    { withSections: request.sections === true },
  )
  return {
    ...withoutPrior('ok', request, snapshot.worldSlug),
    context: text,
    previousTurn: prior.turnNumber,
    gap: prior.turnNumber !== currentTurn - 1,
    ...shown,
    promises: role === 'coach' ? promises : withoutEvidence(promises),
    stall: stallFor(role, stall),
    ...rendered,
  }
}

/** Judge isolation (invariant 9): a Player's view contains no evidence, no source, no judge, no gate and no `details`. */
function priorFor(
  { createdAt, recordedBy, ...prior }: TurnState,
  { role, perspectiveReset }: ContextRequest,
): PriorTurn {
  const { verifications, gates, usage, extra, judge, ...open } = prior
  const promises = prior.promises.map(({ evidence, ...promise }) => promise)
  const seen: PriorTurn = role === 'coach' ? prior : { ...open, promises }
  return {
    ...(perspectiveReset ? { ...hideVerdict(seen), deliveredFeedback: null } : seen),
    issues: perspectiveReset ? [] : prior.issues.map((issue) => issueFor(issue, role)),
  }
}
