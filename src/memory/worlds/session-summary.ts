/** Reads the facts of a session for its summary. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { followIssues } from '../../rules/issue-lives.ts'
import { entriesIn } from '../../rules/progress.ts'
import { listReversals, MAX_REVERSALS, reversal } from '../../rules/reversals.ts'
import { decideOutcome } from '../../rules/session-outcome.ts'
import { type JudgedTurn, summarizeSession } from '../../rules/session-summary.ts'
import { readTargetAsOf, snapshotFrom, WHOLE_LEDGER } from '../criteria/snapshot.ts'
import { areIssuesWhole, ledgerRow, ledgerStatements } from '../issues/list-issues.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { readTurnFacts } from '../specification/turn-facts.ts'
import { toAttentionFacts } from './attention-facts.ts'
import { readFactsOfWorld } from './world-progress.ts'

/** The answer to how a session ended. */
export const sessionSummary = z.object({
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turn: z.number().describe('newest turn of the session; 0 before the first one'),
  outcome: z.string().describe('in words'),
  summary: z.string().describe('one or two sentences that consist of facts'),
  reversals: z
    .array(reversal)
    .describe(
      `verdicts that a later turn took back, of criteria that count: those without a changed file first, then the newest; at most ${MAX_REVERSALS}`,
    ),
})

export type SessionSummaryView = z.output<typeof sessionSummary>

/**
 * Summarizes a session in at most two sentences: how it ended and why, and what it gained or lost.
 *
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { outcome, summary } = await loadSummary(graph, 'shop', 'TASK-1', new Date())
 */
export async function loadSummary(
  store: Graph,
  project: string,
  worldSlug: string,
  now: Date,
): Promise<SessionSummaryView> {
  const graph = withOneDeadline(store)
  const read = await readFactsOfWorld(graph, project, worldSlug)
  const { featureId, taskId, currentTurn } = read.facts
  const key = read.state.snapshot.worldKey
  const target = { project, featureId, taskId, worldSlug }
  const [turnFacts, row] = await Promise.all([
    readTurnFacts(graph, [{ key, since: 1 }]),
    readTargetAsOf(graph, ledgerStatements, target, null, WHOLE_LEDGER, ledgerRow, areIssuesWhole),
  ])
  if (row === null) throw unknownWorld(project, worldSlug)
  const ofTurns = turnFacts.get(key)
  const snapshot = snapshotFrom(row, null)
  const outcome = decideOutcome(read.facts, now)
  const textsOfTurn = groupBy(row.judgements, ({ turn }) => turn)
  const quotes = new Map(snapshot.outcomes.map(({ turn, quote }) => [turn, quote]))
  const turns = (ofTurns?.turns ?? []).map((turn): JudgedTurn => {
    const issues = (textsOfTurn.get(turn.turn) ?? []).flatMap((judgement) => judgement.issues)
    return { ...turn, texts: [...issues.map(({ description }) => description), quotes.get(turn.turn) ?? ''] }
  })
  const facts = await toAttentionFacts(graph, read, ofTurns)
  const findEntries = entriesIn(snapshot)
  const summary = summarizeSession(
    {
      ...facts,
      outcome,
      turns,
      issues: followIssues(row.judgements),
      findEntries,
      ledger: snapshot.ledger ?? [],
    },
    now,
  )
  return {
    ...{ project, featureId, taskId, worldSlug, turn: currentTurn, outcome },
    summary: summary.join(' '),
    reversals: listReversals(facts.criteria, findEntries, facts.changedFiles),
  }
}
