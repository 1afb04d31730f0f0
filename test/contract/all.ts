import { analysisContract } from './analysis.ts'
import { autobuildContract } from './autobuild.ts'
import { captureContract } from './capture.ts'
import { coachContract } from './coach.ts'
import { contextContract } from './context.ts'
import { identityContract } from './identity.ts'
import { isolationContract } from './isolation.ts'
import { migrationsContract } from './migrations.ts'
import { portContract } from './port.ts'
import { runsContract } from './runs.ts'
import { secretsContract } from './secrets.ts'
import type { StoreUnderTest } from './store.ts'
import { transcriptsContract } from './transcripts.ts'
import { worldsContract } from './worlds.ts'

/**
 * Everything that a store must do for Turngraph, on an adapter of the caller's.
 *
 * @example
 * describe('my store', () => storeContract({ name: 'my store', open, openUnmigrated, beside }))
 */
export function storeContract(store: StoreUnderTest): void {
  migrationsContract(store)
  portContract(store)
  captureContract(store)
  worldsContract(store)
  contextContract(store)
  identityContract(store)
  coachContract(store)
  isolationContract(store)
  secretsContract(store)
  runsContract(store)
  transcriptsContract(store)
  analysisContract(store)
  autobuildContract(store)
}
