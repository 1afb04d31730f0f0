/**
 * Turns a capture request into what is stored: defaults filled in, synonyms mapped, parts in order. Pure: the clock is a
 * parameter.
 */
import * as z from 'zod'
import { secondsBetween } from '../../core/instants.ts'
import { transcriptKey } from '../../core/keys.ts'
import { turnFields } from '../../graph/model/nodes.ts'
import type { CriterionStatus, Source } from '../../graph/model/values.ts'
import type { Params, Value } from '../../graph/port.ts'
import { type Entry, type Resolution, resolveCriteria } from '../criteria/identity.ts'
import { type LedgerEntry, outcomeRow, type PromiseEntry, storedCriterion } from '../criteria/rows.ts'
import { issueSignature, toOutcome } from '../criteria/signature.ts'
import { isSubstantiated } from '../criteria/state.ts'
import type { CaptureRequest, Issue, TurnPromise, TurnState, Verification } from './record.ts'
import { findCoachDecision, findPlayerDecision, toSeverity } from './words.ts'

/** A verification with the form it came in: a map entry names the criterion by its id alone. */
export type StoredVerification = Verification & { form: 'status' | 'entry' }

export type TurnParts = {
  turn: Pick<TurnState, keyof typeof turnFields | 'turnNumber'>
  verifications: StoredVerification[]
  promises: TurnPromise[]
  issues: Issue[]
  gates: { name: string; status: TurnState['gates'][string] }[]
}

export function normalizeTurn(request: CaptureRequest, now: string): TurnParts {
  const startedAt = request.startedAt ?? null
  const completedAt = request.completedAt === undefined ? now : request.completedAt
  const bothGiven = request.startedAt != null && request.completedAt != null
  return {
    turn: {
      turnNumber: request.turnNumber,
      ...withDefaults(request),
      playerDecision: findPlayerDecision(request.playerDecision ?? '') ?? 'unknown',
      playerDecisionRaw: givenWord(request.playerDecisionRaw, request.playerDecision),
      coachDecision: findCoachDecision(request.coachDecision ?? '') ?? 'unknown',
      coachDecisionRaw: givenWord(request.coachDecisionRaw, request.coachDecision),
      mode: request.mode ?? defaultMode(request),
      completedAt,
      durationSeconds: request.durationSeconds ?? (bothGiven ? secondsBetween(startedAt, completedAt) : null),
      extra: request.extra ?? {},
      createdAt: now,
    },
    verifications: [
      ...Object.entries(request.acceptanceCriteriaStatus ?? {}).map(fromStatusMap),
      ...(request.verifications ?? []).map(
        (given): StoredVerification => ({
          criterionId: given.criterionId,
          criterionText: given.criterionText ?? null,
          status: given.status,
          source: given.source ?? 'coach',
          evidence: given.evidence ?? null,
          form: 'entry',
          ...(given.files != null && given.files.length > 0 && { files: given.files }),
        }),
      ),
    ],
    promises: (request.promises ?? []).map((given) => ({
      criterionId: given.criterionId,
      criterionText: given.criterionText ?? null,
      status: given.status,
      evidence: given.evidence ?? null,
      evidenceType: given.evidenceType ?? null,
      confidence: given.confidence ?? null,
      testFile: given.testFile ?? null,
      implementationFiles: given.implementationFiles ?? [],
    })),
    issues: (request.issues ?? []).map((given) => ({
      severity: toSeverity(given.severity),
      severityRaw: given.severityRaw ?? given.severity,
      category: given.category ?? null,
      description: given.description,
      criterionIds: given.criterionIds ?? [],
      suggestion: given.suggestion ?? null,
      details: given.details ?? null,
    })),
    gates: Object.entries(request.gates ?? {}).map(([name, status]) => ({ name, status })),
  }
}

/** The fields of a turn as they were given: what was not is null, and a list or a text is empty. */
function withDefaults(
  request: Partial<Record<keyof typeof turnFields, unknown>>,
): Pick<TurnState, keyof typeof turnFields> {
  const fields = Object.entries(turnFields).map(([name, property]) => {
    const missing = property instanceof z.ZodOptional ? null : property instanceof z.ZodArray ? [] : ''
    return [name, request[name as keyof typeof turnFields] ?? missing]
  })
  return Object.fromEntries(fields)
}

/** What came in: a record that was read back says so itself, and null where nothing was given. */
const givenWord = (raw: string | null | undefined, word: string | null | undefined): string | null =>
  raw === undefined ? (word ?? null) : raw

const defaultMode = ({ turnNumber, recovered }: CaptureRequest): TurnState['mode'] => {
  if (recovered === true) return 'recovering_state'
  return turnNumber === 1 ? 'fresh_start' : 'continuing_work'
}

const fromStatusMap = ([criterionId, status]: [string, CriterionStatus]): StoredVerification => ({
  criterionId,
  criterionText: null,
  status,
  source: 'coach',
  evidence: null,
  form: 'status',
})

/** Whether resolving needs to know anything: a turn without criteria is stored without a read. */
export const namesCriteria = ({ verifications, promises, issues }: TurnParts): boolean =>
  verifications.length > 0 ||
  promises.length > 0 ||
  issues.some(({ criterionIds }) => criterionIds.length > 0)

/** An entry without a text may mean what the Player last meant by its label. */
export const needsEarlier = ({ verifications, issues }: TurnParts): boolean =>
  verifications.some(({ criterionText }) => criterionText === null) ||
  issues.some(({ criterionIds }) => criterionIds.length > 0)

export function resolveParts(parts: TurnParts, known: Parameters<typeof resolveCriteria>[0]): Resolution {
  const entry = ({ criterionId, criterionText }: Verification | TurnPromise, source: Source): Entry => ({
    label: criterionId,
    text: criterionText,
    source,
  })
  const judgements = (form: 'status' | 'entry') =>
    parts.verifications.filter((v) => v.form === form).map((v) => entry(v, v.source))
  // The full entries first: they have texts, so that an id of the status map means the criterion of that text.
  const { judgements: resolved, ...resolution } = resolveCriteria(known, {
    promises: parts.promises.map((promise) => entry(promise, 'player')),
    judgements: [judgements('entry'), judgements('status')],
    mentioned: parts.issues.flatMap(({ criterionIds }) => criterionIds),
  })
  return { ...resolution, judgements: resolved.toReversed() }
}

/** What the turn adds to the ledger of its world. */
export function listEntries(
  { turn, verifications, promises }: TurnParts,
  resolution: Pick<Resolution, 'judgements' | 'promises'>,
): { ledger: LedgerEntry[]; promised: PromiseEntry[] } {
  const verified = resolution.judgements.flat()
  return {
    ledger: verifications.map(({ criterionId, status, source, form, evidence }, position) => ({
      turn: turn.turnNumber,
      position,
      criterionKey: verified[position] ?? '',
      label: criterionId,
      status,
      source,
      form,
      substantiated: isSubstantiated(evidence),
      evidence,
    })),
    promised: promises.map(({ criterionId, status }, position) => ({
      turn: turn.turnNumber,
      position,
      criterionKey: resolution.promises[position] ?? '',
      label: criterionId,
      status,
    })),
  }
}

/** The parameters of `turns/_parts` and `criteria/_extend`, but for where each criterion stands and what the turn is about. */
export function storedParams(
  parts: TurnParts,
  resolution: Resolution,
  progress: ReadonlyMap<string, Value>,
  identity: {
    project: string
    id: string
    digest: string
    writeId: string
    criteriaRev: number
    isStamped: boolean
    /** See listTopicNames. */
    topics: string[]
  },
): Params {
  const { turn, verifications, promises, issues, gates } = parts
  const { startedAt, completedAt, createdAt, turnNumber, extra, ...properties } = turn
  const mentioned = [...resolution.mentioned]
  const judged = (status: CriterionStatus) =>
    verifications.filter((v) => v.status === status && v.source !== 'player').length
  const outcome = outcomeRow(toOutcome({ ...turn, issues, gates }))
  return {
    turn: present({
      ...properties,
      number: turnNumber,
      id: identity.id,
      digest: identity.digest,
      writeId: identity.writeId,
      extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
      revision: 1,
      verificationCount: verifications.length,
      verifiedCount: judged('verified'),
      rejectedCount: judged('rejected'),
      promiseCount: promises.length,
      issueCount: issues.length,
      gateCount: gates.length,
      topics: identity.topics,
      outcome,
    }),
    at: {
      started: startedAt,
      completed: completedAt,
      created: createdAt,
      isStamped: identity.isStamped,
    },
    add: {
      criteria: criteriaParams(parts, resolution, progress),
      issues: issues.map(({ details, ...issue }, position) => ({
        criterionKeys: [...new Set(mentioned.splice(0, issue.criterionIds.length))].filter(
          (key) => key !== null,
        ),
        properties: present({
          ...issue,
          details: details === null ? null : JSON.stringify(details),
          signature: issueSignature(issue),
          position,
        }),
      })),
      gates: gates.map((gate, position) => ({ ...gate, position })),
      transcripts: [...new Set(turn.transcriptSessionIds)].map((id) => ({
        key: transcriptKey(identity.project, id),
        id,
        project: identity.project,
      })),
      outcome: outcome === null ? [] : [outcome],
      hasProofFiles: verifications.some(({ files }) => files != null && files.length > 0),
    },
    extends: resolution.changed.length > 0,
    criteriaRev: identity.criteriaRev,
  }
}

/** A node that is created has no property to take away: null says nothing, and costs as much as a value. */
function present(properties: { [name: string]: Value | undefined }): { [name: string]: Value } {
  return Object.fromEntries(
    Object.entries(properties).filter((property): property is [string, Value] => property[1] != null),
  )
}

type CriterionParams = {
  key: string
  changed: Value[]
  verifications: Value[]
  promises: Value[]
  labels: Value[]
  progress: Value[]
}

/** All that the turn says of each criterion, so that the graph looks each up once. */
function criteriaParams(
  { verifications, promises }: TurnParts,
  resolution: Resolution,
  progress: ReadonlyMap<string, Value>,
): CriterionParams[] {
  const byKey = new Map<string, CriterionParams>()
  const at = (key: string): CriterionParams => {
    const existing = byKey.get(key)
    if (existing !== undefined) return existing
    const criterion = { key, changed: [], verifications: [], promises: [], labels: [], progress: [] }
    byKey.set(key, criterion)
    return criterion
  }
  for (const criterion of resolution.changed) at(criterion.key).changed.push(storedCriterion(criterion))
  const verified = resolution.judgements.flat()
  verifications.forEach((verification, position) => {
    const substantiated = isSubstantiated(verification.evidence)
    at(verified[position] ?? '').verifications.push(present({ ...verification, position, substantiated }))
  })
  promises.forEach((promise, position) => {
    at(resolution.promises[position] ?? '').promises.push(present({ ...promise, position }))
  })
  for (const { criterionKey, ...label } of resolution.labels) at(criterionKey).labels.push(label)
  for (const [key, properties] of progress) at(key).progress.push(properties)
  return [...byKey.values()]
}
