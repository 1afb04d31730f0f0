import { describe, expect, test } from 'vitest'
import { isSubstantiated, listPromisedEvidence } from './absence.ts'

describe('evidence and absence', () => {
  test.each([
    null,
    '',
    '  \n',
    'Promise status: incomplete',
    ' promise status : complete',
    'No completion promise for AC-002',
    'Not found in Player requirements_met',
    '[Text fallback] Not found in the summary',
    'Matched in Player requirements_met',
  ])('%j is absence, not evidence', (text) => expect(isSubstantiated(text, new Set())).toBe(false))

  test.each([
    'GET /health answers 500',
    'The promise status: page is missing',
    'Not found in the router: /health',
    'Matched nothing in the log',
  ])('%j describes the work', (text) => expect(isSubstantiated(text, new Set())).toBe(true))
})

test('evidence that repeats the evidence of a promise is no evidence, in any spelling', () => {
  const promised = listPromisedEvidence([{ evidence: 'All  tests pass.' }, { evidence: null }])
  expect(isSubstantiated('all tests pass', promised)).toBe(false)
  expect(isSubstantiated(' ALL tests\npass!', promised)).toBe(false)
  expect(isSubstantiated('all tests pass, but one is skipped', promised)).toBe(true)
})
