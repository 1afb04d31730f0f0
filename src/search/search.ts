/** Searches the texts of a project: summaries, feedback, issues, lessons, blockers, criteria and failed calls. */
import * as z from 'zod'
import { parseCursor, toCursor } from '../core/cursor.ts'
import { invalidField } from '../core/errors.ts'
import { withDeadline, withOneDeadline } from '../graph/deadline.ts'
import type { Graph } from '../graph/port.ts'
import type { Role } from '../memory/criteria/views.ts'
import { cutSnippet, matchesQuery, readQuery } from '../rules/search-words.ts'
import { ProjectIndex } from './project-index.ts'
import { type ReadSource, readSources } from './read-sources.ts'
import { type Rank, type RankedHit, SEARCH_KINDS, type SearchKind } from './text-index.ts'

export const MAX_QUERY_CHARACTERS = 1_000
const MAX_QUERY_WORDS = 16

/** Maximum number of projects whose index stays in memory. */
const MAX_INDEXES = 8

/** A transcript does not name the agent that made a call, and the text of a failed call may quote what the Coach saw. */
const HIDDEN_FROM_PLAYER: ReadonlySet<SearchKind> = new Set(['failed_call'])

export const searchHit = z.object({
  kind: z.enum(SEARCH_KINDS),
  project: z.string(),
  featureId: z.string().nullable(),
  taskId: z.string().nullable(),
  worldSlug: z.string().nullable().describe('of a criterion: the newest session that has a state of it'),
  turn: z.number().nullable(),
  at: z.string().nullable().describe('end of the turn or start of the call, if it is known'),
  criterionKey: z.string().nullable().describe('of a criterion'),
  sessionId: z.string().nullable().describe('of a failed call: its transcript'),
  snippet: z.string().describe('the text around the first found word, as one line'),
  link: z.string().describe('path of the turn, session or project on the page'),
})

export type SearchHit = z.output<typeof searchHit>

export type SearchRequest = {
  project: string
  q: string
  kind?: SearchKind | null | undefined
  role: Role
  limit: number
  cursor?: string | null | undefined
}

/** The indexes of a graph, one per project. */
export class SearchIndexes {
  readonly #graph: Graph
  readonly #maxWaitMs: number | null
  readonly #indexes = new Map<string, ProjectIndex>()
  /** Indexes that are being built. Later searches share them. */
  readonly #building = new Map<string, ProjectIndex>()

  /** @param maxWaitMs maximum wait of a search while its index is being built; null: no limit */
  constructor(graph: Graph, { maxWaitMs }: { maxWaitMs: number | null }) {
    this.#graph = graph
    this.#maxWaitMs = maxWaitMs
  }

  /** Projects whose index stays in memory, the last used one at the end. */
  get projects(): string[] {
    return [...this.#indexes.keys()]
  }

  /** Returns the index of a project with all acknowledged writes. @throws `timeout` while a large index is being built */
  refreshed(project: string): Promise<ProjectIndex> {
    const refresh = () => this.#refresh(project)
    return this.#maxWaitMs === null ? refresh() : withDeadline(performance.now() + this.#maxWaitMs, refresh)
  }

  async #refresh(project: string): Promise<ProjectIndex> {
    const kept = this.#indexes.get(project)
    if (kept !== undefined) this.#keep(project, kept)
    const known = kept ?? this.#building.get(project)
    if (known !== undefined) {
      await known.refresh()
      return known
    }
    const index = new ProjectIndex(this.#graph, project)
    this.#building.set(project, index)
    try {
      await index.refresh()
      // A project without texts may not exist. A name that a caller made up must not displace the index of a real project.
      if (index.texts.size > 0) this.#keep(project, index)
      return index
    } finally {
      this.#building.delete(project)
    }
  }

  /** Keeps the index as the last used one, and drops the least recently used one if there are too many. */
  #keep(project: string, index: ProjectIndex): void {
    this.#indexes.delete(project)
    this.#indexes.set(project, index)
    for (const oldest of this.#indexes.keys()) {
      if (this.#indexes.size <= MAX_INDEXES) break
      this.#indexes.delete(oldest)
    }
  }
}

/**
 * Finds the texts of a project that have each word of a query, or a word that begins with it: best first, then newest.
 *
 * @throws `invalid_request` for a query without a word or with too many, `timeout`, `store_unavailable`
 */
export async function searchMemory(
  store: Graph,
  indexes: SearchIndexes,
  { project, q, kind = null, role, limit, cursor }: SearchRequest,
): Promise<{ items: SearchHit[]; nextCursor: string | null }> {
  const words = parseQuery(q)
  let after: Rank | null = parseCursor(rank, cursor)
  const index = await indexes.refreshed(project)
  const graph = withOneDeadline(store)
  const kinds = SEARCH_KINDS.filter(
    (each) => (kind === null || kind === each) && !(role === 'player' && HIDDEN_FROM_PLAYER.has(each)),
  )
  const items: SearchHit[] = []
  for (;;) {
    const wanted = limit - items.length
    const hits = index.texts.search(words, { kinds, after, limit: wanted + 1 })
    const shown = hits.slice(0, wanted)
    const found = await readSources(
      graph,
      shown.map(({ source }) => source),
    )
    for (const hit of shown) {
      after = hit
      const item = toHit(project, words, hit, found.get(hit.source.id))
      if (item !== null) items.push(item)
      else if (!found.has(hit.source.id)) index.texts.remove(hit.source.id)
    }
    if (hits.length <= wanted) return { items, nextCursor: null }
    if (items.length === limit)
      return { items, nextCursor: after === null ? null : toCursor(rank.parse(after)) }
  }
}

function parseQuery(q: string): string[] {
  const { words, runs } = readQuery(q)
  if (runs > MAX_QUERY_WORDS)
    throw invalidField('q', `has ${runs} words, and at most ${MAX_QUERY_WORDS} are allowed`)
  if (words.length === 0)
    throw invalidField('q', 'has no word to look for', {
      hint: 'Give letters or digits. Each word also finds longer words that begin with it.',
    })
  return words
}

/** Builds a hit from the text as it is now; null if the text is gone or has changed. */
function toHit(
  project: string,
  words: readonly string[],
  { kind, position }: RankedHit,
  read: ReadSource | undefined,
): SearchHit | null {
  const text = read?.texts.find((each) => each.kind === kind && each.position === position)?.text
  if (read === undefined || text === undefined || !matchesQuery(text, words)) return null
  const { place } = read
  const link = pageLink(project, place.worldSlug, place.turn)
  return { kind, project, ...place, snippet: cutSnippet(text, words), link }
}

/** Path of a turn; of a session if the turn is not known; of the project if neither is. */
export function pageLink(project: string, worldSlug: string | null, turn: number | null): string {
  const path = `/p/${encodeURIComponent(project)}`
  if (worldSlug === null) return path
  return `${path}/w/${encodeURIComponent(worldSlug)}${turn === null ? '' : `/t/${turn}`}`
}

/** Position in the hits of a search. */
const rank = z.object({
  score: z.number(),
  time: z.number(),
  group: z.string(),
  number: z.number(),
  kind: z.enum(SEARCH_KINDS),
  position: z.number(),
})
