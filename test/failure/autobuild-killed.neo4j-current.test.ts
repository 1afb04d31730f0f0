import { neo4jCurrent } from '../support/engines.ts'
import { survivesItsDeathOn } from './killed-loop.ts'

survivesItsDeathOn(neo4jCurrent, 'current')
