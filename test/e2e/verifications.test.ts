import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** `turngraph verifications add` with real processes, on a graph of its own and through a service. */

const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']
const add = ['verifications', 'add']
const turn = (turn_number: number) => ({
  feature_id: 'FEAT-1',
  task_id: 'TASK-1',
  turn_number,
  player_summary: 'Built it',
})
const SEEN = { criterion_id: 'AC-001', status: 'verified', source: 'person', evidence: 'I opened the page' }
const LATE = { criterion_id: 'AC-002', status: 'rejected', source: 'validator', evidence: 'It is slow' }

/** A task with two turns, in a graph that the commands open or that a service has. */
async function start(isServed: boolean) {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  if (isServed) await user.startService()
  const run = (args: readonly string[], input?: unknown, environment: Record<string, string> = {}) =>
    user.run(args, {
      environment,
      ...(input !== undefined && { input: typeof input === 'string' ? input : JSON.stringify(input) }),
    })
  for (const number of [1, 2]) expect((await run(['capture'], turn(number))).code).toBe(0)
  const write = (name: string, content: unknown) =>
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  const states = async () => {
    const { stdout } = await run(['criteria', ...task, '--json'])
    const { criteria } = JSON.parse(stdout) as { criteria: { criterion_id: string; state: string }[] }
    return criteria.map(({ criterion_id, state }) => [criterion_id, state])
  }
  return { run, write, states }
}

test.each([
  ['a graph of its own', false],
  ['a service', true],
])(
  'verifications from a file or standard input count on %s, and a repeated call changes nothing',
  async (_, isServed) => {
    const { run, write, states } = await start(isServed)
    write('two.json', [SEEN, LATE])
    const added = 'Added 2 verifications to turn 2 of world TASK-1.\n'
    expect(await run([...add, 'two.json', ...task])).toEqual({ code: 0, stdout: added, stderr: '' })
    expect(await states()).toEqual([
      ['AC-001', 'verified'],
      ['AC-002', 'rejected'],
    ])
    const nothing = 'Nothing changed: turn 2 of world TASK-1 already has the 2 verifications.\n'
    expect(await run([...add, 'two.json', ...task])).toEqual({ code: 0, stdout: nothing, stderr: '' })
    const third = { ...SEEN, criterion_id: 'AC-003' }
    const some = await run([...add, '--task', 'TASK-1'], [SEEN, LATE, third])
    expect(some.stdout).toBe(
      'Added 1 verification to turn 2 of world TASK-1 (2 of 3 verifications were already there).\n',
    )
    const json = await run([...add, '--world', 'TASK-1', '--turn', '1', '--json'], SEEN)
    expect(JSON.parse(json.stdout)).toMatchObject({
      world_slug: 'TASK-1',
      turn_number: 1,
      added: 1,
      verifications: [{ ...SEEN, added_by: isServed ? 'data folder' : null }],
    })
  },
)

test('each JSON line is one verification, and a whole request names its own turn', async () => {
  const { run, states } = await start(false)
  const lines = await run([...add, ...task], `${JSON.stringify(SEEN)}\n\n${JSON.stringify(LATE)}\n`)
  expect(lines.stdout).toBe('Added 2 verifications to turn 2 of world TASK-1.\n')
  const request = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, verifications: [SEEN] }
  expect((await run(add, request)).stdout).toBe('Added 1 verification to turn 1 of world TASK-1.\n')
  // An option overrides the field of the request.
  const moved = await run([...add, '--turn', '2'], request)
  expect(moved.stdout).toBe('Nothing changed: turn 2 of world TASK-1 already has the 1 verification.\n')
  expect(await states()).toEqual([
    ['AC-001', 'verified'],
    ['AC-002', 'rejected'],
  ])
})

test('verifications without a task are for the task of the folder', async () => {
  const { run, states } = await start(false)
  await run(['task', 'set', 'FEAT-1/TASK-1'])
  const added = await run(add, [SEEN])
  expect(added.stdout).toBe('Added 1 verification to turn 2 of world TASK-1.\n')
  expect(await states()).toEqual([['AC-001', 'verified']])
})

test('a task file does not replace the project of the environment', async () => {
  const { run, states } = await start(false)
  await run(['task', 'set', 'FEAT-1/TASK-1', '--project', 'committed-by-others'])
  const elsewhere = await run(add, [SEEN])
  expect([elsewhere.code, elsewhere.stdout]).toEqual([4, ''])
  const added = await run(add, [SEEN], { TURNGRAPH_PROJECT: 'default' })
  expect(added.stdout).toBe('Added 1 verification to turn 2 of world TASK-1.\n')
  expect(await states()).toEqual([['AC-001', 'verified']])
})

test('invalid input is rejected with the name of the field, and nothing is stored', async () => {
  const { run, states } = await start(false)
  const refused: [input: unknown, args: readonly string[], code: number, words: string][] = [
    [{ ...SEEN, status: 'perhaps' }, task, 2, 'verifications[0].status'],
    [[SEEN, { ...LATE, proof: 'x' }], task, 2, 'verifications[1].proof'],
    [{ verification: [SEEN] }, task, 2, 'verifications[0].criterion_id: is missing'],
    [
      { criterion_text: 'It rounds', status: 'verified', turn_number: 1 },
      task,
      2,
      'verifications[0].criterion_id: is missing',
    ],
    [
      { turn_number: 1, verification: [SEEN] },
      task,
      2,
      'the verifications: verification: is not a known field',
    ],
    [{ turn_number: 1 }, task, 2, 'verifications: is missing; send some, or test reports'],
    [
      { turn_number: 1, tap: [''], status: 'verified' },
      task,
      2,
      'the verifications: status: is not a known field',
    ],
    [[], task, 2, 'verifications'],
    ['{"criterion_id": ', task, 2, 'Standard input is no JSON'],
    [`${JSON.stringify(SEEN)}\n{"criterion_id": \n`, task, 2, 'Line 2 is no JSON'],
    ['', task, 2, 'no JSON'],
    [SEEN, [], 2, 'No task is named, and none is set for this folder.'],
    [SEEN, ['--feature', 'FEAT-1'], 2, 'Name it with --feature and --task'],
    [SEEN, [...task, '--turn', '3'], 4, 'has no turn 3'],
    [SEEN, ['--task', 'TASK-9'], 4, 'TASK-9'],
    [SEEN, ['--feature', 'FEAT-1', '--task', 'TASK-9'], 4, 'TASK-9'],
  ]
  for (const [input, args, code, words] of refused) {
    const ran = await run([...add, ...args], input)
    expect({ words, code: ran.code, stdout: ran.stdout }).toEqual({ words, code, stdout: '' })
    expect(ran.stderr).toContain(words)
  }
  const absent = await run([...add, 'absent.json', ...task])
  expect([absent.code, absent.stderr]).toEqual([4, expect.stringContaining('absent.json is not there')])
  expect(await states()).toEqual([])
})
