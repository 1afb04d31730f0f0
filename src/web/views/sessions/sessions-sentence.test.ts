import { describe, expect, test } from 'vitest'
import { describeSessions } from './sessions-sentence.ts'

const session = (more: Partial<Parameters<typeof describeSessions>[0]['items'][number]> = {}) => ({
  active_turn_run_id: null,
  active_attempt_id: null,
  last_decision: null,
  verdict: 'progressing' as const,
  ...more,
})

describe('the sentence of a list of sessions', () => {
  test('counts running, approved and stalled sessions, and leaves out counts of zero', () => {
    const items = [
      session({ active_attempt_id: 'a' }),
      session({ last_decision: 'approved' }),
      session({ last_decision: 'approved' }),
      session({ verdict: 'stalled' }),
    ]
    expect(describeSessions({ items, hasMore: false }, false)).toBe(
      '4 sessions: 1 running, 2 approved, 1 stalled.',
    )
    expect(describeSessions({ items: [session()], hasMore: true }, true)).toBe('The latest 1 sessions.')
  })

  test('an empty project and a filter without a match have different texts', () => {
    expect(describeSessions({ items: [], hasMore: false }, false)).toBe('Nothing is recorded yet.')
    expect(describeSessions({ items: [], hasMore: false }, true)).toBe('None matches.')
  })
})
