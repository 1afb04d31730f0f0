import { describeOn, shuffled } from '../support/engines.ts'
import { storeContract } from './all.ts'

// In another order each time, wherever a statement promises none: what holds then holds in the engine's own order too.
describeOn(shuffled, storeContract)
