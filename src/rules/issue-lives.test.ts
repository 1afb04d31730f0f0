import { describe, expect, test } from 'vitest'
import { followIssues } from './issue-lives.ts'
import type { CoachDecision } from './values.ts'

const issue = (description: string, severity: 'blocking' | 'should_fix' | 'advisory' = 'blocking') => ({
  severity,
  category: 'tests',
  description,
})
const judgement = (turn: number, coachDecision: CoachDecision, ...descriptions: string[]) => ({
  turn,
  coachDecision,
  issues: descriptions.map((description) => issue(description)),
})
const livesOf = (...judgements: Parameters<typeof followIssues<ReturnType<typeof issue>>>[0]) =>
  followIssues(judgements).map(({ wordings: [{ description }], turns, goneInTurn }) => [
    description,
    turns,
    goneInTurn,
  ])

describe('the life of an issue', () => {
  test('is open while the newest judged turn raises it, and gone with the first judged turn that does not', () => {
    expect(
      livesOf(
        judgement(1, 'feedback', 'a', 'b'),
        judgement(2, 'feedback', 'b', 'c'),
        judgement(3, 'approved'),
        judgement(4, 'rejected', 'd'),
      ),
    ).toEqual([
      ['a', [1], 2],
      ['b', [1, 2], 3],
      ['c', [2], 3],
      ['d', [4], null],
    ])
  })

  test.each(['error', 'deferred', 'unknown'] as const)(
    'a turn that ends in "%s" closes nothing, and what it raises itself is open until a judged turn',
    (decision) => {
      const turns = [judgement(1, 'feedback', 'a'), judgement(2, decision, 'b')]
      expect(livesOf(...turns)).toEqual([
        ['a', [1], null],
        ['b', [2], null],
      ])
      expect(livesOf(...turns, judgement(3, 'feedback', 'c'))).toEqual([
        ['a', [1], 3],
        ['b', [2], 3],
        ['c', [3], null],
      ])
    },
  )

  test('an issue that returns is the same issue, open again since its first turn', () => {
    const turns = [judgement(1, 'feedback', 'a'), judgement(2, 'feedback'), judgement(4, 'feedback', 'a')]
    expect(livesOf(...turns)).toEqual([['a', [1, 4], null]])
    expect(livesOf(...turns.toReversed())).toEqual([['a', [1, 4], null]])
  })

  test('an issue keeps its position among the issues of the turn that opened it', () => {
    const lives = followIssues([judgement(1, 'feedback', 'a', 'b', 'c'), judgement(2, 'feedback', 'c', 'b')])
    expect(lives.map(({ position, wordings: [{ description }] }) => [description, position])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ])
  })

  test('the same complaint about another line is the same issue, shown in its newest wording', () => {
    expect(
      livesOf(judgement(1, 'feedback', 'Fails at line 3'), judgement(2, 'feedback', 'fails at line  14')),
    ).toEqual([['fails at line  14', [1, 2], null]])
  })

  test('an issue is not gone while a turn raises the cause of any of its wordings', () => {
    const [first, reworded, third] = [
      'load_user of src/users.py raises KeyError',
      'src/users.py: load_user ignores user_name and cacheKey',
      'load_user in src/users.py still ends with KeyError and TypeError',
    ]
    expect(
      livesOf(
        judgement(1, 'feedback', first),
        judgement(2, 'feedback', reworded),
        judgement(3, 'feedback', third),
      ),
    ).toEqual([[third, [1, 2, 3], null]])
  })

  test('an issue that has the causes of two continues the first, and the second is not gone', () => {
    const [both, one, other] = ['a_a, b_b, c_c and d_d fail', 'a_a and b_b fail', 'c_c and d_d fail']
    expect(livesOf(judgement(1, 'feedback', one, other), judgement(2, 'feedback', both))).toEqual([
      [both, [1, 2], null],
      [other, [1], null],
    ])
  })

  test('another category is another issue, and another severity is not', () => {
    const lint = { ...issue('a'), category: 'lint' }
    const lives = followIssues([
      { turn: 1, coachDecision: 'feedback', issues: [issue('a', 'advisory'), lint, issue('a', 'blocking')] },
    ])
    expect(
      lives.map(({ wordings, position }) => [wordings.map(({ severity }) => severity), position]),
    ).toEqual([
      [['blocking', 'advisory'], 0],
      [['blocking'], 1],
    ])
  })
})
