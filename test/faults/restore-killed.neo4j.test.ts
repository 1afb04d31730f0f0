import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { namesWhatAKilledRestoreLeft } from './harness/killed-restore.ts'

describeOn(neo4jLts, (store) =>
  namesWhatAKilledRestoreLeft(async () => {
    await (await store.open()).close() // empty except for the schema
    return neo4jUrl('lts')
  }),
)
