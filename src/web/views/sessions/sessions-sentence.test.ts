import { describe, expect, test } from 'vitest'
import { describeSessions } from './sessions-sentence.ts'

const session = (more: Partial<Parameters<typeof describeSessions>[0]['items'][number]> = {}) => ({
  active_turn_run_id: null,
  active_attempt_id: null,
  outcome: 'running',
  ...more,
})

describe('the sentence of a list of sessions', () => {
  test('counts the outcomes in the words of the rows, and omits counts of zero', () => {
    const items = [
      session({ active_attempt_id: 'a' }),
      session({ outcome: 'approved' }),
      session({ outcome: 'approved' }),
      session({ outcome: 'approved with gaps' }),
      session({ outcome: 'blocked by tests' }),
      session({ outcome: 'superseded by TASK-1.2' }),
      session({ outcome: 'stalled' }),
    ]
    expect(describeSessions({ items, hasMore: false }, false)).toBe(
      '7 sessions: 1 running, 2 approved, 1 approved with gaps, 1 blocked, 1 stalled, 1 superseded.',
    )
    expect(describeSessions({ items: [session()], hasMore: true }, true)).toBe(
      'The latest session: 1 running.',
    )
  })

  test('an empty project and a filter without a match have different texts', () => {
    expect(describeSessions({ items: [], hasMore: false }, false)).toBe('Nothing is recorded yet.')
    expect(describeSessions({ items: [], hasMore: false }, true)).toBe('None matches.')
  })
})
