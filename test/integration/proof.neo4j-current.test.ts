import { describeOn, neo4jCurrent, neo4jUrl } from '../support/engines.ts'
import { proofSuite } from './proof-suite.ts'

describeOn(neo4jCurrent, () => proofSuite(() => neo4jUrl('current')))
