import { describeOn, neo4jLts } from '../support/engines.ts'
import { statementsContract } from './all.ts'

// The suites that do not depend on the engine run on the embedded engine (embedded-rules.test.ts).
describeOn(neo4jLts, statementsContract)
