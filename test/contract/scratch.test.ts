import { describeOn, neo4jCurrent, neo4jLts } from '../support/engines.ts'
import { transcriptsContract } from './transcripts.ts'

describeOn(neo4jLts, transcriptsContract)
describeOn(neo4jCurrent, transcriptsContract)
