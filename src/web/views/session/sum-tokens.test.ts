import { expect, test } from 'vitest'
import { sumTokens } from './sum-tokens.ts'

const turn = (turn_number: number, ...transcript_session_ids: string[]) => ({
  turn_number,
  transcript_session_ids,
})

const cost = (name: string, input_tokens: number, parent: string | null = null) => ({
  ...{ name, parent, input_tokens },
  ...{ output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 },
})

test('a turn has the tokens of its transcripts and their subagents, but not of a transcript of several turns', () => {
  const turns = [turn(1, 'a', 'shared'), turn(2, 'b', 'shared'), turn(3)]
  const costs = [cost('a', 10), cost('a.sub', 5, 'a'), cost('b', 7), cost('shared', 100), cost('other', 50)]
  expect([...sumTokens(turns, costs)]).toEqual([
    [1, 17],
    [2, 8],
  ])
})
