import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { survivesItsDeath } from './harness/killed-loop.ts'

describeOn(neo4jLts, (store) =>
  survivesItsDeath(async () => {
    await (await store.open()).close() // empty except for the schema
    return neo4jUrl('lts')
  }),
)
