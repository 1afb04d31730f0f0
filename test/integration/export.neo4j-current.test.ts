import { describeOn, neo4jCurrent } from '../support/engines.ts'
import { goesThereAndBack } from './there-and-back.ts'

describeOn(neo4jCurrent, goesThereAndBack)
