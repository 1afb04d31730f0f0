/** Declares what a report shows: answers of operations in their wire form, as the views take them, bounded for a file. */
import type { OnWire } from '../../core/wire-form.ts'
import type { Role } from '../../memory/criteria/views.ts'
import type { OperationName, OperationOutput } from '../../operations/table.ts'

export type Answer<N extends OperationName> = OnWire<OperationOutput<N>>

/** Names a session in what is asked about it. */
export type Session = { project: string; worldSlug: string }

/** A part that a report leaves out, and the command that shows it; null where none shows it as the role may see it. */
export type Cut = { says: string; command: string | null }

export type ReportContent = {
  project: string
  role: Role
  /** The sessions of the project, the last active first; null in the report of one session. */
  sessions: { items: Answer<'listWorlds'>['items']; hasMore: boolean } | null
  /** Those that are shown in full. */
  details: SessionContent[]
  cuts: Cut[]
}

/** One session as of its newest turn, as the role of the report may see it. */
export type SessionContent = {
  world: Answer<'getWorld'>
  /** How the newest turn ended; null before the first. */
  why: Answer<'explainTurn'> | null
  /** Null before the first turn. A Player does not get the reason. */
  stall: Pick<Answer<'loadStall'>, 'verdict' | 'reason' | 'suggestion' | 'should_stop'> | null
  criteria: Answer<'listCriteria'>
  byTurn: Answer<'listCriteriaByTurn'>
  /** The newest turns, ascending. A Player's have no verifications, no gates and no evidence. */
  turns: Answer<'listTurns'>['items']
  /** From this turn on, records are shown in full: each holds as much text as its agents wrote. */
  recordsFrom: number
  /** What lies behind the cells of the matrix; empty for a Player. */
  evidence: CellEvidence[]
  issues: Answer<'listIssues'>['items']
  /** Those of the next turn: the Coach sees the Player's, too. */
  contexts: Answer<'loadTurnContinuationContext'>[]
  cuts: Cut[]
}

/** What a turn said of a criterion. */
export type CellEvidence = {
  key: string
  turn: number
  verdicts: Answer<'getCriterionHistory'>['items']
  promises: Answer<'recoverPromises'>['items']
}
