/** Lists sessions as somebody looks for them: worlds, the last active first, with a strip of their turns and who holds them. */
import * as z from 'zod'
import { LATEST_INSTANT } from '../../core/instants.ts'
import { turnKey, worldKey } from '../../core/keys.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { COACH_DECISIONS, columns, textList } from '../../rules/values.ts'
import { readProgress, type WorldPosition, type WorldProgress, worldProgress } from './world-progress.ts'

/** A longer strip is wider than the row that it stands in. */
const TURNS_IN_STRIP = 48
/** Of sessions that may stall most do: a page reads so many at once at least, and looks at so many in all at most. */
const LEAST_CHUNK = 20
const MOST_EXAMINED = 1_000

/** A session in a list that somebody looks through. */
export const session = worldProgress.extend({
  decisions: z
    .array(z.object({ turn: z.number(), decision: z.enum(COACH_DECISIONS) }))
    .describe(`how its newest ${TURNS_IN_STRIP} turns ended, ascending`),
  leaseOwners: z
    .array(z.string())
    .describe(
      'who holds its active run and attempt; empty where nobody does, or an attempt is not claimed yet',
    ),
})

export type Session = z.output<typeof session>

export type SessionFilter = {
  project: string
  featureId?: string | null | undefined
  /** Stands in the feature, the task or the world, whatever the case. */
  search?: string | null | undefined
  running: boolean
  notApproved: boolean
  stalledOrOscillating: boolean
}

export type SessionPage = {
  sessions: Session[]
  /** After which session the next page begins; null on the last one. */
  next: Pick<WorldProgress, 'lastActivity' | 'worldSlug'> | null
}

const sessionsPage = statement('worlds/sessions', 'any-verdict')
const mayStallPage = statement('worlds/sessions', 'that-may-stall')
const strips = statement('worlds/strips')

const stripRow = z.object({
  worldSlug: z.string(),
  leaseOwners: textList,
  decisions: z.array(columns({ turn: z.number(), decision: z.enum(COACH_DECISIONS) })),
})

/**
 * The sessions of a project that match, from a position on. A page may have fewer than its limit, also none, and a
 * position after it: what stalls is only known by reading its criteria, and a page does not read without end.
 *
 * @throws `store_unavailable`, `timeout`
 * @example
 * const { sessions, next } = await listSessions(graph, { project: 'shop', running: true, notApproved: false, stalledOrOscillating: false }, { after: null, limit: 50 })
 */
export async function listSessions(
  store: Graph,
  filter: SessionFilter,
  { after, limit }: { after: WorldPosition | null; limit: number },
): Promise<SessionPage> {
  const graph = withOneDeadline(store)
  const page = filter.stalledOrOscillating ? mayStallPage : sessionsPage
  const chunk = (filter.stalledOrOscillating ? Math.max(limit, LEAST_CHUNK) : limit) + 1
  const found: WorldProgress[] = []
  let last: WorldProgress | null = null
  let hasMore = true
  for (let examined = 0; hasMore && found.length < limit && examined < MOST_EXAMINED; ) {
    const { worlds, rows } = await readProgress(graph, page, params(filter, last ?? after, chunk))
    hasMore = rows === chunk
    examined += rows
    for (const world of worlds) {
      if (found.length === limit) {
        hasMore = true
        break
      }
      last = world
      if (matches(world, filter)) found.push(world)
    }
  }
  return { sessions: await withStrips(graph, found), next: hasMore ? last : null }
}

const params = (
  { project, featureId, search, running, notApproved }: SessionFilter,
  position: WorldPosition | null,
  limit: number,
) => ({
  project,
  featureId: featureId ?? '',
  search: (search ?? '').toLowerCase(),
  running,
  notApproved,
  before: position?.lastActivity ?? LATEST_INSTANT,
  after: position?.worldSlug ?? '',
  limit,
})

const matches = (
  { lastDecision, verdict }: WorldProgress,
  { notApproved, stalledOrOscillating }: SessionFilter,
): boolean =>
  (!notApproved || lastDecision !== 'approved') &&
  (!stalledOrOscillating || ['stalled', 'blocked', 'oscillating'].includes(verdict))

async function withStrips(graph: Graph, worlds: readonly WorldProgress[]): Promise<Session[]> {
  if (worlds.length === 0) return []
  const asked = worlds.map(({ project, worldSlug, currentTurn }) => {
    const key = worldKey(project, worldSlug)
    const shown = Math.min(TURNS_IN_STRIP, currentTurn)
    return { key, turnKeys: Array.from({ length: shown }, (_, i) => turnKey(key, currentTurn - i)) }
  })
  const rows = await readRows(graph, strips, { worlds: asked }, stripRow)
  const bySlug = new Map(rows.map((row) => [row.worldSlug, row]))
  return worlds.map((world) => {
    const { decisions = [], leaseOwners = [] } = bySlug.get(world.worldSlug) ?? {}
    return { ...world, decisions: decisions.toSorted((a, b) => a.turn - b.turn), leaseOwners }
  })
}
