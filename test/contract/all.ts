import { additionsContract } from './additions.ts'
import { analysisContract } from './analysis.ts'
import { analysisLimitsContract } from './analysis-limits.ts'
import { analysisOraclesContract } from './analysis-oracles.ts'
import { asOfContract } from './as-of.ts'
import { attentionContract } from './attention.ts'
import { autobuildContract } from './autobuild.ts'
import { backupContract, backupRulesContract } from './backup.ts'
import { basisContract } from './basis.ts'
import { captureContract } from './capture.ts'
import { coachContract } from './coach.ts'
import { contextContract } from './context.ts'
import { doctorContract, doctorRulesContract } from './doctor.ts'
import { earlierExportContract } from './earlier-export.ts'
import { elsewhereContract } from './elsewhere.ts'
import { eventsContract } from './events.ts'
import { exampleQueriesContract } from './example-queries.ts'
import { exportContract, restoreRulesContract } from './export.ts'
import { forgetContract, forgetRulesContract } from './forget.ts'
import { freeCypherContract } from './free-cypher.ts'
import { historyContract } from './history.ts'
import { identityContract } from './identity.ts'
import { isolationContract, isolationOfNamesContract } from './isolation.ts'
import { issuesContract } from './issues.ts'
import { knownElsewhereContract } from './known-elsewhere.ts'
import { masksContract } from './masks.ts'
import { migrationsContract } from './migrations.ts'
import { nextStepContract } from './next-step.ts'
import { notThereContract } from './not-there.ts'
import { pagesContract } from './pages.ts'
import { pairsContract, pairsRulesContract } from './pairs.ts'
import { portContract } from './port.ts'
import { projectOfNodesContract, projectOfNodesRulesContract } from './project-of-nodes.ts'
import { proofsContract, proofsRulesContract } from './proofs.ts'
import { racesContract } from './races.ts'
import { readsContract } from './reads.ts'
import { recordsContract } from './records.ts'
import { restoreUnfinishedContract } from './restore-unfinished.ts'
import { rollbackContract } from './rollback.ts'
import { runGoalsContract } from './run-goals.ts'
import { runsContract, runsRulesContract } from './runs.ts'
import { searchContract, searchRulesContract } from './search.ts'
import { secretsContract } from './secrets.ts'
import { seenOnTreeContract } from './seen-on-tree.ts'
import { sessionsContract } from './sessions.ts'
import { specificationContract } from './specification.ts'
import { stallsContract } from './stalls.ts'
import type { StoreUnderTest } from './store.ts'
import { storedContract } from './stored.ts'
import { testReportsContract } from './test-reports.ts'
import { transcriptFormatsContract, transcriptsContract } from './transcripts.ts'
import { turnAgentsContract } from './turn-agents.ts'
import { turnReportsContract } from './turn-reports.ts'
import { turnTokensContract } from './turn-tokens.ts'
import { twoProcessesContract } from './two-processes.ts'
import { damagedWorldsContract, worldsContract } from './worlds.ts'

/**
 * Requirements that do not depend on the engine. `statementsContract` runs all of their statements, too. Therefore Neo4j runs only
 * `statementsContract`.
 */
export function rulesContract(store: StoreUnderTest): void {
  recordsContract(store)
  turnReportsContract(store)
  nextStepContract(store)
  identityContract(store)
  basisContract(store)
  testReportsContract(store)
  runGoalsContract(store)
  analysisLimitsContract(store)
  autobuildContract(store)
  doctorRulesContract(store)
  forgetRulesContract(store)
  isolationOfNamesContract(store)
  searchRulesContract(store)
  runsRulesContract(store)
  stallsContract(store)
  proofsRulesContract(store)
  analysisOraclesContract(store)
  restoreRulesContract(store)
  pairsRulesContract(store)
  transcriptFormatsContract(store)
  notThereContract(store)
  secretsContract(store)
  damagedWorldsContract(store)
  projectOfNodesRulesContract(store)
  backupRulesContract(store)
}

/**
 * Requirements that depend on the engine. Every statement runs here at least once. The suite also uses the embedded graph as a second
 * store to export from. It needs vitest, but no server.
 *
 * @example
 * // test/contract/mine.test.ts
 * const open = async () => {
 *   const graph = new MyGraph(await emptyDatabase()) // implements Graph of src/graph/port.ts
 *   await migrate(graph)
 *   return graph
 * }
 * describe('my store', () => statementsContract({ name: 'mine', open, openUnmigrated, beside }))
 */
export function statementsContract(store: StoreUnderTest): void {
  portContract(store)
  captureContract(store)
  turnAgentsContract(store)
  turnTokensContract(store)
  worldsContract(store)
  sessionsContract(store)
  contextContract(store)
  specificationContract(store)
  twoProcessesContract(store)
  coachContract(store)
  additionsContract(store)
  readsContract(store)
  pagesContract(store)
  isolationContract(store)
  racesContract(store)
  issuesContract(store)
  historyContract(store)
  asOfContract(store)
  elsewhereContract(store)
  knownElsewhereContract(store)
  searchContract(store)
  masksContract(store)
  seenOnTreeContract(store)
  rollbackContract(store)
  runsContract(store)
  eventsContract(store)
  transcriptsContract(store)
  analysisContract(store)
  proofsContract(store)
  freeCypherContract(store)
  exampleQueriesContract(store)
  attentionContract(store)
  storedContract(store)
  projectOfNodesContract(store)
  exportContract(store)
  earlierExportContract(store)
  backupContract(store)
  restoreUnfinishedContract(store)
  pairsContract(store)
  forgetContract(store)
  doctorContract(store)
  // These run last, because a change of the schema invalidates all query plans of Neo4j.
  migrationsContract(store)
}
