import * as z from 'zod'
import { decodeRow } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import type { Graph, Params, Row, Run } from '../../graph/port.ts'
import type { Statement } from '../../graph/statements.ts'
import type { Counts, Tally } from './tally.ts'

/**
 * Forgetting goes in pieces: each is a transaction of its own and finds by itself what is left, so that whoever is
 * killed between two of them goes on by doing it all again.
 */

/** Nodes that one transaction takes away: some 100 ms on either engine. */
export const NODES_AT_ONCE = 2_000

const goneRow = z.object({ gone: z.number() })

/** Takes all that a statement finds, so many at a time. */
export async function takeAll(
  graph: Graph,
  from: Statement,
  params: Params,
  label: Label | null,
  tally: Tally,
  isTime: () => boolean,
): Promise<boolean> {
  while (isTime()) {
    const rows = await graph.write([{ statement: from, params: { ...params, limit: NODES_AT_ONCE } }])
    const gone = rows?.[0]?.[0] === undefined ? 0 : decodeRow(from, goneRow, rows[0][0]).gone
    if (label !== null) tally.add({ [label]: gone })
    if (gone < NODES_AT_ONCE) return true
  }
  return false
}

/** One transaction; what it took is told once, however often it ran. */
export async function inOnePiece(
  graph: Graph,
  tally: Tally,
  work: (run: Run) => Promise<Counts | null>,
): Promise<boolean> {
  const counts = await graph.transact(work)
  if (counts !== null) tally.add(counts)
  return counts !== null
}

export const goneOf = (from: Statement, rows: readonly Row[]): number =>
  rows[0] === undefined ? 0 : decodeRow(from, goneRow, rows[0]).gone
