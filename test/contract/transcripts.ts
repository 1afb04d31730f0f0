import type { StoreUnderTest } from './store.ts'
import { transcriptAgentsContract } from './transcript-agents.ts'
import { transcriptCopiesContract } from './transcript-copies.ts'
import { transcriptCostContract } from './transcript-cost.ts'
import { transcriptDesiresContract } from './transcript-desires.ts'
import { transcriptImportContract } from './transcript-import.ts'
import { transcriptNamesContract } from './transcript-names.ts'
import { transcriptReportsContract } from './transcript-reports.ts'

/** Transcripts of agents: what an import leaves in the graph, and what the reports make of it (transcripts.md). */
export function transcriptsContract(store: StoreUnderTest): void {
  transcriptImportContract(store)
  transcriptCopiesContract(store)
  transcriptAgentsContract(store)
  transcriptNamesContract(store)
  transcriptReportsContract(store)
  transcriptCostContract(store)
  transcriptDesiresContract(store)
}
