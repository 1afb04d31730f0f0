import * as z from 'zod'
import { invalidField, type TurngraphError } from './errors.ts'
import type { Graph } from './graph/port.ts'
import type { Queries } from './queries/queries.ts'
import type { TurnRuns } from './runs/turn-runs.ts'
import { withNearNames } from './turns/target.ts'
import { LIMITS, name, wholeNumber } from './turns/text.ts'

/** One thing that Turngraph can do. Names and shapes are camelCase; the wire forms derive from the schemas (wire.ts). */
export type Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  summary: string
  /** What a token must be allowed to do. */
  scope: Scope
  /** It cannot be confined to a project: a token of one project may not ask it. */
  wholeGraph?: boolean
  input: I
  output: O
  run: (graph: Graph, input: z.output<I> & { project: string }, call: Call) => Promise<z.input<O>>
}

export const SCOPES = ['read', 'write', 'analyst', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** What an edge knows of a call beside its input. */
export type Call = {
  /** The header `Idempotency-Key`: a repeat answers the same. */
  idempotencyKey?: string | null
  /** The one project that the caller's token reaches; null or absent: all of them. */
  onlyProject?: string | null
  /** Who runs turns in this process. */
  runs: TurnRuns
  /** Runs anybody's Cypher beside this process. */
  queries: Queries
  /** Turns of transcripts with more calls are long. */
  turnLengthThreshold: number
  /** Folders from which the service itself may import. */
  importRoots: readonly string[]
  /** Takes what an operator should know of, at INFO. */
  log?: ((message: string, fields?: Record<string, unknown>) => void) | undefined
}

export const project = name.nullish().describe("default: the connection's project")
export const worldSlug = name
export const turnNumber = wholeNumber(1, LIMITS.turnNumber)
/** A task, and the world of it; `resolveTarget` finds the task of a world that stands alone. */
export const target = {
  project,
  featureId: name.nullish().describe('default: that of the world'),
  taskId: name.nullish().describe('default: that of the world'),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
}
export const asOf = wholeNumber(0, LIMITS.turnNumber)
  .nullish()
  .describe('as of this turn, inclusive; default: the newest')
export const pageFields = {
  limit: wholeNumber(1, 500).default(50).describe('1 to 500'),
  cursor: z.string().max(4096).nullish().describe("the last page's next_cursor"),
}

export const page = <S extends z.ZodType>(item: S) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable().describe('null on the last page') })

/** Whatever is not there, the error names what is near to it. */
export const operation = <I extends z.ZodType, O extends z.ZodType>(
  definition: Operation<I, O>,
): Operation<I, O> => ({
  ...definition,
  run: async (graph, input, call) => {
    try {
      return await definition.run(graph, input, call)
    } catch (error) {
      throw await withNearNames(graph, input, error)
    }
  },
})

/** A page from one item more than it shows: whether there is a next one, and where it begins. */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  positionOf: (last: T) => string,
): { items: T[]; nextCursor: string | null } {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const more = found.length > limit && last !== undefined
  return { items, nextCursor: more ? Buffer.from(positionOf(last)).toString('base64url') : null }
}

export const textCursor = (cursor: string | null | undefined): string | null =>
  cursor == null ? null : Buffer.from(cursor, 'base64url').toString('utf8')

export function entryCursor(cursor: string | null | undefined): { turn: number; position: number } {
  const position = textCursor(cursor)
  if (position === null) return { turn: 0, position: -1 }
  const [, turn, place] = /^(\d{1,16})\.(\d{1,16})$/.exec(position) ?? []
  if (turn === undefined || place === undefined) throw foreignCursor()
  return { turn: Number(turn), position: Number(place) }
}

export function numberCursor(cursor: string | null | undefined): number | null {
  const position = textCursor(cursor)
  if (position === null) return null
  if (/^\d{1,16}$/.test(position)) return Number(position)
  throw foreignCursor()
}

export const foreignCursor = (): TurngraphError =>
  invalidField('cursor', 'is none of ours', {
    hint: "Send the last page's next_cursor, or leave it out for the first page.",
  })
