import type { StoreUnderTest } from './store.ts'
import { transcriptAgentsContract } from './transcript-agents.ts'
import { transcriptAtifContract } from './transcript-atif.ts'
import { transcriptCodexContract } from './transcript-codex.ts'
import { transcriptCopiesContract } from './transcript-copies.ts'
import { transcriptCostContract } from './transcript-cost.ts'
import { transcriptDesiresContract } from './transcript-desires.ts'
import { transcriptImportContract } from './transcript-import.ts'
import { transcriptNamesContract } from './transcript-names.ts'
import { transcriptReportsContract } from './transcript-reports.ts'

/** Transcripts of agents: the graph after an import, and the reports (transcripts.md). */
export function transcriptsContract(store: StoreUnderTest): void {
  transcriptImportContract(store)
  transcriptCopiesContract(store)
  transcriptAgentsContract(store)
  transcriptNamesContract(store)
  transcriptReportsContract(store)
  transcriptCostContract(store)
  transcriptDesiresContract(store)
}

/** Other formats of transcripts. They do not depend on the engine, because readers convert them before a write. */
export function transcriptFormatsContract(store: StoreUnderTest): void {
  transcriptCodexContract(store)
  transcriptAtifContract(store)
}
