import { describe, expect, test } from 'vitest'
import { chooseTone, describeVerdict } from './verdict-words.ts'

describe('the words of a verdict', () => {
  test('one line explains a verdict that differs from the outcome', () => {
    expect(describeVerdict('progressing', 'regressed')).toBe(
      'progressing, but regressed: a later turn rejected a verified criterion with evidence',
    )
    expect(describeVerdict('oscillating', 'stalled')).toBe('stalled: oscillating')
    expect(describeVerdict('no_growth', 'abandoned')).toBe('no growth until it was abandoned')
    expect(describeVerdict('progressing', 'stopped by budget')).toBe(
      'progressing until it was stopped by budget',
    )
  })

  test('a verdict that agrees with the outcome, or has none, is one word', () => {
    expect(describeVerdict('stalled', 'stalled')).toBe('stalled')
    expect(describeVerdict('progressing', 'running')).toBe('progressing')
    expect(describeVerdict('finished', 'approved')).toBe('finished')
    expect(describeVerdict('insufficient_data', null)).toBe('insufficient data')
  })

  test('only a running session, or an earlier turn, looks good', () => {
    expect(chooseTone('progressing', 'regressed')).toBe('ended')
    expect(chooseTone('progressing', 'running')).toBe('progressing')
    expect(chooseTone('progressing', null)).toBe('progressing')
    expect(chooseTone('plateau', 'stalled')).toBe('plateau')
  })
})
