import { describe, expect, test } from 'vitest'
import { aTurn, clientOf } from '../support/records.ts'
import { call, send, sessionOf, turn } from '../support/transcript-import.ts'
import { linesOf, says, user, type Written } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const S2 = sessionOf(2)

const usage = (input: number, output: number, read = 0, creation = 0) => ({
  usage: {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: creation,
  },
})

/** Makes a turn of some responses, one record each. */
const responses = (id: string, from: number, ...records: Written[]): Written[] =>
  [user('Do it'), ...records].map((record, i) => ({
    ...record,
    uuid: i === 0 ? id : `${id}/${i}`,
    timestamp: new Date(Date.UTC(2026, 0, 2) + (from + i) * 1000).toISOString(),
  }))

const sums = (input: number, output: number, read = 0, creation = 0) => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: read,
  cacheCreationTokens: creation,
})

/** The tokens of transcripts (contract: doors.md, section 5). */
export function transcriptCostContract(store: StoreUnderTest): void {
  describe('tokens of transcripts', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const named = async (by: 'task' | 'session' | 'model' | 'agent' | 'day') =>
      (await client().listCost({ by })).items.map(({ name, outputTokens }) => [name, outputTokens])

    test('a response counts once, with the numbers of its last record, also if it is read in stages', async () => {
      const lines = linesOf(
        responses(
          'a',
          0,
          says('Hm', { id: 'm1', ...usage(10, 1, 5, 7) }),
          call('c1', 'Read', { id: 'm1', ...usage(10, 90, 5, 7) }),
          call('c2', 'Read', { id: 'm2', model: 'claude-y', ...usage(3, 4) }),
        ),
      )
      const cut = lines.indexOf('\n', lines.indexOf('"m1"')) + 1
      await send(client(), S1, lines, { to: cut })
      expect(await named('session')).toEqual([[S1, 1]])
      await send(client(), S1, lines)
      const { items } = await client().listTranscriptTurns({ minLength: 0 })
      expect(items).toMatchObject([{ models: ['claude-x', 'claude-y'], ...sums(13, 94, 5, 7) }])
      expect((await client().listCost({ by: 'session' })).items).toEqual([
        {
          name: S1,
          parent: null,
          turns: 1,
          ...sums(13, 94, 5, 7),
          models: [
            { model: 'claude-x', ...sums(10, 90, 5, 7) },
            { model: 'claude-y', ...sums(3, 4) },
          ],
        },
      ])
      expect(await named('model')).toEqual([
        ['claude-x', 90],
        ['claude-y', 4],
      ])
      await send(client(), S1, lines, { anew: true })
      expect(await named('session')).toEqual([[S1, 94]])
    })

    test('a turn has the effort of its last response that names one, also if it is read in stages', async () => {
      const effort = (level: unknown) => ({ effort: level })
      const lines = linesOf([
        ...responses(
          'a',
          0,
          says('Hm', { id: 'm1', ...usage(1, 1) }, effort('low')),
          says('Hm', { id: 'm2', ...usage(1, 1) }, effort('xhigh')),
          says('Hm', { id: 'm3', ...usage(1, 1) }),
          says('Hm', { id: 'm4', ...usage(1, 1) }, effort('a text with spaces')),
          says('Hm', { id: 'm5', model: '<synthetic>' }, effort('max')),
        ),
        ...responses('b', 9, says('Hm', { id: 'm6', ...usage(1, 1) })),
      ])
      await send(client(), S1, lines, { to: lines.indexOf('\n', lines.indexOf('"m2"')) + 1 })
      await send(client(), S1, lines)
      const { items } = await client().listTranscriptTurns({ minLength: 0 })
      expect(items.map(({ turnId, effort: level }) => [turnId, level])).toEqual([
        ['a', 'xhigh'],
        ['b', null],
      ])
    })

    test('history that a compaction appends within a turn counts once', async () => {
      const calls = Array.from({ length: 20 }, (_, i) =>
        call(`c${i}`, 'Read', { id: `m${i}`, ...usage(1, 10) }),
      )
      const records = responses('a', 0, ...calls)
      await send(client(), S1, linesOf([...records, ...records.slice(1)]))
      expect((await client().listCost({ by: 'session' })).items).toMatchObject([sums(20, 200)])
    })

    test('tokens of withdrawn turns stay with their task', async () => {
      await client().captureTurnState(aTurn(1, { transcriptSessionIds: [S1], worldSlug: 'w' }))
      await send(client(), S1, linesOf(responses('a', 0, says('Hm', { id: 'm1', ...usage(1, 10) }))))
      await client().rollbackWorld({ worldSlug: 'w', toTurn: 0 })
      expect(await named('task')).toEqual([['FEAT-1/TASK-1', 10]])
    })

    test('a turn without usage has null, not 0, and counts for nothing', async () => {
      await send(client(), S1, linesOf(turn('a', ['Read'])))
      const { items } = await client().listTranscriptTurns({ minLength: 0 })
      expect(items).toMatchObject([{ models: [], inputTokens: null, outputTokens: null }])
      expect((await client().listCost({})).items).toEqual([])
    })

    test('a number that is not a count is 0', async () => {
      const wrong = { input_tokens: -1, output_tokens: 'many', cache_read_input_tokens: 1e99 }
      await send(
        client(),
        S1,
        linesOf(
          responses('a', 0, says('Hm', { id: 'm1', usage: wrong }), says('Ok', { id: 'm2', ...usage(1, 2) })),
        ),
      )
      expect((await client().listCost({ by: 'model' })).items).toMatchObject([sums(1, 2)])
    })

    test('the tokens of a subagent stay apart by session and count for the task of its parent', async () => {
      await client().captureTurnState(aTurn(1, { transcriptSessionIds: [S1] }))
      await send(client(), S1, linesOf(responses('a', 0, call('c1', 'Task', { id: 'm1', ...usage(1, 10) }))))
      await send(
        client(),
        `${S1}/one`,
        linesOf(responses('b', 5, call('c2', 'Read', { id: 'm2', ...usage(1, 20) }))),
      )
      await send(client(), S2, linesOf(responses('c', 9, says('Hi', { id: 'm3', ...usage(1, 5) }))))
      expect(
        (await client().listCost({ by: 'session' })).items.map(({ name, parent }) => [name, parent]),
      ).toEqual([
        [`${S1}/one`, S1],
        [S1, null],
        [S2, null],
      ])
      expect(await named('task')).toEqual([
        ['FEAT-1/TASK-1', 30],
        [null, 5],
      ])
    })

    test('days are in order, and turns before `since` do not count', async () => {
      const day = 86_400
      const lines = [0, 2 * day, day].map((from, i) =>
        responses(`t${i}`, from, says('Hm', { id: `m${i}`, ...usage(0, i + 1) })),
      )
      for (const [i, records] of lines.entries()) await send(client(), sessionOf(i + 1), linesOf(records))
      expect(await named('day')).toEqual([
        ['2026-01-02', 1],
        ['2026-01-03', 3],
        ['2026-01-04', 2],
      ])
      const since = '2026-01-03T00:00:00Z'
      expect((await client().listCost({ by: 'day', since })).items).toHaveLength(2)
    })
  })
}
