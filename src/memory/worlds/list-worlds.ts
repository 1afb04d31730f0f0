/** Lists worlds with their progress, a strip of their newest turns, the owner of their lease, and, if requested, their tokens. */
import * as z from 'zod'
import { LATEST_INSTANT } from '../../core/instants.ts'
import { featureKey, taskKey, turnKey, worldKey } from '../../core/keys.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { eachKind } from '../../rules/turn-tokens.ts'
import { COACH_DECISIONS, columns, textList } from '../../rules/values.ts'
import { readTurnTokens, sumTurnTokens } from './turn-tokens.ts'
import { readProgress, type WorldProgress, worldProgress } from './world-progress.ts'

const MAX_STRIP_TURNS = 48
/** Minimum number of worlds per read in a search for stalled worlds, most of which do stall. */
const MIN_CHUNK = 20
/** Maximum number of worlds that a page examines in such a search. */
const MAX_EXAMINED = 1_000

export const tokenCounts = z.object({
  ...eachKind(() => z.number()),
  inputTokens: z.number().describe('input tokens, without cached ones'),
})

export const listedWorld = worldProgress.extend({
  decisions: z
    .array(z.object({ turn: z.number(), decision: z.enum(COACH_DECISIONS) }))
    .describe(`how its newest ${MAX_STRIP_TURNS} turns ended, ascending`),
  leaseOwners: z
    .array(z.string())
    .describe(
      'who holds its active run and attempt; empty where nobody does, or an attempt is not claimed yet',
    ),
  tokens: tokenCounts
    .nullable()
    .describe(
      'tokens of its turns, by their transcripts or records; null if none are known, or with `without_tokens`',
    ),
})

export type ListedWorld = z.output<typeof listedWorld>
type WorldWithStrip = Omit<ListedWorld, 'tokens'>

export const WORLD_ORDERS = ['world_slug', 'last_activity'] as const
export type WorldOrder = (typeof WORLD_ORDERS)[number]

export type WorldFilter = {
  project: string
  featureId?: string | null | undefined
  taskId?: string | null | undefined
  /** Part of the name of the feature, the task or the world, in any case. */
  search?: string | null | undefined
  running?: boolean
  notApproved?: boolean
  stalledOrOscillating?: boolean
}

/** Position in the list, by order: the last world of the previous page. */
export const worldPositions = {
  world_slug: z.strictObject({ worldSlug: z.string() }),
  last_activity: z.strictObject({ worldSlug: z.string(), lastActivity: z.iso.datetime() }),
} satisfies Record<WorldOrder, z.ZodType>

type WorldPosition = { worldSlug: string; lastActivity?: string }

type Window = { order: WorldOrder; after: WorldPosition | null; limit: number }

export type WorldPage = {
  worlds: WorldWithStrip[]
  /** The last world that was examined; null on the last page. */
  next: Pick<WorldProgress, 'lastActivity' | 'worldSlug'> | null
}

const pageStatements = (scope: string) => ({
  world_slug: statement('worlds/page', scope, 'by-slug'),
  last_activity: statement('worlds/page', scope, 'by-activity'),
})
const pagesOfTask = pageStatements('of-task')
const pagesOfFeature = pageStatements('of-feature')
const pagesOfProject = pageStatements('of-project')
const strips = statement('worlds/strips')

/** Row with defaults for damaged values, because one damaged world must not hide the others. */
const stripRow = z.object({
  worldSlug: z.string().catch(''),
  leaseOwners: textList.catch([]),
  decisions: z.array(columns({ turn: z.number(), decision: z.enum(COACH_DECISIONS) })).catch([]),
})

/**
 * The worlds that match, from a position on. With `stalledOrOscillating` a page may have fewer than its limit, or none, and
 * a position after it: only the criteria of a world show whether it stalls, and a page reads a bounded number of them.
 *
 * @throws `store_unavailable`, `timeout`
 * @example
 * const { worlds, next } = await listWorlds(graph, { project: 'shop', running: true }, { order: 'last_activity', after: null, limit: 50 })
 */
export async function listWorlds(
  store: Graph,
  filter: WorldFilter,
  { order, after, limit }: Window,
): Promise<WorldPage> {
  const graph = withOneDeadline(store)
  const { pages, scope } = scopeOf(filter)
  const chunk = (filter.stalledOrOscillating ? Math.max(limit, MIN_CHUNK) : limit) + 1
  const found: WorldProgress[] = []
  let last: WorldProgress | null = null
  let hasMore = true
  for (let examined = 0; hasMore && found.length < limit && examined < MAX_EXAMINED; ) {
    const position: WorldPosition | null = last ?? after
    const { worlds, rows } = await readProgress(graph, pages[order], {
      ...scope,
      search: (filter.search ?? '').toLowerCase(),
      running: filter.running ?? false,
      notApproved: filter.notApproved ?? false,
      stalledOrOscillating: filter.stalledOrOscillating ?? false,
      after: position?.worldSlug ?? '',
      ...(order === 'last_activity' && { before: position?.lastActivity ?? LATEST_INSTANT }),
      limit: chunk,
    })
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
  return { worlds: await addStrips(graph, found), next: hasMore ? last : null }
}

function scopeOf({ project, featureId, taskId }: WorldFilter) {
  if (featureId == null) return { pages: pagesOfProject, scope: { project, taskId: taskId ?? '' } }
  if (taskId == null) return { pages: pagesOfFeature, scope: { featureKey: featureKey(project, featureId) } }
  return { pages: pagesOfTask, scope: { taskKey: taskKey(project, featureId, taskId) } }
}

const matches = (
  { lastDecision, verdict }: WorldProgress,
  { notApproved, stalledOrOscillating }: WorldFilter,
): boolean =>
  (!notApproved || lastDecision !== 'approved') &&
  (!stalledOrOscillating || ['stalled', 'blocked', 'oscillating'].includes(verdict))

async function addStrips(graph: Graph, worlds: readonly WorldProgress[]): Promise<WorldWithStrip[]> {
  if (worlds.length === 0) return []
  const keys = worlds.map(({ project, worldSlug, currentTurn }) => {
    const key = worldKey(project, worldSlug)
    const shown = Math.min(MAX_STRIP_TURNS, currentTurn)
    return { key, turnKeys: Array.from({ length: shown }, (_, i) => turnKey(key, currentTurn - i)) }
  })
  const rows = await readRows(graph, strips, { worlds: keys }, stripRow)
  const bySlug = new Map(rows.map((row) => [row.worldSlug, row]))
  return worlds.map((world) => {
    const { decisions = [], leaseOwners = [] } = bySlug.get(world.worldSlug) ?? {}
    return { ...world, decisions: decisions.toSorted((a, b) => a.turn - b.turn), leaseOwners }
  })
}

/** Adds the tokens to listed worlds. Reads all their turns and transcripts, so only callers that show tokens use it. */
export async function addTokensToWorlds(
  graph: Graph,
  worlds: readonly WorldWithStrip[],
): Promise<ListedWorld[]> {
  if (worlds.length === 0) return []
  const keyOf = ({ project, worldSlug }: WorldWithStrip) => worldKey(project, worldSlug)
  const tokens = await readTurnTokens(graph, worlds.map(keyOf))
  return worlds.map((world) => ({ ...world, tokens: sumTurnTokens(tokens.get(keyOf(world)) ?? []) }))
}
