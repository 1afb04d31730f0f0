import { describeOn, memory, shuffled } from '../support/engines.ts'
import { storeContract } from './all.ts'

describeOn(memory, storeContract)
describeOn(shuffled, storeContract)
