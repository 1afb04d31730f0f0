import { describe, expect, test } from 'vitest'
import { exportOf } from '../support/exported.ts'
import { clientOf } from '../support/records.ts'
import {
  brokenTurns,
  bytesOf,
  desiresIn,
  errorsOf,
  everyTurn,
  reportsOf,
  send,
  sessionOf,
  stepsOf,
  turn,
} from '../support/transcript-import.ts'
import { linesOf, system } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)

const TOOLS = [
  '__proto__',
  'constructor',
  "it's",
  '"quoted"',
  'a/b',
  'a%2Fb',
  'a\\b',
  '}{',
  '$tool',
  'mcp__ä__ß',
  '工具',
  '\u{1f527}',
  'e\u0301',
  'é',
  ' ',
  ' Read ',
  'Read',
  'read',
  '`; MATCH (n) DETACH DELETE n //',
]

/** Names, ids and numbers come from others: any value is stored and read back without an error. */
export function transcriptNamesContract(store: StoreUnderTest): void {
  describe('unusual content of a transcript', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('tools of any name are distinguished, counted and found by their pattern', async () => {
      await send(client(), S1, bytesOf(turn('t', TOOLS, { errors: { 0: 'no', 2: 'no' } })))
      const [only] = await everyTurn(client())
      expect(only).toMatchObject({ tools: TOOLS, pattern: TOOLS.join(' → ') })
      const { items } = await client().listToolStats({ limit: 0 })
      expect(items.map(({ toolName }) => toolName).sort()).toEqual(TOOLS.toSorted())
      expect(new Set(items.map(({ count }) => count))).toEqual(new Set([1]))
      const found = await client().listTranscriptTurns({ pattern: TOOLS.join(' → ') })
      expect(found.items).toHaveLength(1)
      expect((await client().listPaths({})).items.map(({ pattern }) => pattern)).toEqual([
        '__proto__: no',
        "it's: no",
      ])
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('a session, a turn and a call may have any id', async () => {
      const ids = ['a/b', 'a%2Fb', "'", '"', '__proto__', '..', ' ', 'ä', '\u{1f600}', 'x'.repeat(256)]
      for (const id of ids) {
        const sent = await send(client(), id, bytesOf(turn(`turn ${id}`, ['Read', 'Read'])))
        expect(sent, id).toMatchObject({ sessions: 1, turns: 1, steps: 2 })
        expect(await send(client(), id, bytesOf(turn(`turn ${id}`, ['Read', 'Read'])))).toMatchObject({
          bytes: 0,
        })
        const { items } = await client().listTranscriptTurns({ sessionId: id, minLength: 0 })
        expect(items).toMatchObject([
          { turnId: id.length < 250 ? `turn ${id}` : expect.any(String), length: 2 },
        ])
      }
      expect(await everyTurn(client())).toHaveLength(ids.length)
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('ids and names of 10,000 characters that differ only at the end are distinct, also in a later import', async () => {
      const long = 'n'.repeat(10_000)
      const file = linesOf([
        ...turn(`${long}1`, [`${long}1`, `${long}2`, `${long}1`], { errors: { 0: 'no' } }),
        ...turn(`${long}2`, [`${long}2`], { from: 20, pending: [0] }),
      ])
      for (const share of [0.2, 0.5, 0.7, 1])
        await send(client(), S1, file, { to: Math.ceil(file.length * share) })
      expect((await everyTurn(client())).map(({ length }) => length)).toEqual([3, 1])
      const { items } = await client().listToolStats({ limit: 0 })
      expect(items.map(({ count }) => count)).toEqual([2, 2])
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('lone surrogates and NULs in names, ids, times and messages are replaced by storable characters', async () => {
      const odd = 'a\ud800b\0c'
      const file = bytesOf(
        turn(odd, [odd, odd, 'Read', odd, odd, 'Read'], { errors: { 0: odd } }),
        turn('two', [odd, odd, 'Read', odd, odd, 'Read'], { from: 30 }),
      )
      await send(client(), S1, file)
      await send(
        client(),
        sessionOf(2),
        bytesOf(turn('three', [odd, odd, 'Read', odd, odd, 'Read'], { from: 60 })),
      )
      const turns = await everyTurn(client())
      expect(turns.map(({ length }) => length)).toEqual([6, 6, 6])
      const pattern = turns[0]?.pattern ?? ''
      expect((await client().listTranscriptTurns({ pattern })).items).toHaveLength(3)
      expect((await client().listDesires({})).items).toHaveLength(1)
      expect(await desiresIn(handles.graph)).toHaveLength(1)
      expect(Object.values(await errorsOf(handles.graph))).toEqual(['Exit code 1\na\ufffdb\ufffdc'])
    })

    test('a turn of 3,000 different calls is stored and found by its pattern', async () => {
      const tools = Array.from({ length: 3_000 }, (_, i) => `Tool${i % 700}`)
      await send(client(), S1, bytesOf(turn('t', tools)))
      const [only] = await everyTurn(client())
      expect(only).toMatchObject({ length: 3_000, tools })
      expect(await stepsOf(handles.graph, 't')).toHaveLength(3_000)
      const found = await client().listTranscriptTurns({ pattern: only?.pattern })
      expect(found.items).toHaveLength(1)
    })

    test.each([
      ['no time', undefined],
      ['a word', 'soon'],
      ['nothing', ''],
      ['a number', 1767312000],
      ['a day that is none', '2026-02-31T00:00:00Z'],
      ['the last instant, further west', '9999-12-31T23:59:59-01:00'],
      ['the first instant, further east', '0000-01-01T00:00:00+01:00'],
      ['year 0', '0000-01-01T00:00:00Z'],
      ['microseconds', '2026-01-01T00:00:00.123456Z'],
    ])('a record may tell %s as its time', async (_name, timestamp) => {
      const file = linesOf(
        turn('t', ['Read', 'Bash'], { errors: { 0: 'no' } }).map((r) => ({ ...r, timestamp })),
      )
      expect(await send(client(), S1, file)).toMatchObject({ turns: 1, steps: 2 })
      expect(await everyTurn(client())).toMatchObject([{ turnId: 't', length: 2 }])
      await reportsOf(client())
      expect((await client().listDesires({})).items).toEqual([])
      await exportOf(handles.graph)
    })

    test.each([0, 1.5, 1e300, 2 ** 53 + 2, Number.MAX_SAFE_INTEGER, 1e-9])(
      'a turn may have lasted %d ms',
      async (durationMs) => {
        await send(
          client(),
          S1,
          linesOf([...turn('t', ['Read']), { ...system('turn_duration', { durationMs }), uuid: 'd' }]),
        )
        expect(await everyTurn(client())).toMatchObject([{ durationMs }])
      },
    )

    test('turns with times that run backwards, or without a start, are ordered', async () => {
      const files = [
        turn('a', ['Read'], { from: 60 }),
        turn('b', ['Read'], { from: 10 }),
        turn('c', ['Read']).map((record) => ({ ...record, timestamp: null })),
      ]
      await send(client(), S1, bytesOf(...files))
      expect((await everyTurn(client())).map(({ turnId }) => turnId)).toEqual(['a', 'b', 'c'])
      const { items } = await client().listTranscriptTurns({ minLength: 0, since: '2026-01-02T00:00:30Z' })
      expect(items.map(({ turnId }) => turnId)).toEqual(['a'])
    })
  })
}
