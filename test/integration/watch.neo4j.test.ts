import { describeOn, neo4jLts } from '../support/engines.ts'
import { followsASession } from './watch-suite.ts'

describeOn(neo4jLts, followsASession)
