import { expect, test } from 'vitest'
import { sumTokens } from './sum-tokens.ts'

const turn = (turn_number: number, ...transcript_session_ids: string[]) => ({
  turn_number,
  transcript_session_ids,
  usage: null,
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

test('a turn without tokens of transcripts has the usage of its record', () => {
  const counts = { input_tokens: 1, output_tokens: 2, cache_read_tokens: null, cache_creation_tokens: 4 }
  const usage = { player: counts, coach: null }
  const turns = [
    { ...turn(1, 'a'), usage },
    { ...turn(2), usage },
  ]
  expect([...sumTokens(turns, [cost('a', 10)])]).toEqual([
    [1, 11],
    [2, 7],
  ])
})
