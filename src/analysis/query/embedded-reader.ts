// Runs queries of analysts on a copy of the embedded graph.
import { type Copy, readOnlyCopy } from '../../graph/embedded.ts'
import type { Params } from '../../graph/port.ts'
import { PLANNING, rewordEmbedded } from './engine-errors.ts'
import { type Bounds, type Plan, type Reader, type Rows, RowsTaken, refusedByEngine } from './reader.ts'
import { integerForm, numberForm, sortedForm, temporalForm } from './values.ts'

/** Reads a read-only copy of the embedded graph: changes by a query would stay invisible. */
export class EmbeddedReader implements Reader {
  readonly engine = 'embedded'
  readonly #copy: Copy

  constructor(file: string) {
    this.#copy = readOnlyCopy(file)
  }

  async plan(query: string, params: Params): Promise<Plan> {
    const result = await this.#execute(query, params, PLANNING)
    const lines = result.length === 0 ? [] : String(result.get(0).plan).split('\n')
    const operators = lines.flatMap((line) => /^\s*(\w+(?:\(\d+\))?)/.exec(line)?.[1] ?? [])
    const procedures = lines.flatMap((line) => /^\s*CallProcedure \(([\w.]+)/.exec(line)?.[1] ?? [])
    const reads = result.columns.join() === 'plan'
    return { reads, operators, procedures, bookmarks: [] }
  }

  async run(query: string, params: Params, bounds: Bounds): Promise<Rows> {
    const result = await this.#execute(query, params)
    const { columns } = result
    const taken = new RowsTaken(bounds)
    for (let index = 0; index < result.length; index++) {
      const row = result.get(index)
      if (!taken.take(columns.map((column) => toWireValue(row[column] ?? null)))) break
    }
    return { columns, ...taken.taken }
  }

  async close(): Promise<void> {
    this.#copy.close()
  }

  async #execute(query: string, params: Params, before: '' | typeof PLANNING = '') {
    try {
      return await this.#copy.executeCypher(before + query, params)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw refusedByEngine(rewordEmbedded({ message, query, isPlanned: before !== '' }), error)
    }
  }
}

const INSTANT = /^-?\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+/

function toWireValue(value: unknown): unknown {
  if (typeof value === 'bigint') return integerForm(value)
  if (typeof value === 'number') return numberForm(value)
  if (typeof value === 'string') return INSTANT.test(value) ? temporalForm(value) : value
  if (value === null || typeof value !== 'object') return value ?? null
  if (Array.isArray(value)) return value.map(toWireValue)
  if (value instanceof Date) return temporalForm(value.toISOString().slice(0, -1)) // a local time, in its UTC fields
  const object = value as Record<string, unknown>
  if (isNode(object)) {
    const { _id, _labels, ...properties } = object
    return { id: String(_id), labels: [..._labels].sort(), properties: sortedForm(properties, toWireValue) }
  }
  if (isRelationship(object)) {
    const { _id, _type, _source, _target, ...properties } = object
    return {
      id: String(_id),
      type: _type,
      start: String(_source),
      end: String(_target),
      properties: sortedForm(properties, toWireValue),
    }
  }
  if (isPath(object)) {
    return { nodes: object.nodes.map(toWireValue), relationships: object.edges.map(toWireValue) }
  }
  return sortedForm(object, toWireValue)
}

const isNode = (object: Record<string, unknown>): object is { _id: unknown; _labels: string[] } =>
  '_id' in object && Array.isArray(object._labels)

const isRelationship = (
  object: Record<string, unknown>,
): object is { _id: unknown; _type: unknown; _source: unknown; _target: unknown } =>
  '_id' in object && '_type' in object && '_source' in object && '_target' in object

const isPath = (object: Record<string, unknown>): object is { nodes: unknown[]; edges: unknown[] } =>
  Object.keys(object).length === 2 &&
  Array.isArray(object.nodes) &&
  Array.isArray(object.edges) &&
  object.nodes.length === object.edges.length + 1 &&
  object.edges.every((edge) => typeof edge === 'object' && edge !== null && isRelationship(edge as never))
