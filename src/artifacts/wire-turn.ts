export type WireVerification = {
  criterion_id: string
  criterion_text?: string
  status: 'verified' | 'rejected' | 'pending' | 'unknown'
  evidence?: string
}

export type WirePromise = {
  criterion_id: string
  criterion_text?: string
  status: 'complete' | 'partial' | 'incomplete' | 'uncertain'
  evidence?: string
  evidence_type?: string
  confidence?: number
  test_file?: string
  implementation_files?: string[]
}

export type WireIssue = {
  /** As the Coach wrote it; the capture maps it and keeps the raw word. */
  severity: string
  category?: string
  description: string
  criterion_ids?: string[]
  suggestion?: string
  details?: unknown
}

export type GateStatus = 'passed' | 'failed' | 'unknown'

/** A turn record in the wire form (turns.md), without project and world; only the fields that have content. */
export type WireTurn = {
  feature_id: string
  task_id: string
  turn_number: number
  player_summary: string
  player_decision: 'implemented' | 'failed' | 'blocked' | 'unknown'
  /** As the Coach wrote it (`approve`, `feedback`, `reject`), or `unknown` for a word that nobody knows. */
  coach_decision?: string
  /** The Coach's word, where that is not known. */
  coach_decision_raw?: string
  coach_feedback?: string
  mode?: 'fresh_start' | 'recovering_state' | 'continuing_work'
  blockers_found?: string[]
  lessons_from_turn?: string[]
  files_modified?: string[]
  verifications?: WireVerification[]
  promises?: WirePromise[]
  issues?: WireIssue[]
  gates?: Record<string, GateStatus>
  tests_passed?: number
  tests_failed?: number
  coverage?: number
  arch_score?: number
  started_at?: string
  completed_at?: string
  duration_seconds?: number
  what_to_try_next?: string
  commit?: string
}
