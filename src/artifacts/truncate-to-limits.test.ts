import { expect, test } from 'vitest'
import { truncateToLimits } from './truncate-to-limits.ts'

function limited<T>(record: T): { fitted: T; warnings: string[] } {
  const warnings: string[] = []
  return {
    fitted: truncateToLimits(record, (field, message) => warnings.push(`${field}: ${message}`)),
    warnings,
  }
}

test('a record within the limits is unchanged', () => {
  const record = { player_summary: 'x'.repeat(65_536), tests_passed: 3, gates: { a: 'passed' }, n: null }
  expect(limited(record)).toEqual({ fitted: record, warnings: [] })
})

test('a text over 64 KiB is cut at a character', () => {
  const { fitted, warnings } = limited({ verifications: [{ evidence: `${'x'.repeat(65_535)}€uro` }] })
  expect(fitted.verifications[0]?.evidence).toBe('x'.repeat(65_535))
  expect(warnings).toEqual(['verifications[0].evidence: had 65541 bytes; the first 64 KiB are kept'])
})

test('a list over 1,000 entries is cut', () => {
  const { fitted, warnings } = limited({ files_modified: Array.from({ length: 1001 }, (_, i) => `f${i}`) })
  expect(fitted.files_modified).toHaveLength(1000)
  expect(warnings).toEqual(['files_modified: had 1001 entries; the first 1000 are kept'])
})

test('NULs and lone surrogates are removed, pairs are kept', () => {
  const { fitted, warnings } = limited({
    coach_feedback: 'a\0b \ud83d\ude00 \ud83d',
    gates: { 'g\0': 'passed' },
  })
  expect(fitted).toEqual({ coach_feedback: 'ab 😀 \uFFFD', gates: { g: 'passed' } })
  expect(warnings).toHaveLength(3)
})

test('a label is cut at 256 characters', () => {
  const { fitted } = limited({
    promises: [{ criterion_id: 'A'.repeat(300), criterion_text: 'B'.repeat(300) }],
  })
  expect(fitted.promises[0]?.criterion_id).toHaveLength(256)
  expect(fitted.promises[0]?.criterion_text).toHaveLength(300)
})

test("an issue's details are cleaned, but their lists and keys are not cut", () => {
  const details = { ['k'.repeat(300)]: Array.from({ length: 1500 }, () => 'a\0') }
  const { fitted } = limited({ issues: [{ details }] })
  expect(fitted.issues[0]?.details).toEqual({ ['k'.repeat(300)]: Array.from({ length: 1500 }, () => 'a') })
})

test('a key named __proto__ is a key like any other', () => {
  const { fitted } = limited(JSON.parse('{"issues":[{"details":{"__proto__":{"x":"y"}}}]}'))
  expect(JSON.stringify(fitted)).toBe('{"issues":[{"details":{"__proto__":{"x":"y"}}}]}')
})
