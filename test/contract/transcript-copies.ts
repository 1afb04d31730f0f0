import { describe, expect, test } from 'vitest'
import { parseStatement } from '../../src/graph/statements.ts'
import { clientOf } from '../support/records.ts'
import {
  brokenTurns,
  bytesOf,
  everyTurn,
  reportsOf,
  send,
  sessionOf,
  stepsOf,
  turn,
} from '../support/transcript-import.ts'
import { linesOf, type Written } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const S2 = sessionOf(2)

const NAMES = ['Grep', 'Read', 'Read', 'Edit', 'Bash', 'Edit', 'Bash']
/** The first `n` calls of a turn that both sessions hold. */
const shared = (n: number): Written[] => turn('shared', NAMES.slice(0, n), { ends: false })

const sessions = parseStatement(
  'test/moved-sessions',
  'MATCH (s:TranscriptSession) RETURN s.id AS id, s.cwd AS cwd',
)

/** A fork copies records into a second session. The copies of a turn count as one. */
export function transcriptCopiesContract(store: StoreUnderTest): void {
  describe('copies of a turn', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const bySession = async (sessionId: string) =>
      (await client().listTranscriptTurns({ sessionId, minLength: 0 })).items.map(
        ({ turnId, sessionId: of, index, length }) => `${of === sessionId} ${turnId} ${index} ${length}`,
      )

    describe.each(['the old folder first', 'the new folder first'])('%s', (order) => {
      const [OLD, NEW] = ['/projects/old/s.jsonl', '/projects/new/s.jsonl']
      const sendBoth = async (files: { [path: string]: Written[] }) => {
        const paths = order === 'the old folder first' ? [OLD, NEW] : [NEW, OLD]
        for (const path of paths) await send(client(), S1, linesOf(files[path] ?? []), { path })
      }

      test('a transcript that moved to another folder continues there, even if its turn has fewer calls', async () => {
        const began = turn('moved', NAMES.slice(0, 4), { ends: false })
        const rewound = turn('moved', ['Grep', 'Read'], { errors: { 1: 'no such file' } })
        await sendBoth({ [OLD]: began, [NEW]: [...rewound, ...turn('next', ['Bash'], { from: 500 })] })
        expect(await bySession(S1)).toEqual(['true moved 0 2', 'true next 1 1'])
        expect(await stepsOf(handles.graph, 'moved')).toEqual(['moved.0 Grep ok', 'moved.1 Read error'])
        expect(await brokenTurns(handles.graph)).toEqual([])
      })

      test('a turn that is open in the old folder is complete if it is complete in the new one', async () => {
        const began = turn('moved', NAMES.slice(0, 3), { ends: false, pending: [2] })
        const whole = turn('moved', NAMES.slice(0, 3))
        await sendBoth({ [OLD]: began, [NEW]: whole.map((record) => ({ ...record, cwd: '/srv/new' })) })
        expect(await everyTurn(client())).toMatchObject([{ turnId: 'moved', status: 'complete', length: 3 }])
        expect(await stepsOf(handles.graph, 'moved')).toContain('moved.2 Read ok')
        expect(await handles.graph.read(sessions, {})).toMatchObject([{ id: S1, cwd: '/srv/new' }])
        await send(client(), S1, linesOf(began), { path: OLD, anew: true })
        expect(await everyTurn(client())).toMatchObject([{ turnId: 'moved', status: 'complete' }])
      })
    })

    describe.each([
      ['the shorter first', [S1, S2]],
      ['the longer first', [S2, S1]],
    ])('%s', (_name, order) => {
      test('the copy with more calls gives the steps, and the turn is listed once and found under both sessions', async () => {
        const files = {
          [S1]: linesOf([...turn('own', ['Glob'], { from: -20 }), ...shared(3)]),
          [S2]: linesOf(shared(6)),
        }
        for (const session of order) await send(client(), session, files[session] as Buffer)
        const turns = await everyTurn(client())
        expect(turns).toMatchObject([
          { turnId: 'shared', sessionId: S2, index: 0, length: 6, tools: NAMES.slice(0, 6) },
          { turnId: 'own', sessionId: S1, index: 0, length: 1 },
        ])
        expect(await stepsOf(handles.graph, 'shared')).toHaveLength(6)
        expect(await bySession(S1)).toEqual(['true shared 1 6', 'true own 0 1'])
        expect(await bySession(S2)).toEqual(['true shared 0 6'])
        const { items } = await client().listToolStats({ limit: 0 })
        expect(items.map(({ toolName, count }) => `${toolName} ${count}`)).toEqual([
          'Edit 2',
          'Read 2',
          'Bash 1',
          'Glob 1',
          'Grep 1',
        ])
        expect(await brokenTurns(handles.graph)).toEqual([])
        for (const sessionId of [S1, S2])
          expect(
            (await client().listTranscriptTurns({ sessionId, pattern: turns[0]?.pattern })).items,
          ).toHaveLength(1)
      })

      test('equal copies give the same turn in any order', async () => {
        for (const session of order) await send(client(), session, linesOf(shared(4)))
        expect(await everyTurn(client())).toMatchObject([{ sessionId: S1, length: 4 }])
        expect(await stepsOf(handles.graph, 'shared')).toHaveLength(4)
        const contents = { sources: [S1, S2].map((sessionId) => ({ sessionId })) }
        expect(await client().countTranscripts(contents)).toEqual({
          sessions: 2,
          turns: 1,
          steps: 4,
          mergedTurns: 1,
        })
      })

      test('of copies that differ only in their results, one is taken as a whole', async () => {
        const errors = { 1: 'Error: no' }
        const files = {
          [S1]: linesOf(turn('shared', ['Read', 'Edit'], { pending: [0, 1] })),
          [S2]: linesOf(turn('shared', ['Read', 'Edit'], { errors })),
        }
        for (const session of order) await send(client(), session, files[session] as Buffer)
        for (const session of order) await send(client(), session, files[session] as Buffer, { anew: true })
        expect(await everyTurn(client())).toHaveLength(1)
        expect(await brokenTurns(handles.graph)).toEqual([])
      })

      test('the file with more calls also gives the steps if both files are of one session', async () => {
        const files = { [S1]: linesOf(shared(3)), [S2]: linesOf(shared(6)) }
        for (const file of order)
          await send(client(), S1, files[file] as Buffer, { path: `/home/me/${file}.jsonl` })
        expect(await everyTurn(client())).toMatchObject([{ sessionId: S1, length: 6 }])
        expect(await stepsOf(handles.graph, 'shared')).toHaveLength(6)
      })
    })

    test('a session that continues after it was copied keeps all its calls, in any order of imports', async () => {
      const whole = linesOf(shared(7))
      await send(client(), S1, linesOf(shared(3)))
      await send(client(), S2, linesOf(shared(5)))
      await send(client(), S1, whole)
      expect(await everyTurn(client())).toMatchObject([{ sessionId: S1, length: 7, tools: NAMES }])
      expect(await stepsOf(handles.graph, 'shared')).toHaveLength(7)
    })

    test('the copy with more calls gives the steps, if copies grow alternately', async () => {
      for (const [session, n] of [
        [S1, 1],
        [S2, 2],
        [S1, 4],
        [S2, 5],
        [S1, 6],
        [S2, 7],
      ] as const) {
        await send(client(), session, linesOf(shared(n)))
        expect(await everyTurn(client()), `${n} calls`).toMatchObject([{ sessionId: session, length: n }])
        expect(await stepsOf(handles.graph, 'shared')).toHaveLength(n)
      }
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('a pattern of one conversation in two sessions counts as one session', async () => {
      for (const session of [S1, S2]) await send(client(), session, linesOf(shared(7)))
      const { items } = await client().listTranscriptPatterns({})
      expect(items).toMatchObject([{ count: 1, avgLength: 7, sessions: 1 }])
    })

    test('forks that are imported in parallel, each through its own handle, store each turn once', async () => {
      const forks = Array.from({ length: 6 }, (_, i) => sessionOf(i + 1))
      for (let round = 0; round < 4; round++) {
        const project = `round ${round}`
        const graphs = await Promise.all(forks.map(() => handles.open(() => store.beside(handles.graph))))
        const file = bytesOf(turn('a', NAMES), turn('b', NAMES.toReversed(), { from: 30 }), shared(6))
        await Promise.all(
          forks.map((session, i) => send(clientOf(graphs[i] ?? handles.graph), session, file, { project })),
        )
        expect(await brokenTurns(handles.graph), project).toEqual([])
        expect(await everyTurn(client(), project)).toMatchObject([
          { turnId: 'a', sessionId: S1 },
          { turnId: 'b', sessionId: S1 },
          { turnId: 'shared', sessionId: S1 },
        ])
        for (const graph of new Set(graphs)) if (graph !== handles.graph) await graph.close()
      }
    })

    test('records of another session between the lines are turns of that session', async () => {
      const [own, other] = [turn('own', ['Read']), turn('other', ['Bash', 'Edit'], { from: 100 })]
      const lines = [
        ...own,
        ...other.map((record) => ({ ...record, sessionId: S2, parentUuid: 'elsewhere' })),
      ]
      await send(client(), S1, linesOf(lines))
      expect([await bySession(S1), await bySession(S2)]).toEqual([['true own 0 1'], ['true other 0 2']])
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('the same bytes in both orders give the same answers', async () => {
      const files = [linesOf([...turn('own', ['Glob'], { from: -20 }), ...shared(3)]), linesOf(shared(6))]
      for (const [project, order] of [
        ['forth', [0, 1]],
        ['back', [1, 0]],
      ] as const)
        for (const i of order) await send(client(), sessionOf(i + 1), files[i] as Buffer, { project })
      expect(await reportsOf(client(), 'back')).toEqual(await reportsOf(client(), 'forth'))
    })

    test('turns at one index of a session are listed in one order, whichever was imported first', async () => {
      const files = ['a', 'b'].map((id) => linesOf(turn(id, ['Read'])))
      for (const [project, order] of [
        ['forth', [0, 1]],
        ['back', [1, 0]],
      ] as const) {
        for (const i of order)
          await send(client(), S1, files[i] as Buffer, { project, path: `/projects/${i}/s.jsonl` })
        for (const sessionId of [undefined, S1]) {
          const { items } = await client().listTranscriptTurns({ project, sessionId, minLength: 0 })
          expect(items.map(({ turnId, index }) => `${turnId} ${index}`)).toEqual(['a 0', 'b 0'])
        }
      }
    })
  })
}
