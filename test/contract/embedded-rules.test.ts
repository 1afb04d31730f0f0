import { describeOn, shuffled } from '../support/engines.ts'
import { rulesContract } from './all.ts'

// A file of its own: a second worker runs it at the same time as embedded.test.ts.
describeOn(shuffled, rulesContract)
