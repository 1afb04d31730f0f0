import { describe, expect, test } from 'vitest'
import { decideNewWorld, isNewWorldSlug } from './new-world.ts'

const wanted = { taskId: 'TH', turnNumber: 1, isNamed: true, isForced: false }
const unknown = { hasWorld: false, isSpecified: false, otherFeatures: [] }
const TOO = 'task TH exists in feature FH too'

describe('a world that does not exist', () => {
  test.each([
    ['is made by the first capture of a task', wanted, unknown, null, []],
    ['is made by a later turn of a task without a world', { ...wanted, turnNumber: 7 }, unknown, null, []],
    ['is made by turn 1 of a task that has worlds', wanted, { ...unknown, hasWorld: true }, null, []],
    [
      'is refused above turn 1 if the task has a world',
      { ...wanted, turnNumber: 2 },
      { ...unknown, hasWorld: true },
      'unknown_world',
      [],
    ],
    [
      'is made above turn 1 if the request names none',
      { ...wanted, turnNumber: 2, isNamed: false },
      { ...unknown, hasWorld: true },
      null,
      [],
    ],
    [
      'is made if the request forces it',
      { ...wanted, turnNumber: 2, isForced: true },
      { ...unknown, hasWorld: true },
      null,
      [],
    ],
    [
      'is made with a warning if another feature has the task',
      wanted,
      { ...unknown, otherFeatures: ['FH'] },
      null,
      [TOO],
    ],
    [
      'is refused above turn 1 if another feature has the task',
      { ...wanted, turnNumber: 2, isNamed: false },
      { ...unknown, otherFeatures: ['FH'] },
      'other_feature',
      [TOO],
    ],
    [
      'is made with a warning if the request forces it in another feature',
      { ...wanted, turnNumber: 2, isForced: true },
      { ...unknown, otherFeatures: ['FH'] },
      null,
      [TOO],
    ],
    [
      'is made above turn 1 if this feature has declared the task',
      { ...wanted, turnNumber: 2 },
      { ...unknown, isSpecified: true, otherFeatures: ['FH'] },
      null,
      [TOO],
    ],
  ] as const)('%s', (_name, asked, before, refusal, warnings) => {
    expect(decideNewWorld(asked, before)).toEqual({ refusal, warnings })
  })
})

test('a world slug has the characters of a default slug, at most 256', () => {
  for (const slug of ['TASK-1', 'a.2', '~%C3%A4_', '.', 'x'.repeat(256)])
    expect(isNewWorldSlug(slug)).toBe(true)
  for (const slug of ['', 'a b', 'a/b', 'ä', 'a\nb', 'x'.repeat(257)])
    expect(isNewWorldSlug(slug)).toBe(false)
})
