import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** Runs the examples in the same way as a reader. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const inCheckout = promisify(execFile)

test('examples/autobuild: a session ends after three turns with the memory, and never without it', async () => {
  const { stdout } = await inCheckout(process.execPath, ['--import', 'tsx', 'examples/autobuild/main.ts'], {
    cwd: root,
  })
  const [withMemory = '', without = ''] = stdout.split('Without it')
  expect(withMemory).toContain('approved after 3 turns')
  expect(withMemory).toContain(
    'turn 3, the player is told: Feedback: Not met yet: AC-003 · ✓ AC-001: verified (turn 1) · ✓ AC-002: verified\n',
  )
  expect(withMemory).toMatch(/turn 3, the coach is told: .*Promises recovered from turn 1: 3/)
  expect(without).toContain('max_turns after 5 turns')
  expect(without).not.toContain('approved')
})

test('examples/autobuild: a Coach that forgets a criterion approves without it, but not if the task declares it', async () => {
  const { stdout } = await inCheckout(
    process.execPath,
    ['--import', 'tsx', 'examples/autobuild/forgetful-coach.ts'],
    { cwd: root },
  )
  expect(stdout.trim().split('\n')).toEqual([
    'Nothing is declared',
    '  turn 1: feedback; 1 of 1 verified',
    '  turn 2: approved; 2 of 2 verified',
    '  approved after 2 turns',
    '',
    'The task declares what must hold',
    '  turn 1: feedback; 1 of 3 verified, AC-002 was never judged, AC-003 was never judged',
    '  turn 2: feedback; 2 of 3 verified, AC-003 was never judged',
    '  turn 3: approved; 3 of 3 verified',
    '  approved after 3 turns',
  ])
})

test('examples/autobuild: a Coach that believes a false claim approves it, but not if the loop runs the tests', async () => {
  const { stdout } = await inCheckout(
    process.execPath,
    ['--import', 'tsx', 'examples/autobuild/seen-on-this-tree.ts'],
    { cwd: root },
  )
  expect(stdout.trim().split('\n')).toEqual([
    'The Coach believes the Player',
    '  turn 1: approved; AC-001 is verified, repeated',
    '  approved after 1 turn',
    '',
    'The loop runs the tests',
    '  turn 1: seen: `node half.test.mjs` exited with 1',
    '  turn 1: feedback; AC-001 is verified, contested',
    '  turn 2: seen: `node half.test.mjs` exited with 0',
    '  turn 2: approved; AC-001 is verified, observed',
    '  approved after 2 turns',
  ])
})

/** A program that answers like Claude Code with `--print --output-format json`, as a Player and a Coach. */
const CLAUDE = `#!/usr/bin/env node
let prompt = ''
process.stdin.on('data', (text) => { prompt += text }).on('end', () => {
  const coach = prompt.includes('You are the Coach')
  const second = prompt.includes('Previous Turn Summary (Turn 1)')
  const answer = coach
    ? { coach_decision: second ? 'approved' : 'feedback', verifications: [{ criterion_id: second ? 'AC-2' : 'AC-1', status: 'verified' }] }
    : { player_summary: second ? 'Built the rest' : 'Built the lid', player_decision: 'implemented' }
  process.stdout.write(JSON.stringify({ type: 'result', result: 'Here it is:\\n' + JSON.stringify(answer) }))
})
`

test('examples/claude-code: claude executes the turns of a turn run', async () => {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'claude'), CLAUDE)
  chmodSync(path.join(folder, 'claude'), 0o755)
  const task = path.join(folder, 'TASK.md')
  writeFileSync(task, '- AC-1: the lid closes\n- AC-2: it opens\n')
  const user = commandsOn(folder)
  const environment = {
    TURNGRAPH_EXECUTORS: path.join(root, 'examples/claude-code/executors.json'),
    TASK_FILE: task,
    PATH: `${folder}${path.delimiter}${process.env.PATH}`,
  }
  const run = (...args: string[]) => user.run(args, { environment })
  await run('worlds', 'create', 'w', '--feature', 'F', '--task', 'T', '--executor', 'claude')
  const ran = await run('run', 'start', 'w', '--turns', '2')
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 turns committed') })
  const turns = JSON.parse((await run('worlds', 'turns', 'w', '--json')).stdout).items
  expect(turns.map((turn: Record<string, unknown>) => [turn.player_summary, turn.coach_decision])).toEqual([
    ['Built the lid', 'feedback'],
    ['Built the rest', 'approved'],
  ])
})

test.each([
  ['with the hooks', ['turn 1: AC-001', 'turn 2: AC-002', 'turn 3: AC-003', 'stopped: 3 of 3 proven']],
  ['without them', ['turn 1: AC-001', 'stopped: 1 of 3 proven']],
])('examples/claude-code: an agent that loses its context mid-task, %s', async (name, expected) => {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  const { url } = await user.startService()
  mkdirSync(path.join(folder, '.turngraph'))
  writeFileSync(
    path.join(folder, '.turngraph/task.json'),
    JSON.stringify({ feature_id: 'FEAT-BOX', task_id: 'TASK-BOX' }),
  )
  const list = '- AC-001: the lid closes\n- AC-002: the lid opens\n- AC-003: the lid is red\n'
  const task = `---\nid: TASK-BOX\nfeature_id: FEAT-BOX\n---\n\n## Acceptance criteria\n\n${list}`
  writeFileSync(path.join(folder, 'TASK.md'), task)
  expect(await user.run(['specify', path.join(folder, 'TASK.md')])).toMatchObject({ code: 0 })
  const settings = path.join(folder, 'settings.json')
  if (name === 'with the hooks') await user.spawn(['hook', 'install', '--gate', '--settings', settings])
  const env = {
    ...process.env,
    TURNGRAPH_URL: url,
    TURNGRAPH_TOKEN: readFileSync(path.join(user.folder, 'token'), 'utf8').trim(),
    TURNGRAPH_HOOK_WAIT_MS: '30000',
  }
  const agent = path.join(root, 'examples/claude-code/compacted-agent.mjs')
  const { stdout } = await inCheckout(process.execPath, [agent, settings], { cwd: folder, env })
  expect(stdout.trim().split('\n')).toEqual(expected)
})

const LANGGRAPH = ['--import', 'tsx', 'examples/langgraph/main.ts']
const SESSION = ['1. Built AC-001 → feedback', '2. Built AC-002 → feedback', '3. Built AC-003 → approved']

test('examples/langgraph: killed after a node, twice, graph and memory go on together', async () => {
  const folder = temporaryFolder()
  const run = (...killedAt: string[]) =>
    inCheckout(process.execPath, [...LANGGRAPH, folder, ...killedAt], { cwd: root })
  const places = ['play:2', 'record:2']
  for (const [i, place] of [...places, null].entries()) {
    const ran = run(...(place === null ? [] : [place]))
    if (place !== null) await expect(ran).rejects.toMatchObject({ signal: 'SIGKILL' })
    const { stdout } = await ran.catch((error: { stdout: string }) => error)
    const lines = stdout.trim().split('\n')
    const [name, turn] = places[i - 1]?.split(':') ?? []
    if (name !== undefined) expect(lines[0]).toBe(`turn ${turn}: ${name}`) // finished work is not repeated
    if (place === null) expect(lines.slice(-3)).toEqual(SESSION)
  }
})

const python = await promisify(execFile)('python3', ['--version']).then(
  () => true,
  () => false,
)

test.skipIf(!python)('examples/python: an orchestrator over REST in at most 40 lines', async () => {
  const file = path.join(root, 'examples/python/orchestrator.py')
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  const user = commandsOn(temporaryFolder())
  const { url } = await user.startService()
  const env = {
    ...process.env,
    TURNGRAPH_URL: url,
    TURNGRAPH_TOKEN: readFileSync(path.join(user.folder, 'token'), 'utf8').trim(),
  }
  const { stdout } = await inCheckout('python3', [file, 'FEAT-PY', 'TASK-PY'], { env })
  expect(stdout.trim().split('\n')).toEqual([
    'turn 1: Built AC-1, feedback',
    'turn 2: Built AC-2, feedback',
    'turn 3: Built AC-3, approved',
  ])
})
