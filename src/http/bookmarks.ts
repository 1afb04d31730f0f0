// Lets a request read what its bookmarks stand for, and answers a write with the bookmark of what it wrote.
import type { Request, Response } from 'express'
import { type BookmarkedCall, openCall } from '../graph/bookmarks.ts'
import type { Graph } from '../graph/port.ts'
import { BOOKMARK_HEADER, BOOKMARK_WARNING_HEADER } from '../operations/bookmarks.ts'
import { onlyReads, type Scope } from '../operations/operation.ts'

/** What an answer says beside its body: of a write its bookmark, and why bookmarks of the request were ignored. */
export type SaidOfBookmarks = { bookmark: string | null; warning: string | null }

/**
 * Runs work as a call that goes on from what its caller has seen (contract: cluster.md).
 *
 * @example
 * const { answer, bookmark } = await inCall(graph, 'write', received, ({ graph }) => captureTurnState(graph, turn))
 */
export async function inCall<T>(
  graph: Graph,
  scope: Scope,
  received: string | null,
  work: (call: BookmarkedCall) => Promise<T>,
): Promise<SaidOfBookmarks & { answer: T }> {
  const mayFollow = onlyReads(scope)
  const call = await openCall(graph, { received, mayFollow })
  const answer = await work(call)
  return { answer, bookmark: mayFollow ? null : await call.bookmark(), warning: call.warning() }
}

/** The same for a request of REST, which says it in headers. */
export async function inBookmarkedCall<T>(
  graph: Graph,
  scope: Scope,
  req: Request,
  res: Response,
  work: (call: BookmarkedCall) => Promise<T>,
): Promise<T> {
  const received = req.headersDistinct[BOOKMARK_HEADER.toLowerCase()]?.join(',') ?? null
  const { answer, bookmark, warning } = await inCall(graph, scope, received, work)
  if (bookmark !== null) res.setHeader(BOOKMARK_HEADER, bookmark)
  if (warning !== null) res.setHeader(BOOKMARK_WARNING_HEADER, warning)
  return answer
}
