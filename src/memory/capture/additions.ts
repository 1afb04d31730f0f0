/** Adds verifications to a turn that has ended (contract: evidence.md, "Observations"). */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { instant, integerBetween, LIMITS, name, project } from '../../core/fields.ts'
import { toInstant } from '../../core/instants.ts'
import { turnKey, worldKey } from '../../core/keys.ts'
import { scrub } from '../../core/scrub/scrub.ts'
import { serializeRetries, withOneDeadline } from '../../graph/deadline.ts'
import { readRows } from '../../graph/decode.ts'
import { markerOfProject } from '../../graph/mask-key.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { compareAdded } from '../../rules/addition-order.ts'
import { resolveTurn } from '../../rules/turn-entries.ts'
import { readLedger } from '../criteria/snapshot.ts'
import { digestRecord } from '../record/digest.ts'
import { normalizeVerification } from '../record/normalize.ts'
import { listOfVerifications, verification, verificationInput } from '../record/record.ts'
import { addedRow } from '../record/rows.ts'
import { keyOfTask } from '../scope/scope.ts'
import { restoreUnfinished, unknownWorld, worldDeleted } from '../scope/world-errors.ts'
import { getWorld } from '../worlds/worlds.ts'
import { loadWorldSnapshot, type WorldSnapshot } from './load-criteria.ts'
import { type Addition, EMPTY_ADDITION, planAdditions } from './plan-additions.ts'
import { namesBelow } from './plan-capture.ts'

const additionsOfTurn = statement('turns/additions')

const addedInput = verificationInput.extend({
  startedAt: instant
    .nullish()
    .describe('when it was made; default: the time of its observation, otherwise of its arrival'),
})

/** `POST /v1/verifications`. */
export const addVerificationsRequest = z.strictObject({
  project,
  featureId: name.nullish(),
  taskId: name.nullish(),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
  turnNumber: integerBetween(1, LIMITS.turnNumber).nullish().describe('default: the newest turn'),
  verifications: listOfVerifications(addedInput).refine(({ length }) => length > 0, {
    error: 'is empty; add one at least',
  }),
})

export const addedVerification = verification.extend({
  startedAt: z.string().describe('when it was made'),
  addedAt: z.string().describe('when it was stored'),
  addedBy: z.string().nullable().describe('name of the token that added it; null without a token'),
})

export const addVerificationsAnswer = z.object({
  worldSlug: z.string(),
  turnNumber: z.number(),
  added: z.number().describe('number of verifications that this call stored; the others were stored before'),
  verifications: z.array(addedVerification).describe('as stored, in the order of the request'),
  redactions: z.number().describe('number of masked secrets'),
})

type Request = z.output<typeof addVerificationsRequest> & {
  project: string
  featureId: string
  taskId: string
}
type Answer = z.output<typeof addVerificationsAnswer>
type Options = { now?: () => Date; addedBy?: string | null | undefined }

const DEFAULT_SOURCE = { observed: 'command', said: 'coach' } as const

/**
 * Adds verifications to a turn. The record of the turn does not change. They count as of the turn, ordered by their times, not
 * by their arrival. A verification that the turn already has is not stored again.
 *
 * @throws `invalid_request` above {@link MAX_ADDITIONS_OF_TURN}, `unknown_world`, `world_deleted`, `not_found` without that turn, `restore_unfinished`, `store_unavailable`, `timeout`
 * @example
 * await addVerifications(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', verifications: [{ criterionId: 'AC-1', status: 'verified', source: 'person', evidence: 'I tried it' }] })
 */
export async function addVerifications(
  store: Graph,
  request: Request,
  { now = () => new Date(), addedBy = null }: Options = {},
): Promise<Answer> {
  const graph = withOneDeadline(store)
  const { scrubbed, redactions } = await scrub(request, () =>
    markerOfProject(graph, request.project, () => checkWorld(graph, request, NO_WORLD)),
  )
  const given = listAdditions(scrubbed, { addedAt: toInstant(now()), addedBy })
  const answer = await serializeRetries(store, keyOfTask(request), () => tryToAdd(graph, scrubbed, given))
  return { ...answer, redactions }
}

/** Maximum time by which the clock of a machine is ahead of ours. */
const MAX_AHEAD_MS = 10 * 60_000

/** Lists the verifications. A future time is replaced by that of the arrival, so that a later word about the turn counts. */
const listAdditions = (
  { verifications }: Request,
  { addedAt, addedBy }: { addedAt: string; addedBy: string | null },
): Addition[] =>
  verifications.map(({ startedAt = null, ...given }) => {
    const source = given.observation == null ? DEFAULT_SOURCE.said : DEFAULT_SOURCE.observed
    const content = normalizeVerification(given, source)
    const madeAt = content.observation?.startedAt ?? startedAt
    const digest = digestRecord({ ...content, startedAt: madeAt })
    const isPossible = madeAt !== null && Date.parse(madeAt) <= Date.parse(addedAt) + MAX_AHEAD_MS
    return { verification: content, startedAt: isPossible ? madeAt : addedAt, addedAt, addedBy, digest }
  })

async function tryToAdd(
  graph: Graph,
  request: Request,
  given: readonly Addition[],
): Promise<Omit<Answer, 'redactions'> | null> {
  const { project } = request
  const known = await loadWorldSnapshot(graph, {
    request: { ...request, turnNumber: LIMITS.turnNumber + 1 },
    digest: '',
  })
  const worldSlug = await checkWorld(graph, request, known)
  const turnNumber = request.turnNumber ?? known.currentTurn
  const key = worldKey(project, worldSlug)
  const ofTurn = { worldSlug, turnNumber, worldKey: key, turnKey: turnKey(key, turnNumber) }
  const stored = await readAdditions(graph, ofTurn.turnKey)
  if (stored === null) throw unknownTurn(ofTurn, known)
  const fresh = listFresh(given, stored.additions)
  const toAnswer = (all: readonly Addition[]) => {
    const byDigest = new Map(all.map((addition) => [addition.digest, addition]))
    const verifications = given.map((asked) => toAnswered(byDigest.get(asked.digest) ?? asked))
    return { worldSlug, turnNumber, added: fresh.length, verifications }
  }
  if (fresh.length === 0) return toAnswer(stored.additions)
  refuseTooMany(stored.additions.length, fresh.length, ofTurn)
  const ledger = await readLedger(graph, key)
  if (ledger === null || ledger.ledgerRev !== known.ledgerRev) return null
  const { labels, promised } = namesBelow(ledger, turnNumber + 1)
  const resolution = resolveTurn(toRecord(fresh), {
    taskKey: keyOfTask(request),
    worldKey: key,
    criteria: known.criteria,
    labels,
    earlier: promised?.promises ?? [],
    declared: known.declared,
  })
  const steps = planAdditions(
    { ...ofTurn, project, taskKey: keyOfTask(request) },
    { known, ledger, stored, fresh, resolution },
  )
  const written = await graph.write(steps)
  if (written !== null) return toAnswer([...stored.additions, ...fresh])
  if ((await readAdditions(graph, ofTurn.turnKey))?.taskIsRestoring === true) throw restoreUnfinished(request)
  return null
}

/** Maximum number of verifications that are added to a turn. Each answer about its session reads all of them. */
export const MAX_ADDITIONS_OF_TURN = 2_000

/** @throws `invalid_request` if the turn would have too many added verifications */
function refuseTooMany(
  storedCount: number,
  freshCount: number,
  { worldSlug, turnNumber }: { worldSlug: string; turnNumber: number },
): void {
  if (storedCount + freshCount <= MAX_ADDITIONS_OF_TURN) return
  const message = `turn ${turnNumber} of ${worldSlug} has ${storedCount} added verifications and cannot take ${freshCount} more; the limit is ${MAX_ADDITIONS_OF_TURN}`
  throw new TurngraphError('invalid_request', `verifications: ${message}.`, {
    hint: 'Capture the next turn and add them to it, or send only the newest verification of each criterion.',
    details: { problems: [{ path: 'verifications', message }] },
  })
}

/** Snapshot of a world in a missing project. */
const NO_WORLD = { worldSlug: null, deleted: false }

/** Returns the slug of the given world, otherwise of the newest one. */
async function checkWorld(
  graph: Graph,
  request: Request,
  known: Pick<WorldSnapshot, 'worldSlug' | 'deleted'>,
): Promise<string> {
  const { project, featureId, taskId, worldSlug } = request
  if (worldSlug == null) {
    if (known.worldSlug !== null) return known.worldSlug
    throw new TurngraphError(
      'not_found',
      `Task ${taskId} of feature ${featureId} has no world in project ${project}.`,
      {
        hint: 'Verifications are added to a turn that was captured. `turngraph worlds` lists the worlds of the project.',
      },
    )
  }
  if (known.worldSlug !== null && known.deleted) throw worldDeleted(worldSlug)
  const world = await getWorld(graph, project, worldSlug)
  if (world.featureId !== featureId || world.taskId !== taskId) throw unknownWorld(project, worldSlug)
  return worldSlug
}

const unknownTurn = (
  { worldSlug, turnNumber }: { worldSlug: string; turnNumber: number },
  { currentTurn }: WorldSnapshot,
): TurngraphError =>
  new TurngraphError(
    'not_found',
    currentTurn === 0
      ? `World ${worldSlug} has no turns yet, so nothing can be added to one.`
      : `World ${worldSlug} has no turn ${turnNumber}, so nothing can be added to it.`,
    {
      hint: currentTurn === 0 ? 'Capture its first turn first.' : `Its newest turn is ${currentTurn}.`,
      details: { near: currentTurn === 0 ? [] : [String(currentTurn)] },
    },
  )

/** Keeps the first of equal additions that the turn does not have. */
function listFresh(given: readonly Addition[], stored: readonly Addition[]): Addition[] {
  const known = new Set(stored.map(({ digest }) => digest))
  return given.filter(({ digest }) => !known.has(digest) && known.add(digest)).sort(compareAdded)
}

/** Brings additions into the form of a record. The sentence of an observation names no code of a criterion. */
const toRecord = (additions: readonly Addition[]) => ({
  turnNumber: 0,
  acceptanceCriteriaStatus: {},
  verifications: additions.map(({ verification: { observation, ...each }, addedAt }) => ({
    ...each,
    addedAt,
    ...(observation !== undefined && { observation, evidence: null }),
  })),
  promises: [],
  issues: [],
})

const toAnswered = ({ verification: content, startedAt, addedAt, addedBy }: Addition) => ({
  ...content,
  startedAt,
  addedAt,
  addedBy,
})

const additionsRow = z.object({
  verificationCount: z.number(),
  taskIsRestoring: z.boolean(),
  additions: z.array(addedRow),
  judges: z.array(z.string()),
})

/** Verifications that were added to a turn, the number of all its verifications, and the keys of its judges. */
export type StoredAdditions = z.output<typeof additionsRow>

async function readAdditions(graph: Graph, keyOfTurn: string): Promise<StoredAdditions | null> {
  const [row] = await readRows(graph, additionsOfTurn, { turnKey: keyOfTurn }, additionsRow)
  return row ?? null
}

/** Runs the statements of an addition with keys that match nothing, so that a Neo4j that has just started plans them in advance. */
export async function warmUpAdditions(graph: Graph): Promise<void> {
  await readAdditions(graph, '')
  await graph.transact(async (run) => {
    for (const step of EMPTY_ADDITION) await run(step)
    return null
  })
}
