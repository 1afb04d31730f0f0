import { neo4jCurrent } from '../support/engines.ts'
import { survivesItsDeathOn } from './harness/killed-loop.ts'

survivesItsDeathOn(neo4jCurrent, 'current')
