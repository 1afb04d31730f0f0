import { describeOn, neo4jLts } from '../support/engines.ts'
import { storeContract } from './all.ts'

describeOn(neo4jLts, storeContract)
