import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { proofSuite } from './proof-suite.ts'

describeOn(neo4jLts, () => proofSuite(() => neo4jUrl('lts')))
