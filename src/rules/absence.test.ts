import { describe, expect, test } from 'vitest'
import { isSubstantiated, listPromisedEvidence } from './absence.ts'

describe('evidence and absence', () => {
  test.each([
    null,
    '',
    '  \n',
    'Promise status: incomplete',
    ' promise status : complete',
    '- [ ] Promise status: incomplete',
    '**Promise status**: incomplete',
    '"No completion promise for AC-002"',
    '1. `Not found in Player requirements_met`',
    '**[Text fallback]** Not found in the summary',
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
    'Text fallback is missing in the editor',
    'Promise status is stored as text',
  ])('%j describes the work', (text) => expect(isSubstantiated(text, new Set())).toBe(true))
})

test('evidence that repeats the evidence of a promise is no evidence, in any spelling', () => {
  const promised = listPromisedEvidence([{ evidence: 'All  tests pass.' }, { evidence: null }])
  for (const text of [
    'all tests pass',
    ' ALL tests\npass!',
    '`All tests` pass',
    '- **All tests pass**',
    '"All tests pass."',
  ])
    expect(isSubstantiated(text, promised), text).toBe(false)
  expect(isSubstantiated('all tests pass, but one is skipped', promised)).toBe(true)
  const signed = listPromisedEvidence([{ evidence: '✅ logout returns 1' }, { evidence: 'count == 3' }])
  for (const text of ['❌ logout returns 1', 'logout returns -1', 'count != 3'])
    expect(isSubstantiated(text, signed), text).toBe(true)
})
