import { expect, test } from 'vitest'
import { CallSequences } from './call-sequences.ts'

function listed(...turns: [tools: string, session: string][]): string[] {
  const sequences = new CallSequences()
  for (const [tools, session] of turns) sequences.addTurn(tools.split(' '), session)
  return sequences
    .list()
    .map(
      ({ tools, count, turns: of, sessions }) =>
        `${tools.join(' ')}: ${count} in ${of} turns, ${sessions} sessions`,
    )
}

test('counts sequences of 2 to 5 calls anywhere in a turn; those in fewer than three turns are not frequent', () => {
  expect(listed(['Grep Read Edit', 'a'], ['Bash Grep Read', 'a'], ['Grep Read Grep Read', 'b'])).toEqual([
    'Grep Read: 4 in 3 turns, 2 sessions',
  ])
  expect(listed(['A B C D E F', 'a'], ['A B C D E F', 'a'], ['A B C D E F', 'a'])).toHaveLength(5 + 4 + 3 + 2)
})

test('sequences of a single tool come last, however frequent', () => {
  const turns = ['Bash Bash Read', 'Bash Bash Read', 'Bash Bash Read', 'Bash Bash'] as const
  expect(listed(...turns.map((tools): [string, string] => [tools, 'a']))).toEqual([
    'Bash Bash Read: 3 in 3 turns, 1 sessions',
    'Bash Read: 3 in 3 turns, 1 sessions',
    'Bash Bash: 4 in 4 turns, 1 sessions',
  ])
})
