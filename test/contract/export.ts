import { beforeAll, describe, expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import type { Graph } from '../../src/graph/port.ts'
import { exportLines } from '../../src/maintenance/export/export-lines.ts'
import { restoreRecords } from '../../src/maintenance/restore/restore.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf, kindOf, recordsOf, restoreLines } from '../support/exported.ts'
import { brokenCounts, dumpOf } from '../support/graph-dump.ts'
import {
  aContext,
  aTurn,
  captureSteadily,
  clientOf,
  everyField,
  FEATURE,
  PROJECT,
  TASK,
  type TurnToSend,
} from '../support/records.ts'
import { brokenTurns, reportsOf } from '../support/transcript-import.ts'
import { fillWithEverything, OTHER_PROJECTS } from '../support/whole-graph.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type AnyRecord = { kind: string; [field: string]: unknown }

/** Adds the trailer of a file with these lines. */
async function withTrailer(lines: string[]): Promise<string[]> {
  const all: string[] = []
  for await (const line of exportLines(async () => ({ lines, nextCursor: null }))) all.push(line)
  return all
}

/** An export can be restored into any engine, with equal bytes, an equal graph and equal answers. */
export function exportContract(store: StoreUnderTest): void {
  describe('export and restore', () => {
    const handles = useGraph(store)

    /** Opens an empty graph. A store with one database replaces the other graph. */
    const another = (): Promise<Graph> => handles.open(() => store.open())

    let made: { lines: string[]; dump: string[]; answers: unknown[] }
    beforeAll(async () => {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      await fillWithEverything(graph)
      made = {
        lines: await exportOf(graph),
        dump: await dumpOf(graph),
        answers: await answersOf(graph),
      }
      await graph.close()
    })

    /** Fills the graph of the test with all kinds of data. */
    async function everything(): Promise<typeof made> {
      await restoreLines(handles.graph, made.lines)
      return made
    }

    /** Reads worlds and transcripts through the client. */
    async function answersOf(graph: Graph): Promise<unknown[]> {
      const client = clientOf(graph)
      const answers: unknown[] = []
      for (const worldSlug of ['w', 'runs', String(everyField.worldSlug)]) {
        const { currentTurn } = await client.getWorld({ worldSlug })
        for (const role of ['player', 'coach'] as const) {
          for (let turn = 1; turn <= currentTurn + 1; turn++)
            answers.push(await client.loadTurnContinuationContext(aContext(turn, { worldSlug, role })))
        }
        const target = { featureId: FEATURE, taskId: TASK, worldSlug }
        answers.push(await client.listCriteria(target), await client.loadStall(target))
        answers.push(await client.listTurns({ worldSlug }), await client.listAttempts({ worldSlug }))
      }
      answers.push(await client.getTurnHistory({ worldSlug: 'w', turnNumber: 2 }))
      answers.push(await client.loadTurnContinuationContext(aContext(9)))
      return [...answers, ...(await reportsOf(client))]
    }

    test('an export contains all stored data, with the same bytes on every engine', async () => {
      await fillWithEverything(handles.graph)
      const [lines, dump] = [await exportOf(handles.graph), await dumpOf(handles.graph)]
      const restored = await another()
      await restoreLines(restored, lines)
      expect(await dumpOf(restored)).toEqual(dump)
      expect(await exportOf(restored)).toEqual(lines)
      await restored.close()
    })

    test('a restored graph exports the same bytes and answers alike, and a second restore changes nothing', async () => {
      const { graph } = handles
      const { records } = await restoreLines(graph, made.lines)
      for (const counts of Object.values(records)) expect(counts).toMatchObject({ existing: 0 })
      expect(await dumpOf(graph)).toEqual(made.dump)
      expect(await exportOf(graph)).toEqual(made.lines)
      expect(await answersOf(graph)).toEqual(made.answers)
      expect([...(await brokenCounts(graph)), ...(await brokenTurns(graph))]).toEqual([])
      const again = await restoreLines(graph, made.lines)
      for (const counts of Object.values(again.records)) expect(counts).toMatchObject({ created: 0 })
      expect(Object.keys(again.records).sort()).toEqual(Object.keys(records).sort())
      expect(await dumpOf(graph)).toEqual(made.dump)
    })

    test('a restored graph answers later writes as the original does', async () => {
      const { lines } = await everything()
      const goOn = async (graph: Graph): Promise<string[]> => {
        const said = {
          worldSlug: 'w',
          verifications: [
            { criterionId: 'AC-001', criterionText: 'It answers with 404', status: 'verified' as const },
            { criterionId: 'AC-777', status: 'rejected' as const },
          ],
        }
        await captureSteadily(graph, aTurn(20, said))
        await captureSteadily(graph, aTurn(3, said)) // late
        await captureSteadily(graph, aTurn(2, { ...said, onConflict: 'supersede' }))
        await captureSteadily(graph, aTurn(1, { taskId: 'TASK-9', ...said, worldSlug: 'newly-made' }))
        const runs = new TurnRunStore(graph, { now: () => new Date(0), newId: () => 'an-attempt' })
        const world = { project: PROJECT, worldSlug: 'runs' }
        const held = await runs.startAttempt(world, 'tests')
        await runs.failAttempt(held, held.fence ?? 0, 'it broke')
        const dump = await dumpOf(graph)
        return dump.map((line) => line.replace(/"leaseUntil":\d+/, ''))
      }
      const there = await goOn(handles.graph)
      const restored = await another()
      await restoreLines(restored, lines)
      expect(await goOn(restored)).toEqual(there)
      await restored.close()
    })

    test('pages of any size contain the same lines', async () => {
      const { lines } = await everything()
      for (const limit of [1, 100]) expect(await exportOf(handles.graph, { limit })).toEqual(lines)
    })

    test('the export of a project contains only its own data, whatever its name is', async () => {
      const { lines } = await everything()
      const together: string[] = []
      for (const project of [PROJECT, ...OTHER_PROJECTS]) {
        const own = await exportOf(handles.graph, { project })
        expect(JSON.parse(own[0] ?? '')).toEqual({ format: 'turngraph', version: 3, project, since: null })
        expect(own.length).toBeGreaterThan(2)
        together.push(...own.slice(1, -1))
      }
      expect(together.sort()).toEqual(lines.slice(1, -1).sort())
      await expect(exportOf(handles.graph, { project: 'nowhere' })).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    test('a different record is rejected with its key and field, and nothing is overwritten', async () => {
      const { lines, dump } = await everything()
      const changes: Record<string, [from: RegExp, to: string, field: string]> = {
        criterion: [/"texts":\["It holds"\]/, '"texts":["other"]', 'texts'],
        world: [/"leaseTtlMs":5000/, '"leaseTtlMs":5001', 'leaseTtlMs'],
        turn: [/"playerSummary":"And again"/, '"playerSummary":"other"', 'turn.playerSummary'],
        superseded_turn: [/"playerSummary":"Again"/, '"playerSummary":"other"', 'turn.playerSummary'],
        attempt: [/"failureReason":"it broke"/, '"failureReason":"other"', 'attempt.failureReason'],
        turn_run: [/"cancelReason":"enough"/, '"cancelReason":"other"', 'run.cancelReason'],
        standing: [/"turnCount":2,/, '"turnCount":3,', 'turnCount'],
        transcript_session: [/"version":"2.1.0"/, '"version":"other"', 'session.version'],
        transcript_turn: [/"durationMs":1000/, '"durationMs":1001', 'steps'],
        transcript_file: [/"inode":7/, '"inode":8', 'file.inode'],
      }
      for (const [kind, [from, to, field]] of Object.entries(changes)) {
        const line = lines.find((held) => kindOf(held) === kind && from.test(held))
        if (line === undefined) throw new Error(`no ${kind} has ${from}`)
        const changed = restoreRecords(handles.graph, [JSON.parse(line.replace(from, to))])
        await expect(changed, kind).rejects.toMatchObject({
          code: 'restore_conflict',
          details: { conflicts: [{ index: 0, kind, fields: [field] }] },
        })
      }
      expect(await dumpOf(handles.graph)).toEqual(dump)
    })

    test('a record of a criterion with more or fewer labels than the stored one is no conflict', async () => {
      const { lines } = await everything()
      const line = lines.find((held) => kindOf(held) === 'criterion' && held.includes('It answers with 404'))
      const grown = JSON.parse(line ?? '') as { labels: string[]; labelSources: string[] }
      grown.labels.push('AC-42')
      grown.labelSources.push('gate')
      expect(await restoreRecords(handles.graph, [grown])).toEqual({
        records: { criterion: { created: 0, existing: 1 } },
        redactions: 0,
      })
      expect((await exportOf(handles.graph)).filter((held) => held === JSON.stringify(grown))).toHaveLength(1)
      expect(await restoreRecords(handles.graph, [JSON.parse(line ?? '')])).toEqual({
        records: { criterion: { created: 0, existing: 1 } },
        redactions: 0,
      })
      expect((await exportOf(handles.graph)).filter((held) => held === JSON.stringify(grown))).toHaveLength(1)
    })

    test('a criterion to which each of two graphs added a label is a conflict, although the task of the file is ahead', async () => {
      const text = 'It answers with 404 now'
      const named = (worldSlug: string, criterionId: string): Partial<TurnToSend> => ({
        worldSlug,
        verifications: [{ criterionId, criterionText: text, status: 'verified' }],
      })
      await captureSteadily(handles.graph, aTurn(1, named('one', 'AC-1')))
      const before = await exportOf(handles.graph)
      for (const turn of [1, 2])
        await captureSteadily(handles.graph, aTurn(turn, named('two', `AC-${turn + 1}`)))
      const lines = await exportOf(handles.graph)
      const restored = await another()
      await restoreLines(restored, before)
      await captureSteadily(restored, aTurn(1, named('three', 'AC-9')))
      const dump = await dumpOf(restored)
      await expect(restoreLines(restored, lines)).rejects.toMatchObject({
        code: 'restore_conflict',
        message: expect.stringContaining('differs in labels'),
      })
      expect(await dumpOf(restored)).toEqual(dump)
      await restored.close()
    })

    test('a record without its parent is rejected by name, and its batch is not stored', async () => {
      const records = recordsOf(made.lines) as { kind: string }[]
      const restored = handles.graph
      const parents = 'project feature task criterion world turn attempt transcript_session'.split(' ')
      for (const kind of parents) {
        const places = records.flatMap((record, place) => (record.kind === kind ? [place] : []))
        for (const place of [places.at(0), places.at(-1)]) {
          const without = records.toSpliced(place ?? 0, 1)
          await expect(
            restoreRecords(restored, without),
            JSON.stringify(records[place ?? 0]),
          ).rejects.toMatchObject({
            code: 'invalid_request',
            message: expect.stringMatching(/ needs .*, which is not in the graph\.$/),
          })
          expect(await dumpOf(restored)).toEqual([])
        }
      }
    })

    test('a file cannot say what its turns do not: another newest turn, a wrong key, a lost merge, a deep list', async () => {
      const naming = (criterionId: string, criterionText?: string): Partial<TurnToSend> => ({
        verifications: [{ criterionId, criterionText, status: 'verified' }],
      })
      await captureSteadily(handles.graph, aTurn(1, naming('AC-1', 'The shop opens at nine sharp')))
      await captureSteadily(handles.graph, aTurn(2, naming('AC-2')))
      const replacement = { ...naming('AC-1', 'The shop opens at nine sharp'), playerSummary: 'Again' }
      await captureSteadily(handles.graph, aTurn(1, { ...replacement, onConflict: 'supersede' }))
      const text = JSON.stringify(recordsOf(await exportOf(handles.graph)))
      const restored = await another()
      const changes: [from: RegExp, to: string, message: RegExp][] = [
        [/"currentTurn":2/, '"currentTurn":9', /standing shop\/TASK-1 needs turn 9 as the newest, not 2/],
        [/"currentTurn":2/, '"currentTurn":1', /needs turn 1 as the newest, not 2/],
        [
          /\/text:[0-9a-f]{64}/g,
          '/text:nine',
          /key: is not the key of a criterion of the task shop\/FEAT-1\/TASK-1/,
        ],
        [
          /"gates":\[\]/,
          `"gates":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
          /gates\.0: Invalid input: expected object, received array/,
        ],
        [
          /"key":"shop\/TASK-1\/1~1"/,
          '"key":"other/TASK-1/1~1"',
          /turn\.key: is not the key of revision 1 of the turn below shop\/TASK-1\/1/,
        ],
        [
          /"texts":\[\],/,
          '"texts":[],"mergedInto":"shop/FEAT-1/TASK-1/gone",',
          /needs criterion shop\/FEAT-1\/TASK-1\/gone/,
        ],
      ]
      for (const [from, to, message] of changes) {
        const changed = text.replace(from, to)
        expect(changed).not.toBe(text)
        await expect(restoreRecords(restored, JSON.parse(changed))).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringMatching(message),
        })
        expect(await dumpOf(restored)).toEqual([])
      }
      await restoreRecords(restored, JSON.parse(text))
      expect(await findingsOf(restored)).toEqual([])
      await restored.close()
    })

    test('a record whose key, owner, positions or previous turn contradict its other fields is rejected with the field', async () => {
      const records = recordsOf(made.lines) as AnyRecord[]
      const changes: [kind: string, path: string, value: unknown][] = [
        ['project', 'name', 'another'],
        ['feature', 'id', 'another'],
        ['feature', 'project', 'other%2Fproject'],
        ['task', 'id', 'another'],
        ['task', 'feature', 'shop/another'],
        ['specification', 'version', 7],
        ['world', 'slug', 'another'],
        ['world', 'project', 'another'],
        ['world', 'taskId', 'another'],
        ['world', 'taskKey', 'shop/FEAT-1/another'],
        ['turn', 'turn.number', 77],
        ['attempt', 'attempt.attemptId', 'another'],
        ['attempt', 'attempt.worldSlug', 'another'],
        ['attempt', 'attempt.number', 77],
        ['attempt', 'attempt.worldSeqKey', 'shop/another/1'],
        ['turn_run', 'run.turnRunId', 'another'],
        ['turn_run', 'run.worldSlug', 'another'],
        ['transcript_session', 'session.id', 'another'],
        ['transcript_turn', 'turn.id', 'another'],
        ['transcript_file', 'file.sessionId', 'another'],
        ['desire', 'desire.pattern', 'another'],
      ]
      const places = ['verifications', 'promises', 'issues', 'gates'].map((parts) => ['turn', parts] as const)
      for (const [kind, parts] of [...places, ['specification', 'lists'] as const]) {
        const record = records.find((each) => each.kind === kind && (each[parts] as unknown[]).length > 1)
        const [first, ...rest] = Object(record)[parts] as object[]
        const doubled = rest.map((part) => ({ ...part, position: 0 }))
        await expectRefused(records, record, parts, [first, ...doubled])
      }
      for (const [kind, path, value] of changes)
        await expectRefused(
          records,
          records.find((record) => record.kind === kind),
          path,
          value,
        )
      const newest = records.findLast(({ kind, previous }) => kind === 'turn' && Number(previous) > 1)
      for (const previous of [null, 1, 99]) await expectRefused(records, newest, 'previous', previous)
    })

    /** Restores records with one changed value. Expects an error that names the field, and an empty graph. */
    async function expectRefused(
      records: readonly AnyRecord[],
      record: AnyRecord | undefined,
      path: string,
      value: unknown,
    ): Promise<void> {
      if (record === undefined) throw new Error(`no record has ${path}`)
      const changed = structuredClone(record)
      const [outer = '', inner] = path.split('.')
      if (inner === undefined) changed[outer] = value
      else changed[outer] = { ...Object(changed[outer]), [inner]: value }
      const all = records.map((each) => (each === record ? changed : each))
      const refused = restoreRecords(handles.graph, all)
      const at = `records[${all.indexOf(changed)}]`
      await expect(refused, `${record.kind} ${path} ${value}`).rejects.toMatchObject({
        code: 'invalid_request',
        hint: expect.stringContaining('Restore the'),
        details: {
          problems: expect.arrayContaining([
            { path: expect.stringContaining(at), message: expect.anything() },
          ]),
        },
      })
      expect(await dumpOf(handles.graph)).toEqual([])
    }

    test('values that follow from a record are computed, whatever a file says', async () => {
      const { lines, dump } = made
      const claims = {
        turn: { outcome: '[1,"approved","x",0,[]]', deniedFiles: ['src/a.ts'], verifiedCount: 9 },
        verification: { substantiated: true, observedOn: '{"tree":"x"}' },
        issue: { signature: 'x' },
      }
      const claimed = (recordsOf(lines) as { kind: string }[]).map((record) => {
        if (!('turn' in record && 'verifications' in record && 'issues' in record)) return record
        const [verifications, issues] = [record.verifications, record.issues] as [object[], object[]]
        return {
          ...record,
          turn: { ...Object(record.turn), ...claims.turn },
          verifications: verifications.map((each) => ({ ...each, ...claims.verification })),
          issues: issues.map((each) => ({ ...each, ...claims.issue })),
        }
      })
      for (const name of Object.values(claims).flatMap((fields) => Object.keys(fields))) {
        expect(JSON.stringify(claimed)).toContain(`"${name}":`)
        expect(lines.join('\n')).not.toContain(`"${name}":`)
      }
      const file = [lines[0] ?? '', ...claimed.map((record) => JSON.stringify(record))]
      await restoreLines(handles.graph, await withTrailer(file))
      expect(await dumpOf(handles.graph)).toEqual(dump)
    })

    test('a line with a value that no read understands is rejected with its field, and nothing is stored', async () => {
      const observation = { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-01-02T00:00:00Z' }
      await captureSteadily(
        handles.graph,
        aTurn(1, {
          worldSlug: 'main',
          verifications: [
            { criterionId: 'AC-1', status: 'verified', observation },
            { criterionId: 'AC-2', status: 'rejected' },
          ],
        }),
      )
      const lines = await exportOf(handles.graph)
      const [one, two] = (recordsOf(lines) as { kind: string; key: string }[]).filter(
        ({ kind }) => kind === 'criterion',
      )
      const mergedInto = (line: string, key: string, target: string) =>
        line.startsWith(`{"kind":"criterion"`) && line.includes(`"key":"${key}"`)
          ? line.replace('"texts":[]', `"texts":[],"mergedInto":"${target}"`)
          : line
      const changes: [change: (line: string) => string, message: RegExp][] = [
        [
          (line) => line.replace('\\"exitCode\\":0', '\\"exitCode\\":\\"0\\"'),
          /^the file, line \d+: verifications\.0\.observation\.exitCode: Invalid input: expected number/,
        ],
        [
          (line) =>
            mergedInto(mergedInto(line, one?.key ?? '', two?.key ?? ''), two?.key ?? '', one?.key ?? ''),
          /^the file, line \d+: mergedInto: is merged into \S+, then \S+, and so into itself/,
        ],
        [
          (line) => line.replace('/main/1","id"', '/main/2","id"'),
          /^the file, line \d+: turn\.key: is not the key of turn 1 of the world/,
        ],
      ]
      const restored = await another()
      for (const [change, message] of changes) {
        const changed = await withTrailer(lines.slice(0, -1).map(change))
        expect(changed).not.toEqual(lines)
        await expect(restoreLines(restored, changed)).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringMatching(message),
          hint: expect.stringContaining('Restore the lines of an export as they were written.'),
        })
        expect(await dumpOf(restored)).toEqual([])
      }
      await restored.close()
    })

    test('a world that exists already takes no turn from a file', async () => {
      await captureSteadily(handles.graph, aTurn(1, { worldSlug: 'w' }))
      await captureSteadily(handles.graph, aTurn(2, { worldSlug: 'w' }))
      const lines = await exportOf(handles.graph)
      const restored = await another()
      await captureSteadily(restored, aTurn(1, { worldSlug: 'w' }))
      const dump = await dumpOf(restored)
      await expect(restoreLines(restored, lines, { name: 'w.jsonl' })).rejects.toMatchObject({
        code: 'restore_conflict',
        message: expect.stringContaining('turn shop/w/2 is not in its world, which stands there already'),
      })
      expect(await dumpOf(restored)).toEqual(dump)
      await restored.close()
    })

    test('a world that exists already takes no withdrawn turn from a file, although its last line has another batch', async () => {
      for (let turn = 1; turn <= 6; turn++)
        await captureSteadily(handles.graph, aTurn(turn, { worldSlug: 'w' }))
      const earlier = await exportOf(handles.graph)
      await clientOf(handles.graph).rollbackWorld({ worldSlug: 'w', toTurn: 5 })
      const lines = await exportOf(handles.graph)
      const restored = await another()
      await restoreLines(restored, earlier)
      const dump = await dumpOf(restored)
      await expect(restoreLines(restored, lines)).rejects.toMatchObject({
        code: 'restore_conflict',
        message: expect.stringContaining(
          'superseded_turn shop/w/6~1 is not in its world, which stands there',
        ),
      })
      expect(await dumpOf(restored)).toEqual(dump)
      await restored.close()
    })

    test('a merge from a file does not reach a world that lacks its turn, although criteria have their own batch', async () => {
      const text = 'It answers with 404 now'
      const judged = (
        worldSlug: string,
        criterionId: string,
        criterionText?: string,
      ): Partial<TurnToSend> => ({
        worldSlug,
        verifications: [{ criterionId, criterionText, status: 'rejected' }],
      })
      await captureSteadily(handles.graph, aTurn(1, judged('other', 'AC-1', text)))
      await captureSteadily(handles.graph, aTurn(1, judged('main', 'AC-7')))
      const earlier = await exportOf(handles.graph)
      const promises = [{ criterionId: 'AC-7', criterionText: text, status: 'complete' }]
      await captureSteadily(handles.graph, aTurn(2, { worldSlug: 'main', promises }))
      await captureSteadily(handles.graph, aTurn(3, judged('main', 'AC-7')))
      const records = recordsOf(await exportOf(handles.graph)) as { kind: string; key: string }[]
      const ofTask = records.filter(({ kind }) => ['project', 'feature', 'task', 'criterion'].includes(kind))
      expect(ofTask.filter((record) => 'mergedInto' in record)).toHaveLength(1)
      const restored = await another() // on Neo4j, it empties the one database
      await restoreLines(restored, earlier)
      const dump = await dumpOf(restored)
      await expect(restoreRecords(restored, ofTask)).rejects.toMatchObject({
        code: 'restore_conflict',
        message: expect.stringContaining('mergedInto'),
      })
      expect(await dumpOf(restored)).toEqual(dump)
      await restored.close()
    })

    test('active runs and attempts are exported as interrupted, no lease is restored, and the source does not change', async () => {
      const client = clientOf(handles.graph)
      const runs = new TurnRunStore(handles.graph)
      for (const worldSlug of ['run', 'single', 'outside']) {
        const executor = worldSlug === 'outside' ? 'external' : 'simulated'
        await client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug, executor })
      }
      const counts = { requestedTurnCount: 3, maxAttempts: 3 } as const
      const sources = { turnCountSource: 'explicit', maxAttemptsSource: 'default' } as const
      const run = await runs.startTurnRun({
        project: PROJECT,
        worldSlug: 'run',
        workerId: 'w1',
        ...counts,
        ...sources,
      })
      const ofRun = await runs.startAttemptForTurnRun(run, 'w1', run.fence ?? 0)
      const single = await runs.startAttempt({ project: PROJECT, worldSlug: 'single' }, 'w1')
      await runs.startAttempt({ project: PROJECT, worldSlug: 'outside' }, 'w1')
      const before = await dumpOf(handles.graph)
      const lines = await exportOf(handles.graph)
      expect(await dumpOf(handles.graph)).toEqual(before)
      expect(await exportOf(handles.graph)).toEqual(lines)
      const restored = await another()
      await restoreLines(restored, lines)
      expect(await exportOf(restored)).toEqual(lines)
      const there = new TurnRunStore(restored)
      expect(await there.getAttempt(ofRun)).toMatchObject({ status: 'interrupted', fence: ofRun.fence })
      expect((await there.getTurnRunStatus(run)).run).toMatchObject({
        status: 'interrupted',
        interruptedAttemptCount: 1,
        activeAttemptId: null,
      })
      expect(await there.reconcileRunningAttempts('w1')).toEqual({ runs: 0, attempts: 0, errors: [] })
      await expect(there.heartbeatAttempt(single, single.fence ?? 0)).rejects.toMatchObject({
        code: 'lease_lost',
      })
      const next = await there.startAttempt({ project: PROJECT, worldSlug: 'run' }, 'w2')
      expect(next.fence).toBeGreaterThan(ofRun.fence ?? 0)
      await restored.close()
    })

    test('a capture between two pages does not split a world', async () => {
      await everything()
      let number = 30
      const lines = await exportOf(handles.graph, {
        project: PROJECT,
        limit: 2,
        afterPage: async () => {
          if (++number > 60) return
          const words = `Condition ${number} holds in every case that matters`
          await captureSteadily(
            handles.graph,
            aTurn(number, {
              worldSlug: number % 2 === 0 ? 'w' : String(everyField.worldSlug),
              verifications: [
                { criterionId: `AC-${number}`, criterionText: words, status: 'verified' },
                { criterionId: 'AC-002', status: 'rejected' },
              ],
            }),
          )
        },
      })
      const restored = await another()
      await restoreLines(restored, lines)
      expect(await brokenCounts(restored)).toEqual([])
      await restored.close()
    })

    test('a world that is repaired during its export is an error, not a torn export', async () => {
      for (let number = 1; number <= 6; number++) await captureSteadily(handles.graph, aTurn(number))
      let pages = 0
      const afterPage = async () => {
        if (++pages !== 7) return
        await captureSteadily(handles.graph, aTurn(1, { playerSummary: 'Mended', onConflict: 'supersede' }))
      }
      await expect(exportOf(handles.graph, { limit: 1, afterPage })).rejects.toMatchObject({ code: 'busy' })
    })

    test('an export since an instant contains each changed world and file completely, with their parents', async () => {
      const old = { now: '2025-01-01T00:00:00Z', completedAt: '2025-01-01T00:00:00Z' }
      for (const worldSlug of ['old', 'moved']) {
        await captureSteadily(handles.graph, aTurn(1, { worldSlug, completedAt: old.completedAt }), old.now)
      }
      await captureSteadily(
        handles.graph,
        aTurn(1, { featureId: 'FEAT-0', completedAt: old.completedAt }),
        old.now,
      )
      await captureSteadily(
        handles.graph,
        aTurn(2, { worldSlug: 'moved', completedAt: old.completedAt, createWorld: true }),
      )
      await everything()
      const since = '2026-01-15T00:00:00Z'
      for (const limit of [1, 1_000]) {
        const lines = await exportOf(handles.graph, { project: PROJECT, since, limit })
        const worlds = lines.filter((line) => kindOf(line) === 'world').map((line) => JSON.parse(line).slug)
        expect(worlds).not.toContain('old')
        expect(worlds).toContain('moved')
        expect(lines.filter((line) => kindOf(line) === 'feature')).toHaveLength(1)
        expect(lines.filter((line) => kindOf(line).startsWith('transcript'))).toEqual([])
        expect(lines.filter((line) => line.includes('"world":"shop/moved"'))).toHaveLength(3)
      }
      const some = await exportOf(handles.graph, { since: '2026-01-02T00:06:50Z' })
      const sessions = some.filter((line) => kindOf(line) === 'transcript_session')
      expect(sessions).toHaveLength(1) // whose last record came after it
      const shared = some.find((line) => kindOf(line) === 'transcript_turn' && line.includes('"id":"shared"'))
      expect(JSON.parse(shared ?? '').heldBy).toHaveLength(1)
      const restored = await another()
      await restoreLines(restored, some)
      expect([...(await brokenCounts(restored)), ...(await brokenTurns(restored))]).toEqual([])
      await restored.close()
    })

    test('an export since an instant contains a version that was declared since, even without other changes', async () => {
      const old = '2025-01-01T00:00:00Z'
      const client = clientOf(handles.graph)
      for (const taskId of ['TASK-1', 'TASK-2'])
        await captureSteadily(handles.graph, aTurn(1, { taskId, completedAt: old }), old)
      const declare = (taskId: string) =>
        client.declareCriteria({ featureId: FEATURE, taskId, criteria: [{ text: 'It keeps a log' }] })
      await declare('TASK-2')
      await declare('TASK-3') // which has no world
      const lines = await exportOf(handles.graph, { since: '2026-01-01T00:00:00Z' })
      const task = ['task', 'criterion', 'specification']
      expect(lines.slice(1, -1).map(kindOf)).toEqual(['project', 'feature', ...task, ...task])
      expect(await exportOf(handles.graph, { since: '2026-01-01T00:00:00Z', limit: 1 })).toEqual(lines)
      expect(await exportOf(handles.graph, { since: '2100-01-01T00:00:00Z' })).toHaveLength(2)
      const restored = await another()
      await restoreLines(restored, lines)
      const { total } = await clientOf(restored).getSpecification({ featureId: FEATURE, taskId: 'TASK-2' })
      expect(total).toBe(1)
      await restored.close()
    })

    test('a version that is declared during an export is exported completely or not at all', async () => {
      const exports: string[][] = []
      for (let moment = 1; moment <= 14; moment++) {
        const project = `declared after page ${moment}`
        const declare = (text: string) =>
          clientOf(handles.graph, project).declareCriteria({
            ...{ featureId: FEATURE, taskId: TASK, criteria: [{ text }] },
          })
        await declare('It answers with 404')
        for (const worldSlug of ['a', 'b'])
          await captureSteadily(handles.graph, aTurn(1, { project, worldSlug }))
        let page = 0
        const afterPage = async () => {
          if (++page === moment) await declare('It keeps a log of all requests')
        }
        exports.push(await exportOf(handles.graph, { project, limit: 1, afterPage }))
      }
      const versions = exports.map((lines) => lines.filter((line) => kindOf(line) === 'specification').length)
      expect(new Set(versions)).toEqual(new Set([1, 2]))
      const restored = await another()
      for (const lines of exports) await restoreLines(restored, lines)
      // A criterion may be exported without its version, which does no harm.
      const findings = (await findingsOf(restored)).filter(({ check }) => check !== 'criterion_unnamed')
      expect(findings).toEqual([])
      await restored.close()
    })

    test('a damaged record is an error that names it and the doctor', async () => {
      await fillWithEverything(handles.graph)
      const text = "MATCH (f:TranscriptFile {project: 'shop'}) SET f.offset = 'far'"
      await handles.graph.write([{ statement: { name: 'damage', text, params: [] }, params: {} }])
      await expect(exportOf(handles.graph)).rejects.toMatchObject({
        code: 'internal',
        message: expect.stringMatching(/^TranscriptFile shop\/\S+ of the graph does not fit: .*offset/),
        hint: expect.stringContaining('doctor'),
      })
    })

    test('an invalid record is rejected with the reason', async () => {
      const refused = (record: unknown) => restoreRecords(handles.graph, [record])
      await expect(refused({ kind: 'unknown' })).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(refused(null)).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(refused({ kind: 'project', key: 'p' })).rejects.toMatchObject({
        message: expect.stringContaining('name'),
      })
      await expect(refused({ kind: 'project', key: 'p', name: 'p', more: 1 })).rejects.toMatchObject({
        message: expect.stringContaining('more'),
      })
      expect(await dumpOf(handles.graph)).toEqual([])
      await migrate(handles.graph)
    })
  })
}

/** Checks the order of the records, on one engine: `exportContract` runs their statements on every engine. */
export function restoreRulesContract(store: StoreUnderTest): void {
  describe('a restore', () => {
    const handles = useGraph(store)

    test('a restore that is killed anywhere and repeated is complete without duplicates, and a partial world is hidden', async () => {
      const source = await handles.open(() => memory.open())
      await fillWithEverything(source)
      const dump = await dumpOf(source)
      const records = recordsOf(await exportOf(source))
      await source.close()
      const restored = handles.graph
      const worlds = new Map<string, boolean>()
      let at = 0
      for (let run = 0; at < records.length; run++) {
        // Each run starts again, with another batch size, and is killed at a later place.
        at = Math.min(records.length, at + 23)
        const size = 1 + (run % 5) * 4
        for (let from = 0; from < at; from += size) {
          await restoreRecords(restored, records.slice(from, Math.min(at, from + size)))
        }
        for (const record of records.slice(0, at) as {
          kind: string
          slug?: string
          world?: string
          key?: string
        }[]) {
          if (record.kind === 'world' && record.key?.startsWith(`${PROJECT}/`))
            worlds.set(String(record.slug), false)
          const [, slug = ''] = record.world?.split('/') ?? []
          if (record.kind === 'standing') worlds.set(decodeURIComponent(slug), true)
        }
        const client = clientOf(restored)
        for (const [worldSlug, isWhole] of worlds) {
          if (isWhole) continue
          const deleted = { code: 'world_deleted' }
          await expect(client.getWorld({ worldSlug })).rejects.toMatchObject(deleted)
          await expect(client.captureTurnState(aTurn(1, { worldSlug }))).rejects.toMatchObject({
            code: expect.stringMatching(/restore_unfinished|world_conflict/),
          })
          await expect(exportOf(restored)).rejects.toMatchObject({ code: 'restore_unfinished' })
        }
      }
      expect(await dumpOf(restored)).toEqual(dump)
    })
  })
}
