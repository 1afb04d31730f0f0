/** Builds the declaration of a kind of node, with the properties that several kinds share. */
import * as z from 'zod'
import { count, epochMs, key, text, token } from './properties.ts'

/**
 * A kind of node with its meaning and properties. Only declared nodes are stored; relationships.ts declares their owners. Both
 * tables drive the doctor and forget. They also drive export and restore of each kind whose key lies below a project, a feature, a
 * task or a world. Any other kind, and a new part of a turn, needs its form in src/maintenance/export (records.ts, stored-form.ts),
 * and the code that reads and writes turns must handle it.
 */
export type StoredNode = {
  meaning: string
  properties: z.ZodObject
  /** The property that identifies a node: its key, if it has one. */
  name: string
  /** The record that an export writes for it; 'part': its owner's record; null: it is derived from others, or local. */
  exported: string | null
}

export const node = <S extends z.ZodRawShape>(exported: string | null, meaning: string, shape: S) => ({
  meaning,
  properties: z.strictObject(shape),
  name: 'key' in shape ? 'key' : (Object.keys(shape)[0] ?? ''),
  exported,
})

export const part = <S extends z.ZodRawShape>(name: keyof S & string, meaning: string, shape: S) => ({
  ...node('part', meaning, shape),
  name: name as string,
})

export const nodeKey = key.describe(
  'identifies the node: the names of its scope, percent-encoded and joined by /',
)
export const projectName = text.describe('name of the project')
/** Derived from the key. Writes set it, and exports do not contain it. */
export const ownProject = text.describe('name of its project')
/** A property that each write changes first. */
export const lock = token.describe('changes with every write; it is used as a lock')
export const position = count.describe('place in the list of the record, from 0')

/** The time of the last change, by the database's clock, and its minute since 1970. Events look for these. */
export const changeShape = {
  changedAt: epochMs.describe("time of the last change, by the database's clock").optional(),
  changedIn: count.describe('minute of the last change, counted from 1970').optional(),
}

/** The lease of a writer, until a time of the database's clock. The fence rises with each new owner in a world. */
export const leaseShape = {
  fence: count.describe('number of its lease, which a write must bring').optional(),
  leaseOwner: text.describe('owner of the lease').optional(),
  leaseUntil: epochMs.describe("end of the lease, by the database's clock"),
}
