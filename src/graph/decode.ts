// Decodes rows by a schema, and repeats a read that saw only half of a commit.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import type { Graph, Params, Row } from './port.ts'
import type { Statement } from './statements.ts'

/** Decodes a row; rows are never cast. The cause of the error names the statement. */
export function decodeRow<S extends z.ZodType>(statement: Statement, schema: S, row: Row): z.output<S> {
  const result = schema.safeParse(row)
  if (result.success) return result.data
  const cause = `cypher/${statement.name}.cypher gave a row that does not fit: ${result.error.message}`
  throw new TurngraphError('internal', 'Stored data has a form that Turngraph does not write.', {
    hint: 'Run `turngraph doctor`: it finds damaged data, and names the remedy. If it finds none, please report this as a defect.',
    cause: new Error(cause),
  })
}

export async function readRows<S extends z.ZodType>(
  graph: Graph,
  statement: Statement,
  params: Params,
  schema: S,
): Promise<z.output<S>[]> {
  const rows = await graph.read(statement, params)
  return rows.map((row) => decodeRow(statement, schema, row))
}

export const keyRow = z.object({ key: z.string() })

export const readKeys = async (graph: Graph, statement: Statement, params: Params): Promise<string[]> =>
  (await readRows(graph, statement, params, keyRow)).map(({ key }) => key)

/** Reads the rows of a statement in pages. The statement returns the rows after the key `$after`, in the order of their keys. */
export async function* readPages<S extends z.ZodType<{ key: string }>>(
  graph: Graph,
  statement: Statement,
  params: Params,
  schema: S,
  limit: number,
): AsyncGenerator<z.output<S>[]> {
  for (let after = ''; ; ) {
    const rows = await readRows(graph, statement, { ...params, after, limit }, schema)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = last.key
  }
}

/**
 * For readers, a Neo4j commit is not atomic: about 1 % of the reads that race a capture see a turn without
 * all of its parts. Nodes store the number of their parts. `isWhole` compares this number, and an incomplete
 * result is read again (one repeated read was enough in 22,386 of 22,386 cases, on a warm server).
 */
export async function retryTornRead<T, W extends T = T>(
  read: () => Promise<T>,
  isWhole: ((found: T) => found is W) | ((found: T) => boolean),
): Promise<W> {
  for (let reads = 0; reads <= MAX_REREADS; reads++) {
    // A server that has just started needs longer to apply a commit than five immediate reads take.
    if (reads > 0) await pause(2 ** (reads - 1))
    const found = await read()
    if (isWhole(found)) return found as W
  }
  throw new TurngraphError('store_unavailable', HALF_OF_A_COMMIT, {
    hint: 'Try again. If the error persists, run `turngraph doctor --repair`: it repairs a state that does not match its turns, and finds a record whose parts are missing.',
  })
}

const HALF_OF_A_COMMIT = 'The graph repeatedly answered with half of a commit.'

/** Returns true if a record was still incomplete after all reads: some of its parts are missing. */
export const isHalfOfACommit = (error: unknown): boolean =>
  error instanceof TurngraphError && error.message === HALF_OF_A_COMMIT

export const readWholeRow = <S extends z.ZodType>(
  graph: Graph,
  statement: Statement,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> =>
  retryTornRead(
    async () => (await readRows(graph, statement, params, schema))[0] ?? null,
    (row) => row === null || isWhole(row),
  )

const MAX_REREADS = 5
