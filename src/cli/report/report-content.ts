/** Declares the content of a report: answers of operations in their wire form, as the views take them, within size limits. */
import type { Role } from '../../memory/criteria/views.ts'
import type { Answer } from '../ask-in-wire-form.ts'

export type Session = { project: string; worldSlug: string }

/** Omission of a report with the command that shows the omitted part; null if no command shows it for the role. */
export type Cut = { says: string; command: string | null }

export type ReportContent = {
  project: string
  role: Role
  /** Sessions of the project, last active first; null in the report of one session. */
  sessions: { items: Answer<'listWorlds'>['items']; hasMore: boolean } | null
  details: SessionContent[]
  cuts: Cut[]
}

export type SessionContent = {
  world: Answer<'getWorld'>
  /** Outcome and summary of the session; null before the first turn, and for a Player, because the summary quotes judges. */
  summary: Pick<Answer<'getSessionSummary'>, 'outcome' | 'summary'> | null
  why: Answer<'explainTurn'> | null
  /** Stall verdict; null before the first turn. A Player does not get the reason. */
  stall: Pick<Answer<'loadStall'>, 'verdict' | 'reason' | 'suggestion' | 'should_stop'> | null
  criteria: Answer<'listCriteria'>
  byTurn: Answer<'listCriteriaByTurn'>
  /** Newest turns, ascending; for a Player without verifications, gates and evidence. */
  turns: Answer<'listTurns'>['items']
  /** First turn whose record is shown in full, because records may contain much text of agents. */
  recordsFrom: number
  evidence: CellEvidence[]
  issues: Answer<'listIssues'>['items']
  /** Contexts of the next turn. A report for the Coach includes the Player's context. */
  contexts: Answer<'loadTurnContinuationContext'>[]
  cuts: Cut[]
}

export type CellEvidence = {
  key: string
  turn: number
  verdicts: Answer<'getCriterionHistory'>['items']
  promises: Answer<'recoverPromises'>['items']
}
