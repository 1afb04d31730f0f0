import { neo4jLts } from '../support/engines.ts'
import { survivesItsDeathOn } from './killed-loop.ts'

survivesItsDeathOn(neo4jLts, 'lts')
