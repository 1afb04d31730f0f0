import { memory } from '../support/engines.ts'
import { followsASession, watchSuite } from './watch-suite.ts'

followsASession(memory)
watchSuite(memory)
