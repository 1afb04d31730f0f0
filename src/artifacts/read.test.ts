import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findTaskFolders } from './folders.ts'
import { readFolders } from './read.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'turngraph-autobuild-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(path: string, content: unknown): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
}

const readAutobuild = async (
  paths: readonly string[],
  onProgress?: (done: number, total: number) => void,
  features?: ReadonlyMap<string, string>,
) => readFolders(await findTaskFolders(paths), features, onProgress)

const player = (notes: string) => ({ implementation_notes: notes })
const coach = (decision: string) => ({ decision, rationale: `It is ${decision}.` })
const stateAt = (completed_at: string, feature_id = 'FEAT-1') => ({
  feature_id,
  player_decision: 'feedback',
  started_at: completed_at,
  completed_at,
})

describe('finding tasks', () => {
  test('finds tasks at any depth, and each task once if paths overlap', async () => {
    await write('shop/.guardkit/autobuild/TASK-1/player_turn_1.json', player('a'))
    await write('shop/deep/er/TASK-2/coach_turn_1.json', coach('approve'))
    await write('shop/node_modules/x/TASK-3/player_turn_1.json', player('a'))
    await write('shop/.git/TASK-4/player_turn_1.json', player('a'))
    await write('shop/TASK-5/work_state_turn_1.json', {})
    await symlink(join(root, 'shop'), join(root, 'shop/deep/loop'))
    const progress: string[] = []
    const paths = [join(root, 'shop/deep'), root, join(root, 'shop/deep/er/TASK-2')]
    const { tasks } = await readAutobuild(paths, (done, total) => progress.push(`${done}/${total}`))
    expect(tasks.map((task) => task.taskId)).toEqual(['TASK-1', 'TASK-2'])
    expect(progress).toEqual(['1/2', '2/2'])
  })

  test('a path that is not a folder is an error that names the path', async () => {
    const missing = join(root, 'nowhere')
    await write('file.json', '{}')
    const reading = readAutobuild([root, missing, join(root, 'file.json')])
    await expect(reading).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(missing),
      details: { paths: [missing, join(root, 'file.json')] },
    })
  })

  test('the same task id in two repositories is two tasks', async () => {
    await write('a/.guardkit/autobuild/TASK-1/player_turn_1.json', player('in a'))
    await write('b/.guardkit/autobuild/TASK-1/player_turn_1.json', player('in b'))
    const { tasks } = await readAutobuild([join(root, 'b'), join(root, 'a')])
    expect(tasks.map((task) => task.runs[0]?.[0]?.player_summary)).toEqual(['in a', 'in b'])
  })

  test("the Coach's files in autobuild-private belong to the task in the neighboring folder", async () => {
    await write('.guardkit/autobuild/TASK-1/player_turn_1.json', player('a'))
    await write('.guardkit/autobuild/TASK-1/coach_turn_1.json', coach('feedback'))
    await write('.guardkit/autobuild-private/TASK-1/coach_turn_1.json', coach('approve'))
    const { tasks, skipped } = await readAutobuild([root])
    expect(tasks).toHaveLength(1)
    expect(tasks[0]?.runs).toMatchObject([[{ player_summary: 'a', coach_decision: 'approve' }]])
    expect(skipped).toEqual([
      {
        file: join(root, '.guardkit/autobuild/TASK-1/coach_turn_1.json'),
        reason: 'another folder of the task has this file too',
      },
    ])
  })

  test("the Coach's files are found if the Player works in a worktree", async () => {
    await write('.guardkit/worktrees/FEAT-1/.guardkit/autobuild/TASK-1/player_turn_1.json', player('a'))
    await write('.guardkit/autobuild-private/TASK-1/coach_turn_1.json', coach('approve'))
    await write('.guardkit/autobuild-private/TASK-2/coach_turn_1.json', coach('approve'))
    const { tasks } = await readAutobuild([root])
    expect(tasks.map(({ taskId, runs }) => [taskId, runs[0]?.[0]?.player_decision])).toEqual([
      ['TASK-1', 'implemented'],
      ['TASK-2', 'unknown'],
    ])
  })
})

describe('the feature of a task', () => {
  test('comes from a turn state, also for a turn without one', async () => {
    await write('TASK-1/turn_state_turn_1.json', stateAt('2026-03-09T10:00:00', 'FEAT-7'))
    await write('TASK-1/player_turn_2.json', player('b'))
    await write('TASK-1/task_work_results.json', { feature_id: 'FEAT-8' })
    const { tasks } = await readAutobuild([root])
    expect(tasks.map(({ featureId, runs }) => [featureId, runs.flat().map((t) => t.feature_id)])).toEqual([
      ['FEAT-7', ['FEAT-7', 'FEAT-7']],
    ])
  })

  test('comes from the results, then from the folder whose events name the task', async () => {
    await write('x/TASK-1/player_turn_1.json', player('a'))
    await write('x/TASK-1/task_work_results.json', { feature_id: 'FEAT-8' })
    await write('x/TASK-2/player_turn_1.json', player('a'))
    await write(
      'x/FEAT-A/events.jsonl',
      '{"task_id":"TASK-2","timestamp":"2026-03-08"}\n{"task_id":"TASK-1"}\n',
    )
    await write('x/FEAT-B/events.jsonl', '{"task_id":"TASK-2","timestamp":"2026-03-09"}\nbroken\n')
    const { tasks, skipped, warnings } = await readAutobuild([root])
    expect(tasks.map(({ taskId, featureId }) => [taskId, featureId])).toEqual([
      ['TASK-1', 'FEAT-8'],
      ['TASK-2', 'FEAT-B'],
    ])
    expect(skipped).toEqual([
      { file: join(root, 'x/FEAT-B/events.jsonl'), reason: 'holds lines that are not events: 1' },
    ])
    expect(warnings).toEqual([])
  })

  test("comes from the task's file if no artifact names it", async () => {
    await write('TASK-1/player_turn_1.json', player('a'))
    await write('TASK-2/turn_state_turn_1.json', stateAt('2026-03-09T12:00:00', 'FEAT-1'))
    const features = new Map([
      ['TASK-1', ' FEAT-9 '],
      ['TASK-2', 'FEAT-9'],
    ])
    const { tasks, warnings } = await readAutobuild([root], undefined, features)
    expect(tasks.map(({ taskId, featureId }) => [taskId, featureId])).toEqual([
      ['TASK-2', 'FEAT-1'],
      ['TASK-1', 'FEAT-9'],
    ])
    expect(warnings.filter(({ field }) => field === 'feature_id')).toEqual([])
  })

  test('is FEAT-UNKNOWN with a warning if it is not named anywhere', async () => {
    await write('TASK-1/player_turn_1.json', player('a'))
    const { tasks, warnings } = await readAutobuild([root])
    expect(tasks[0]?.featureId).toBe('FEAT-UNKNOWN')
    expect(warnings).toMatchObject([{ task: 'TASK-1', turn: null, field: 'feature_id' }])
  })

  test('separates the tasks if a re-run belongs to another feature', async () => {
    await write('TASK-1/turn_state_turn_1.json', stateAt('2026-03-09T12:00:00', 'FEAT-2'))
    await write('TASK-1/turn_state_turn_2.json', stateAt('2026-03-09T10:00:00', 'FEAT-1'))
    const { tasks, warnings } = await readAutobuild([root])
    expect(tasks.map(({ featureId, runs }) => [featureId, runs.flat().map((t) => t.turn_number)])).toEqual([
      ['FEAT-1', [2]],
      ['FEAT-2', [1]],
    ])
    expect(warnings.filter(({ field }) => field === 'feature_id')).toHaveLength(1)
  })
})

test('runs come oldest first, and the results belong only to the newest run', async () => {
  await write('TASK-1/turn_state_turn_1.json', stateAt('2026-03-09T12:00:00'))
  await write('TASK-1/turn_state_turn_2.json', stateAt('2026-03-09T10:00:00'))
  await write('TASK-1/turn_state_turn_10.json', stateAt('2026-03-09T11:00:00'))
  await write('TASK-1/task_work_results.json', {
    summary: 'The last turn.',
    quality_gates: { tests_passed: 4 },
  })
  const { tasks } = await readAutobuild([root])
  expect(tasks[0]?.runs.map((run) => run.map((turn) => [turn.turn_number, turn.player_summary]))).toEqual([
    [
      [2, ''],
      [10, ''],
    ],
    [[1, 'The last turn.']],
  ])
})

test('broken files, wrong shapes and wrong numbers are skipped, and the rest of the turn is read', async () => {
  await write('TASK-1/player_turn_1.json', coach('approve'))
  await write('TASK-1/coach_turn_1.json', coach('approve'))
  await write('TASK-1/player_turn_2.json', '{"implementation_notes": "cut')
  await write('TASK-1/player_turn_0.json', player('a'))
  await write('TASK-1/coach_turn_03.json', coach('approve'))
  await write('TASK-1/checkpoints.json', '[]')
  const { tasks, skipped } = await readAutobuild([root])
  expect(tasks[0]?.runs).toMatchObject([
    [{ turn_number: 1, player_decision: 'unknown', coach_decision: 'approve' }],
  ])
  expect(skipped.map(({ file, reason }) => [file.slice(root.length + 8), reason])).toEqual([
    ['checkpoints.json', 'is not a JSON object'],
    ['coach_turn_03.json', '"03" is not a turn number from 1 to 1,000,000'],
    ['player_turn_0.json', '"0" is not a turn number from 1 to 1,000,000'],
    ['player_turn_1.json', 'is a Coach report, not a Player report'],
    ['player_turn_2.json', 'is not valid JSON'],
  ])
})

test('a file over 16 MiB is skipped', async () => {
  await write('TASK-1/player_turn_1.json', player('x'.repeat(16 * 1024 * 1024)))
  const { tasks, skipped } = await readAutobuild([root])
  expect(tasks).toEqual([])
  expect(skipped).toMatchObject([{ reason: expect.stringContaining('over the limit') }])
})

test('unmapped keys are counted, with the first file as example', async () => {
  await write('TASK-1/player_turn_1.json', { ...player('a'), mood: 'good', aim: 1 })
  await write('TASK-2/player_turn_1.json', { ...player('a'), mood: 'bad' })
  const { unmapped } = await readAutobuild([root])
  const example = join(root, 'TASK-1/player_turn_1.json')
  expect(unmapped).toEqual([
    { shape: 'player', key: 'aim', count: 1, example },
    { shape: 'player', key: 'mood', count: 2, example },
  ])
})

test('every unread file and every unmapped key is reported', async () => {
  await write('TASK-1/player_turn_1.json', player('a'))
  await write('TASK-1/work_state_turn_2.json', { timestamp: '2026-03-09T10:00:00', mood: 'good' })
  await write('TASK-1/work_state_turn_1.json', { timestamp: '2026-03-09T10:00:00', mood: 'good' })
  await write('TASK-1/task_work_results.json', {
    summary: 'x',
    phases: {},
    quality_gates: { all_passed: true },
  })
  await write('TASK-1/checkpoints.json', { checkpoints: [{ turn: 1, message: 'done' }] })
  await write('TASK-1/phase_1_summary.json', {})
  await write('TASK-1/phase_2_summary.json', {})
  await write('TASK-1/Player_turn_3.json', player('b'))
  await write('TASK-2/task_work_results.json', { summary: 'x' })
  await write('elsewhere/TASK-3/player_turn_1.json', player('c'))
  await symlink(join(root, 'elsewhere/TASK-3'), join(root, 'TASK-3'))
  const { unread, skipped, unmapped } = await readAutobuild([root])
  expect(unread).toEqual([
    { name: 'Player_turn_N.json', count: 1, example: join(root, 'TASK-1/Player_turn_3.json') },
    { name: 'phase_N_summary.json', count: 2, example: join(root, 'TASK-1/phase_1_summary.json') },
  ])
  expect(skipped).toEqual([
    { file: join(root, 'TASK-1/work_state_turn_2.json'), reason: 'its turn has no other file' },
    { file: join(root, 'TASK-2/task_work_results.json'), reason: 'its folder holds no turn' },
    { file: join(root, 'TASK-3'), reason: 'is a link; links are not followed' },
  ])
  expect(unmapped.map(({ shape, key }) => `${shape} ${key}`)).toEqual([
    'checkpoints.checkpoints[] message',
    'task_work_results phases',
    'task_work_results.quality_gates all_passed',
    'work_state mood',
  ])
})

test('a file that names another turn or task than its path is reported', async () => {
  await write('TASK-1/player_turn_1.json', { ...player('a'), turn: 2, task_id: 'TASK-1' })
  await write('TASK-1/turn_state_turn_1.json', { ...stateAt('2026-03-09T10:00:00'), task_id: 'TASK-9' })
  const { tasks, warnings } = await readAutobuild([root])
  expect(tasks[0]?.runs).toMatchObject([[{ task_id: 'TASK-1', turn_number: 1 }]])
  expect(warnings.filter(({ field }) => ['turn_number', 'task_id'].includes(field))).toEqual([
    {
      task: 'TASK-1',
      turn: 1,
      field: 'turn_number',
      message: 'the player file says 2; its name says 1, which counts',
    },
    {
      task: 'TASK-1',
      turn: 1,
      field: 'task_id',
      message: 'the turn_state file says "TASK-9"; its folder says "TASK-1", which counts',
    },
  ])
})

test('reading the same folder again gives the same result, in a total order', async () => {
  for (const task of ['TASK-9', 'TASK-10', 'TASK-1']) {
    await write(`${task}/turn_state_turn_1.json`, stateAt('2026-03-09T10:00:00', `FEAT-${task.length}`))
  }
  const first = await readAutobuild([root])
  expect(first.tasks.map((task) => task.taskId)).toEqual(['TASK-1', 'TASK-9', 'TASK-10'])
  expect(await readAutobuild([root])).toEqual(first)
})

// Real data is outside of the repository. The test runs if the corpus exists, and must run in CI.
const corpus = join(import.meta.dirname, '../../../shared/corpus/autobuild')
test.skipIf(!existsSync(corpus) && process.env.REQUIRE_CORPUS !== '1')(
  'the corpus is read whole',
  async () => {
    const { tasks, skipped, warnings, unmapped } = await readAutobuild([corpus])
    const turns = tasks.flatMap((task) => task.runs.flat())
    const count = (list: 'verifications' | 'promises' | 'issues') =>
      turns.reduce((sum, turn) => sum + (turn[list]?.length ?? 0), 0)
    expect({ tasks: tasks.length, worlds: tasks.flatMap((t) => t.runs).length, turns: turns.length }).toEqual(
      {
        tasks: 84,
        worlds: 85,
        turns: 124,
      },
    )
    expect([count('verifications'), count('promises'), count('issues')]).toEqual([1026, 1099, 230])
    expect(skipped).toEqual([])
    // The checks of the tree in this turn differ from the Player's report.
    expect(warnings.map(({ task, turn, field }) => `${task} ${turn} ${field}`)).toEqual([
      'TASK-SKEL-001 1 promises',
      'TASK-SKEL-004 6 promises',
      'TASK-TRS-001 1 promises',
      'TASK-VID-001 1 promises',
    ])
    const accounts = unmapped.filter(({ shape }) => /^(player|coach|turn_state)/.test(shape))
    expect(new Set(accounts.map(({ shape }) => shape))).toEqual(new Set(['coach.issues[]']))
    const mixed = tasks.find((task) => task.taskId === 'TASK-RIP-007')
    expect(mixed?.runs.map((run) => run.map((turn) => turn.turn_number))).toEqual([[2, 3], [1]])
  },
)

describe('task_work_results.json belongs to the turn that wrote it', () => {
  const folder = '.guardkit/autobuild/TASK-1'
  const results = (timestamp?: string) => ({
    summary: 'Wrote the till',
    completion_promises: [{ criterion_id: 'AC-1', status: 'complete' }],
    ...(timestamp !== undefined && { timestamp }),
  })
  const promisesByTurn = async () => {
    const { tasks } = await readAutobuild([root])
    return tasks.flatMap(({ runs }) => runs.flat()).map(({ promises = [] }) => promises.length)
  }
  const twoTurns = async (second: object) => {
    await write(`${folder}/player_turn_1.json`, { files_modified: ['a.ts'] })
    await write(`${folder}/turn_state_turn_1.json`, stateAt('2026-03-09T10:00:00'))
    await write(`${folder}/turn_state_turn_2.json`, second)
  }

  test('a turn that the Player never finished does not inherit the results of the previous turn', async () => {
    await twoTurns({ ...stateAt('2026-03-09T10:30:00'), coach_decision: 'error' })
    await write(`${folder}/task_work_results.json`, results('2026-03-09T09:58:00'))
    expect(await promisesByTurn()).toEqual([1, 0])
  })

  test('results from before the start of the turn do not belong to that turn', async () => {
    const started = { ...stateAt('2026-03-09T10:30:00'), started_at: '2026-03-09T10:10:00' }
    await twoTurns({ ...started, coach_decision: 'error' })
    await write(`${folder}/task_work_results.json`, results('2026-03-09T10:05:00'))
    expect(await promisesByTurn()).toEqual([0, 0])
  })

  test('results of a turn that does not exist yet belong to no turn', async () => {
    await twoTurns(stateAt('2026-03-09T10:30:00'))
    await write(`${folder}/task_work_results.json`, results('2026-03-09T10:45:00'))
    expect(await promisesByTurn()).toEqual([0, 0])
  })

  test('without a time of their own, the time of the file counts, unless it was copied', async () => {
    await twoTurns({ ...stateAt('2026-03-09T10:30:00'), coach_decision: 'error' })
    await write(`${folder}/task_work_results.json`, results())
    expect(await promisesByTurn()).toEqual([0, 1])
    const written = new Date('2026-03-09T09:58:00Z')
    await utimes(join(root, folder, 'task_work_results.json'), written, written)
    expect(await promisesByTurn()).toEqual([1, 0])
  })
})

test('a rollback archive is not read as a task, neither below its task nor as a given path', async () => {
  const archive = '.guardkit/autobuild/TASK-1/_rollback_archive'
  await write('.guardkit/autobuild/TASK-1/player_turn_1.json', player('kept'))
  await write(`${archive}/turn_2_20260309T100000/player_turn_2.json`, player('withdrawn'))
  const { tasks, skipped, unread, warnings } = await readAutobuild([root])
  expect(tasks.map(({ taskId, runs }) => [taskId, runs.flat().length])).toEqual([['TASK-1', 1]])
  expect([skipped, unread]).toEqual([[], []])
  expect(warnings).toContainEqual({
    task: 'TASK-1',
    turn: null,
    field: '_rollback_archive',
    message: expect.stringMatching(/^holds withdrawn turns, .*turngraph worlds rollback WORLD --to-turn N/),
  })
  const inside = await readAutobuild([join(root, archive, 'turn_2_20260309T100000')])
  expect([inside.tasks, inside.skipped.map(({ reason }) => reason)]).toEqual([
    [],
    ['holds turns that were rolled back'],
  ])
})

test('the feedback file of a turn is the feedback that its Player received', async () => {
  for (const turn of [1, 2]) await write(`TASK-1/player_turn_${turn}.json`, player(`turn ${turn}`))
  await write('TASK-1/coach_feedback_for_turn_2.json', { turn: 2, raw_feedback: '- Round the sums' })
  await write('TASK-1/coach_feedback_for_turn_3.json', { turn: 3, raw_feedback: '- Nobody read this' })
  const { tasks, unread, unmapped, skipped } = await readAutobuild([root])
  const given = tasks.flatMap(({ runs }) => runs.flat()).map(({ delivered_feedback }) => delivered_feedback)
  expect(given).toEqual([undefined, '- Round the sums'])
  expect([unread, unmapped, skipped]).toEqual([[], [], []])
})

describe('the summary is never boilerplate if the report has a better text', () => {
  const summaries = async (reports: object[]) => {
    for (const [i, report] of reports.entries()) await write(`TASK-1/player_turn_${i + 1}.json`, report)
    const { tasks } = await readAutobuild([root])
    return tasks.flatMap(({ runs }) => runs.flat()).map(({ player_summary }) => player_summary)
  }
  const addressed = (notes: string, ...requirements: string[]) => ({
    implementation_notes: notes,
    requirements_addressed: requirements,
  })

  test('requirements_addressed comes before the delegation sentence', async () => {
    const notes = 'Implementation via task-work delegation. Files planned: 0, Files actual: 3'
    expect(await summaries([addressed(notes, 'Sums are rounded', 'Tax is added')])).toEqual([
      'Sums are rounded; Tax is added',
    ])
  })

  test('requirements_addressed comes before notes that more than half of the turns share', async () => {
    const same = 'Work was done.'
    const reports = [addressed(same, 'A'), addressed(same, 'B'), addressed('Wrote the parser', 'C')]
    expect(await summaries(reports)).toEqual(['A', 'B', 'Wrote the parser'])
  })

  test('notes of one turn, or of half of the turns, are not boilerplate', async () => {
    const same = 'Work was done.'
    expect(await summaries([addressed(same, 'A')])).toEqual([same])
    expect(
      await summaries([addressed(same, 'A'), addressed(same, 'B'), addressed('x', 'C'), addressed('y')]),
    ).toEqual([same, same, 'x', 'y'])
  })

  test('boilerplate is used if there is no other text', async () => {
    const notes = 'Implementation via task-work delegation'
    expect(await summaries([addressed(notes)])).toEqual([notes])
  })
})

test('an invalid time is reported once per file, and the other fields of the file are used', async () => {
  await write('TASK-1/player_turn_1.json', player('a'))
  await write('TASK-1/work_state_turn_1.json', { timestamp: 'late' })
  await write('TASK-1/turn_state_turn_1.json', { ...stateAt('soon'), started_at: '2026-01-01T00:00:00Z' })
  await write('TASK-1/task_work_results.json', { timestamp: 'today', summary: 'All done' })
  await write('TASK-1/checkpoints.json', {
    checkpoints: [
      { turn: 1, commit_hash: 'a', timestamp: '2026-01-01T00:00:09Z' },
      { turn: 1, commit_hash: 'b', timestamp: '1767225600' },
      { turn: 2, commit_hash: 'c', timestamp: '09.01.2026' },
    ],
  })
  const { tasks, warnings } = await readAutobuild([root])
  expect(tasks[0]?.runs[0]?.[0]).toMatchObject({
    started_at: '2026-01-01T00:00:00Z',
    completed_at: '2026-01-01T00:00:09Z',
    commit: 'a',
  })
  const isNoTime = (text: string, more = '') => `"${text}" is not an ISO 8601 time; it is left out${more}`
  expect(warnings.map(({ turn, field, message }) => [turn, field, message])).toEqual([
    [null, 'task_work_results.timestamp', isNoTime('today')],
    [null, 'checkpoints.checkpoints[1].timestamp', isNoTime('1767225600', ' (and 1 more)')],
    [1, 'turn_state.completed_at', isNoTime('soon')],
    [1, 'work_state.timestamp', isNoTime('late')],
  ])
})

test('invalid times of events are reported once per file, and do not determine the feature', async () => {
  await write('x/.guardkit/autobuild/TASK-1/player_turn_1.json', player('a'))
  await write('x/.guardkit/autobuild/TASK-2/player_turn_1.json', player('a'))
  const log = (timestamp: string) => `{"task_id":"TASK-1","timestamp":"${timestamp}"}\n`
  await write('x/.guardkit/autobuild/FEAT-A/events.jsonl', log('yesterday') + log('soon'))
  await write('x/.guardkit/autobuild/FEAT-B/events.jsonl', log('2026-03-08T10:00:00Z'))
  const { tasks, warnings } = await readAutobuild([root])
  expect(tasks.map(({ taskId, featureId }) => [taskId, featureId])).toEqual([
    ['TASK-1', 'FEAT-B'],
    ['TASK-2', 'FEAT-UNKNOWN'],
  ])
  const shown = join(root, 'x/.guardkit/autobuild/FEAT-A/events.jsonl')
  expect(warnings.filter(({ field }) => field === 'events.timestamp')).toEqual([
    {
      task: 'TASK-1',
      turn: null,
      field: 'events.timestamp',
      message: `${shown} has times that are not ISO 8601: 2; they are left out`,
    },
  ])
})
