/**
 * Builds the record of a turn from a capture, with defaults and canonical words, and the parameters that store it. Pure: the
 * clock is a parameter.
 */
import * as z from 'zod'
import { secondsBetween } from '../../core/instants.ts'
import { transcriptKey, worktreeKey } from '../../core/keys.ts'
import { listFileNodes } from '../../core/project-paths.ts'
import type { Params, Value } from '../../graph/port.ts'
import { listPromisedEvidence } from '../../rules/absence.ts'
import { deriveVerification } from '../../rules/derive-turn.ts'
import type { Resolution } from '../../rules/identity.ts'
import { describeObservation } from '../../rules/observation.ts'
import { issueSignature } from '../../rules/signature.ts'
import { judgeToProperties, listAgentNodes, playerToProperties } from '../../rules/turn-agents.ts'
import { listGates, listVerifications, type StoredVerification } from '../../rules/turn-entries.ts'
import type { Source } from '../../rules/values.ts'
import { storedCriterion } from './criterion-rows.ts'
import { seedId } from './derived-keys.ts'
import { normalizeObservation } from './observation.ts'
import {
  type CaptureRequest,
  type TurnRecord,
  type TurnState,
  turnContent,
  turnState,
  type Verification,
  type VerificationInput,
} from './record.ts'
import { normalizeJudge, normalizePlayer } from './turn-agents.ts'
import { normalizeUsage } from './usage.ts'
import { findCoachDecision, toPlayerDecision, toSeverity } from './words.ts'

const { verifications, promises, issues } = turnState.shape
const verification = verifications.element.omit({ files: true, judge: true, observation: true })

export function normalizeTurn(request: CaptureRequest, now: string): TurnRecord {
  const { featureId, taskId, turnNumber } = request
  const startedAt = request.startedAt ?? null
  const completedAt = request.completedAt === undefined ? now : request.completedAt
  const bothGiven = request.startedAt != null && request.completedAt != null
  return {
    ...withDefaults(turnContent, request),
    id: seedId(request),
    featureId,
    taskId,
    turnNumber,
    playerDecision: toPlayerDecision(request.playerDecision ?? '') ?? 'unknown',
    playerDecisionRaw: givenWord(request.playerDecisionRaw, request.playerDecision),
    coachDecision: findCoachDecision(request.coachDecision ?? '') ?? 'unknown',
    coachDecisionRaw: givenWord(request.coachDecisionRaw, request.coachDecision),
    mode: request.mode ?? defaultMode(request),
    completedAt,
    durationSeconds: request.durationSeconds ?? (bothGiven ? secondsBetween(startedAt, completedAt) : null),
    usage: normalizeUsage(request.usage),
    extra: request.extra ?? {},
    createdAt: now,
    acceptanceCriteriaStatus: request.acceptanceCriteriaStatus ?? {},
    verifications: (request.verifications ?? []).map((given) => normalizeVerification(given, 'coach')),
    promises: (request.promises ?? []).map((given) => withDefaults(promises.element, given)),
    issues: (request.issues ?? []).map((given) => ({
      ...withDefaults(issues.element, given),
      severity: toSeverity(given.severity),
      severityRaw: given.severityRaw ?? given.severity,
      details: given.details ?? null,
    })),
    gates: request.gates ?? {},
    ...(request.judge != null && { judge: normalizeJudge(request.judge) }),
    ...(request.player != null && { player: normalizePlayer(request.player) }),
  }
}

/** Fills the defaults of a verification. An observation without a text gets a sentence as its evidence. */
export function normalizeVerification(
  { files, judge, observation: seen, ...given }: VerificationInput,
  defaultSource: Source,
): Verification {
  const hasText = given.evidence != null && given.evidence.trim() !== ''
  const evidence = seen != null && !hasText ? describeObservation(seen) : given.evidence
  return {
    ...withDefaults(verification, { ...given, evidence }),
    source: given.source ?? defaultSource,
    ...(files != null && files.length > 0 && { files }),
    ...(judge != null && { judge: normalizeJudge(judge) }),
    ...(seen != null && { observation: normalizeObservation(seen) }),
  }
}

/** Returns the fields of a record. An absent field is null, or an empty list or text. */
function withDefaults<S extends z.ZodObject>(
  { shape }: S,
  given: Partial<Record<keyof S['shape'], unknown>>,
): z.output<S> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const missing = field instanceof z.ZodNullable ? null : field instanceof z.ZodArray ? [] : ''
    return [name, given[name as keyof S['shape']] ?? missing]
  })
  return Object.fromEntries(fields)
}

/** Returns the given word: the one that a record that was read back contains, otherwise the word of the request. */
const givenWord = (raw: string | null | undefined, word: string | null | undefined): string | null =>
  raw === undefined ? (word ?? null) : raw

const defaultMode = ({ turnNumber, recovered }: CaptureRequest): TurnState['mode'] => {
  if (recovered === true) return 'recovering_state'
  return turnNumber === 1 ? 'fresh_start' : 'continuing_work'
}

/** Builds the parameters of `turns/_parts` and `criteria/_extend`, except for those of the world. */
export function storedParams(
  record: TurnRecord,
  resolution: Resolution,
  progress: readonly ProgressEdge[],
  {
    project,
    criteriaRev,
    isStamped,
    derived,
    ...identity
  }: {
    project: string
    digest: string
    writeId: string
    derived: { [name: string]: Value }
    criteriaRev: number
    isStamped: boolean
  },
): Params {
  const { startedAt, completedAt, createdAt, turnNumber, usage, extra, promises: _, issues, ...rest } = record
  const {
    featureId,
    taskId,
    acceptanceCriteriaStatus,
    verifications: entries,
    gates: byName,
    judge,
    player,
    ...properties
  } = rest
  const agents = { ...judgeToProperties(judge), ...playerToProperties(player) }
  const verifications = listVerifications(record)
  const gates = listGates(record)
  const mentioned = [...resolution.mentioned]
  return {
    turn: present({
      ...properties,
      ...agents,
      ...identity,
      project,
      number: turnNumber,
      usage: usage === null ? null : JSON.stringify(usage),
      extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
      revision: 1,
      ...derived,
    }),
    at: { started: startedAt, completed: completedAt, created: createdAt, isStamped },
    add: {
      criteria: criteriaParams(record, resolution, progress),
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
      transcripts: [...new Set(record.transcriptSessionIds)].map((id) => ({
        key: transcriptKey(project, id),
        id,
        project,
      })),
      files: listFileNodes(project, record.filesModified),
      agents: listAgentNodes(
        project,
        agents,
        entries.map((entry) => judgeToProperties(entry.judge)),
      ),
      worktrees: [...new Set([taskId, featureId])].map((id) => worktreeKey(project, id)),
      hasProofFiles: verifications.some(({ files }) => files != null && files.length > 0),
    },
    extends: resolution.changed.length > 0,
    criteriaRev,
  }
}

/** Removes null properties. A created node has no property that null could remove, and each null costs as much as a value. */
function present(properties: { [name: string]: Value | undefined }): { [name: string]: Value } {
  return Object.fromEntries(
    Object.entries(properties).filter((property): property is [string, Value] => property[1] != null),
  )
}

/** @param promised see {@link deriveVerification} */
export function storedVerification(
  given: StoredVerification,
  position: number,
  promised: ReadonlySet<string>,
) {
  const { judge, observation: seen, ...verification } = given
  const { substantiated, observedOn } = deriveVerification(given, promised)
  return present({
    ...verification,
    ...judgeToProperties(judge),
    position,
    substantiated,
    ...(seen !== undefined && {
      observation: JSON.stringify(seen),
      observedOn: JSON.stringify(observedOn),
    }),
  })
}

type ProgressEdge = { criterion: string; [name: string]: Value }

type CriterionParams = {
  key: string
  changed: Value[]
  verifications: Value[]
  promises: Value[]
  progress: Value[]
}

/** Groups the entries of a turn by criterion, so that the graph looks up each criterion once. */
function criteriaParams(
  record: TurnRecord,
  resolution: Resolution,
  progress: readonly ProgressEdge[],
): CriterionParams[] {
  const byKey = new Map<string, CriterionParams>()
  const at = (key: string): CriterionParams => {
    const existing = byKey.get(key)
    if (existing !== undefined) return existing
    const criterion = { key, changed: [], verifications: [], promises: [], progress: [] }
    byKey.set(key, criterion)
    return criterion
  }
  for (const criterion of resolution.changed) at(criterion.key).changed.push(storedCriterion(criterion))
  const verified = resolution.judgements.flat()
  const promised = listPromisedEvidence(record.promises)
  listVerifications(record).forEach((verification, position) => {
    const stored = storedVerification(verification, position, promised)
    at(verified[position] ?? '').verifications.push(stored)
  })
  record.promises.forEach((promise, position) => {
    at(resolution.promises[position] ?? '').promises.push(present({ ...promise, position }))
  })
  for (const { criterion, ...properties } of progress) at(criterion).progress.push(properties)
  return [...byKey.values()]
}
