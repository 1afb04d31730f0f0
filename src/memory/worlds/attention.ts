/** Lists the sessions that need a person, the most urgent first. */
import * as z from 'zod'
import { LATEST_INSTANT } from '../../core/instants.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import {
  ATTENTION_REASONS,
  type Attention,
  compareAttention,
  describeDamage,
  findAttention,
} from '../../rules/attention.ts'
import { isRequired } from '../../rules/criterion-states.ts'
import { oldestProof } from '../criteria/read-states.ts'
import { NO_TURN_FACTS, readTurnFacts } from '../specification/turn-facts.ts'
import { addTurnFacts, toAttentionFacts } from './attention-facts.ts'
import { type ReadFacts, readSessionFacts } from './world-progress.ts'

/** A session that needs a person. */
export const attentionItem = z.object({
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turn: z.number().describe('newest turn of the session'),
  reason: z
    .enum(ATTENTION_REASONS)
    .describe(
      'damaged: its stored data cannot be read; stalled: no progress; approved_with_gaps: approved with criteria that are not verified, or a failed gate; refuted: a verified criterion was rejected with evidence later; abandoned: not approved, and no activity for a day; only_players_words: approved, and no judge has seen a proof; stale: proofs are older than their files',
    ),
  outcome: z.string().describe('of the session, in words'),
  sentence: z.string().describe('why it needs a person'),
  lastActivity: z.string(),
})

/** Maximum number of sessions of a project that are examined, the last active first. */
export const MAX_EXAMINED = 1_000
const SESSIONS_PER_STATEMENT = 250

const page = statement('worlds/page', 'of-project', 'by-activity')

/**
 * Lists all sessions of some projects that need a person, in order.
 *
 * @throws `store_unavailable`, `timeout`
 * @example
 * const sessions = await listAttention(graph, ['shop'], new Date())
 */
export async function listAttention(
  store: Graph,
  projects: readonly string[],
  now: Date,
): Promise<Attention[]> {
  const graph = withOneDeadline(store)
  const found: Attention[] = []
  for (const project of projects) found.push(...(await findInProject(graph, project, now)))
  return found.sort(compareAttention)
}

async function findInProject(graph: Graph, project: string, now: Date): Promise<Attention[]> {
  const found: Attention[] = []
  let after = { lastActivity: LATEST_INSTANT, worldSlug: '' }
  for (let examined = 0; examined < MAX_EXAMINED; examined += SESSIONS_PER_STATEMENT) {
    const { sessions, damaged, specifications, rows, last } = await readSessionFacts(graph, page, {
      ...{ project, taskId: '', search: '', running: false, notApproved: false, stalledOrOscillating: false },
      before: after.lastActivity,
      after: after.worldSlug,
      limit: SESSIONS_PER_STATEMENT,
    })
    found.push(...damaged.map(describeDamage))
    const toRead = sessions.flatMap((session) => {
      const since = findFirstTurn(session, now)
      return since === null ? [] : [{ key: session.state.snapshot.worldKey, since }]
    })
    const turns = await readTurnFacts(graph, toRead)
    for (const session of sessions) {
      const ofTurns = turns.get(session.state.snapshot.worldKey)
      const item = findAttention(await toAttentionFacts(graph, session, ofTurns, specifications), now)
      if (item !== null) found.push(item)
    }
    if (rows < SESSIONS_PER_STATEMENT || last === null) break
    after = last
  }
  return found
}

/** Returns the first turn whose facts the sentence of a session uses; null if it uses none. */
function findFirstTurn({ facts, state }: ReadFacts, now: Date): number | null {
  if (facts.supersededBy !== null) return null
  const found = findAttention(addTurnFacts(facts, state, NO_TURN_FACTS), now)
  if (found?.reason === 'stalled') return facts.stall.verdict === 'blocked' ? 1 : null
  if (found !== null && found.reason !== 'refuted' && found.reason !== 'stale') return null
  const mayBeStale = facts.criteria.some(
    (each) => isRequired(each) && each.lastVerifiedTurn !== null && each.lastVerifiedTurn < facts.currentTurn,
  )
  return mayBeStale ? oldestProof(state.snapshot) : null
}
