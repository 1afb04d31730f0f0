import { neo4jLts } from '../support/engines.ts'
import { survivesItsDeathOn } from './harness/killed-loop.ts'

survivesItsDeathOn(neo4jLts, 'lts')
