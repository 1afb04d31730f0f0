import { describeOn, neo4jLts } from '../support/engines.ts'
import { goesThereAndBack } from './there-and-back.ts'

describeOn(neo4jLts, goesThereAndBack)
