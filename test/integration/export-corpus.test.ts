import { describeOn, memory } from '../support/engines.ts'
import { goesThereAndBack } from './there-and-back.ts'

describeOn(memory, goesThereAndBack)
