import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { bytesOf, desiresIn, send, sessionOf, turn } from '../support/transcript-import.ts'
import { instant, linesOf } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const S2 = sessionOf(2)

/** A turn of the seed's pattern `Grep → Read{2+} → Edit` with the given number of calls. */
const journey = (id: string, calls: number, from: number, ends = true) =>
  turn(id, ['Grep', ...Array.from({ length: calls - 2 }, () => 'Read'), 'Edit'], { from, ends })

/** Recurring long turns (seed 002, phase 4). */
export function transcriptDesiresContract(store: StoreUnderTest): void {
  describe('desires', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const told = async () => (await client().listDesires({})).items
    const imported = async (...lengths: number[][]) => {
      for (const [session, calls] of lengths.entries())
        await send(
          client(),
          sessionOf(session + 1),
          bytesOf(...calls.map((n, i) => journey(`${session}-${i}`, n, 1000 * session + 100 * i))),
        )
    }

    test("the seed's example, character by character", async () => {
      await imported([5, 5, 5], [5, 5, 6], [5, 5, 5], [6, 6, 6])
      const error =
        'Repeated pattern: Grep → Read{2+} → Edit (avg 5.3 calls, seen 12 times across 4 sessions)'
      expect(await told()).toEqual([
        {
          toolName: 'Grep',
          error,
          category: 'turn-pattern',
          source: 'transcript-analysis',
          pattern: 'Grep → Read{2+} → Edit',
          count: 12,
          avgLength: 64 / 12,
          sessions: 4,
          firstSeen: instant(0),
          lastSeen: instant(3200),
        },
      ])
      expect(await desiresIn(handles.graph)).toEqual([error])
      expect((await client().listPaths({})).items).toEqual([
        {
          pattern: 'Grep → Read{2+} → Edit',
          count: 12,
          sessions: 4,
          category: 'turn-pattern',
          lastSeen: instant(3200),
        },
      ])
    })

    test.each([
      ['two times', [[6], [6]], 0],
      ['three times in one session', [[6, 6, 6]], 0],
      ['three times in two sessions', [[6, 6], [6]], 1],
      ['an average of just the threshold', [[4, 5], [6]], 0],
      // An incremental mean of these values is 5.000000000000001.
      [
        'just the threshold, whatever the order of adding',
        [
          [4, 7, 4, 5, 4, 4],
          [4, 7, 5, 4, 7],
        ],
        0,
      ],
      [
        'just the threshold, another one',
        [
          [4, 4, 5, 5, 4],
          [6, 4, 7, 6],
        ],
        0,
      ],
      ['an average just above it', [[4, 5, 5, 5, 5], [7]], 1],
      ['an average below it, with one long turn', [[4, 4], [6]], 0],
    ])('%s', async (_name, lengths, found) => {
      await imported(...lengths)
      expect(await told()).toHaveLength(found)
      expect(await desiresIn(handles.graph)).toHaveLength(found)
      expect((await client().listPaths({})).items).toHaveLength(found)
    })

    test('paths list desires and failures, the most frequent first', async () => {
      await imported([6, 6], [6])
      const bad = { errors: { 0: 'no', 1: 'no', 2: 'no' } }
      await send(client(), sessionOf(3), bytesOf(turn('x', ['Zip', 'Zip', 'Zip', 'Bash'], bad)))
      await send(client(), sessionOf(4), bytesOf(turn('y', ['Bash'], { errors: { 0: 'no' } })))
      expect(
        (await client().listPaths({})).items.map(({ pattern, category }) => `${category} ${pattern}`),
      ).toEqual(['turn-pattern Grep → Read{2+} → Edit', 'tool-error Zip: no', 'tool-error Bash: no'])
    })

    test('with a minimum length of 1, patterns, desires and paths count the same turns of a pattern', async () => {
      await imported([4, 8, 6], [4, 9])
      const pattern = 'Grep → Read{2+} → Edit'
      const counted = async (minLength?: number) => {
        const { items } = await client().listTranscriptPatterns({ minLength })
        return items.map(({ count, sessions }) => ({ pattern, count, sessions }))
      }
      const all = [{ pattern, count: 5, sessions: 2 }]
      expect(await counted(1)).toEqual(all)
      expect(await told()).toMatchObject(all)
      expect((await client().listPaths({})).items).toMatchObject(all)
      expect(await counted(), 'from the threshold on').toEqual([{ pattern, count: 3, sessions: 2 }])
    })

    test('patterns of a single repeated tool come last in desires, paths and the analysis, with any filter', async () => {
      await imported([6, 6], [6])
      for (const [i, tool] of ['Bash', 'Read'].entries()) {
        for (const session of [10, 11]) {
          const often = Array.from({ length: 3 + i }, (_, j) =>
            turn(`${tool}${session}-${j}`, Array<string>(7).fill(tool), { from: 50 * j }),
          )
          await send(client(), sessionOf(session + 10 * i), bytesOf(...often))
        }
      }
      await send(client(), sessionOf(90), bytesOf(turn('x', ['Zip'], { errors: { 0: 'no' } })))
      const inOrder = ['Grep → Read{2+} → Edit', 'Read{2+}', 'Bash{2+}']
      expect((await told()).map(({ pattern }) => pattern)).toEqual(inOrder)
      const { rows } = await client().runAnalysis({ name: 'desires' })
      expect(rows.map(([desire, pattern]) => [String(desire).split(' (')[0], pattern])).toEqual(
        inOrder.map((pattern) => [`Repeated pattern: ${pattern}`, pattern]),
      )
      const paths = ['Grep → Read{2+} → Edit', 'Zip: no', 'Read{2+}', 'Bash{2+}']
      for (const limit of [0, 1, 2, 3, 4])
        for (const since of [undefined, '2026-01-01'])
          expect(
            (await client().listPaths({ limit, since })).items.map(({ pattern }) => pattern),
            `${limit} since ${since}`,
          ).toEqual(paths.slice(0, limit || 4))
    })

    test('frequent patterns of only one session do not use up the limit', async () => {
      await imported([6, 6], [6])
      for (const [i, first] of ['Bash', 'Glob'].entries()) {
        const calls = [first, 'Read', 'Read', 'Read', 'Read', 'Edit']
        const often = Array.from({ length: 5 }, (_, j) => turn(`${first}${j}`, calls, { from: 10 * j }))
        await send(client(), sessionOf(10 + i), bytesOf(...often))
      }
      const seen = ['Grep → Read{2+} → Edit']
      for (const limit of [1, 2, 3, 0])
        expect((await client().listPaths({ limit })).items.map(({ pattern }) => pattern)).toEqual(seen)
      expect((await told()).map(({ pattern }) => pattern)).toEqual(seen)
    })

    test('a turn that grows beyond its pattern removes the desire, and the new pattern can become one', async () => {
      const growing = turn('g', ['Grep', 'Read', 'Read', 'Read', 'Read', 'Edit', 'Bash'], { ends: false })
      await send(client(), S1, bytesOf(journey('a', 6, 100), journey('b', 6, 200)))
      await send(client(), S2, linesOf(growing.slice(0, -2)))
      expect(await desiresIn(handles.graph)).toHaveLength(1)
      await send(client(), S2, linesOf(growing))
      expect(await told()).toEqual([])
      expect(await desiresIn(handles.graph)).toEqual([])
      expect((await client().listPaths({})).items).toEqual([])
    })

    test('a desire is deleted when more turns of its pattern shorten the average', async () => {
      await imported([6, 6], [6])
      expect(await desiresIn(handles.graph)).toHaveLength(1)
      await send(
        client(),
        sessionOf(3),
        bytesOf(journey('s', 4, 0), journey('t', 4, 50), journey('u', 4, 90)),
      )
      expect(await told()).toEqual([])
      expect(await desiresIn(handles.graph)).toEqual([])
    })

    test('each import refreshes the numbers, the text and the times of a desire', async () => {
      await imported([6, 6], [6])
      await send(client(), sessionOf(3), bytesOf(journey('later', 8, 9000), journey('first', 8, -9000)))
      const error = 'Repeated pattern: Grep → Read{2+} → Edit (avg 6.8 calls, seen 5 times across 3 sessions)'
      expect(await told()).toMatchObject([
        { error, count: 5, avgLength: 6.8, sessions: 3, firstSeen: instant(-9000), lastSeen: instant(9000) },
      ])
      expect(await desiresIn(handles.graph)).toEqual([error])
    })

    test('the threshold comes from the configuration, for all desires at the next import', async () => {
      const lax = inProcessClient({ graph: handles.graph, project: PROJECT, turnLengthThreshold: 3 })
      for (const [i, session] of [S1, S1, S2].entries())
        await send(lax, `${session}-${i % 2}`, bytesOf(journey(`t${i}`, 4, 10 * i)))
      await send(lax, S2, bytesOf(journey('t9', 4, 900)))
      expect((await lax.listDesires({})).items).toHaveLength(1)
      expect(await desiresIn(handles.graph)).toHaveLength(1)
      expect(await told()).toEqual([])
      await send(client(), sessionOf(3), bytesOf(turn('other', ['Bash'])))
      expect(await desiresIn(handles.graph)).toEqual([])
      await send(lax, sessionOf(4), bytesOf(turn('another', ['Bash'])))
      expect(await desiresIn(handles.graph)).toHaveLength(1)
    })

    test('each project has its own desires', async () => {
      for (const [project, session] of [
        ['a', S1],
        ['a', S2],
        ['b', S1],
        ['b', S2],
      ] as const)
        await send(client(), session, bytesOf(journey(`${project}${session}`, 6, 0)), { project })
      for (const project of ['a', 'b']) expect((await client().listDesires({ project })).items).toEqual([])
      await send(client(), sessionOf(3), bytesOf(journey('third', 6, 50)), { project: 'b' })
      expect((await client().listDesires({ project: 'a' })).items).toEqual([])
      expect((await client().listDesires({ project: 'b' })).items).toHaveLength(1)
      expect(await desiresIn(handles.graph)).toHaveLength(1)
    })
  })
}
