// Tests the tokens of turns, from their transcripts or from their records (contract: doors.md, section 5).
import { describe, expect, test } from 'vitest'
import { aTurn, clientOf, everyField, PROJECT, type TurnToSend } from '../support/records.ts'
import { call, send, sessionOf } from '../support/transcript-import.ts'
import { linesOf, says, user, type Written } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const [S1, S2, S3] = [sessionOf(1), sessionOf(2), sessionOf(3)]

/** Returns the instant some seconds after the start of all sessions. */
const at = (second: number): string => new Date(Date.UTC(2026, 0, 2) + second * 1000).toISOString()

/** Makes a turn of a transcript with one response, whose four numbers of tokens follow from `output`. */
const spends = (id: string, from: number, output: number, model = 'claude-x'): Written[] => [
  { ...user('Do it'), uuid: id, timestamp: at(from) },
  {
    ...says('Done', {
      id: `m-${id}`,
      model,
      usage: {
        input_tokens: 1,
        output_tokens: output,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 3,
      },
    }),
    uuid: `${id}/1`,
    timestamp: at(from + 1),
  },
]

const verified = (...ids: string[]): Pick<TurnToSend, 'acceptanceCriteriaStatus'> => ({
  acceptanceCriteriaStatus: Object.fromEntries(ids.map((id) => [id, 'verified'])),
})

export function turnTokensContract(store: StoreUnderTest): void {
  describe('tokens of turns', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const rows = async (name: string, more: object = {}) =>
      (await client().runAnalysis({ name, limit: 100, ...more })).rows
    const perProof = (more: object = {}) => rows('cost-per-proof', more)
    const afterProof = (more: object = {}) => rows('cost-after-all-was-proven', more)
    /** Captures a turn of world `w` that ended at a second. */
    const capture = (number: number, end: number | null, more: Partial<TurnToSend> = {}) =>
      client().captureTurnState(
        aTurn(number, {
          worldSlug: 'w',
          createWorld: true,
          completedAt: end === null ? null : at(end),
          ...more,
        }),
      )

    test('cost-per-proof divides tokens by newly verified criteria, by agent and model; a turn without known tokens has null', async () => {
      await capture(1, 100, { transcriptSessionIds: [S1], ...verified('AC-1', 'AC-2') })
      await capture(2, 200, { transcriptSessionIds: [S2], ...verified('AC-1', 'AC-3') })
      await capture(3, 300, verified('AC-3', 'AC-4'))
      await send(client(), S1, linesOf([...spends('a', 10, 94), ...spends('b', 20, 4, 'claude-y')]))
      await send(client(), S2, linesOf(spends('c', 110, 194)))
      expect(await perProof()).toEqual([
        ['transcripts', 'claude-code', 'claude-x', 2, 300, 2, 288, 4, 6, 3, 100],
        ['transcripts', 'claude-code', 'claude-y', 1, 10, 1, 4, 2, 3, 2, 5],
        [null, null, null, 1, null, null, null, null, null, 1, null],
      ])
    })

    test('a verification that was added later counts as newly verified, but not one by the Player', async () => {
      const byPlayer = { criterionId: 'AC-1', status: 'verified', source: 'player' } as const
      await capture(1, 100, { transcriptSessionIds: [S1], verifications: [byPlayer] })
      await send(client(), S1, linesOf(spends('a', 10, 94)))
      expect(await perProof()).toEqual([
        ['transcripts', 'claude-code', 'claude-x', 1, 100, 1, 94, 2, 3, 0, null],
      ])
      await client().addVerifications({
        worldSlug: 'w',
        turnNumber: 1,
        verifications: [{ criterionId: 'AC-1', status: 'verified', source: 'validator' }],
      })
      expect((await perProof())[0]?.slice(-2)).toEqual([1, 100])
    })

    test('transcript turns of a session that several turns name count once, for the first of them that ended after they began', async () => {
      await capture(1, 100, { transcriptSessionIds: [S1], ...verified('AC-1') })
      await capture(2, 200, { transcriptSessionIds: [S1] })
      await capture(3, null, { transcriptSessionIds: [S1] })
      await send(
        client(),
        S1,
        linesOf([
          ...spends('a', 10, 1),
          ...spends('b', 100, 10),
          ...spends('c', 101, 100),
          ...spends('d', 500, 1000),
        ]),
      )
      expect(await afterProof()).toEqual([
        ['FEAT-1', 'TASK-1', 'w', 1, 1, 2, 2, 1112, 2, 1100, 4, 6, 1112 / 1135],
      ])
      expect((await perProof())[0]?.slice(0, 5)).toEqual(['transcripts', 'claude-code', 'claude-x', 3, 1135])
    })

    test('a subagent counts for the turn of its session, and a fork counts once', async () => {
      await capture(1, 100, { transcriptSessionIds: [S1], ...verified('AC-1') })
      await capture(2, 200, { transcriptSessionIds: [S2, S3] })
      await send(client(), S1, linesOf(spends('a', 10, 1)))
      const started = { ...call('c1', 'Task', { id: 'm-c1' }), uuid: 'b/2', timestamp: at(112) }
      const main = [...spends('b', 110, 10), started]
      await send(client(), S2, linesOf(main))
      await send(client(), `${S2}/one`, linesOf(spends('e', 113, 100)))
      await send(client(), S3, linesOf([...main, ...spends('f', 120, 1000)]))
      expect((await afterProof())[0]?.slice(5)).toEqual([1, 1, 1128, 3, 1110, 6, 9, 1128 / 1135])
    })

    test('a transcript turn that a fork repeats counts for the same turn in each list, also with its subagents', async () => {
      const task = (taskId: string, worldSlug: string, end: number, session: string) =>
        capture(1, end, { taskId, worldSlug, transcriptSessionIds: [session] })
      await task('TA', 'a', 100, S1)
      await task('TB', 'b', 200, S2)
      const started = { ...call('c1', 'Task', { id: 'm-c1' }), uuid: 'x/2', timestamp: at(12) }
      const main = [...spends('x', 10, 994), started]
      await send(client(), S1, linesOf(main))
      await send(client(), `${S1}/one`, linesOf(spends('y', 13, 94)))
      await send(client(), S2, linesOf([...main, ...spends('z', 120, 1)]))
      const outputs = async (asked: object) =>
        Object.fromEntries(
          (await client().listWorlds(asked)).items.map(({ worldSlug, tokens }) => [
            worldSlug,
            tokens?.outputTokens,
          ]),
        )
      expect(await outputs({})).toEqual({ a: 1088, b: 1 })
      expect(await outputs({ taskId: 'TA' })).toEqual({ a: 1088 })
      expect(await outputs({ taskId: 'TB' })).toEqual({ b: 1 })
    })

    test('the tokens of withdrawn turns count for no turn, until the turn is captured again', async () => {
      const linked = { transcriptSessionIds: [S1] }
      await capture(1, 100, linked)
      await capture(2, 200, linked)
      await capture(3, null, linked)
      await send(
        client(),
        S1,
        linesOf([...spends('a', 10, 1), ...spends('b', 150, 10), ...spends('c', 250, 100)]),
      )
      const outputs = async () => (await client().listWorlds({})).items[0]?.tokens?.outputTokens
      expect(await outputs()).toBe(111)
      await client().rollbackWorld({ worldSlug: 'w', toTurn: 1 })
      expect(await outputs()).toBe(1)
      await capture(2, 200, linked)
      expect(await outputs()).toBe(11)
      await capture(3, null, linked)
      expect(await outputs()).toBe(111)
      await client().rollbackWorld({ worldSlug: 'w', toTurn: 1 })
      await capture(2, 300, linked)
      expect(await outputs()).toBe(101)
    })

    test('the usage of a record counts if no transcript is known, and a missing number counts as 0', async () => {
      const usage = { player: { inputTokens: 5, outputTokens: 10 }, coach: { cacheReadTokens: 85 } }
      await capture(1, 100, { usage, ...verified('AC-1') })
      await capture(2, 200, { usage, transcriptSessionIds: [S1] })
      expect(await perProof()).toEqual([['record', null, null, 2, 200, 10, 20, 170, 0, 1, 200]])
      await send(client(), S1, linesOf(spends('a', 110, 94)))
      expect((await perProof()).map((row) => row.slice(0, 5))).toEqual([
        ['record', null, null, 1, 100],
        ['transcripts', 'claude-code', 'claude-x', 1, 100],
      ])
      expect((await afterProof())[0]?.slice(4, 8)).toEqual([1, 1, 1, 100])
    })

    test('a session without known tokens has null after everything was proven', async () => {
      await capture(1, 100, verified('AC-1'))
      await capture(2, 200)
      expect(await afterProof()).toEqual([
        ['FEAT-1', 'TASK-1', 'w', 1, 1, 1, 0, null, null, null, null, null, null],
      ])
    })

    test('declared criteria decide when everything was proven, and a session with an unproven one is not listed', async () => {
      const declare = (...criteria: string[]) =>
        client().declareCriteria({
          featureId: 'FEAT-1',
          taskId: 'TASK-1',
          criteria: criteria.map((text, i) => ({ criterionId: `AC-${i + 1}`, text })),
        })
      await declare('It answers', 'It logs')
      await capture(1, 100, verified('AC-1'))
      await capture(2, 200, verified('AC-2', 'AC-9'))
      await capture(3, 300, { usage: { player: { outputTokens: 7 } } })
      expect((await afterProof())[0]?.slice(3, 8)).toEqual([2, 2, 1, 1, 7])
      await declare('It answers', 'It logs', 'It stops')
      await capture(4, 400)
      expect(await afterProof()).toEqual([])
    })

    test('filters narrow the sums, and other projects and deleted sessions do not count', async () => {
      const usage = { player: { outputTokens: 1 } }
      await capture(1, 100, { usage })
      await capture(1, 100, { usage, taskId: 'TASK-2', worldSlug: 'v' })
      await client().captureTurnState(aTurn(1, { project: 'other', usage, transcriptSessionIds: [S1] }))
      const turns = async (more: object = {}) => (await perProof(more)).map((row) => row[3])
      expect(await turns()).toEqual([2])
      expect(await turns({ taskId: 'TASK-2' })).toEqual([1])
      expect(await turns({ worldSlug: 'w' })).toEqual([1])
      await client().deleteWorld({ worldSlug: 'v' })
      expect(await turns()).toEqual([1])
    })

    test('the usage of a record is returned, and is null if it has no number', async () => {
      const answered = await client().captureTurnState(everyField)
      expect(answered.usage).toMatchObject({ player: { outputTokens: 12 } })
      const empty = await capture(1, 100, { usage: { player: { inputTokens: null }, coach: null } })
      expect(empty.usage).toBeNull()
      const read = await client().getTurn({ project: PROJECT, worldSlug: 'w', turnNumber: 1 })
      expect(read.usage).toBeNull()
    })

    test('the list of sessions has the tokens of their turns, and null if none are known', async () => {
      await capture(1, 100, { transcriptSessionIds: [S1] })
      await capture(2, 200, { usage: { coach: { inputTokens: 6 } } })
      await capture(1, 100, { worldSlug: 'v' })
      await send(client(), S1, linesOf(spends('a', 10, 94)))
      const { items: others } = await client().listWorlds({ withoutTokens: true })
      expect(others.map(({ worldSlug, tokens }) => [worldSlug, tokens])).toEqual([
        ['v', null],
        ['w', null],
      ])
      const { items } = await client().listWorlds({ order: 'world_slug' })
      expect(items.map(({ worldSlug, tokens }) => [worldSlug, tokens])).toEqual([
        ['v', null],
        ['w', { inputTokens: 7, outputTokens: 94, cacheReadTokens: 2, cacheCreationTokens: 3 }],
      ])
    })

    test('a session that is read with `tokens` has the same sum as in the list, and the tokens of each turn', async () => {
      await capture(1, 100, { transcriptSessionIds: [S1] })
      await capture(2, 200, { transcriptSessionIds: [S1] })
      await capture(3, 300, { usage: { coach: { inputTokens: 6 } } })
      await capture(4, 400)
      await capture(1, 100, { worldSlug: 'v' })
      await send(client(), S1, linesOf([...spends('a', 10, 94), ...spends('b', 110, 5)]))
      const [, listed] = (await client().listWorlds({ order: 'world_slug' })).items
      const { tokens, turnTokens } = await client().getWorld({ worldSlug: 'w', tokens: true })
      expect(tokens).toEqual(listed?.tokens)
      expect(turnTokens).toEqual([
        { turn: 1, inputTokens: 1, outputTokens: 94, cacheReadTokens: 2, cacheCreationTokens: 3 },
        { turn: 2, inputTokens: 1, outputTokens: 5, cacheReadTokens: 2, cacheCreationTokens: 3 },
        { turn: 3, inputTokens: 6, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
      ])
      expect(await client().getWorld({ worldSlug: 'v', tokens: true })).toMatchObject({
        tokens: null,
        turnTokens: [],
      })
      expect(await client().getWorld({ worldSlug: 'w' })).not.toHaveProperty('tokens')
    })

    test.each([
      { player: { outputTokens: -1 } },
      { player: { outputTokens: 1.5 } },
      { coach: { inputTokens: 1_000_000_000_001 } },
      { coach: { model: 'a name' } },
      { judge: { outputTokens: 1 } },
    ])('usage %j is rejected', async (usage) => {
      await expect(capture(1, 100, { usage: usage as never })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })
  })
}
