/** Explains a turn: what it tried, and why it was not approved. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { BASES } from '../../rules/basis.ts'
import { countCriteria } from '../../rules/notes.ts'
import { observedOn } from '../../rules/observation.ts'
import { entriesIn, finalKeys, type LedgerEntry, ledgerEntry, repeatsIn } from '../../rules/progress.ts'
import { shownPromisedNotJudged, specifiedStates } from '../../rules/specified-states.ts'
import { judgeFromProperties } from '../../rules/turn-agents.ts'
import {
  COACH_DECISIONS,
  CRITERION_STATUSES,
  type CriterionStatus,
  GATE_STATUSES,
  PLAYER_DECISIONS,
  SOURCES,
} from '../../rules/values.ts'
import { readSpecified } from '../criteria/read-states.ts'
import {
  isSnapshotWhole,
  ledgerColumns,
  NO_TURN,
  placeEntries,
  readLiveTarget,
  SMALL_WORLD,
  type Snapshot,
  snapshotColumns,
  snapshotFrom,
  statementOfTarget,
  type Target,
  WHOLE_LEDGER,
} from '../criteria/snapshot.ts'
import { type CriterionState, criterionCounts, promisedCriterion, type Role } from '../criteria/views.ts'
import { issuesFor, issueView } from '../record/issues.ts'
import { gatesFrom, issuesFrom, turnWithParts } from '../record/rows.ts'
import { judge } from '../record/turn-agents.ts'
import { requireNames } from '../scope/missing-name.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { listWorlds } from '../worlds/list-worlds.ts'
import { getWorld } from '../worlds/worlds.ts'

const whyStatements = statementOfTarget('turns/why')

const turned = z.object({
  criterionId: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  basis: z
    .enum(BASES)
    .nullable()
    .describe('how its newest verification is known; null: it is not verified after this turn'),
  evidence: z.string().nullable().optional().describe("role coach only: the judge's, of this turn"),
})

const verdictOfTurn = z.object({
  criterionId: z.string(),
  key: z.string(),
  status: z.enum(CRITERION_STATUSES),
  source: z.enum(SOURCES),
  evidence: z.string().nullable(),
  observedOn: observedOn
    .optional()
    .describe('only of an observation: the state of the files that it checked'),
  addedAt: z.string().optional().describe('only if it was added to the turn after its end: when'),
})

const rejection = turned.extend({
  kind: z
    .enum(['new', 'again', 'lost'])
    .describe('new: not judged before, or left open; again: rejected before, too; lost: verified before'),
})

/** Attempt of a turn and the reasons of its failure (seed 000, goal 4). */
export const whyView = z.object({
  worldSlug: z.string(),
  turn: z.number(),
  playerSummary: z.string(),
  playerDecision: z.enum(PLAYER_DECISIONS),
  coachDecision: z.enum(COACH_DECISIONS),
  judge: judge.optional().describe('role coach only: agent that judged the turn, if it is named'),
  coachFeedback: z.string().nullable(),
  rejected: z.array(rejection).describe('criteria whose last verdict of this turn is a rejection'),
  promisedNotJudged: z.array(promisedCriterion).describe('promised by then, and never named by a judge'),
  issues: z.array(issueView).describe('most severe first'),
  blockingIssues: z.array(issueView),
  blockersFound: z.array(z.string()),
  won: z.array(turned).describe('criteria whose last verdict became verified in this turn'),
  lost: z
    .array(turned)
    .describe('criteria whose last verdict was verified before this turn and is not after it'),
  verdicts: z
    .array(verdictOfTurn)
    .optional()
    .describe('role coach only: all verifications of the turn, in their order'),
  ...criterionCounts,
  total: z.number(),
  gates: z.record(z.string(), z.enum(GATE_STATUSES)).optional().describe('role coach only'),
  blockingGates: z.array(z.string()).optional().describe('role coach only: those that failed'),
  whatToTryNext: z.string().nullable(),
})

export type WhyView = z.output<typeof whyView>

export type WhyRequest = Target & { turn?: number | null | undefined; role?: Role | undefined }

const whyRow = turnWithParts.omit({ verifications: true, promises: true }).extend({
  said: z.array(ledgerEntry),
  ...snapshotColumns,
  ...ledgerColumns,
})

type WhyRow = z.output<typeof whyRow>

/**
 * Explains what a turn tried and why it was not approved, with all of its verdicts.
 *
 * @param request `turn`: default the newest; `role`: default the Coach, who sees the reasons
 * @throws `not_found` if the turn or the task does not exist, `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { lost, blockingIssues } = await explainTurn(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1' })
 */
export async function explainTurn(store: Graph, request: WhyRequest): Promise<WhyView> {
  const graph = withOneDeadline(store)
  const selectedTurn = request.turn ?? null
  const read = (ledgerUpTo: number): Promise<WhyRow | null> =>
    readLiveTarget(
      graph,
      whyStatements,
      request,
      { turn: selectedTurn ?? 0, turnNumber: selectedTurn === null ? NO_TURN : selectedTurn + 1, ledgerUpTo },
      whyRow,
      (found) => whyIsWhole(found, ledgerUpTo),
    )
  for (const ledgerUpTo of [SMALL_WORLD, WHOLE_LEDGER]) {
    const row = await read(ledgerUpTo)
    const why = row === null ? null : await whyFrom(graph, row, request)
    if (why !== null) return why
    if (row === null) break
  }
  throw await explainMissingTurn(graph, request, selectedTurn)
}

const whyIsWhole = (row: WhyRow, ledgerUpTo: number): boolean =>
  isSnapshotWhole(ledgerUpTo)(row) &&
  row.issues.length === row.turn.issueCount &&
  row.gates.length === row.turn.gateCount &&
  row.said.length === row.turn.verificationCount &&
  (row.world.turnCount > ledgerUpTo || row.turns.some(({ turn }) => turn === row.turn.number))

/** Builds the explanation; null if it requires the ledger, for an early turn of a long world or for merged criteria. */
async function whyFrom(graph: Graph, row: WhyRow, scope: WhyRequest): Promise<WhyView | null> {
  const turn = row.turn.number
  const snapshot = snapshotFrom(row, turn)
  const merged = row.said.some(({ criterionKey }) => !snapshot.progress.has(criterionKey))
  if (snapshot.ledger === null && (turn < snapshot.currentTurn || merged)) return null
  const specified = await readSpecified(graph, snapshot, 'latest')
  const after = specifiedStates(snapshot, specified, 'latest')
  const verdictBefore = verdictsBefore(snapshot, turn)
  const before = new Map(after.map(({ key }) => [key, verdictBefore(key)]))
  if ([...before.values()].includes(undefined)) return null
  const verdicts = placeVerdicts(row.said, finalKeys(row.criteria))
  const isCoach = scope.role !== 'player'
  const lastWords = lastWordsIn(verdicts)
  const show = ({ criterionId, key, text, basis }: CriterionState) => ({
    ...{ criterionId, key, text, basis },
    ...(isCoach && { evidence: lastWords.get(key)?.evidence ?? null }),
  })
  const chooseKind = (state: CriterionState) => KINDS[before.get(state.key) ?? 'unknown']
  const issues = issuesFor(after, snapshot.progress, scope.role ?? 'coach')(issuesFrom(row.issues))
  const gates = gatesFrom(row.gates)
  const accumulated = specifiedStates(snapshot, specified, 'sticky')
  const { contestedInTurns, ...counts } = countCriteria(accumulated)
  return {
    worldSlug: row.world.slug,
    turn,
    playerSummary: row.turn.playerSummary,
    playerDecision: row.turn.playerDecision,
    coachDecision: row.turn.coachDecision,
    ...(isCoach && judgeFromProperties(row.turn)),
    coachFeedback: row.turn.coachFeedback,
    rejected: after
      .filter(({ key }) => lastWords.get(key)?.status === 'rejected')
      .map((state) => ({ ...show(state), kind: chooseKind(state) })),
    promisedNotJudged: shownPromisedNotJudged(snapshot, accumulated),
    issues,
    blockingIssues: issues.filter(({ severity }) => severity === 'blocking'),
    blockersFound: row.turn.blockersFound,
    won: after.filter((state) => isVerified(state) && before.get(state.key) !== 'verified').map(show),
    lost: after.filter((state) => !isVerified(state) && before.get(state.key) === 'verified').map(show),
    ...counts,
    ...(isCoach && {
      verdicts: showVerdicts(verdicts, after),
      gates,
      blockingGates: Object.entries(gates)
        .filter(([, status]) => status === 'failed')
        .map(([name]) => name),
    }),
    whatToTryNext: row.turn.whatToTryNext,
  }
}

const isVerified = ({ state }: CriterionState): boolean => state === 'verified'

/** Creates a function that finds the last verdict before a turn: null without one, undefined if the entries do not reach back. */
function verdictsBefore(
  snapshot: Snapshot,
  turn: number,
): (criterionKey: string) => CriterionStatus | null | undefined {
  const findEntries = entriesIn(snapshot)
  return (key) => {
    const entries = findEntries(key)
    const last = entries.findLast((entry) => entry.turn < turn && entry.judges && entry.status !== 'unknown')
    if (last !== undefined) return last.status
    const all = snapshot.ledger !== null || (snapshot.progress.get(key)?.entries ?? 0) <= entries.length
    return all ? null : undefined
  }
}

/** Kinds of rejections by the previous verdict. */
const KINDS = { verified: 'lost', rejected: 'again', pending: 'new', unknown: 'new' } as const

/** Returns the verifications of a turn under the criteria for which they count, in order, without replaced entries of a status map. */
function placeVerdicts(said: readonly LedgerEntry[], finalKey: (key: string) => string): LedgerEntry[] {
  const placed = placeEntries(said, finalKey)
  const repeats = repeatsIn(placed)
  return placed.filter((entry) => !repeats.has(entry)).toSorted((a, b) => a.position - b.position)
}

function showVerdicts(
  placed: readonly LedgerEntry[],
  states: readonly CriterionState[],
): z.output<typeof verdictOfTurn>[] {
  const labels = new Map(states.map(({ key, criterionId }) => [key, criterionId]))
  return placed.map(({ criterionKey: key, label, status, source, evidence, observedOn, addedAt }) => ({
    ...{ criterionId: labels.get(key) ?? label, key, status, source, evidence },
    ...(observedOn !== null && { observedOn }),
    ...(addedAt !== null && { addedAt }),
  }))
}

/** Finds the last verdict of a judge on each criterion in a turn. `unknown` changes no earlier verdict. */
function lastWordsIn(placed: readonly LedgerEntry[]): ReadonlyMap<string, LedgerEntry> {
  const judged = placed.filter(({ source }) => source !== 'player')
  const [unknown, known] = [true, false].map((is) =>
    judged.filter(({ status }) => (status === 'unknown') === is),
  )
  return new Map([...(unknown ?? []), ...(known ?? [])].map((entry) => [entry.criterionKey, entry]))
}

/** @throws `not_found` if the task does not exist, `unknown_world` if the world does not exist or has another task */
async function explainMissingTurn(
  graph: Graph,
  target: Target,
  turn: number | null,
): Promise<TurngraphError> {
  const { project, worldSlug } = target
  if (worldSlug == null) {
    await requireNames(graph, target)
    const { featureId, taskId } = target
    const newestFirst = { order: 'last_activity', after: null, limit: SESSIONS_SEARCHED } as const
    const { worlds } = await listWorlds(graph, { project, featureId, taskId }, newestFirst)
    const [newest, ...earlier] = worlds
    if (newest === undefined) return noSuchTurn(`task ${taskId}`, turn)
    const before = earlier.find(({ currentTurn }) => currentTurn > 0)
    return noSuchTurn(`world ${newest.worldSlug} of task ${taskId}`, turn, newest.currentTurn, before)
  }
  const world = await getWorld(graph, project, worldSlug)
  if (world.featureId !== target.featureId || world.taskId !== target.taskId) {
    return unknownWorld(project, worldSlug)
  }
  return noSuchTurn(`world ${worldSlug} of task ${target.taskId}`, turn, world.currentTurn)
}

/** Maximum number of sessions that are searched for the previous one, which an error suggests to the caller. */
const SESSIONS_SEARCHED = 20

function noSuchTurn(
  where: string,
  turn: number | null,
  newest = 0,
  before?: { worldSlug: string },
): TurngraphError {
  const what = turn === null ? `There is no turn in ${where} yet` : `There is no turn ${turn} in ${where}`
  const session =
    before === undefined ? '' : `; the session before it is ${before.worldSlug} (world_slug, --world)`
  return new TurngraphError('not_found', `${what}${session}.`, {
    hint: '`turngraph worlds turns` lists the turns of a world.',
    details: { near: newest === 0 ? [] : [String(newest)] },
  })
}
