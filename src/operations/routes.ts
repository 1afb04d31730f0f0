// Maps each operation to its REST route.
import type { OperationName } from './table.ts'

/** REST route of an operation, as data. `{name}` in a path is that field of the operation's input. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  operation: OperationName
  /** Status of an answer that created a record. All other successful answers have 200. */
  created?: 201
  /** Maximum size of the body, if it exceeds the default. */
  mostBytes?: number
}

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/turns', operation: 'captureTurnState', created: 201 },
  {
    method: 'POST',
    path: '/v1/turn-reports',
    operation: 'captureReports',
    created: 201,
    mostBytes: 4 * 1024 * 1024,
  },
  { method: 'GET', path: '/v1/continuation-context', operation: 'loadTurnContinuationContext' },
  { method: 'GET', path: '/v1/next-step', operation: 'getNextStep' },
  { method: 'GET', path: '/v1/criteria', operation: 'listCriteria' },
  { method: 'GET', path: '/v1/criteria/{key}/history', operation: 'getCriterionHistory' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/criteria-by-turn', operation: 'listCriteriaByTurn' },
  { method: 'PUT', path: '/v1/specification', operation: 'declareCriteria', created: 201 },
  { method: 'GET', path: '/v1/specification', operation: 'getSpecification' },
  { method: 'GET', path: '/v1/promises', operation: 'recoverPromises' },
  { method: 'GET', path: '/v1/stall', operation: 'loadStall' },
  { method: 'GET', path: '/v1/issues', operation: 'listIssues' },
  { method: 'GET', path: '/v1/attention', operation: 'listAttention' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/summary', operation: 'getSessionSummary' },
  { method: 'GET', path: '/v1/search', operation: 'search' },
  { method: 'GET', path: '/v1/why', operation: 'explainTurn' },
  { method: 'GET', path: '/v1/compare', operation: 'compareWorlds' },
  { method: 'GET', path: '/v1/replay', operation: 'replaySessions' },
  { method: 'GET', path: '/v1/caller', operation: 'describeCaller' },
  { method: 'GET', path: '/v1/projects', operation: 'listProjects' },
  { method: 'POST', path: '/v1/worlds', operation: 'createWorld', created: 201 },
  { method: 'POST', path: '/v1/verifications', operation: 'addVerifications' },
  { method: 'GET', path: '/v1/worlds', operation: 'listWorlds' },
  { method: 'GET', path: '/v1/worlds/{world_slug}', operation: 'getWorld' },
  { method: 'PATCH', path: '/v1/worlds/{world_slug}', operation: 'setWorld' },
  { method: 'DELETE', path: '/v1/worlds/{world_slug}', operation: 'deleteWorld' },
  { method: 'POST', path: '/v1/worlds/{world_slug}/rollback', operation: 'rollbackWorld' },
  { method: 'POST', path: '/v1/worlds/{world_slug}/turn-runs', operation: 'runTurn', created: 201 },
  { method: 'GET', path: '/v1/worlds/{world_slug}/attempts', operation: 'listAttempts' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/next', operation: 'nextAttempt' },
  { method: 'GET', path: '/v1/turn-runs', operation: 'listTurnRuns' },
  { method: 'GET', path: '/v1/turn-runs/{turn_run_id}', operation: 'getTurnRunStatus' },
  { method: 'POST', path: '/v1/turn-runs/{turn_run_id}/cancel', operation: 'cancelTurnRun' },
  { method: 'GET', path: '/v1/attempts/{attempt_id}', operation: 'getTurnStatus' },
  { method: 'POST', path: '/v1/attempts/{attempt_id}/claim', operation: 'claimAttempt' },
  { method: 'POST', path: '/v1/attempts/{attempt_id}/heartbeat', operation: 'heartbeatAttempt' },
  { method: 'POST', path: '/v1/attempts/{attempt_id}/commit', operation: 'commitAttempt' },
  { method: 'POST', path: '/v1/attempts/{attempt_id}/fail', operation: 'failAttempt' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/turns', operation: 'listTurns' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/turns/{turn_number}', operation: 'getTurn' },
  { method: 'GET', path: '/v1/worlds/{world_slug}/turns/{turn_number}/history', operation: 'getTurnHistory' },
  { method: 'GET', path: '/v1/transcript-turns', operation: 'listTranscriptTurns' },
  {
    method: 'GET',
    path: '/v1/transcripts/{session_id}/turns/{index}/steps',
    operation: 'listTranscriptSteps',
  },
  { method: 'GET', path: '/v1/transcript-patterns', operation: 'listTranscriptPatterns' },
  { method: 'GET', path: '/v1/transcript-sequences', operation: 'listTranscriptSequences' },
  { method: 'GET', path: '/v1/tool-stats', operation: 'listToolStats' },
  { method: 'GET', path: '/v1/cost', operation: 'listCost' },
  { method: 'GET', path: '/v1/paths', operation: 'listPaths' },
  { method: 'GET', path: '/v1/desires', operation: 'listDesires' },
  { method: 'POST', path: '/v1/desires/refresh', operation: 'refreshDesires' },
  { method: 'POST', path: '/v1/transcripts/import', operation: 'importTranscripts' },
  { method: 'POST', path: '/v1/transcripts/count', operation: 'countTranscripts' },
  { method: 'GET', path: '/v1/transcripts/{session_id}/progress', operation: 'getTranscriptProgress' },
  { method: 'POST', path: '/v1/cypher', operation: 'queryGraph' },
  { method: 'GET', path: '/v1/graph/schema', operation: 'describeGraph' },
  { method: 'GET', path: '/v1/graph/neighbors', operation: 'listNeighbors' },
  { method: 'GET', path: '/v1/export', operation: 'exportPage' },
  { method: 'GET', path: '/v1/export/graph', operation: 'exportGraphPage' },
  { method: 'POST', path: '/v1/restore', operation: 'restoreRecords', mostBytes: 64 * 1024 * 1024 },
  { method: 'GET', path: '/v1/analyses', operation: 'listAnalyses' },
  { method: 'GET', path: '/v1/analyses/{name}', operation: 'runAnalysis' },
  { method: 'POST', path: '/v1/doctor', operation: 'examine' },
  { method: 'POST', path: '/v1/doctor/graph', operation: 'examineGraph' },
  { method: 'POST', path: '/v1/forget', operation: 'forget' },
]

/** True if a call sends its fields in the body instead of the query. */
export const hasBody = ({ method }: { method: string }): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH'

export const findRoute = (operation: OperationName): Route => {
  const route = routes.find((candidate) => candidate.operation === operation)
  if (route === undefined) throw new Error(`operation ${operation} has no route`)
  return route
}
