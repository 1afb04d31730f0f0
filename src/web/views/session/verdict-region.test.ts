import { describe, expect, test } from 'vitest'
import { chooseTone, describeVerdict } from './verdict-region.tsx'

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

  test('an unapproved session with a newer one has its own outcome, and so has one with too few turns', () => {
    for (const outcome of ['stalled', 'abandoned', 'stopped by budget', 'blocked by tests'])
      expect(describeVerdict('finished', outcome)).toBe(`${outcome}; the task has a newer session`)
    expect(describeVerdict('insufficient_data', 'abandoned')).toBe('abandoned; too few turns for a verdict')
    expect(describeVerdict('insufficient_data', 'regressed')).toBe('regressed; too few turns for a verdict')
    expect(describeVerdict('insufficient_data', 'running')).toBe('insufficient data')
    expect(describeVerdict('finished', 'running')).toBe('finished')
    expect(describeVerdict('finished', 'superseded by TASK-1.2')).toBe('finished')
    expect(describeVerdict('finished', 'approved with gaps')).toBe('finished')
  })

  test('a verdict that agrees with the outcome, or has no outcome, needs no explanation', () => {
    expect(describeVerdict('stalled', 'stalled')).toBe('stalled')
    expect(describeVerdict('progressing', 'running')).toBe('progressing')
    expect(describeVerdict('finished', 'approved')).toBe('finished')
    expect(describeVerdict('insufficient_data', null)).toBe('insufficient data')
  })

  test('only a running session, or a session as of an earlier turn, has the tone of progress', () => {
    expect(chooseTone('progressing', 'regressed')).toBe('ended')
    expect(chooseTone('progressing', 'running')).toBe('progressing')
    expect(chooseTone('progressing', null)).toBe('progressing')
    expect(chooseTone('plateau', 'stalled')).toBe('plateau')
  })
})
