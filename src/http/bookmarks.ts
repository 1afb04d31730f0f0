// Lets a request read what its bookmarks stand for, and answers a write with the bookmark of what it wrote.
import type { Request, Response } from 'express'
import { type BookmarkedCall, openCall } from '../graph/bookmarks.ts'
import type { Graph } from '../graph/port.ts'
import { BOOKMARK_HEADER, BOOKMARK_WARNING_HEADER } from '../operations/bookmarks.ts'
import { onlyReads, type Scope } from '../operations/operation.ts'

/**
 * Runs the work of a request as a call that goes on from what its caller has seen (contract: cluster.md).
 *
 * @example
 * const answer = await inBookmarkedCall(graph, 'write', req, res, (call) => captureTurnState(call.graph, turn))
 */
export async function inBookmarkedCall<T>(
  graph: Graph,
  scope: Scope,
  req: Request,
  res: Response,
  work: (call: BookmarkedCall) => Promise<T>,
): Promise<T> {
  const mayFollow = onlyReads(scope)
  const received = req.headersDistinct[BOOKMARK_HEADER.toLowerCase()]?.join(',') ?? null
  const call = await openCall(graph, { received, mayFollow })
  const answer = await work(call)
  if (!mayFollow) res.setHeader(BOOKMARK_HEADER, await call.bookmark())
  const warning = call.warning()
  if (warning !== null) res.setHeader(BOOKMARK_WARNING_HEADER, warning)
  return answer
}
