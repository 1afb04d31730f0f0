import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import { cli } from '../faults/harness/service-process.ts'
import { type Connection, connectClient, EXECUTORS } from '../integration/mcp-connect.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** Turn runs from a terminal, and from an agent over MCP on stdio. */

function aUser() {
  const folder = temporaryFolder()
  const executors = path.join(folder, 'executors.json')
  writeFileSync(executors, JSON.stringify(EXECUTORS))
  const environment = { TURNGRAPH_EXECUTORS: executors }
  const user = commandsOn(folder)
  const run = (...args: string[]) => user.run(args, { environment })
  const aWorld = (slug: string, executor: string) =>
    run('worlds', 'create', slug, '--feature', 'F', '--task', 'T', '--executor', executor)
  return { ...user, environment, run, aWorld }
}

const idIn = (text: string): string => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? 'no id'

describe('turngraph run', () => {
  test('without a server, run start waits for the end of the run, and prints its outcome', async () => {
    const { run, aWorld } = aUser()
    await aWorld('w', 'flaky')
    const ran = await run('run', 'start', 'w', '--turns', '2', '--max-attempts', '6')
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('There is no server') })
    expect(ran.stdout).toMatch(
      /^Started a turn run of world w, from turn 0 to turn 2\. [0-9a-f-]{36}\nThe turn run of world w is completed: 2 of 2 turns committed after 4 attempts \(2 failed\)\.\n$/,
    )
    const id = idIn(ran.stdout)
    const status = await run('run', 'status', id, '--attempts')
    expect(status.stdout.split('\n')).toHaveLength(1 + 5 + 1)
    const json = JSON.parse((await run('run', 'status', id, '--json')).stdout)
    expect(json).toMatchObject({ turn_run_id: id, status: 'completed', committed_turn_count: 2 })
    const attempts = await run('run', 'attempts', 'w', '--run', id, '--limit', '1')
    expect(attempts.stdout).toContain('committed')
    expect(attempts.stderr).toContain('More: --cursor')
    const listed = await run('run', 'list', '--status', 'completed')
    expect(listed.stdout).toMatch(new RegExp(`^RUN\tWORLD\tSTATUS\t.*\n${id}\tw\tcompleted\t2/2\t4\t2\t`))
    expect((await run('run', 'list', '--world', 'w', '--status', 'failed')).stderr).toContain(
      'There are no runs.',
    )
    const turns = JSON.parse((await run('worlds', 'turns', 'w', '--json')).stdout)
    expect(turns.items).toHaveLength(2)
  })

  test('a run that reaches a goal has exit code 0, and its last line names the goal', async () => {
    const { run, environment } = aUser()
    const answer = JSON.stringify({ player_summary: 'Built it', coach_decision: 'approved' })
    const argv = [process.execPath, '-e', `process.stdout.write(${JSON.stringify(answer)})`]
    const executors = { approves: { kind: 'command', argv, cwd: '.', env: ['PATH'] } }
    writeFileSync(environment.TURNGRAPH_EXECUTORS, JSON.stringify(executors))
    const world = ['worlds', 'create', 'w', '--feature', 'F', '--task', 'T', '--executor', 'approves']
    await run(...world, '--stop-when', 'approved')
    const ran = await run('run', 'start', 'w', '--turns', '5')
    expect([ran.code, ran.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      'The turn run of world w was cancelled (goal reached: approved in turn 1): 1 of 5 turns committed after 1 attempt (0 failed).',
    ])
  })

  test('a run that does not complete has exit code 8, as a finding and not as a failure', async () => {
    const { run, aWorld } = aUser()
    await aWorld('w', 'failing')
    const ran = await run('run', 'start', 'w', '--turns', '1', '--max-attempts', '2', '--json')
    expect([ran.code, JSON.parse(ran.stdout).failure_reason]).toEqual([
      8,
      'max_attempts exhausted before requested turn_count committed',
    ])
    expect(JSON.parse(ran.stdout).last_attempt_failure_reason).toBe('simulated failure')
    const plain = await run('run', 'start', 'w', '--turns', '1', '--max-attempts', '2')
    expect(plain.stdout).toMatch(/\nThe last attempt failed: simulated failure\n$/)
    const status = await run('run', 'status', idIn(plain.stdout))
    expect(status.stdout).toMatch(/\nThe last attempt failed: simulated failure\n$/)
    const single = await run('run', 'start', 'w')
    expect([single.code, single.stdout]).toEqual([8, expect.stringContaining('simulated failure')])
  })

  test('a run stops at a goal that worlds create or set gave its world, and its last line names the goal', async () => {
    const { run } = aUser()
    const create = ['worlds', 'create', 'w', '--feature', 'F', '--task', 'T', '--executor', 'failing']
    await run(...create, '--stop-when', 'budget,approved', '--budget-failures', '2', '--budget-tokens', '9')
    const shown = await run('worlds', 'get', 'w')
    expect(shown.stdout).toContain('Its runs stop when: approved, budget\n')
    expect(shown.stdout).toContain('Budget of a run: 2 attempts failed in a row, 9 tokens\n')
    const ran = await run('run', 'start', 'w', '--turns', '5', '--max-attempts', '9')
    expect([ran.code, ran.stdout]).toEqual([
      8,
      expect.stringMatching(/ was cancelled \(stopped: budget of 2 attempts failed in a row used\): .*\n$/),
    ])
    expect((await run('run', 'status', idIn(ran.stdout))).stdout).toContain(
      'was cancelled (stopped: budget of 2',
    )
    const changed = await run('worlds', 'set', 'w', '--budget-failures', 'none', '--backoff', '1,2,9')
    expect(changed.stdout).toBe(
      'Its runs stop when: approved, budget\nBudget of a run: 9 tokens\nPause after a failed attempt: 1 ms, times 2, at most 9 ms\n',
    )
    const wrong = await run('worlds', 'set', 'w', '--stop-when', 'approved,done')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('approved,all_verified,all_observed,stalled,budget'),
    ])
    const range = await run('worlds', 'set', 'w', '--budget-minutes', '0')
    expect([range.code, range.stderr]).toEqual([2, expect.stringContaining('must be a number above 0')])
    const none = await run(
      'worlds',
      'set',
      'w',
      '--stop-when',
      'none',
      '--backoff',
      'none',
      '--budget-tokens',
      'none',
    )
    expect(none.stdout).toBe('Its runs mind nothing beside their turns.\n')
    const implied = await run('worlds', 'set', 'w', '--budget-failures', '3')
    expect(implied.stdout).toBe('Its runs stop when: budget\nBudget of a run: 3 attempts failed in a row\n')
  })

  test('with a server, run start returns immediately; status, cancel and a second start find the run', async () => {
    const { run, aWorld, serve, environment } = aUser()
    await serve([], environment)
    await aWorld('w', 'slow')
    const started = await run('run', 'start', 'w', '--turns', '50')
    const id = idIn(started.stdout)
    expect(await run('run', 'start', 'w')).toMatchObject({
      code: 5,
      // Between two attempts the message names the run that holds the world.
      stderr: expect.stringMatching(/has an attempt at work|is held by turn run/),
    })
    const cancelled = await run('run', 'cancel', id, '--reason', 'wrong branch')
    expect(cancelled.code).toBe(0)
    const watched = await run('run', 'status', id, '--watch')
    expect([watched.code, watched.stdout]).toEqual([8, expect.stringContaining('was cancelled')])
    expect((await run('run', 'status', id)).stdout).toContain('Cancelled: wrong branch')
  })

  test('Ctrl+C on a watch with a service leaves the run, prints how to follow it, and exits with 130', async () => {
    const { run, aWorld, serve, start, environment, folder } = aUser()
    const { url } = await serve([], environment)
    await aWorld('w', 'slow')
    const timesAsked = async () => {
      const token = readFileSync(path.join(folder, 'token'), 'utf8').trim()
      const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
      const counted = /operation="getTurnRunStatus",outcome="ok"\} (\d+)/.exec(await metrics.text())
      return Number(counted?.[1] ?? 0)
    }
    const child = start(['run', 'start', 'w', '--turns', '50', '--watch', '--project', 'default'], {
      environment,
    })
    const said = { stdout: '', stderr: '' }
    child.stdout?.on('data', (chunk) => (said.stdout += String(chunk)))
    child.stderr?.on('data', (chunk) => (said.stderr += String(chunk)))
    while (!/[0-9a-f-]{36}/.test(said.stdout)) await sleep(20)
    const id = idIn(said.stdout)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(said.stderr).toBe(
      `The run goes on in its service. Follow it with: turngraph run status ${id} --watch --project default\n`,
    )
    expect(JSON.parse((await run('run', 'status', id, '--json')).stdout)).toMatchObject({ status: 'running' })
    const before = await timesAsked()
    const again = start(['run', 'status', id, '--watch'], { environment })
    let followed = ''
    again.stderr?.on('data', (chunk) => (followed += String(chunk)))
    while ((await timesAsked()) === before) await sleep(20)
    again.kill('SIGINT')
    expect(await once(again, 'close')).toEqual([130, null])
    expect(followed).toContain(`turngraph run status ${id} --watch`)
    expect((await run('run', 'cancel', id)).code).toBe(0)
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s hands the run of a command back, and exits %i', async (signal, exitCode) => {
    const { run, aWorld, start, environment, folder } = aUser()
    await aWorld('w', 'slow')
    const child = start(['run', 'start', 'w', '--turns', '50'], { environment })
    const said: string[] = []
    child.stdout?.on('data', (chunk) => said.push(String(chunk)))
    while (!/[0-9a-f-]{36}/.test(said.join(''))) await sleep(20)
    expect(readServerFile(folder)).not.toBeNull()
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([exitCode, null])
    const status = JSON.parse((await run('run', 'status', idIn(said.join('')), '--json')).stdout)
    expect(status).toMatchObject({
      status: 'interrupted',
      failure_reason: 'process restart before turn run completed',
      active_attempt_id: null,
    })
  })

  test('in a folder without a graph, run start names the folder, and reports that it created a graph', async () => {
    const { run } = aUser()
    const { code, stderr } = await run('run', 'start', 'nope')
    expect(code).toBe(4)
    expect(stderr).toContain('looked in: the graph in ./graph\nMade a new graph in ./graph.\n')
  })

  test('an impossible request has the usual exit code', async () => {
    const { run, aWorld } = aUser()
    await aWorld('w', 'external')
    const nobody = '00000000-0000-4000-8000-000000000000'
    const cases: [string[], number][] = [
      [['start'], 2],
      [['start', 'w', '--turns', 'many'], 2],
      [['start', 'w', '--turns', '3', '--max-attempts', '2'], 2],
      [['start', 'nowhere'], 4],
      [['status', 'nonsense'], 2],
      [['status', nobody], 4],
      [['cancel', nobody, '--reason', ''], 2],
      [['attempts', 'nowhere'], 4],
    ]
    for (const [args, code] of cases) expect([args, (await run('run', ...args)).code]).toEqual([args, code])
  })
})

describe('turngraph mcp', () => {
  const agentOf = ({ folder, environment }: ReturnType<typeof aUser>): Promise<Connection> =>
    connectClient(
      new StdioClientTransport({
        command: process.execPath,
        args: [cli, 'mcp'],
        env: { PATH: process.env.PATH ?? '', TURNGRAPH_DATA: folder, ...environment },
        stderr: 'inherit',
      }),
    )

  test('mcp serves the graph for other commands; a second mcp uses the first, and takes over when it ends', async () => {
    const user = aUser()
    const first = await agentOf(user)
    const { pid } = readServerFile(user.folder) ?? {}
    await first.call('create_world', { feature_id: 'F', task_id: 'T', world_slug: 'w', executor: 'slow' })
    const second = await agentOf(user)
    expect(readServerFile(user.folder)?.pid).toBe(pid)
    const started = await second.call('run_turn', { world_slug: 'w', turn_count: 50 })
    expect((await user.run('run', 'status', started.turn_run_id)).stdout).toContain('is running')
    await first.client.close() // ends its process, which hands its run back
    const status = await second.call('get_turn_run_status', started.poll_with.args)
    expect(status).toMatchObject({ status: 'interrupted', poll_with: null })
    expect(readServerFile(user.folder)?.pid).not.toBe(pid)
    expect(await second.call('run_turn', { world_slug: 'w' })).toMatchObject({ run_mode: 'single_attempt' })
  })

  test('an mcp whose input ends while it takes over ends, too, and releases the folder', async () => {
    const user = aUser()
    const first = await agentOf(user)
    const second = await agentOf(user)
    await first.client.close()
    const call = second.call('list_turns', { world_slug: 'w' }).catch(() => {})
    await second.client.close()
    await call
    expect((await user.run('worlds')).code).toBe(0)
  })

  test('the next command that opens the graph ends a run whose service was killed', async () => {
    const user = aUser()
    const { child } = await user.serve([], user.environment)
    await user.aWorld('w', 'slow')
    const started = await user.run('run', 'start', 'w', '--turns', '50')
    child.kill('SIGKILL')
    await once(child, 'close')
    const watched = await user.run('run', 'status', idIn(started.stdout), '--watch')
    expect([watched.code, watched.stdout]).toEqual([8, expect.stringContaining('was interrupted')])
  })

  test('the next server resumes an interrupted run if its world allows it, and earlier commands do not change the run', async () => {
    const user = aUser()
    const { child } = await user.serve([], user.environment)
    await user.aWorld('w', 'slow')
    await user.run('worlds', 'set', 'w', '--resume', 'auto')
    const first = idIn((await user.run('run', 'start', 'w', '--turns', '3')).stdout)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect((await user.run('run', 'status', first)).stdout).toContain('is running')
    const { child: next } = await user.serve([], user.environment)
    const { items } = JSON.parse((await user.run('run', 'list', '--json')).stdout)
    expect(items[0].resumes).toEqual({ turn_run_id: first })
    const watched = await user.run('run', 'status', first, '--watch')
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('is completed')])
    expect(watched.stderr).toContain(`Turn run ${items[0].turn_run_id} resumes it.`)
    expect(JSON.parse((await user.run('worlds', 'turns', 'w', '--json')).stdout).items).toHaveLength(3)
    next.kill('SIGTERM')
    await once(next, 'close')
  })

  test('mcp uses a server that is already running', async () => {
    const user = aUser()
    const { url } = await user.startService(user.environment)
    const agent = await agentOf(user)
    await agent.call('capture_turn_state', {
      feature_id: 'F',
      task_id: 'T',
      turn_number: 1,
      player_summary: 'x',
    })
    expect(readServerFile(user.folder)?.url).toBe(url)
    const token = readFileSync(path.join(user.folder, 'token'), 'utf8').trim()
    const answer = await fetch(`${url}/v1/worlds`, { headers: { authorization: `Bearer ${token}` } })
    expect(await answer.json()).toMatchObject({ items: [{ world_slug: 'T' }] })
  })
})
