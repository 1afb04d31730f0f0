import { expect, test } from 'vitest'
import * as turngraph from './index.ts'

test('the public API is this, and changes only on purpose', () => {
  expect(Object.keys(turngraph).sort()).toEqual([
    'ERRORS',
    'TurngraphError',
    'captureRequest',
    'captureTurnState',
    'contextRequest',
    'continuationContext',
    'createWorldRequest',
    'httpClient',
    'importAutobuild',
    'importReport',
    'inProcessClient',
    'loadTurnContinuationContext',
    'migrate',
    'openGraph',
    'turnState',
    'world',
  ])
})
