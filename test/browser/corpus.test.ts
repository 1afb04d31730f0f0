import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { describeViewsOfCorpus } from './views-of-corpus.ts'

describeViewsOfCorpus(async () => EmbeddedGraph.open({ folder: null }))
