import { describeOn, neo4jCurrent } from '../support/engines.ts'
import { storeContract } from './all.ts'

describeOn(neo4jCurrent, storeContract)
