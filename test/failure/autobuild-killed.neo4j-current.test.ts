import { describeOn, neo4jCurrent, neo4jUrl } from '../support/engines.ts'
import { survivesItsDeath } from './killed-loop.ts'

describeOn(neo4jCurrent, (store) =>
  survivesItsDeath(async () => {
    await (await store.open()).close() // empty but for the schema
    return neo4jUrl('current')
  }),
)
