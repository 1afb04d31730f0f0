import { describe, expect, test } from 'vitest'
import { drawSteps, sumGains } from './gains.ts'

const session = {
  turns: 4,
  criteria: 5,
  gains: [
    { turn: 1, gained: 2 },
    { turn: 3, gained: 1 },
  ],
}

describe('the gains of a session', () => {
  test('are added up by turn', () => {
    expect([...sumGains(session)]).toEqual([
      [1, 2],
      [3, 3],
    ])
  })

  test('are steps on axes that the compared sessions share, and end at the last turn of their session', () => {
    expect(drawSteps(session, 8, 6)).toBe('M0 40H12.5V26.67H37.5V20H50')
  })

  test('are a flat line if no criterion was verified', () => {
    expect(drawSteps({ turns: 2, criteria: 0, gains: [] }, 2, 0)).toBe('M0 40H100')
  })
})
