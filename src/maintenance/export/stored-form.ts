/** The stored form of exported records, from which the statements that read and restore them are generated. */
import * as z from 'zod'
import { isSupersededKey, partsOfKey, projectOfKey, recordKey, turnKey } from '../../core/keys.ts'
import { listFileNodes } from '../../core/project-paths.ts'
import { type Exported, LABELS, type Label, nodes, type Stored } from '../../graph/model/nodes.ts'
import { findOwners, relationshipProperties, relationships } from '../../graph/model/relationships.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import { linkAgents } from '../../graph/model-statements.ts'
import type { Value } from '../../graph/port.ts'
import { deriveFromStored } from '../../memory/record/stored-verification.ts'
import { listPromisedEvidence } from '../../rules/absence.ts'
import { CALL_LISTS, callLists, fromCallLists } from '../../rules/call-lists.ts'
import { deriveTurn } from '../../rules/derive-turn.ts'
import { issueSignature } from '../../rules/signature.ts'
import { listAgentNodes } from '../../rules/turn-agents.ts'
import { compareKeys } from './order.ts'
import { type ExportRecord, KINDS, type Kind, type RecordOf, records } from './records.ts'

export type Ref = { label: Label; key: string }

/** Field of a line in addition to the node's properties. In Cypher, `n` is the node and `o` is its owner. */
export type Field = {
  /** Expressions that read the field. */
  reads: readonly string[]
  decode: z.ZodType
  /** Property of the node with the number of values. Fewer values mean half a commit. */
  countedBy?: string
  /** True if the second expression must return the same number of values. */
  everyHasAnEnd?: boolean
  /** Clauses that restore the field from `x.{field}` after the node was created. */
  write?: string
  /** Computes the parameter of these clauses; by default the unchanged field. */
  param?: (value: unknown, record: AnyRecord) => Value
  /** Lists the nodes that must exist before the record. */
  refs?: (value: unknown, record: AnyRecord) => Ref[]
}

export type StoredForm = {
  label: Label
  /** Field of the line that holds the node's properties; by default they are fields of the line itself. */
  within?: string
  /** Field with the key of the node's owner. */
  owner?: { field: string; label: Label; type: string }
  fields: { readonly [field: string]: Field }
  /** Adds the stored values that follow from the line. */
  derive?: (line: AnyRecord) => AnyRecord
  /** True if the node is exported as a record. */
  isRecord?: (node: Record<string, unknown>) => boolean
  /** Property whose absence means half a commit. */
  beginsWith?: string
}

export type AnyRecord = Readonly<Record<string, unknown>>

/** Decodes the properties of a node, in the order of the model. */
export const stored = <L extends Label>(label: L) =>
  z
    .record(z.string(), z.unknown())
    .transform((properties): Exported<L> => storedProperties(label, properties))

const column = (expression: string, decode: z.ZodType, more: Partial<Field> = {}): Field => ({
  reads: [expression],
  decode: z.tuple([decode]).transform(([value]) => value),
  ...more,
})

const keyList = z.array(z.string()).transform((keys) => keys.toSorted(compareKeys))
const onlyKey = z.array(z.string()).transform(([key = null]) => key)

const labelOfRecord = (key: string): Label => {
  if (partsOfKey(key).length === 2) return 'World'
  return isSupersededKey(key) ? 'SupersededTurn' : 'Turn'
}

type LinkOptions = {
  keys?: (value: unknown, record: AnyRecord) => string[]
  makesThem?: boolean
} & Partial<Field>

/**
 * Declares a field with the keys of the nodes at the other end of a relationship.
 *
 * @param pattern relationship from `n` to `k`, the other node; if it does not start at `n`, Grafeo scans the label of `k`
 * @param options.makesThem true if a restore creates a missing node with its key only
 */
function links(field: string, pattern: string, labels: readonly Label[], options: LinkOptions = {}): Field {
  const { keys = (value) => [value].flat() as string[], makesThem = false, ...more } = options
  const [first] = labels
  const end = labels.length === 1 ? `(k:${first})` : '(k)'
  const refs = (value: unknown, record: AnyRecord) =>
    keys(value, record).map((key) => ({
      label: labels.length === 1 ? (first as Label) : labelOfRecord(key),
      key,
    }))
  return {
    ...column(`[${pattern.replace('(k)', end)} | k.key]`, keyList),
    write: labels
      .map((label) => `FOREACH (key IN x.${field}.${label} | MERGE (k:${label} {key: key}) MERGE ${pattern})`)
      .join('\n'),
    param: (value, record) => {
      const found = refs(value, record)
      return Object.fromEntries(
        labels.map((label) => [label, found.filter((ref) => ref.label === label).map(({ key }) => key)]),
      )
    },
    ...(!makesThem && { refs }),
    ...more,
  }
}

function countProperty(type: string): string {
  const parts = relationships.find((row) => row.type === type && row.parts !== null)?.parts
  if (parts == null) throw new Error(`${type} leads to no ordered parts`)
  return parts.count
}

const criteria = (keys: readonly string[]): Ref[] => keys.map((key) => ({ label: 'Criterion', key }))

type OfCriteria = { criterion?: string; about?: string[] }

/** Declares a field with the parts of a record. A part without its criterion is half a commit. */
function parts(
  field: string,
  label: 'Verification' | 'Promise' | 'Issue' | 'Gate',
  type: string,
  of: { type: string; as: 'criterion' | 'about' } | null = null,
): Field {
  const toCriteria =
    of === null ? '[]' : `[(n)-[:${type}]->(p:${label})-[:${of.type}]->(k:Criterion) | [p.position, k.key]]`
  const own = Object.keys(nodes[label].properties.shape).filter((name) => name !== 'project')
  const toKeys =
    of && `\n  FOREACH (key IN p.keys | MERGE (k:Criterion {key: key}) CREATE (y)-[:${of.type}]->(k))`
  const criterionKeys = ({ criterion, about = [] }: OfCriteria) =>
    criterion === undefined ? about : [criterion]
  return {
    reads: [`[(n)-[:${type}]->(p:${label}) | properties(p)]`, toCriteria],
    decode: z
      .tuple([z.array(stored(label)), z.array(z.tuple([z.number(), z.string()]))])
      .transform(([found, ends]) =>
        found
          .toSorted((a, b) => a.position - b.position)
          .map((part) => {
            const keys = otherEnds(ends, part.position)
            return { ...(of !== null && { [of.as]: of.as === 'about' ? keys : keys[0] }), ...part }
          }),
      ),
    countedBy: countProperty(type),
    everyHasAnEnd: of?.as === 'criterion',
    write: `FOREACH (p IN x.${field} | CREATE (n)-[:${type}]->(y:${label} {project: x.properties.project, ${own.map((name) => `${name}: p.${name}`).join(', ')}})${toKeys ?? ''})`,
    param: (value) => (value as OfCriteria[]).map((part) => ({ ...part, keys: criterionKeys(part) })),
    refs: (value) => criteria((value as OfCriteria[]).flatMap(criterionKeys)),
  }
}

const PARTS = {
  verifications: parts('verifications', 'Verification', 'RECORDED', { type: 'OF', as: 'criterion' }),
  promises: parts('promises', 'Promise', 'PROMISED', { type: 'TO_MEET', as: 'criterion' }),
  issues: parts('issues', 'Issue', 'RAISED', { type: 'ABOUT', as: 'about' }),
  gates: parts('gates', 'Gate', 'PASSED_THROUGH'),
  transcribedIn: column(
    '[(n)-[:TRANSCRIBED_IN]->(s:TranscriptSession) | s {.key, .id, .project}]',
    z
      .array(z.object({ key: z.string(), id: z.string().nullish(), project: z.string().nullish() }))
      .transform((sessions) =>
        sessions
          .map(({ key, id, project }) => ({
            key,
            ...(id != null && { id }),
            ...(project != null && { project }),
          }))
          .sort((a, b) => compareKeys(a.key, b.key)),
      ),
    {
      write: `FOREACH (s IN x.transcribedIn | MERGE (y:TranscriptSession {key: s.key}) ON CREATE SET y += s
  CREATE (n)-[:TRANSCRIBED_IN]->(y))`,
    },
  ),
  files: {
    reads: [], // derived from the paths of the record
    decode: z.never(),
    write: `FOREACH (f IN x.files | MERGE (y:File {key: f.key}) ON CREATE SET y.path = f.path, y.project = f.project
  MERGE (n)-[:TOUCHED]->(y))`,
    param: (_, { turn }) => {
      const { key, filesModified } = turn as Stored<'Turn'>
      return listFileNodes(projectOfKey(key), filesModified)
    },
  },
  agents: {
    reads: [], // derived from the names in the record
    decode: z.never(),
    write: linkAgents('n', 'x.agents'),
    param: (_, { turn, verifications }) => {
      const record = turn as Stored<'Turn'>
      return listAgentNodes(projectOfKey(record.key), record, verifications as Stored<'Verification'>[])
    },
  },
} satisfies StoredForm['fields']

const otherEnds = (pairs: readonly (readonly [number, string])[], place: number): string[] =>
  pairs.flatMap(([of, key]) => (of === place ? [key] : [])).sort(compareKeys)

const previous = links('previous', '(n)<-[:NEXT]-(k)', ['Turn'], {
  reads: ['[(n)<-[:NEXT]-(k:Turn) | k.number]'],
  decode: z.tuple([z.array(z.number())]).transform(([[number = null]]) => number),
  keys: (number, { world }) => (number === null ? [] : [turnKey(String(world), Number(number))]),
})

/** Run of an attempt. A run follows its attempts in the export, so a restore creates it with its key only. */
const ofRun = links('ofRun', '(n)<-[:HAS_ATTEMPT]-(k)', ['TurnRun'], {
  reads: [],
  makesThem: true,
  keys: (_, { attempt }) => {
    const { project, turnRunId } = attempt as { project: string; turnRunId?: string }
    return turnRunId === undefined ? [] : [recordKey(project, turnRunId)]
  },
})

const RECORDS: readonly Label[] = ['Turn', 'SupersededTurn']

/** Calls of a transcript turn in their order. The order is not stored in the line. */
const steps: Field = {
  reads: [
    '[(n)-[:HAS_FAILED_CALL]->(f:FailedCall) | [f.sequence, f.error, f.failure]]',
    '[(n)-[s:STARTED]->(k:TranscriptSession) | [s.sequence, k.key]]',
    `n {${CALL_LISTS.map((list) => `.${list}`).join(', ')}}`,
  ],
  decode: z
    .tuple([
      z.array(z.tuple([z.number(), z.string(), z.string()])),
      z.array(z.tuple([z.number(), z.string()])),
      callLists,
    ])
    .transform(([failed, started, lists]) => {
      const failures = new Map(failed.map(([sequence, ...texts]) => [sequence, texts]))
      return fromCallLists(lists).map(({ tool, id, status, ...rest }, sequence) => {
        const [error, failure] = failures.get(sequence) ?? []
        const sessions = otherEnds(started, sequence)
        const { parallelGroup, durationMs, agentId, response } = rest
        return {
          ...{ tool, id, status, isParallel: parallelGroup !== null },
          ...(parallelGroup !== null && { parallelGroup }),
          ...(durationMs !== null && { durationMs }),
          ...(agentId !== null && { agentId }),
          ...(response !== null && { response }),
          ...(error !== undefined && { error, failure }),
          ...(sessions.length > 0 && { started: sessions }),
        }
      })
    }),
  countedBy: countProperty('HAS_FAILED_CALL'),
}

const declared = (field: string, type: string): Field =>
  column(
    `[(n)-[l:${type}]->(k:Criterion) | [k.key, properties(l)]]`,
    z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())])).transform((found) =>
      found
        .map(([criterion, properties]) => ({
          criterion,
          ...Object.fromEntries(
            Object.keys(relationshipProperties(type).shape).flatMap((name) =>
              properties[name] == null ? [] : [[name, properties[name]]],
            ),
          ),
        }))
        .sort(
          (a: AnyRecord, b: AnyRecord) =>
            Number(a.position ?? 0) - Number(b.position ?? 0) ||
            compareKeys(String(a.criterion), String(b.criterion)),
        ),
    ),
    {
      write: `FOREACH (l IN x.${field} | MERGE (k:Criterion {key: l.criterion}) CREATE (n)-[r:${type}]->(k) SET r += l.properties)`,
      param: (value) =>
        (value as AnyRecord[]).map(({ criterion, ...properties }) => ({ criterion, properties })) as Value,
      refs: (value) => criteria((value as { criterion: string }[]).map(({ criterion }) => criterion)),
    },
  )

const inOrder = <P extends { position: number }>(parts: readonly P[]): P[] =>
  parts.toSorted((a, b) => a.position - b.position)

function deriveFromRecord(line: AnyRecord): AnyRecord {
  const { turn, ...given } = line as RecordOf<'turn'>
  const parts = { ...given, issues: inOrder(given.issues), gates: inOrder(given.gates) }
  const promised = listPromisedEvidence(parts.promises)
  return {
    ...line,
    turn: { ...turn, ...deriveTurn(turn, parts).properties },
    verifications: parts.verifications.map((verification) => ({
      ...verification,
      ...deriveFromStored(verification, promised),
    })),
    issues: parts.issues.map((issue) => ({ ...issue, signature: issueSignature(issue) })),
  }
}

type NodeKind = Exclude<Kind, 'world' | 'standing'>

/** Declarations beyond the model: additional fields, and nodes that are not exported as records. */
const more: { readonly [kind: string]: Partial<StoredForm> } = {
  criterion: { beginsWith: 'texts' },
  turn: { fields: { previous, ...PARTS }, derive: deriveFromRecord },
  superseded_turn: {
    derive: deriveFromRecord,
    fields: {
      supersededBy: links('supersededBy', '(n)<-[:SUPERSEDES]-(k)', [...RECORDS, 'World'], {
        decode: z.tuple([onlyKey]).transform(([key]) => key ?? ''),
      }),
      ...PARTS,
    },
  },
  specification: {
    fields: {
      lists: {
        ...declared('lists', 'LISTS'),
        countedBy: 'criteriaCount',
      },
      retires: declared('retires', 'RETIRES'),
    },
  },
  attempt: {
    fields: {
      produced: links('produced', '(n)-[:PRODUCED]->(k)', RECORDS, {
        decode: z.tuple([onlyKey]).transform(([key]) => key),
        keys: (key) => (key === null ? [] : [String(key)]),
      }),
      ofRun,
    },
    // Leases are not exported: active.ts exports active attempts and runs as ended.
    isRecord: ({ status }) => status !== 'running',
  },
  turn_run: { isRecord: ({ status }) => status !== 'running' && status !== 'cancel_requested' },
  transcript_session: {
    fields: { agentOf: links('agentOf', '(n)-[:AGENT_OF]->(k)', ['TranscriptSession'], { makesThem: true }) },
    // A session that a record only names is exported with that record.
    isRecord: ({ isTranscribed }) => isTranscribed === true,
  },
  transcript_turn: {
    fields: {
      heldBy: column(
        '[(n)<-[h:HAS_TURN]-(k:TranscriptSession) | [k.key, h.index]]',
        z
          .array(z.tuple([z.string(), z.number()]))
          .transform((found) =>
            found
              .map(([session, index]) => ({ session, index }))
              .sort((a, b) => compareKeys(a.session, b.session)),
          ),
      ),
      steps,
    },
  },
  transcript_file: { fields: { holds: links('holds', '(n)-[:HOLDS]->(k)', ['TranscriptSession']) } },
}

/** Builds a stored form: the object field of a line has the node's properties, and the field named after the owner has its key. */
function makeForm(kind: NodeKind): StoredForm {
  const label = LABELS.find((each) => nodes[each].exported === kind)
  if (label === undefined) throw new Error(`no node is exported as ${kind}`)
  const shape: z.ZodRawShape = records[kind].shape
  const within = Object.keys(shape).find((name) => shape[name] instanceof z.ZodObject)
  const [ownership] = findOwners(label)
  const [owner] = ownership?.owners ?? []
  const field = (owner && nodes[owner].exported) ?? ''
  return {
    label,
    ...(within !== undefined && { within }),
    ...(owner &&
      field in shape &&
      field !== within && { owner: { field, label: owner, type: ownership?.type ?? '' } }),
    fields: {},
    ...more[kind],
  }
}

/** Stored forms of the kinds. World and standing are two records of one node, and world.ts reads them. */
export const storedForms = Object.fromEntries(
  KINDS.flatMap((kind) => (kind === 'world' || kind === 'standing' ? [] : [[kind, makeForm(kind)]])),
) as { readonly [K in NodeKind]: StoredForm }

export function findKey(record: ExportRecord): string {
  if ('key' in record) return record.key
  if (record.kind === 'standing') return record.world
  const node = (record as AnyRecord)[storedForms[record.kind].within ?? '']
  return (node as { key: string }).key
}
