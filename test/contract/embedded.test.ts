import { describeOn, shuffled } from '../support/engines.ts'
import { statementsContract } from './all.ts'

// Rows without a defined order are shuffled each time. Tests that pass then also pass in the order of the engine.
describeOn(shuffled, statementsContract)
