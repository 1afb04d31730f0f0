import { describeOn, neo4jCurrent } from '../support/engines.ts'
import { migrationsContract } from './migrations.ts'
import { portContract } from './port.ts'
import { racesContract } from './races.ts'

// The port, the races and the migrations depend on the version of the server. Every statement runs on this version in
// test/integration/cypher-25.neo4j-current.test.ts, and the other suites run on 5.26 only (neo4j-lts.test.ts).
describeOn(neo4jCurrent, (store) => {
  portContract(store)
  racesContract(store)
  migrationsContract(store)
})
