import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseStatement } from '../../src/graph/statements.ts'
import { memory } from '../support/embedded-engines.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import {
  brokenTurns,
  bytesOf,
  call,
  desiresIn,
  differences,
  errorsOf,
  everyTurn,
  importedDump,
  NO_DIFFERENCES,
  reportsOf,
  send,
  sessionOf,
  stepsOf,
  turn,
} from '../support/transcript-import.ts'
import { failed, linesOf, result, says, user } from '../support/written-transcript.ts'
import { plant } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const S2 = sessionOf(2)
const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']

/** All kinds of turns: long turns that recur, failures, late results, an agent, a command, an open turn. */
const RICH = bytesOf(
  turn('t1', LONG, { errors: { 5: 'Error: Exit code 1\nno such file' } }),
  turn('t2', ['Read', 'Bash'], { from: 20, pending: [1] }),
  turn('t3', LONG, { from: 30, errors: { 0: 'no' } }),
  [{ ...result('t2.1'), uuid: 'late' }],
  turn('t4', [], { from: 50 }),
  [{ ...user('<command-name>/clear</command-name>'), uuid: 'c1' }],
  turn('t5', LONG, { from: 60 }).map((record) => ({ ...record, isSidechain: true, agentId: 'one' })),
  turn('t6', ['Task', 'Read'], { from: 80, pending: [0] }),
  [{ ...failed('t6.0', 'Exit code 137', { toolUseResult: { agentId: 'one' } }), uuid: 'agent' }],
  turn('t7', ['Glob', 'Glob', 'mcp__a__b', 'Edit', 'Edit', 'Edit', 'Read'], { from: 100, ends: false }),
)

/** Stores a sentence in the form of an earlier version. */
const storeSentence = parseStatement(
  'test/store-sentence',
  `MATCH (c:FailedCall {id: 't1.5'}), (f:TranscriptFile)
   SET c.error = 'please use the other file', f.rulesVersion = null
   RETURN c.id AS id`,
)

/** Imports of the same bytes: repeated, in pieces, and in parallel. */
export function transcriptImportContract(store: StoreUnderTest): void {
  describe('importing transcripts', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('the next import removes a sentence that an earlier version stored as an error', async () => {
      await send(client(), S1, RICH)
      const before = await importedDump(handles.graph)
      await handles.graph.write([{ statement: storeSentence, params: {} }])
      expect(Object.values(await errorsOf(handles.graph))).toContain('please use the other file')
      const read = await send(client(), S1, RICH)
      expect(read).toMatchObject({ bytes: RICH.length })
      expect(await importedDump(handles.graph)).toEqual(before)
      expect(await send(client(), S1, RICH)).toMatchObject({ bytes: 0 })
    })

    test.each([
      ['not JSON', "'{'"],
      ['another type', '7'],
      ['no list of threads', `'{"agent":null,"reader":null,"sessionId":null,"threads":7}'`],
      ['a thread without its turns', `replace(f.state, '"held":[', '"kept":[')`],
      ['an open turn with other calls', `replace(f.state, '"steps":[', '"steps":[7,')`],
      ['an unknown reader', `replace(f.state, '"reader":null', '"reader":7')`],
    ])(
      'the next import reads a transcript again from the start if its state is damaged: %s',
      async (_, state) => {
        await send(client(), S1, RICH)
        const before = await importedDump(handles.graph)
        await plant(handles.graph, `MATCH (f:TranscriptFile) SET f.state = ${state}`)
        const more = Buffer.concat([RICH, bytesOf(turn('t8', ['Read'], { from: 120 }))])
        expect(await send(client(), S1, more)).toMatchObject({ bytes: more.length })
        expect(await send(client(), S1, more)).toMatchObject({ bytes: 0 })
        expect(await importedDump(handles.graph)).not.toEqual(before)
      },
    )

    test('a sentence typed at a permission prompt is a denial without text', async () => {
      const [plain, known] = ['please use the other file', 'Exit code 1\nno such file']
      const bytes = linesOf([
        { ...user('Do it'), uuid: 't' },
        ...[plain, known].flatMap((text, i) => [
          { ...call(`c${i}`, 'Bash'), uuid: `u${i}` },
          { ...failed(`c${i}`, text, { toolUseResult: `Error: ${text}` }), uuid: `v${i}` },
        ]),
      ])
      await send(client(), S1, bytes)
      expect(await stepsOf(handles.graph, 't')).toEqual(['c0 Bash denied', 'c1 Bash error'])
      expect(await errorsOf(handles.graph)).toEqual({ c1: known })
    })

    test('calls whose ids restart in every response are separate steps, in one import and in stages', async () => {
      const bytes = linesOf(
        [
          user('Do it'),
          ...[1, 2, 3].flatMap((n) => [call('call_0', `Tool${n}`, { id: `m${n}` }), result('call_0')]),
        ].map((record, i) => ({ ...record, uuid: `u${i}` })),
      )
      const next = linesOf([
        { ...user('Next'), uuid: 'next' },
        { ...call('call_0', 'Tool4', { id: 'm4' }), uuid: 'v1' },
        { ...call('call_0', 'Tool1', { id: 'm1' }), uuid: 'u1' },
      ])
      const file = Buffer.concat([bytes, next])
      for (const to of [bytes.length / 2, bytes.length, file.length]) await send(client(), S1, file, { to })
      expect(await stepsOf(handles.graph, 'u0')).toEqual([1, 2, 3].map((n) => `call_0 Tool${n} ok`))
      expect(await stepsOf(handles.graph, 'next')).toEqual(['call_0 Tool4 pending'])
    })

    test('the summary counts copies of a turn in several sessions', async () => {
      const shared = turn('shared', ['Read'])
      await send(client(), S1, bytesOf(shared))
      const read = await send(client(), S2, bytesOf(shared, turn('own', ['Edit'], { from: 20 })))
      expect(read).toMatchObject({ turns: 2, mergedTurns: 0 })
      const sources = [{ sessionId: S1 }, { sessionId: S2 }]
      expect(await client().countTranscripts({ sources })).toEqual({
        sessions: 2,
        turns: 2,
        steps: 2,
        mergedTurns: 1,
      })
    })

    test('the last 500 characters of a long error text are stored', async () => {
      const text = `Exit code 1\n${'line of a log\n'.repeat(200)}the reason`
      const lines = turn('t', ['Bash'], { errors: { 0: text } })
      await send(client(), S1, linesOf(lines))
      expect(await errorsOf(handles.graph)).toEqual({ 't.0': text.slice(-500) })
      expect((await client().listPaths({})).items).toMatchObject([{ pattern: 'Bash: the reason' }])
      expect((await client().examine({ project: PROJECT })).findings).toEqual([])
    })

    test('stores turns, steps, tools and patterns, and returns their numbers', async () => {
      const read = await send(client(), S1, RICH)
      expect(read).toMatchObject({
        offset: RICH.length,
        bytes: RICH.length,
        sessions: 2,
        turns: 7,
        steps: 29,
      })
      expect(await client().countTranscripts({ sources: [{ sessionId: S1 }] })).toEqual({
        sessions: 2,
        turns: 7,
        steps: 29,
        mergedTurns: 0,
      })
      expect(await client().getTranscriptProgress({ sessionId: S1 })).toMatchObject({ offset: RICH.length })
      expect(await stepsOf(handles.graph, 't2')).toEqual(['t2.0 Read ok', 't2.1 Bash ok'])
      expect(await stepsOf(handles.graph, 't6')).toEqual(['t6.0 Task error', 't6.1 Read ok'])
      expect(await errorsOf(handles.graph)).toEqual({
        't1.5': 'Exit code 1\nno such file',
        't3.0': 'Exit code 1\nno',
        't6.0': 'Exit code 137',
      })
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('a second import reads nothing and writes nothing', async () => {
      const first = await send(client(), S1, RICH)
      const before = await importedDump(handles.graph)
      const second = await send(client(), S1, RICH)
      expect(second).toMatchObject({ bytes: 0, sessions: 2, turns: 7, steps: 29, offset: first.offset })
      expect(await importedDump(handles.graph)).toEqual(before)
    })

    test('a repeated import from the start changes nothing either', async () => {
      await send(client(), S1, RICH)
      const before = await importedDump(handles.graph)
      await send(client(), S1, RICH, { anew: true })
      expect(await importedDump(handles.graph)).toEqual(before)
    })

    test('a repeated import of a long file from the start, in several transactions, changes nothing either', async () => {
      const many = Array.from({ length: 240 }, (_, i) => turn(`t${i}`, LONG, { from: 20 * i }))
      const bytes = bytesOf(...many)
      await send(client(), S1, bytes)
      const before = await importedDump(handles.graph)
      await send(client(), S1, bytes, { anew: true })
      expect(await client().getTranscriptProgress({ sessionId: S1 })).toMatchObject({ offset: bytes.length })
      expect(await importedDump(handles.graph)).toEqual(before)
    })

    test('an import in five stages, cut at any bytes, ends in the graph of one import', async () => {
      const reference = await handles.open(() => memory.open())
      const drawn = fc.array(fc.nat(RICH.length), { minLength: 4, maxLength: 4 })
      for (const [i, cuts] of fc.sample(drawn, { seed: 8, numRuns: 4 }).entries()) {
        const project = `staged ${i}`
        for (const to of [...cuts.toSorted((a, b) => a - b), RICH.length])
          await send(client(), S1, RICH, { project, to })
        await send(clientOf(reference), S1, RICH, { project })
        expect(await reportsOf(client(), project), `cut at ${cuts}`).toEqual(
          await reportsOf(clientOf(reference), project),
        )
      }
      expect(await differences(handles.graph, reference)).toEqual(NO_DIFFERENCES)
      await reference.close()
    })

    test('an import of three lines at a time ends in the same graph', async () => {
      const reference = await handles.open(() => memory.open())
      await send(clientOf(reference), S1, RICH)
      const ends = [...RICH.keys()].filter((at) => RICH[at] === 10).map((at) => at + 1)
      for (const to of ends.filter((_, i) => i % 3 === 0 || i === ends.length - 1))
        await send(client(), S1, RICH, { to })
      expect(await differences(handles.graph, reference)).toEqual(NO_DIFFERENCES)
      await reference.close()
    })

    test('a turn that grows has only its new pattern, length and steps', async () => {
      const grown = turn('t', ['Grep', 'Read', 'Read', 'Edit'], { errors: { 1: 'no' }, ends: false })
      await send(client(), S1, linesOf(grown.slice(0, 4)))
      expect((await everyTurn(client()))[0]).toMatchObject({ length: 2, pattern: 'Grep → Read', errors: 0 })
      await send(client(), S1, linesOf(grown))
      expect(await everyTurn(client())).toMatchObject([
        { length: 4, pattern: 'Grep → Read{2+} → Edit', errors: 1, status: 'open' },
      ])
      const { items } = await client().listTranscriptPatterns({ minLength: 0 })
      expect(items.map(({ pattern }) => pattern)).toEqual(['Grep → Read{2+} → Edit'])
      expect(await stepsOf(handles.graph, 't')).toEqual([
        't.0 Grep ok',
        't.1 Read error',
        't.2 Read ok',
        't.3 Edit ok',
      ])
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('a late result changes its turn, even two imports later', async () => {
      const late = bytesOf(
        turn('t1', ['Bash', 'Read'], { pending: [0] }),
        turn('t2', ['Edit'], { from: 10 }),
        turn('t3', [], { from: 20 }),
        [{ ...failed('t1.0', 'Error: Exit code 1\ntoo late'), uuid: 'late' }],
      )
      for (const share of [0.3, 0.6, 0.8, 1])
        await send(client(), S1, late, { to: Math.ceil(late.length * share) })
      expect(await stepsOf(handles.graph, 't1')).toEqual(['t1.0 Bash error', 't1.1 Read ok'])
      expect(await errorsOf(handles.graph)).toEqual({ 't1.0': 'Exit code 1\ntoo late' })
      expect((await everyTurn(client())).find(({ turnId }) => turnId === 't1')).toMatchObject({ errors: 1 })
      expect((await client().listPaths({})).items).toMatchObject([{ pattern: 'Bash: too late', count: 1 }])
    })

    test('an offset other than the stored one is a conflict with the right offset', async () => {
      await send(client(), S1, RICH)
      for (const offset of [1, RICH.length - 1, RICH.length + 1]) {
        const refused = client().importTranscript({ sessionId: S1, offset }, (async function* () {})())
        await expect(refused).rejects.toMatchObject({
          code: 'turn_conflict',
          details: { offset: RICH.length },
        })
      }
      const refused = client().importTranscript({ sessionId: S2, offset: 1 }, (async function* () {})())
      await expect(refused).rejects.toMatchObject({ code: 'turn_conflict', details: { offset: 0 } })
    })

    test('two parallel imports of one session store each turn once', async () => {
      for (let round = 0; round < 5; round++) {
        const project = `round ${round}`
        const other = await handles.open(() => store.beside(handles.graph))
        const both = await Promise.allSettled([
          send(client(), S1, RICH, { project, chunk: 512 }),
          send(clientOf(other), S1, RICH, { project, chunk: 4096 }),
        ])
        for (const each of both) {
          if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'turn_conflict' })
        }
        expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
        const read = await send(client(), S1, RICH, { project })
        expect(read).toMatchObject({ turns: 7, steps: 29, offset: RICH.length })
        if (other !== handles.graph) await other.close()
      }
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test('a file that was truncated and written again is imported from the start', async () => {
      const before = bytesOf(turn('t1', LONG), turn('t2', ['Read'], { from: 20 }))
      const after = bytesOf(turn('t1', ['Grep'], { ends: false }))
      await send(client(), S1, before)
      await send(client(), S1, after, { anew: true })
      expect(await client().getTranscriptProgress({ sessionId: S1 })).toMatchObject({ offset: after.length })
      expect((await everyTurn(client())).find(({ turnId }) => turnId === 't1')).toMatchObject({
        length: 1,
        pattern: 'Grep',
        status: 'open',
      })
      expect(await stepsOf(handles.graph, 't1')).toEqual(['t1.0 Grep ok'])
    })

    test('a file that was replaced by one of the same length is imported from the start', async () => {
      const before = bytesOf(turn('t1', ['Read', 'Grep']))
      const after = bytesOf(turn('t2', ['Grep', 'Read']))
      expect(after.length).toBe(before.length)
      await send(client(), S1, before)
      expect(await send(client(), S1, after, { anew: true })).toMatchObject({ bytes: after.length })
      expect((await everyTurn(client())).map(({ pattern }) => pattern)).toContain('Grep → Read')
      const tail = after.subarray(-4096)
      expect(await client().getTranscriptProgress({ sessionId: S1 })).toMatchObject({
        tail: { bytes: tail.length, sha256: createHash('sha256').update(tail).digest('hex') },
      })
    })

    test('an interrupted upload can be continued, and ends in the graph of one import', async () => {
      const many = Array.from({ length: 300 }, (_, i) => turn(`t${i}`, LONG, { from: 20 * i }))
      const other = Array.from({ length: 5 }, (_, i) =>
        turn(`u${i}`, ['Bash', 'Bash', 'Read', 'Bash', 'Bash', 'Edit'], { from: 20 * i }),
      )
      const bytes = bytesOf(...other, ...many)
      // The first batch has 5 turns of another pattern; the second session makes that pattern a desire.
      const reference = await handles.open(() => memory.open())
      for (const to of [client(), clientOf(reference)])
        await send(to, S2, bytesOf(turn('v', ['Bash', 'Bash', 'Read', 'Bash', 'Bash', 'Edit'])))
      await send(clientOf(reference), S1, bytes)
      const breaking = (async function* () {
        yield bytes.subarray(0, bytes.length >> 1)
        for (let at = bytes.length >> 1; at < bytes.length - 9_000; at += 8_192)
          yield bytes.subarray(at, at + 8_192)
        throw new Error('the connection broke')
      })()
      await expect(client().importTranscript({ sessionId: S1, offset: 0 }, breaking)).rejects.toThrow('broke')
      expect((await client().getTranscriptProgress({ sessionId: S1 })).offset).toBeGreaterThan(0)
      await send(client(), S1, bytes)
      expect(await reportsOf(client())).toEqual(await reportsOf(clientOf(reference)))
      expect(await desiresIn(handles.graph)).toEqual(await desiresIn(reference))
      expect(await differences(handles.graph, reference)).toEqual(NO_DIFFERENCES)
      await reference.close()
    })

    test('an upload that is interrupted after its last byte stores its last turn in the next import', async () => {
      const many = Array.from({ length: 240 }, (_, i) => turn(`t${i}`, LONG, { from: 20 * i }))
      const bytes = bytesOf(...many, turn('last', LONG, { from: 9_000, ends: false }))
      const breaking = (async function* () {
        yield bytes
        throw new Error('the connection broke')
      })()
      await expect(client().importTranscript({ sessionId: S1, offset: 0 }, breaking)).rejects.toThrow('broke')
      expect(await send(client(), S1, bytes)).toMatchObject({ turns: 241, steps: 241 * LONG.length })
      expect(await stepsOf(handles.graph, 'last')).toHaveLength(LONG.length)
    })

    test('projects never see each other', async () => {
      const projects = ['a', 'a/b', 'a%2Fb', 'A', 'ä', '..', 'a ', "'"]
      for (const [i, project] of projects.entries())
        await send(
          client(),
          S1,
          bytesOf(
            turn(
              't',
              Array.from({ length: i + 1 }, () => 'Read'),
              { errors: { 0: `<${i}>` } },
            ),
          ),
          {
            project,
          },
        )
      for (const [i, project] of projects.entries()) {
        expect(await everyTurn(client(), project)).toMatchObject([{ turnId: 't', length: i + 1 }])
        expect((await client().listToolStats({ project })).items).toMatchObject([{ count: i + 1 }])
        expect((await client().listPaths({ project })).items).toHaveLength(1)
        expect((await client().listTranscriptPatterns({ project, minLength: 0 })).items).toHaveLength(1)
        expect(await client().countTranscripts({ project, sources: [{ sessionId: S1 }] })).toMatchObject({
          steps: i + 1,
        })
        const ofPattern = { project, pattern: i === 0 ? 'Read' : 'Read{2+}' }
        expect((await client().listTranscriptTurns(ofPattern)).items).toMatchObject([{ length: i + 1 }])
      }
      expect(await everyTurn(client(), 'b')).toEqual([])
      expect(await client().getTranscriptProgress({ project: 'b', sessionId: S1 })).toMatchObject({
        offset: 0,
      })
    })

    test('malformed lines are counted, and all valid lines are stored', async () => {
      const good = turn('t', ['Read', 'Grep', 'Edit'])
      const bytes = Buffer.concat([
        Buffer.from('{"type":"user","message":\n[]\n\0\0\0\n'),
        ...good.flatMap((record) => [Buffer.from('\xff\xfe{torn\n', 'latin1'), linesOf([record])]),
        Buffer.from(`${JSON.stringify(says('a'))}${JSON.stringify({ type: 'user', cut: 1 }).slice(0, -4)}\n`),
        Buffer.from(JSON.stringify({ ...call('t.9', 'Bash'), uuid: 'last' })),
      ])
      for (const to of [10, 300, bytes.length - 20, bytes.length]) await send(client(), S1, bytes, { to })
      expect(await everyTurn(client())).toMatchObject([{ pattern: 'Read → Grep → Edit → Bash' }])
      expect(await client().getTranscriptProgress({ sessionId: S1 })).toMatchObject({ offset: bytes.length })
      const whole = await send(client(), S2, bytes)
      expect(whole).toMatchObject({ badLines: 2 + good.length + 1, recoveredLines: 1 })
    })
  })
}
