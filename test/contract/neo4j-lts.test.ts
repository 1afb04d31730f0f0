import { describeOn, neo4jLts } from '../support/engines.ts'
import { statementsContract } from './all.ts'

// The suites that only TypeScript decides run on the embedded engine (embedded.test.ts).
describeOn(neo4jLts, statementsContract)
