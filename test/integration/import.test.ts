import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ImportOptions, importAutobuild } from '../../src/artifacts/import.ts'
import type { ImportReport } from '../../src/artifacts/import-report.ts'
import type { TurngraphClient } from '../../src/client/client.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { useGraph } from '../contract/store.ts'
import { shuffled } from '../support/embedded-engines.ts'
import { countsOf, dumpOf } from '../support/graph-dump.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'turngraph-import-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

type Files = Record<string, unknown>

async function write(task: string, files: Files): Promise<void> {
  const folder = path.join(root, 'shop', task)
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, `${name}.json`), JSON.stringify(content))
  }
}

const player = (notes: string) => ({
  implementation_notes: notes,
  completion_promises: [{ criterion_id: 'AC-001', criterion_text: 'Prices are shown', status: 'complete' }],
})
const coach = (decision: string) => ({
  decision,
  rationale: `It is ${decision}.`,
  criteria_verification: [{ criterion_id: 'AC-001', result: 'verified', notes: 'Seen in the shop' }],
  issues: [{ severity: 'must_fix', type: 'test', description: 'No test covers zero' }],
})
const stateAt = (completed_at: string) => ({ feature_id: 'FEAT-1', started_at: completed_at, completed_at })

const [AT_1, AT_2, AT_3] = ['2026-03-01T10:00:00.123456', '2026-03-01T11:00:00', '2026-03-02T09:00:00']

/** Formats the counts of an import. */
const done = ({ turnsCreated, turnsUnchanged, turnsSuperseded, turnsFailed }: ImportReport) =>
  `${turnsCreated} created, ${turnsUnchanged} unchanged, ${turnsSuperseded} superseded, ${turnsFailed} failed`

describe('an import of artifacts', () => {
  const handles = useGraph(shuffled)
  const client = (): TurngraphClient => inProcessClient({ graph: handles.graph, project: 'shop' })
  const runImport = (options: ImportOptions = {}) => importAutobuild(client(), [root], options)
  const worldsOf = async (taskId: string) => {
    const { items } = await client().listWorlds({ taskId })
    return Object.fromEntries(items.map((world) => [world.worldSlug, world.currentTurn]))
  }
  const turn = (worldSlug: string, turnNumber: number) => client().getTurn({ worldSlug, turnNumber })

  describe('a first import', () => {
    test('a first import stores each turn with its verifications, promises and issues', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), coach_turn_1: coach('feedback') })
      await write('TASK-1', { turn_state_turn_1: stateAt(AT_1), player_turn_2: player('Added a test') })
      const report = await runImport()
      expect(report).toMatchObject({ tasks: 1, worlds: 1, verifications: 1, promises: 2, issues: 1 })
      expect(done(report)).toBe('2 created, 0 unchanged, 0 superseded, 0 failed')
      expect(await turn('TASK-1', 1)).toMatchObject({
        project: 'shop',
        featureId: 'FEAT-1',
        playerSummary: 'Built it',
        coachDecision: 'feedback',
        completedAt: '2026-03-01T10:00:00.123456Z',
        verifications: [{ criterionId: 'AC-001', status: 'verified', evidence: 'Seen in the shop' }],
        promises: [{ criterionId: 'AC-001', status: 'complete' }],
        issues: [{ severity: 'blocking', severityRaw: 'must_fix', description: 'No test covers zero' }],
      })
    })

    test('a first import stores no time if no file contains it', async () => {
      await write('TASK-1', { player_turn_1: player('Built it') })
      await runImport()
      expect(await turn('TASK-1', 1)).toMatchObject({ startedAt: null, completedAt: null })
    })

    test('a first import makes a world of each run, the oldest first', async () => {
      await write('TASK-1', { player_turn_1: player('Again'), turn_state_turn_1: stateAt(AT_3) })
      await write('TASK-1', { player_turn_2: player('Second'), turn_state_turn_2: stateAt(AT_1) })
      await write('TASK-1', { player_turn_3: player('Third'), turn_state_turn_3: stateAt(AT_2) })
      const report = await runImport()
      expect(report).toMatchObject({ tasks: 1, worlds: 2, turnsCreated: 3 })
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 3, 'TASK-1.2': 1 })
      expect(done(await runImport())).toBe('0 created, 3 unchanged, 0 superseded, 0 failed')
    })

    test('an import is stored in the given project', async () => {
      await write('TASK-1', { player_turn_1: player('Built it') })
      await runImport({ project: 'till' })
      expect((await client().listWorlds({})).items).toEqual([])
      expect((await client().listWorlds({ project: 'till' })).items).toHaveLength(1)
    })

    test('an import reports its progress of reading, then of writing', async () => {
      await write('TASK-1', { player_turn_1: player('a') })
      await write('TASK-2', { player_turn_1: player('b') })
      const told: string[] = []
      await runImport({ onProgress: ({ phase, done, total }) => told.push(`${phase} ${done}/${total}`) })
      expect(told).toEqual(['reading 1/2', 'reading 2/2', 'writing 1/2', 'writing 2/2'])
    })

    test('a dry run has the same report and writes nothing', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), turn_state_turn_1: stateAt(AT_1) })
      const before = await dumpOf(handles.graph)
      const dry = await runImport({ dryRun: true })
      expect(await dumpOf(handles.graph)).toEqual(before)
      expect(await runImport()).toEqual(dry)
    })
  })

  describe('importing again', () => {
    test('a second import of the same files changes nothing', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), coach_turn_1: coach('approve') })
      await write('TASK-1', { turn_state_turn_1: stateAt(AT_1), player_turn_2: player('More') })
      await write('TASK-2', { player_turn_1: player('Without a time') })
      await runImport()
      const before = await dumpOf(handles.graph)
      const again = await runImport()
      expect(done(again)).toBe('0 created, 3 unchanged, 0 superseded, 0 failed')
      expect(again).toMatchObject({ verifications: 1, promises: 3, issues: 1 })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('a later file of the Coach supersedes the record', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), turn_state_turn_1: stateAt(AT_1) })
      await runImport()
      await write('TASK-1', { coach_turn_1: coach('approve') })
      const dry = await runImport({ dryRun: true })
      expect(done(dry)).toBe('0 created, 0 unchanged, 1 superseded, 0 failed')
      expect(await runImport()).toEqual(dry)
      expect(await turn('TASK-1', 1)).toMatchObject({
        coachDecision: 'approved',
        playerSummary: 'Built it',
      })
      const history = await client().getTurnHistory({ worldSlug: 'TASK-1', turnNumber: 1 })
      expect(history.items).toMatchObject([{ coachDecision: 'unknown' }])
      expect(done(await runImport())).toBe('0 created, 1 unchanged, 0 superseded, 0 failed')
    })

    test('a later turn of a session is stored in its world', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), turn_state_turn_1: stateAt(AT_1) })
      await runImport()
      await write('TASK-1', { player_turn_2: player('Went on'), turn_state_turn_2: stateAt(AT_2) })
      expect(done(await runImport())).toBe('1 created, 1 unchanged, 0 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 2 })
    })

    test('a turn that was imported without a time is recognized when its time is known', async () => {
      await write('TASK-1', { player_turn_1: player('Built it') })
      await write('TASK-1', {
        task_work_results: { feature_id: 'FEAT-1', quality_gates: { coverage: 81 } },
      })
      await runImport()
      await write('TASK-1', { turn_state_turn_1: stateAt(AT_1), coach_turn_1: coach('feedback') })
      await write('TASK-1', { player_turn_2: player('Went on'), turn_state_turn_2: stateAt(AT_2) })
      expect(done(await runImport())).toBe('1 created, 0 unchanged, 1 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 2 })
      // task_work_results.json describes turn 2 now; the data that it had for turn 1 stays.
      expect(await turn('TASK-1', 1)).toMatchObject({ coverage: 81, coachDecision: 'feedback' })
      expect(done(await runImport())).toBe('0 created, 2 unchanged, 0 superseded, 0 failed')
    })

    test('promises of task_work_results.json belong to the newest turn, and stay after the file changes to a later one', async () => {
      const silent = (notes: string) => ({ implementation_notes: notes })
      const promising = (criterion_id: string) => ({
        task_work_results: {
          feature_id: 'FEAT-1',
          completion_promises: [{ criterion_id, criterion_text: 'Prices are shown', status: 'complete' }],
        },
      })
      await write('TASK-1', { player_turn_1: silent('Built it'), turn_state_turn_1: stateAt(AT_1) })
      await write('TASK-1', promising('AC-001'))
      expect(await runImport()).toMatchObject({ promises: 1, turnsCreated: 1, warnings: [] })
      expect((await turn('TASK-1', 1)).promises).toMatchObject([{ criterionId: 'AC-001' }])
      await write('TASK-1', { player_turn_2: silent('Went on'), turn_state_turn_2: stateAt(AT_2) })
      await write('TASK-1', promising('AC-002'))
      expect(done(await runImport())).toBe('1 created, 1 unchanged, 0 superseded, 0 failed')
      expect((await turn('TASK-1', 1)).promises).toMatchObject([{ criterionId: 'AC-001' }])
      expect((await turn('TASK-1', 2)).promises).toMatchObject([{ criterionId: 'AC-002' }])
    })

    test('a full re-run with new times is a new world, and the old one stays', async () => {
      await write('TASK-1', { player_turn_1: player('First'), turn_state_turn_1: stateAt(AT_1) })
      await write('TASK-1', { player_turn_2: player('Second'), turn_state_turn_2: stateAt(AT_2) })
      await runImport()
      await write('TASK-1', { player_turn_1: player('Anew'), turn_state_turn_1: stateAt(AT_3) })
      await write('TASK-1', {
        player_turn_2: player('Anew 2'),
        turn_state_turn_2: stateAt('2026-03-02T10:00:00'),
      })
      expect(done(await runImport())).toBe('2 created, 0 unchanged, 0 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 2, 'TASK-1.2': 2 })
      expect(await turn('TASK-1', 1)).toMatchObject({ playerSummary: 'First' })
      expect(await turn('TASK-1.2', 1)).toMatchObject({ playerSummary: 'Anew' })
    })

    test('a re-run with some turns without a time is distinguished from the first run by its timed turns', async () => {
      await write('TASK-1', { player_turn_1: player('First'), player_turn_2: player('Second') })
      await write('TASK-1', { turn_state_turn_2: stateAt(AT_1) })
      await runImport()
      await write('TASK-1', { player_turn_1: player('Anew'), turn_state_turn_2: stateAt(AT_2) })
      expect(done(await runImport())).toBe('2 created, 0 unchanged, 0 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 2, 'TASK-1.2': 2 })
    })

    test('a turn whose files have lost content stays as stored, and is reported', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), coach_turn_1: coach('feedback') })
      await write('TASK-1', { turn_state_turn_1: stateAt(AT_1) })
      await runImport()
      const before = await dumpOf(handles.graph)
      await rm(path.join(root, 'shop/TASK-1/coach_turn_1.json'))
      const again = await runImport()
      expect(done(again)).toBe('0 created, 1 unchanged, 0 superseded, 0 failed')
      expect(again.warnings).toMatchObject([
        { task: 'TASK-1', turn: 1, field: expect.stringContaining('coach_feedback') },
      ])
      expect(await dumpOf(handles.graph)).toEqual(before)
      expect(await runImport({ dryRun: true })).toEqual(again)
    })

    test('a second import uses the world of one that ended before its first capture', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), turn_state_turn_1: stateAt(AT_1) })
      const away = { ...client(), captureTurnState: async () => Promise.reject(storeAway()) }
      await expect(importAutobuild(away, [root])).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 0 })
      await runImport()
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 1 })
    })

    test('a deleted world is not written to again', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), turn_state_turn_1: stateAt(AT_1) })
      await runImport()
      await client().deleteWorld({ worldSlug: 'TASK-1' })
      expect(done(await runImport())).toBe('1 created, 0 unchanged, 0 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1.2': 1 })
    })
  })

  describe('failures', () => {
    test('a rejected turn is counted and reported, and the others are stored', async () => {
      await write('TASK-1', { player_turn_1: player('Built it'), player_turn_2: player('More') })
      const picky: TurngraphClient = {
        ...client(),
        captureTurnState: (input) =>
          input.turnNumber === 1 ? Promise.reject(refused()) : client().captureTurnState(input),
      }
      const report = await importAutobuild(picky, [root])
      expect(done(report)).toBe('1 created, 0 unchanged, 0 superseded, 1 failed')
      expect(report.warnings.at(-1)).toMatchObject({ task: 'TASK-1', turn: 1, field: 'player_summary' })
      expect(done(await runImport())).toBe('1 created, 1 unchanged, 0 superseded, 0 failed')
    })

    test('an unreachable graph ends the import, and a second import continues from there', async () => {
      for (const task of ['TASK-1', 'TASK-2', 'TASK-3']) await write(task, { player_turn_1: player(task) })
      let captures = 0
      const failing: TurngraphClient = {
        ...client(),
        captureTurnState: (input) =>
          ++captures > 2 ? Promise.reject(storeAway()) : client().captureTurnState(input),
      }
      await expect(importAutobuild(failing, [root])).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(done(await runImport())).toBe('1 created, 2 unchanged, 0 superseded, 0 failed')
      const { World } = await countsOf(handles.graph)
      expect(World).toBe(3)
    })

    test('a task that the graph does not store in time is counted, and the tasks after it are stored', async () => {
      for (const task of ['TASK-1', 'TASK-2', 'TASK-3']) await write(task, { player_turn_1: player(task) })
      const lateAt = (...tasks: string[]): TurngraphClient => ({
        ...client(),
        captureTurnState: (input) =>
          tasks.includes(input.taskId) ? Promise.reject(late()) : client().captureTurnState(input),
      })
      const tooSlow = importAutobuild(lateAt('TASK-1', 'TASK-2'), [root])
      await expect(tooSlow).rejects.toMatchObject({ code: 'timeout' })
      const report = await importAutobuild(lateAt('TASK-1'), [root])
      expect(done(report)).toBe('2 created, 0 unchanged, 0 superseded, 1 failed')
      expect(report.warnings.at(-1)).toMatchObject({ task: 'TASK-1', field: 'task' })
    })

    test('a value that no capture accepts is dropped and named, and the other fields stay', async () => {
      const state = { ...stateAt(AT_1), tests_passed: -3, coverage: '85%', duration_seconds: 'long' }
      const promised = { ...player('Built it').completion_promises[0], confidence: 90 }
      const report = { ...player('Built it'), completion_promises: [promised] }
      await write('TASK-1', {
        player_turn_1: report,
        coach_turn_1: coach('approve'),
        turn_state_turn_1: state,
      })
      const { turnsFailed, skipped, warnings } = await runImport()
      expect([turnsFailed, skipped]).toEqual([0, []])
      expect(warnings.map(({ field }) => field).sort()).toEqual([
        'promises[0].confidence',
        'tests_passed',
        'turn_state.coverage',
        'turn_state.duration_seconds',
      ])
      const stored = await turn('TASK-1', 1)
      expect(stored).toMatchObject({ playerSummary: 'Built it', coachDecision: 'approved', coverage: 85 })
      expect([stored.testsPassed, stored.verifications.length]).toEqual([null, 1])
    })

    test('a task that cannot be stored is named, and does not delay others', async () => {
      for (const task of ['TASK-1', 'TASK-2', 'TASK-3']) await write(task, { player_turn_1: player(task) })
      const picky: TurngraphClient = {
        ...client(),
        listWorlds: (input) =>
          input?.taskId === 'TASK-2'
            ? Promise.reject(new TurngraphError('invalid_request', 'No such name.'))
            : client().listWorlds(input),
      }
      const report = await importAutobuild(picky, [root])
      expect(done(report)).toBe('2 created, 0 unchanged, 0 superseded, 1 failed')
      expect(report.warnings).toContainEqual({
        task: 'TASK-2',
        turn: null,
        field: 'task',
        message: 'not stored: No such name.',
      })
    })

    test('a later turn state amends the record in its world', async () => {
      await write('TASK-1', {
        player_turn_1: player('Built it'),
        coach_turn_1: coach('feedback'),
        work_state_turn_1: { timestamp: AT_1 },
        task_work_results: { feature_id: 'FEAT-1', timestamp: AT_1 },
      })
      await runImport()
      await write('TASK-1', {
        turn_state_turn_1: { ...stateAt(AT_2), lessons_from_turn: ['Round late'] },
      })
      expect(done(await runImport())).toBe('0 created, 0 unchanged, 1 superseded, 0 failed')
      expect(await worldsOf('TASK-1')).toEqual({ 'TASK-1': 1 })
      expect(await turn('TASK-1', 1)).toMatchObject({
        lessonsFromTurn: ['Round late'],
        completedAt: '2026-03-01T11:00:00Z',
      })
      expect(done(await runImport())).toBe('0 created, 1 unchanged, 0 superseded, 0 failed')
    })

    test('notes that prove to be boilerplate are replaced, and an old copy of the folder does not restore them', async () => {
      const report = (requirement: string) => ({
        ...player('Work was done.'),
        requirements_addressed: [requirement],
      })
      await write('TASK-1', { player_turn_1: report('Sums'), turn_state_turn_1: stateAt(AT_1) })
      await runImport()
      expect((await turn('TASK-1', 1)).playerSummary).toBe('Work was done.')
      await write('TASK-1', { player_turn_2: report('Tax'), turn_state_turn_2: stateAt(AT_2) })
      expect(done(await runImport())).toBe('1 created, 0 unchanged, 1 superseded, 0 failed')
      const summaries = async () => [
        (await turn('TASK-1', 1)).playerSummary,
        (await turn('TASK-1', 2)).playerSummary,
      ]
      expect(await summaries()).toEqual(['Sums', 'Tax'])
      await rm(path.join(root, 'shop', 'TASK-1'), { recursive: true })
      await write('TASK-1', { player_turn_1: report('Sums'), turn_state_turn_1: stateAt(AT_1) })
      expect(done(await runImport())).toBe('0 created, 1 unchanged, 0 superseded, 0 failed')
      expect(await summaries()).toEqual(['Sums', 'Tax'])
    })

    test('the feedback that the Player got is stored with its turn', async () => {
      await write('TASK-1', { player_turn_1: player('a'), player_turn_2: player('b') })
      await write('TASK-1', { coach_feedback_for_turn_2: { feedback_summary: 'Round the sums' } })
      await runImport()
      expect([
        (await turn('TASK-1', 1)).deliveredFeedback,
        (await turn('TASK-1', 2)).deliveredFeedback,
      ]).toEqual([null, 'Round the sums'])
    })

    test('broken and wrong files are skipped and reported, and unmapped keys are counted', async () => {
      await write('TASK-1', { player_turn_1: { ...player('Built it'), mood: 'good' } })
      await write('TASK-2', { player_turn_1: { ...player('Built it'), mood: 'bad' } })
      await writeFile(path.join(root, 'shop/TASK-2/coach_turn_1.json'), '{"decision":')
      const report = await runImport()
      expect(report.turnsCreated).toBe(2)
      expect(report.unmapped).toMatchObject([{ shape: 'player', key: 'mood', count: 2 }])
      expect(report.skipped).toMatchObject([{ file: path.join(root, 'shop/TASK-2/coach_turn_1.json') }])
    })
  })
})

const late = () => new TurngraphError('timeout', 'The graph did not answer in time.')
const storeAway = () => new TurngraphError('store_unavailable', 'The graph is away.')
const refused = () =>
  new TurngraphError('invalid_request', 'player_summary: is too long', {
    details: { problems: [{ path: 'player_summary', message: 'is too long' }] },
  })
