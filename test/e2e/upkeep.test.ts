import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { connectClient, EXECUTORS } from '../integration/mcp-connect.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const aTurn = (worldSlug: string, turnNumber = 1) =>
  JSON.stringify({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    world_slug: worldSlug,
    turn_number: turnNumber,
    player_summary: 'Built it',
    verifications: [
      { criterion_id: 'AC-1', criterion_text: 'The lid closes without a sound', status: 'verified' },
    ],
  })

test('doctor and forget work on an own store and through a service', {
  timeout: 120_000,
}, async () => {
  const user = commandsOn(temporaryFolder())
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await user.run([...args, '--json'])
    return { code, answer: stdout === '' ? JSON.parse(stderr) : JSON.parse(stdout) }
  }
  const unmade = 'There is no graph in ./graph yet: the first capture or import makes it.\n'
  expect(await user.run(['doctor'])).toEqual({ code: 0, stdout: unmade, stderr: '' })
  for (const world of ['one', 'two', 'three']) await user.run(['capture', '--json'], { input: aTurn(world) })

  const wouldGo = await json('forget', '--world', 'one')
  expect(wouldGo).toEqual({
    code: 0,
    answer: { dry_run: true, worlds: ['one'], counts: { Turn: 1, World: 1 }, skipped: [] },
  })
  expect((await json('worlds')).answer.items).toHaveLength(3)
  const table = await user.run(['forget', '--world', 'one', '--yes'])
  expect(table.stdout).toContain('GONE')
  for (const really of [[], ['--yes']]) {
    const refused = await json('forget', '--world', 'twoo', ...really)
    expect(refused).toMatchObject({ code: 4, answer: { error: { code: 'unknown_world' } } })
    expect(refused.answer.error.details.near).toEqual(['two'])
  }
  expect((await json('worlds')).answer.items).toHaveLength(2)
  expect((await json('forget', '--world', 'one', '--yes')).code).toBe(4)
  const environment = { TURNGRAPH_PROJECT: 'default' }
  expect((await user.run(['forget', '--yes'], { environment })).code).toBe(2)
  const helpOf = async (name: string) => (await user.run([name, '--help'])).stdout.replace(/\s+/g, ' ')
  expect(await helpOf('forget')).toContain('to forget a whole project, name it here')
  expect(await helpOf('doctor')).toContain('(default: all; TURNGRAPH_PROJECT has no effect)')

  const { url } = await user.startService()
  expect(url).toContain('127.0.0.1')
  expect(await json('doctor')).toMatchObject({ code: 0, answer: { healthy: true, findings: [] } })
  expect(await json('doctor', '--project', 'default')).toMatchObject({ code: 0, answer: { healthy: true } })
  expect((await json('forget', '--feature', 'FEAT-1', '--task', 'TASK-1', '--yes')).answer).toEqual({
    dry_run: false,
    worlds: ['three', 'two'],
    counts: { Criterion: 1, Feature: 1, Project: 1, Task: 1, Turn: 2, Verification: 2, World: 2 },
    skipped: [],
  })
  expect((await json('worlds')).answer.items).toEqual([])
})

test('the doctor finds nothing after turn runs of the command line and of MCP', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder()
  const executors = path.join(folder, 'executors.json')
  writeFileSync(executors, JSON.stringify(EXECUTORS))
  const user = commandsOn(folder)
  const environment = { TURNGRAPH_EXECUTORS: executors }
  const run = (...args: string[]) => user.run(args, { environment })
  for (const executor of ['flaky', 'failing', 'slow'])
    await run('worlds', 'create', executor, '--feature', 'F', '--task', 'T', '--executor', executor)
  await run('run', 'start', 'flaky', '--turns', '1', '--max-attempts', '3')
  await run('run', 'start', 'failing', '--turns', '2', '--max-attempts', '3')
  await run('run', 'start', 'failing')
  const mcp = await connectClient(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--project', 'default'],
      env: { PATH: process.env.PATH ?? '', TURNGRAPH_DATA: user.folder, ...environment },
    }),
  )
  const started = await mcp.call('run_turn', { world_slug: 'slow', turn_count: 1, max_attempts: 3 })
  await mcp.call('cancel_turn_run', { world_slug: 'slow', turn_run_id: started.turn_run_id })
  await mcp.client.close()
  expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Healthy: /) })
})

test('the doctor prints findings with their remedy, exits with 8, and repairs them, also through a service', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  await user.run(['capture', '--json'], { input: aTurn('w') })
  const fault = path.join(folder, 'fault.mjs')
  const engine = import.meta.resolve('@grafeo-db/js')
  writeFileSync(
    fault,
    `import grafeo from '${engine}'
     const db = grafeo.GrafeoDB.open('${path.join(folder, 'graph', 'graph.db')}')
     await db.executeCypher('MATCH (w:World) SET w.turnCount = 0')
     db.close()`,
  )
  await import(fault)
  const found = await user.run(['doctor'])
  expect(found.code).toBe(8)
  expect(found.stdout).toContain('error: world_counters: World default/w')
  expect(found.stdout).toContain('remedy: ')
  const { code, stdout } = await user.run(['doctor', '--json'])
  expect(code).toBe(8)
  expect(JSON.parse(stdout)).toMatchObject({ healthy: false, findings: [{ check: 'world_counters' }] })
  const repaired = await user.run(['doctor', '--repair'])
  expect(repaired).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^repaired: world_counters: World default\/w\n {2}found: .+\n1 finding, 0 left; \d+ records examined\.\n$/,
    ),
  })
  expect(await user.run(['doctor'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Healthy: /) })

  writeFileSync(fault.replace('fault', 'again'), readFileSync(fault, 'utf8'))
  await import(fault.replace('fault', 'again'))
  await user.startService()
  const through = await user.run(['doctor', '--repair', '--json'])
  expect(through.code).toBe(0)
  expect(JSON.parse(through.stdout)).toMatchObject({
    healthy: true,
    findings: [{ check: 'world_counters', repaired: true }],
  })
  expect(await user.run(['doctor'])).toMatchObject({ code: 0 })
})
