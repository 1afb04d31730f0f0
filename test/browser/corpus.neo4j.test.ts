import { describeOn, neo4jLts } from '../support/engines.ts'
import { describeViewsOfCorpus } from './views-of-corpus.ts'

describeOn(neo4jLts, (store) => describeViewsOfCorpus(() => store.open()))
