import { expect, test } from 'vitest'
import * as turngraph from './index.ts'
import * as langchain from './langchain/index.ts'

test('the public API equals this list, and changes only on purpose', () => {
  expect(Object.keys(turngraph).sort()).toEqual([
    'ERRORS',
    'Executors',
    'TurnRunStore',
    'TurnRuns',
    'TurngraphError',
    'captureRequest',
    'captureTurnState',
    'contextRequest',
    'continuationContext',
    'createTurngraphClient',
    'createWorldRequest',
    'criteriaView',
    'explainTurn',
    'httpClient',
    'importAutobuild',
    'importReport',
    'inProcessClient',
    'isSpooled',
    'listCriteria',
    'loadExecutors',
    'loadStall',
    'loadTurnContinuationContext',
    'migrate',
    'openGraph',
    'promisesView',
    'recoverPromises',
    'stallView',
    'turnState',
    'whyView',
    'world',
    'worldProgress',
  ])
})

test('the public API of turngraph/langchain equals this list', () => {
  expect(Object.keys(langchain).sort()).toEqual([
    'MultiTurnStateTracker',
    'STREAMING_EVENTS',
    'TurngraphError',
    'TurngraphRetriever',
    'autobuildExecutor',
    'createTurngraphClient',
    'createTurngraphTools',
    'isSpooled',
    'nextStreamingState',
    'runAutobuild',
  ])
})
