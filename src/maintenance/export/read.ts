/** Reads the records of an export by their keys. */
import * as z from 'zod'
import { readRows, retryTornRead } from '../../graph/decode.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import type { Graph, Row } from '../../graph/port.ts'
import { generated, type Statement } from '../../graph/statements.ts'
import { type RecordOf, records } from './records.ts'
import { type Field, type StoredForm, storedForms } from './stored-form.ts'

/** The kinds of records that are one node each. */
export type NodeKind = keyof typeof storedForms

type Properties = Record<string, unknown>

export type Found<K extends NodeKind> = { node: Properties; record: RecordOf<K> }

type Reader = {
  form: StoredForm
  statement: Statement
  fields: [name: string, field: Field][]
  /** Builds the line from the node and its additional fields. */
  toLine: (node: Properties, beside: Properties) => Properties
}

const columnNames = (name: string, { reads }: Field): string[] => reads.map((_, i) => `${name}${i}`)

function makeReader(kind: NodeKind): Reader {
  const form: StoredForm = storedForms[kind]
  const { label, owner, within } = form
  const fields = Object.entries(form.fields).filter(([, { reads }]) => reads.length > 0)
  const columns = fields.flatMap(([name, field]) =>
    columnNames(name, field).map((as, i) => `${field.reads[i]} AS ${as}`),
  )
  if (owner !== undefined) columns.unshift('o.key AS owner')
  const statement = generated(
    `export/read-${kind}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (n:${label} {key: key})${owner === undefined ? '' : `<-[:${owner.type}]-(o:${owner.label})`}
RETURN ${['properties(n) AS node', ...columns].join(',\n       ')}`,
  )
  const shape: z.ZodRawShape = records[kind].shape
  const inner = within === undefined ? [] : Object.keys((shape[within] as z.ZodObject).shape)
  const toLine = (node: Properties, beside: Properties) => {
    const values: Properties = { ...node, kind, ...beside, ...(within && { [within]: pick(node, inner) }) }
    return pick(values, Object.keys(shape))
  }
  return { form, statement, fields, toLine }
}

function pick(from: Properties, names: readonly string[]): Properties {
  const picked: Properties = {}
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name]
  return picked
}

const readers = Object.fromEntries(
  (Object.keys(storedForms) as NodeKind[]).map((kind) => [kind, makeReader(kind)]),
) as { [K in NodeKind]: Reader }

const isWhole = ({ form, fields }: Reader, { node, ...row }: { node: Properties } & Row): boolean =>
  (form.beginsWith === undefined || node[form.beginsWith] != null) &&
  fields.every(([name, { countedBy, everyHasAnEnd = false }]) =>
    [0, everyHasAnEnd ? 1 : 0].every((column) => {
      const parts = row[`${name}${column}`]
      return countedBy === undefined || (Array.isArray(parts) && parts.length === node[countedBy])
    }),
  )

const nodeRow = z.looseObject({ node: z.record(z.string(), z.unknown()), owner: z.string().optional() })

/** Reads nodes in the order of their keys. Reads a node again until all of its parts are visible; leaves out deleted nodes. */
export async function readNodes<K extends NodeKind>(
  graph: Graph,
  kind: K,
  keys: readonly string[],
): Promise<Found<K>[]> {
  if (keys.length === 0) return []
  const reader = readers[kind]
  const { form, statement, fields } = reader
  const rows = await retryTornRead(
    () => readRows(graph, statement, { keys: [...keys] }, nodeRow),
    (found) => found.every((row) => isWhole(reader, row)),
  )
  const found = new Map<unknown, Found<K>>()
  for (const row of rows) {
    const node: Properties = storedProperties(form.label, row.node)
    const beside: Properties = form.owner === undefined ? {} : { [form.owner.field]: row.owner }
    for (const [name, field] of fields)
      beside[name] = field.decode.parse(columnNames(name, field).map((column) => row[column]))
    // The record has the fields of its schema; the compiler cannot infer this.
    found.set(node.key, { node, record: reader.toLine(node, beside) as RecordOf<K> })
  }
  return keys.flatMap((key) => found.get(key) ?? [])
}

/** Builds the record of a node with other properties; undefined if such a node is not exported. */
export function recordWith<K extends NodeKind>(kind: K, { node, record }: Found<K>, other: object) {
  const present = Object.entries({ ...node, ...other }).filter(([, value]) => value !== null)
  const line = readers[kind].toLine(Object.fromEntries(present), record as Properties)
  return records[kind].safeParse(line).data as RecordOf<K> | undefined
}

export const readRecords = async <K extends NodeKind>(
  graph: Graph,
  kind: K,
  keys: readonly string[],
): Promise<RecordOf<K>[]> => {
  const { isRecord = () => true } = readers[kind].form
  return (await readNodes(graph, kind, keys)).flatMap(({ node, record }) => (isRecord(node) ? [record] : []))
}
