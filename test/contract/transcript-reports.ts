import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { memory } from '../support/embedded-engines.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { bytesOf, call, reportsOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { failed, instant, linesOf, result, user } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const S2 = sessionOf(2)

/** Names that include a character beyond the basic plane (docs/decisions/transcripts.md, "Ties"). */
const TIES = ['A', 'Z', 'a', 'ä', '\u{1f600}']

/** The reports of seed 002, phase 3, with numbers that were computed by hand. */
export function transcriptReportsContract(store: StoreUnderTest): void {
  describe('reports on transcripts', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const ids = async (input: object) =>
      (await client().listTranscriptTurns(input)).items.map(({ turnId }) => turnId)

    const two = async () => {
      await send(
        client(),
        S1,
        bytesOf(
          turn('a', ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Read', 'Edit'], {
            errors: { 4: 'no', 6: 'no' },
          }),
          turn('b', ['Bash', 'Bash', 'Read', 'Bash', 'Read'], {
            from: 100,
            errors: { 0: 'Exit code 1\nat line 12' },
          }),
          turn('c', [], { from: 200 }),
          turn('d', ['Read'], { from: 300, errors: { 0: 'no' } }),
        ),
      )
      await send(
        client(),
        S2,
        bytesOf(
          turn('e', ['Glob', 'Read', 'Read', 'Grep', 'Read', 'Read', 'Read', 'Edit'], { from: 400 }),
          turn('f', ['Read'], { from: 500 }),
          turn('g', ['Bash', 'Bash', 'Read', 'Bash', 'Read'], {
            from: 600,
            errors: { 1: 'Exit code 1\nat line 7' },
          }),
        ),
      )
    }

    test('turns: every field', async () => {
      const parallel = linesOf([
        ...[user('Do it'), call('1', 'Read', { id: 'm' }), call('2', 'Read', { id: 'm' }), result('1')].map(
          (r, i) => ({
            ...r,
            uuid: `r${i}`,
            timestamp: `2026-01-02T00:00:0${i}.250Z`,
          }),
        ),
      ])
      await send(client(), S1, parallel)
      expect((await client().listTranscriptTurns({ minLength: 2 })).items).toEqual([
        {
          turnId: 'r0',
          sessionId: S1,
          agent: 'claude-code',
          index: 0,
          kind: 'human',
          status: 'open',
          startedAt: '2026-01-02T00:00:00.250Z',
          durationMs: 3000,
          length: 2,
          tools: ['Read', 'Read'],
          pattern: 'Read{2+}',
          errors: 0,
          parallelSteps: 2,
          models: [],
          effort: null,
          inputTokens: null,
          outputTokens: null,
          cacheReadTokens: null,
          cacheCreationTokens: null,
        },
      ])
    })

    test('turns: longest first, then by session, then by index; turns without calls only with a minimum length of 0', async () => {
      await two()
      expect(await ids({})).toEqual(['e', 'a', 'b', 'g'])
      expect(await ids({ minLength: 6 })).toEqual(['e', 'a'])
      expect(await ids({ minLength: 1 })).toEqual(['e', 'a', 'b', 'g', 'd', 'f'])
      expect(await ids({ minLength: 0 })).toEqual(['e', 'a', 'b', 'g', 'd', 'f', 'c'])
      expect(await ids({ minLength: 0, limit: 2 })).toEqual(['e', 'a'])
      expect(await ids({ minLength: 0, limit: 0 })).toHaveLength(7)
      expect(await ids({ minLength: 0, sessionId: S1 })).toEqual(['a', 'b', 'd', 'c'])
      await expect(ids({ minLength: 0, sessionId: sessionOf(9) })).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    test('turns: the default limit is fifty, and 0 lists all', async () => {
      const many = Array.from({ length: 60 }, (_, i) => turn(`t${i}`, ['Read'], { from: 10 * i }))
      await send(client(), S1, bytesOf(...many))
      expect(await ids({ minLength: 0 })).toHaveLength(50)
      expect(await ids({ minLength: 0, limit: 0 })).toHaveLength(60)
      expect(await ids({ minLength: 0, sessionId: S1 })).toHaveLength(50)
    })

    test('turns of a pattern match exactly, at any length', async () => {
      await two()
      expect(await ids({ pattern: 'Bash{2+} → Read → Bash → Read' })).toEqual(['b', 'g'])
      expect(await ids({ pattern: 'Read' })).toEqual(['d', 'f'])
      expect(await ids({ pattern: 'Read', sessionId: S2 })).toEqual(['f'])
      for (const none of ['Rea', 'Read{2+}', 'read', 'Bash{2+} -> Read'])
        expect(await ids({ pattern: none }), none).toEqual([])
    })

    test('a pattern that is too long for any turn is rejected by its name', async () => {
      await expect(ids({ pattern: 'x'.repeat(65_537) })).rejects.toMatchObject({
        code: 'invalid_request',
        details: { problems: [{ path: 'pattern' }] },
      })
    })

    test('turns of a pattern are found by every printed form of it, and with -> as the arrow', async () => {
      await two()
      for (const pattern of [
        'Bash{2+} -> Read -> Bash -> Read',
        'Bash×2 → Read → Bash → Read',
        'Bash -> Bash -> Read->Bash->Read',
      ]) {
        expect(await ids({ pattern }), pattern).toEqual(['b', 'g'])
        expect(await ids({ pattern, sessionId: S2 }), pattern).toEqual(['g'])
      }
      await send(client(), sessionOf(3), bytesOf(turn('odd', ['x->y', 'Zip×3'], { from: 900 })))
      expect(await ids({ pattern: 'x->y → Zip×3' }), 'a tool may have any name').toEqual(['odd'])
    })

    test('failures are shown by their last meaningful line, without headings and exit codes', async () => {
      const errors = {
        0: '### Error\nTimeoutError: 5000ms exceeded',
        1: 'TimeoutError: 10ms exceeded\nexit status 3',
      }
      await send(client(), S1, bytesOf(turn('a', ['Browser', 'Browser'], { errors })))
      expect((await client().listPaths({})).items).toMatchObject([
        { pattern: 'Browser: TimeoutError: <duration> exceeded', count: 2 },
      ])
    })

    test('turns are filtered by their start, and a time without a zone is UTC', async () => {
      await two()
      const begins = 'e'
      for (const since of [
        '2026-01-02T00:06:40Z',
        '2026-01-02T00:06:40',
        '2026-01-02 00:06:40',
        '2026-01-02T01:06:40+01:00',
        '2026-01-01T19:06:40-05:00',
      ]) {
        expect(await ids({ minLength: 0, since }), since).toEqual([begins, 'g', 'f'])
        expect((await client().listToolStats({ since })).items[0], since).toMatchObject({
          toolName: 'Read',
          count: 8,
        })
      }
      expect(await ids({ minLength: 0, since: '2026-01-02T00:06:40.001Z' })).toEqual(['g', 'f'])
      const { items } = await client().listTranscriptPatterns({ minLength: 0, since: '2026-01-02T00:05:00' })
      expect(items.map(({ pattern, count }) => `${count} ${pattern}`)).toEqual([
        '1 Bash{2+} → Read → Bash → Read',
        '1 Glob → Read{2+} → Grep → Read{2+} → Edit',
        '2 Read', // of a single tool
      ])
      await expect(client().listTranscriptTurns({ since: 'yesterday' })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('the steps of a turn: sequence, tool, status, parallel group, error and duration', async () => {
      const records = [
        user('Do it'),
        call('1', 'Read', { id: 'm1' }),
        call('2', 'Read', { id: 'm1' }),
        result('1'),
        failed('2', '<tool_use_error>no such file'),
        call('3', 'Grep', { id: 'm2' }),
        call('4', 'Bash', { id: 'm3' }),
        call('5', 'Edit', { id: 'm3' }),
        result('3'),
        result('5'),
      ]
      const timed = records.map((record, i) => ({ ...record, uuid: `r${i}`, timestamp: instant(i) }))
      await send(client(), S1, linesOf(timed))
      const none = { status: 'ok', isParallel: true, error: null, agentId: null }
      const steps = [
        { ...none, sequence: 0, tool: 'Read', parallelGroup: 1, durationMs: 2000 },
        {
          ...none,
          sequence: 1,
          tool: 'Read',
          parallelGroup: 1,
          durationMs: 2000,
          status: 'error',
          error: '<tool_use_error>no such file',
        },
        { ...none, sequence: 2, tool: 'Grep', parallelGroup: null, durationMs: 3000, isParallel: false },
        { ...none, sequence: 3, tool: 'Bash', parallelGroup: 2, durationMs: null, status: 'pending' },
        { ...none, sequence: 4, tool: 'Edit', parallelGroup: 2, durationMs: 2000 },
      ]
      const asked = { sessionId: S1, index: 0 }
      expect(await client().listTranscriptSteps(asked)).toEqual({
        turnId: 'r0',
        items: steps,
        nextCursor: null,
      })
      const first = await client().listTranscriptSteps({ ...asked, limit: 2 })
      expect(first.items).toEqual(steps.slice(0, 2))
      const second = await client().listTranscriptSteps({ ...asked, limit: 3, cursor: first.nextCursor })
      expect(second).toEqual({ turnId: 'r0', items: steps.slice(2), nextCursor: null })
    })

    test('frequent sequences of calls are listed next to whole patterns, those of a single tool last', async () => {
      const worked = ['Grep', 'Read', 'Edit']
      for (const n of [7, 8])
        await send(
          client(),
          sessionOf(n),
          bytesOf(
            turn(`${n}a`, ['Bash', 'Bash', ...worked], { from: n * 1_000 }),
            turn(`${n}b`, [...worked, `Only${n}`, 'Bash', 'Bash'], { from: n * 1_000 + 100 }),
          ),
          { project: 'sequences' },
        )
      const ask = async (more: object = {}) =>
        (await client().listTranscriptSequences({ project: 'sequences', ...more })).items.map(
          ({ sequence, length, count, turns, sessions }) => [sequence, length, count, turns, sessions],
        )
      expect(await ask()).toEqual([
        ['Grep → Read → Edit', 3, 4, 4, 2],
        ['Grep → Read', 2, 4, 4, 2],
        ['Read → Edit', 2, 4, 4, 2],
        ['Bash → Bash', 2, 4, 4, 2],
      ])
      expect(await ask({ limit: 1 })).toHaveLength(1)
      expect(await ask({ sessionId: sessionOf(7) })).toEqual([])
      expect(await ask({ since: '2027-01-01' })).toEqual([])
      await expect(ask({ sessionId: sessionOf(99) })).rejects.toMatchObject({ code: 'not_found' })
    })

    test('the steps of a turn are found by its session and place, and an unknown place is not_found', async () => {
      await two()
      const stepsAt = async (sessionId: string, index: number) =>
        (await client().listTranscriptSteps({ sessionId, index })).items.map(({ tool }) => tool)
      expect(await stepsAt(S2, 1)).toEqual(['Read'])
      expect(await stepsAt(S1, 1)).toEqual(['Bash', 'Bash', 'Read', 'Bash', 'Read'])
      expect(await stepsAt(S1, 2)).toEqual([])
      // A fork: another session holds the same turns.
      await send(client(), sessionOf(3), bytesOf(turn('d', ['Read'], { from: 300 })))
      expect(await stepsAt(sessionOf(3), 0)).toEqual(['Read'])
      // A replaced file: its earlier turn stays at the same place.
      await send(client(), sessionOf(3), bytesOf(turn('new', ['Grep', 'Grep'], { from: 900 })), {
        anew: true,
      })
      expect(await stepsAt(sessionOf(3), 0)).toEqual(['Grep', 'Grep'])
      for (const [sessionId, index, message] of [
        [S1, 4, `Session ${S1} has no turn 4; the first is turn 0.`],
        ['nobody', 0, `There is no transcript of session nobody in project ${PROJECT}.`],
      ] as const)
        await expect(client().listTranscriptSteps({ sessionId, index })).rejects.toMatchObject({
          code: 'not_found',
          message,
        })
      const foreign = { sessionId: S1, index: 0, project: 'elsewhere' }
      await expect(client().listTranscriptSteps(foreign)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('patterns: how often, how long on average, in how many sessions', async () => {
      await two()
      await send(client(), sessionOf(3), bytesOf(turn('h', ['Bash', 'Bash', 'Bash', 'Read', 'Bash', 'Read'])))
      expect((await client().listTranscriptPatterns({})).items).toEqual([
        { pattern: 'Bash{2+} → Read → Bash → Read', count: 3, avgLength: 16 / 3, sessions: 3 },
        { pattern: 'Glob → Read{2+} → Grep → Read{2+} → Edit', count: 1, avgLength: 8, sessions: 1 },
        { pattern: 'Grep → Read{2+} → Edit → Read → Edit', count: 1, avgLength: 7, sessions: 1 },
      ])
      expect((await client().listTranscriptPatterns({ minLength: 6 })).items[2]).toMatchObject({ count: 1 })
      expect((await client().listTranscriptPatterns({ minLength: 0, sessionId: S1 })).items).toEqual([
        { pattern: 'Bash{2+} → Read → Bash → Read', count: 1, avgLength: 5, sessions: 1 },
        { pattern: 'Grep → Read{2+} → Edit → Read → Edit', count: 1, avgLength: 7, sessions: 1 },
        { pattern: 'Read', count: 1, avgLength: 1, sessions: 1 },
      ])
    })

    test('patterns of a single tool come last, however often they occur', async () => {
      for (const n of [1, 2])
        await send(client(), sessionOf(n), bytesOf(turn(`b${n}`, ['Bash', 'Bash', 'Bash'])))
      await send(
        client(),
        sessionOf(3),
        bytesOf(turn('r', ['Read', 'Bash']), turn('e', ['Edit']), turn('f', ['Edit'])),
      )
      const namesOf = async (asked: object) =>
        (await client().listTranscriptPatterns({ minLength: 1, ...asked })).items.map(
          ({ pattern }) => pattern,
        )
      expect(await namesOf({})).toEqual(['Read → Bash', 'Bash{2+}', 'Edit'])
      expect(await namesOf({ limit: 1 })).toEqual(['Read → Bash'])
      expect(await namesOf({ sessionId: sessionOf(3) })).toEqual(['Read → Bash', 'Edit'])
    })

    test('tools: calls, turns, their average length and the share that is long', async () => {
      await two()
      expect((await client().listToolStats({})).items).toEqual([
        { toolName: 'Read', count: 15, turns: 6, avgTurnLen: 27 / 6, longTurnPct: (100 * 2) / 6 },
        { toolName: 'Bash', count: 6, turns: 2, avgTurnLen: 5, longTurnPct: 0 },
        { toolName: 'Edit', count: 3, turns: 2, avgTurnLen: 7.5, longTurnPct: 100 },
        { toolName: 'Grep', count: 2, turns: 2, avgTurnLen: 7.5, longTurnPct: 100 },
        { toolName: 'Glob', count: 1, turns: 1, avgTurnLen: 8, longTurnPct: 100 },
      ])
      expect((await client().listToolStats({ limit: 2 })).items).toHaveLength(2)
    })

    test('paths: failures by tool and by the common part of their messages', async () => {
      await two()
      expect((await client().listPaths({})).items).toEqual([
        {
          pattern: 'Bash: at line N',
          count: 2,
          sessions: 2,
          category: 'tool-error',
          lastSeen: '2026-01-02T00:10:00.000Z',
        },
        {
          pattern: 'Edit: no',
          count: 2,
          sessions: 1,
          category: 'tool-error',
          lastSeen: '2026-01-02T00:00:00.000Z',
        },
        {
          pattern: 'Read: no',
          count: 1,
          sessions: 1,
          category: 'tool-error',
          lastSeen: '2026-01-02T00:05:00.000Z',
        },
      ])
      expect((await client().listPaths({ limit: 1 })).items).toHaveLength(1)
      expect(
        (await client().listPaths({ since: '2026-01-02T00:05:00' })).items.map(({ pattern }) => pattern),
      ).toEqual(['Bash: at line N', 'Read: no'])
    })

    test('ties are ordered by code unit, even if a limit cuts them', async () => {
      for (const [i, tie] of TIES.toReversed().entries())
        await send(client(), tie, bytesOf(turn(`t${i}`, [tie], { errors: { 0: 'no' } })))
      const inOrder = { minLength: 0, limit: 0 }
      const { items: turns } = await client().listTranscriptTurns(inOrder)
      expect(turns.map(({ sessionId }) => sessionId)).toEqual(TIES)
      const { items: patterns } = await client().listTranscriptPatterns(inOrder)
      expect(patterns.map(({ pattern }) => pattern)).toEqual(TIES)
      const { items: tools } = await client().listToolStats({ limit: 0 })
      expect(tools.map(({ toolName }) => toolName)).toEqual(TIES)
      const { items: paths } = await client().listPaths({ limit: 0 })
      expect(paths.map(({ pattern }) => pattern)).toEqual(TIES.map((tie) => `${tie}: no`))
      const cut = { minLength: 0, limit: 4 }
      expect((await client().listTranscriptTurns(cut)).items.map(({ sessionId }) => sessionId)).toEqual(
        TIES.slice(0, 4),
      )
      expect((await client().listTranscriptPatterns(cut)).items.map(({ pattern }) => pattern)).toEqual(
        TIES.slice(0, 4),
      )
      expect((await client().listToolStats({ limit: 4 })).items.map(({ toolName }) => toolName)).toEqual(
        TIES.slice(0, 4),
      )
    })

    test('the threshold comes from the configuration', async () => {
      await two()
      const strict = inProcessClient({ graph: handles.graph, project: PROJECT, turnLengthThreshold: 7 })
      expect((await strict.listTranscriptTurns({})).items.map(({ turnId }) => turnId)).toEqual(['e', 'a'])
      expect((await strict.listTranscriptPatterns({})).items).toHaveLength(2)
      expect((await strict.listToolStats({})).items.map(({ longTurnPct }) => longTurnPct)).toEqual([
        100 / 6,
        0,
        50,
        50,
        100,
      ])
    })

    test('the same transcripts give byte-identical answers on every engine', async () => {
      const reference = await handles.open(() => memory.open())
      for (const to of [client(), clientOf(reference)]) {
        for (let session = 0; session < 12; session++) {
          // Averages with repeating decimals and many addends.
          const turns = Array.from({ length: 11 }, (_, i) =>
            turn(
              `${session}-${i}`,
              ['Grep', ...Array.from({ length: 2 + ((session * 7 + i * 5) % 13) }, () => 'Read'), 'Edit'],
              {
                from: 100 * i,
                errors: { 0: `file ${i % 3}.ts is gone: ${'ab'[i % 2]}` },
              },
            ),
          )
          await send(to, sessionOf(session), bytesOf(...turns))
        }
      }
      expect(await reportsOf(client())).toEqual(await reportsOf(clientOf(reference)))
      await reference.close()
    })
  })
}
