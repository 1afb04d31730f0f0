/** Declares the lines of an export, each one record. */
import * as z from 'zod'
import {
  DERIVED_FROM_RECORD,
  hasProjectFromKey,
  LABELS,
  type Label,
  nodes,
  runSettingsFields,
} from '../../graph/model/nodes.ts'
import { count, describeKind, flag, json, key, number, oneOf, text } from '../../graph/model/properties.ts'
import { findOwners, relationshipProperties } from '../../graph/model/relationships.ts'
import { observationText } from '../../memory/record/observation.ts'
import { STEP_STATUSES } from '../../rules/values.ts'

/**
 * Lines of an export. Each line is one complete record, which a restore writes in one transaction. Properties have the names
 * and the meaning of the stored ones (src/graph/model/nodes.ts). Derived values and the tokens of writes are left out.
 */

export const FORMAT = 'turngraph'
/** Version 3 omits values that follow from the records. A restore reads version 2, too. */
export const VERSION = 3
export const READABLE: readonly number[] = [2, VERSION]

const derivedFromRecord = Object.values(DERIVED_FROM_RECORD).flatMap((names) => Object.keys(names))

/** Fields of earlier versions that follow from the records. They may be in any part of a line. */
export const DERIVED_FIELDS: { readonly [kind: string]: readonly string[] } = {
  turn: ['labels', ...derivedFromRecord],
  superseded_turn: derivedFromRecord,
  standing: [
    ...['newestDigest', 'promisedTurn', 'outcomes', 'ledgerRev', 'progressSum', 'lastGainTurn'],
    ...['contestedCount', 'flippedCount', 'brokenPromiseCount', 'progress'],
  ],
}

const keys = z.array(key)

const project = z.strictObject({ kind: z.literal('project'), ...nodes.Project.properties.shape })

const feature = z.strictObject({
  kind: z.literal('feature'),
  project: key,
  ...nodes.Feature.properties.omit({ project: true }).shape,
})

const task = z.strictObject({
  kind: z.literal('task'),
  feature: key,
  ...nodes.Task.properties.omit({ project: true, rev: true, restoring: true }).shape,
})

const criterion = z.strictObject({
  kind: z.literal('criterion'),
  task: key,
  ...nodes.Criterion.properties.omit({ project: true }).shape,
})

const storedWorld = nodes.World.properties

const BEGINNING = {
  slug: true,
  project: true,
  featureId: true,
  taskId: true,
  taskKey: true,
  ordinal: true,
  executor: true,
  leaseTtlMs: true,
  createdAt: true,
  requestId: true,
  specifiedAfter: true,
} as const

const STANDING = {
  deletedAt: true,
  currentTurn: true,
  turnCount: true,
  lastCompletedAt: true,
  fence: true,
  attemptCount: true,
  rollbacks: true,
} as const

/** First line of a world. Its turns, attempts and runs follow, and the line `standing` with its counters comes last. */
const world = z.strictObject({
  kind: z.literal('world'),
  key,
  ...storedWorld.pick(BEGINNING).shape,
})

/** Restricts a schema to texts that another schema can decode. */
const fitting = <S extends z.ZodType>(stored: S, decoded: z.ZodType) =>
  stored.superRefine((text, context) => {
    const issues = decoded.safeParse(text).error?.issues ?? []
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message })
  })

const verification = z.strictObject({
  criterion: key,
  ...nodes.Verification.properties.omit({ project: true, ...DERIVED_FROM_RECORD.Verification }).shape,
  observation: fitting(json, observationText).optional(),
})
const promise = z.strictObject({ criterion: key, ...nodes.Promise.properties.omit({ project: true }).shape })
const issue = z.strictObject({
  about: keys,
  ...nodes.Issue.properties.omit({ project: true, ...DERIVED_FROM_RECORD.Issue }).shape,
})

/** Requires the positions 0, 1, 2, …, each once, in any order. */
const inPlace = <S extends z.ZodType<{ position: number }>>(part: S) =>
  z.array(part).refine(
    (parts) =>
      parts
        .map(({ position }) => position)
        .sort((a, b) => a - b)
        .every((at, i) => at === i),
    'must have the positions 0, 1, 2, …, each once',
  )

const parts = {
  verifications: inPlace(verification),
  promises: inPlace(promise),
  issues: inPlace(issue),
  gates: inPlace(nodes.Gate.properties.omit({ project: true })),
  transcribedIn: z.array(nodes.TranscriptSession.properties.pick({ key: true, id: true, project: true })),
}

const notInLine = { project: true, writeId: true, ...DERIVED_FROM_RECORD.Turn } as const
const recordProperties = nodes.Turn.properties.omit(notInLine)
const supersededProperties = nodes.SupersededTurn.properties.omit(notInLine)

const turn = z.strictObject({
  kind: z.literal('turn'),
  world: key,
  previous: count.nullable().describe('the number of the turn before it'),
  turn: recordProperties,
  ...parts,
})

/** A record that another one replaced, or that a rollback withdrew; the newest first. */
const supersededTurn = z.strictObject({
  kind: z.literal('superseded_turn'),
  supersededBy: key.describe('the record that replaced it, or the world of a withdrawn turn'),
  turn: supersededProperties,
  ...parts,
})

const attempt = z.strictObject({
  kind: z.literal('attempt'),
  world: key,
  produced: key.nullable().describe('the record that it committed, replaced or not'),
  attempt: nodes.Attempt.properties.omit({ activeWorldKey: true }).extend({
    status: oneOf(['committed', 'failed', 'interrupted']),
    endedAt: nodes.Attempt.properties.shape.startedAt,
  }),
})

const turnRun = z.strictObject({
  kind: z.literal('turn_run'),
  world: key,
  run: nodes.TurnRun.properties
    .omit({ activeWorldKey: true, activeAttemptId: true, changedAt: true, changedIn: true })
    .extend({
      status: oneOf(['completed', 'failed', 'cancelled', 'interrupted']),
      endedAt: nodes.TurnRun.properties.shape.startedAt,
    }),
})

const standing = z.strictObject({
  kind: z.literal('standing'),
  world: key,
  ...storedWorld.pick(STANDING).shape,
  ...runSettingsFields,
})

const transcriptSession = z.strictObject({
  kind: z.literal('transcript_session'),
  session: nodes.TranscriptSession.properties.required({ id: true, project: true, isTranscribed: true }),
  agentOf: keys,
})

const step = z.strictObject({
  tool: text,
  id: text,
  status: oneOf(STEP_STATUSES),
  isParallel: flag,
  parallelGroup: count.optional(),
  durationMs: number.optional(),
  agentId: text.optional(),
  response: text.optional(),
  error: text.optional(),
  failure: text.optional(),
  started: keys.optional().describe('the subagents that the call started'),
})

const transcriptTurn = z.strictObject({
  kind: z.literal('transcript_turn'),
  turn: nodes.TranscriptTurn.properties
    .omit({ tools: true, callIds: true, statuses: true, parallelGroups: true })
    .omit({ durationsMs: true, agentIds: true, responses: true, patternKey: true, rev: true }),
  heldBy: z.array(z.strictObject({ session: key, index: count })),
  steps: z.array(step),
})

const transcriptFile = z.strictObject({
  kind: z.literal('transcript_file'),
  file: nodes.TranscriptFile.properties.omit({ rev: true, changedAt: true, changedIn: true }),
  holds: keys,
})

const desire = z.strictObject({ kind: z.literal('desire'), desire: nodes.Desire.properties })

/** All kinds of records, in their order within a project. */
export const records = {
  project,
  feature,
  task,
  criterion,
  world,
  turn,
  superseded_turn: supersededTurn,
  attempt,
  turn_run: turnRun,
  standing,
  transcript_session: transcriptSession,
  transcript_turn: transcriptTurn,
  transcript_file: transcriptFile,
  desire,
} as const

/** Additional fields of lines whose kind only the model declares. */
const BESIDE: { readonly [kind: string]: z.ZodRawShape } = {
  specification: {
    lists: inPlace(
      z.strictObject({ criterion: key, position: count, ...relationshipProperties('LISTS').shape }),
    ),
    retires: z.array(z.strictObject({ criterion: key, ...relationshipProperties('RETIRES').shape })),
  },
}

/** Labels whose children an export lists, whatever their kind. */
const LISTED_BELOW: readonly Label[] = ['Project', 'Feature', 'Task', 'World']
const PARTS_OF_RECORDS: readonly Label[] = ['Verification', 'Promise', 'Issue', 'Gate', 'FailedCall']

/** Kinds that only the model declares. Throws if no export lists one of them: otherwise every backup silently lacks it. */
export const ADDED = LABELS.flatMap((label) => {
  const kind: string | null = nodes[label].exported
  if (kind === 'part' && !PARTS_OF_RECORDS.includes(label))
    throw new Error(`${label} is a part: add it to export/records.ts and to PARTS of export/stored-form.ts`)
  if (kind === null || kind === 'part' || kind in records) return []
  const [owner] = findOwners(label)[0]?.owners ?? []
  if (owner === undefined || !LISTED_BELOW.includes(owner))
    throw new Error(`${label} hangs on ${owner ?? 'nothing'}: an export lists nothing there`)
  return [{ kind, label, owner: String(nodes[owner].exported) }]
})
for (const { kind, label, owner } of ADDED) {
  const shape: z.ZodRawShape = nodes[label].properties.shape
  const own = Object.entries(shape).filter(
    ([name, property]) =>
      describeKind(property as z.ZodType).kind !== 'token' &&
      !(name === 'project' && hasProjectFromKey(label)),
  )
  const line = { kind: z.literal(kind), [owner]: key, ...Object.fromEntries(own), ...BESIDE[kind] }
  Object.assign(records, { [kind]: z.strictObject(line) })
}

export type Kind = keyof typeof records
export type RecordOf<K extends Kind> = z.output<(typeof records)[K]>
export type ExportRecord = { [K in Kind]: RecordOf<K> }[Kind]

export const KINDS = Object.keys(records) as Kind[]

export const header = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  project: z.string().nullable(),
  since: z.string().nullable(),
})
export type Header = z.output<typeof header>

export const trailer = z.strictObject({
  kind: z.literal('end'),
  records: z.partialRecord(z.enum(KINDS), count),
  sha256: z.string(),
})
export type Trailer = z.output<typeof trailer>
