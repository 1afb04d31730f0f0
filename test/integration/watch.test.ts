import { memory } from '../support/engines.ts'
import { watchSuite } from './watch-suite.ts'

watchSuite(memory)
