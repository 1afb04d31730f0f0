/** Masks secrets in records that are about to be restored. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { maskName, maskTranscriptKey, projectOfKey } from '../../core/keys.ts'
import { keyedMarker, type Marker } from '../../core/scrub/marks.ts'
import { countMasks, scrub } from '../../core/scrub/scrub.ts'
import { keepStoredText } from '../../rules/tool-error.ts'
import { classifyFailure } from '../../transcripts/failure.ts'
import { type ExportRecord, records } from '../export/records.ts'

/**
 * Masks the secrets of records before they are restored: a file may come from another version or another program. The declared
 * kinds of the properties select texts, and JSON in texts. Masks of the capture stay and do not count. The marks of a project
 * use the key of its record, otherwise the key in the graph.
 */
export async function scrubRecords(
  given: readonly ExportRecord[],
  readMarker: (project: string) => Promise<Marker>,
): Promise<{ records: ExportRecord[]; redactions: number }> {
  const byProject = groupBy(given, projectOf)
  const scrubbed = await Promise.all(
    [...byProject].map(([project, records]) => scrubProject(records, () => chooseMarker(project, records))),
  )
  const byRecord = new Map(
    [...byProject.values()].flatMap((records, i) =>
      records.map((record, j) => [record, scrubbed[i]?.records[j] ?? record] as const),
    ),
  )
  return {
    records: given.map((record) => byRecord.get(record) ?? record),
    redactions: scrubbed.reduce((sum, { redactions }) => sum + redactions, 0),
  }

  function chooseMarker(project: string, records: readonly ExportRecord[]): Marker | Promise<Marker> {
    for (const record of records)
      if (record.kind === 'project' && record.maskKey !== undefined) return keyedMarker(record.maskKey)
    return readMarker(project)
  }
}

function projectOf(record: ExportRecord): string {
  const line: Record<string, unknown> = record
  const nested = [line.turn, line.attempt, line.run].map((part) =>
    typeof part === 'object' && part !== null && 'key' in part ? part.key : undefined,
  )
  const key = [line.key, line.world, line.task, line.feature, ...nested].find(
    (each) => typeof each === 'string',
  )
  return typeof key === 'string' ? projectOfKey(key) : ''
}

async function scrubProject(
  given: readonly ExportRecord[],
  makeMarker: () => Marker | Promise<Marker>,
): Promise<{ records: ExportRecord[]; redactions: number }> {
  const found: Found = { texts: [], documents: [] }
  const collect: Visitor = {
    text: (text) => {
      found.texts.push(text)
      return text
    },
    json: (text) => {
      found.documents.push(JSON.parse(text))
      return text
    },
    name: (name) => name,
  }
  for (const record of given) visit(records[record.kind], record, record.kind, '', collect)
  const { scrubbed, redactions } = await scrub(found, makeMarker)
  let inNames = 0
  let [text, document] = [0, 0]
  const replace: Visitor = {
    text: () => scrubbed.texts[text++] ?? '',
    json: (before) => {
      const at = document++
      const after = scrubbed.documents[at]
      return after === found.documents[at] ? before : JSON.stringify(after)
    },
    name: (name) => {
      const masked = maskName(name)
      if (masked !== name) inNames += countMasks([masked])
      return masked
    },
  }
  const replaced = given.map((record) =>
    dropPersonsWords(visit(records[record.kind], record, record.kind, '', replace) as ExportRecord),
  )
  return { records: replaced, redactions: redactions + inNames }
}

/** Removes error texts that a person may have typed, which an earlier version exported. */
function dropPersonsWords(record: ExportRecord): ExportRecord {
  if (record.kind !== 'transcript_turn') return record
  const steps = record.steps.map((step) => {
    const { tool, error } = step
    const kept = error === undefined ? error : keepStoredText(tool, error, true)
    return kept === undefined || kept === error
      ? step
      : { ...step, error: kept, failure: classifyFailure(tool, kept) }
  })
  return { ...record, steps }
}

type Found = { texts: string[]; documents: unknown[] }
type Visitor = {
  text: (text: string) => string
  json: (text: string) => string
  /** Masks a name in a transcript. Different names stay different. */
  name: (name: string) => string
}

/** Fields that identify a record, as in a capture (src/core/scrub/scrub.ts), and values that Turngraph creates. */
const IDENTITY: ReadonlySet<string> = new Set([
  ...['project', 'featureId', 'taskId', 'worldSlug', 'slug', 'name'],
  ...['maskKey', 'digest', 'requestId', 'turnRunId', 'attemptId'],
])

/** True for names and ids of transcripts, which are masked as in an import, in keys as well. */
const isOfTranscript = (kind: string, name: string): boolean =>
  kind.startsWith('transcript_') || kind === 'desire' || name === 'transcribedIn'

function visit(schema: z.ZodType, value: unknown, kind: string, name: string, visitor: Visitor): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return value == null ? value : visit(schema.unwrap() as z.ZodType, value, kind, name, visitor)
  }
  const stored = schema.meta()?.stored
  if (typeof value === 'string') {
    if (stored === 'JSON text') return visitor.json(value)
    if (stored === 'key') return isOfTranscript(kind, name) ? maskTranscriptKey(value) : value
    if (stored !== 'text' || IDENTITY.has(name)) return value
    if (isOfTranscript(kind, name) && TRANSCRIPT_NAMES.has(name)) return visitor.name(value)
    // The display id of a turn, a feature or a task is derived from its position.
    return name === 'id' && !isOfTranscript(kind, name) ? value : visitor.text(value)
  }
  if (Array.isArray(value)) {
    if (stored === 'list of texts') return value.map((text: string) => visitor.text(text))
    return schema instanceof z.ZodArray
      ? value.map((item) => visit(schema.element as z.ZodType, item, kind, name, visitor))
      : value
  }
  if (!(schema instanceof z.ZodObject) || value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([own, item]) => {
      const property: z.ZodType | undefined = schema.shape[own]
      const ofTranscript = name === 'transcribedIn' ? 'transcript_session' : kind
      return [own, property === undefined ? item : visit(property, item, ofTranscript, own, visitor)]
    }),
  )
}

const TRANSCRIPT_NAMES: ReadonlySet<string> = new Set([
  'id',
  'sessionId',
  'agent',
  'agentId',
  'parentStepId',
  'tool',
  'toolName',
  'response',
  'version',
])
