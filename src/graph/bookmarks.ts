// Makes the opaque bookmarks of answers, and reads those that calls bring.
import * as z from 'zod'
import { sha256 } from '../core/keys.ts'
import { parseJson } from '../core/parse-json.ts'
import { CallerBookmarks } from './caller-bookmarks.ts'
import { readRows } from './decode.ts'
import { type Graph, type GraphSource, graphWith } from './port.ts'
import { statement } from './statements.ts'

/** How many bookmarks of the engine a call may bring: each one is waited for. */
const MOST_BOOKMARKS = 256
const MOST_CHARACTERS = 16 * 1024

const migrations = statement('graph/migrations')
const migrationRow = z.object({ appliedAt: z.string() })

/** The content of a bookmark: the graph that it is of, then the engine's own bookmarks. */
const content = z.tuple([z.string()], z.string().min(1).max(1_024))

/** A call that reads and writes on from what its caller has seen. */
export type BookmarkedCall = {
  graph: Graph
  /** What the caller has seen, of this graph; null: it brought no bookmark. */
  caller: CallerBookmarks | null
  /** Why bookmarks of the caller were ignored; null: none was. */
  warning(): string | null
  /** Stands for all that this process has written and read by now. */
  bookmark(): Promise<string>
}

/**
 * Opens a call on a graph for a caller that has received bookmarks, separated by commas. What cannot be used is ignored, and
 * the leader answers, as it does who brings none.
 *
 * @param mayFollow whether all that the call does is to read
 * @example
 * const call = await openCall(graph, { received: request.headers['turngraph-bookmark'] ?? null, mayFollow: true })
 * const world = await getWorld(call.graph, 'shop', 'TASK-1')
 */
export async function openCall(
  graph: Graph,
  { received, mayFollow }: { received: string | null; mayFollow: boolean },
): Promise<BookmarkedCall> {
  const bookmark = () => readBookmark(graph)
  // A write learns which graph it is on before it writes: what is stored must not be answered by an error.
  if (received === null && !mayFollow) await graphId(graph)
  if (received === null) return { graph, caller: null, warning: () => null, bookmark }
  const { bookmarks, warning } = readBookmarks(received, await graphId(graph))
  const caller = new CallerBookmarks(bookmarks, { mayFollow: mayFollow && warning === null })
  return {
    graph: graphWith(graph, {
      read: (statement, params, deadline) => graph.read(statement, params, deadline, caller),
      readLong: (statement, params, limits) => graph.readLong(statement, params, limits, caller),
      write: (steps, deadline) => graph.write(steps, deadline, caller),
      transact: (work, deadline) => graph.transact(work, deadline, caller),
    }),
    caller,
    warning: () => (caller.discarded ? OF_ANOTHER_GRAPH : warning),
    bookmark,
  }
}

const OF_ANOTHER_GRAPH = 'A bookmark of another graph was ignored.'
const NOT_READABLE = 'A bookmark that Turngraph did not make was ignored.'
const TOO_MANY = `Bookmarks were ignored: at most ${MOST_BOOKMARKS}, of ${MOST_CHARACTERS} characters together, are taken.`

function readBookmarks(received: string, graph: string): { bookmarks: string[]; warning: string | null } {
  if (received.length > MOST_CHARACTERS) return { bookmarks: [], warning: TOO_MANY }
  const bookmarks = new Set<string>()
  let warning: string | null = null
  for (const text of received.split(',').map((part) => part.trim())) {
    const decoded = decode(text)
    if (decoded === null) warning = NOT_READABLE
    else if (decoded.graph !== graph) warning = OF_ANOTHER_GRAPH
    else for (const bookmark of decoded.bookmarks) bookmarks.add(bookmark)
  }
  return bookmarks.size > MOST_BOOKMARKS
    ? { bookmarks: [], warning: TOO_MANY }
    : { bookmarks: [...bookmarks], warning }
}

async function readBookmark(graph: Graph): Promise<string> {
  const bookmarks = graph.source.engine === 'neo4j' ? await graph.source.bookmarks() : []
  const text = JSON.stringify([await graphId(graph), ...bookmarks] satisfies z.input<typeof content>)
  return Buffer.from(text).toString('base64url')
}

const BASE64URL = /^[\w-]+$/

function decode(text: string): { graph: string; bookmarks: string[] } | null {
  if (!BASE64URL.test(text)) return null
  const parsed = content.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (!parsed.success) return null
  const [graph, ...bookmarks] = parsed.data
  return { graph, bookmarks }
}

const graphIds = new WeakMap<GraphSource, Promise<string>>()

/** What tells a graph from all others: asked once a process, as it never changes. */
function graphId(graph: Graph): Promise<string> {
  const cached = graphIds.get(graph.source)
  if (cached !== undefined) return cached
  const asked = readRows(graph, migrations, {}, migrationRow).then(([row]) =>
    sha256(row?.appliedAt ?? '').slice(0, 16),
  )
  graphIds.set(graph.source, asked)
  // A store that is away now is asked again.
  asked.catch(() => graphIds.delete(graph.source))
  return asked
}
