import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** `turngraph token`, and the roles of `turngraph mcp`. */

const CREATE_PLAYER = ['token', 'create', '--name', 'player', '--scope', 'play', '--project', 'shop']

const getCaller = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })

test('a running service takes a new token and refuses a revoked one, and the private file has only the hash', async () => {
  const user = commandsOn(temporaryFolder())
  const { url } = await user.startService()
  const created = await user.run(CREATE_PLAYER)
  expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('has its hash')])
  const token = created.stdout.trim()
  expect(token).toMatch(/^tgk_[A-Za-z0-9_-]{43}$/)
  const file = path.join(user.folder, 'tokens.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(token)
  await expect.poll(async () => (await getCaller(url, token)).status, { timeout: 30_000 }).toBe(200)
  expect(await (await getCaller(url, token)).json()).toMatchObject({ scopes: ['play'], only_project: 'shop' })

  const listed = await user.run(['token', 'list', '--json'])
  expect(JSON.parse(listed.stdout).items).toEqual([{ name: 'player', scopes: ['play'], project: 'shop' }])
  expect(listed.stdout).not.toContain(token)

  expect((await user.run(['token', 'revoke', 'player'])).code).toBe(0)
  await expect.poll(async () => (await getCaller(url, token)).status, { timeout: 30_000 }).toBe(401)
  expect((await user.run(['token', 'revoke', 'player'])).code).not.toBe(0)
})

test('a name twice, an unknown scope and a service on another machine are refused', async () => {
  const user = commandsOn(temporaryFolder())
  expect((await user.run([...CREATE_PLAYER, '--json'])).code).toBe(0)
  expect((await user.run(CREATE_PLAYER)).stderr).toContain('A token is named "player" already.')
  const unknown = await user.run(['token', 'create', '--name', 'x', '--scope', 'root'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('scopes[0]')])
  const away = await user.run([...CREATE_PLAYER], { environment: { TURNGRAPH_URL: 'http://example.com:1' } })
  expect(away.stderr).toContain('on its own machine')
  const both = await user.run(['token', 'create', '--name', 'ci', '--scope', 'observe,read', '--json'])
  expect(JSON.parse(both.stdout)).toMatchObject({ name: 'ci', scopes: ['observe', 'read'], project: null })
})

test('TURNGRAPH_TOKENS names another file, and a file that others may change keeps the service from starting', async () => {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  const file = path.join(folder, 'mine.json')
  const environment = { TURNGRAPH_TOKENS: file }
  const token = (await user.run(CREATE_PLAYER, { environment })).stdout.trim()
  const { url, child } = await user.serve([], environment)
  expect((await getCaller(url, token)).status).toBe(200)
  child.kill('SIGTERM')
  writeFileSync(path.join(user.folder, 'tokens.json'), '[]', { mode: 0o666 })
  const planted = await user.run(['token', 'list'])
  expect(planted.stderr).toContain('other users may read or change it')
})

test('turngraph mcp --role player offers the tools of a Player, and refuses a verdict', async () => {
  const user = commandsOn(temporaryFolder())
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--role', 'player'],
      env: { ...(process.env as Record<string, string>), TURNGRAPH_DATA: user.folder },
    }),
  )
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('create_world')
  const capture = tools.find(({ name }) => name === 'capture_turn_state')
  expect(Object.keys(capture?.inputSchema.properties ?? {})).not.toContain('coach_decision')
  const turn = { feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Built it' }
  const call = (args: Record<string, unknown>) =>
    client.callTool({ name: 'capture_turn_state', arguments: { ...turn, ...args } })
  expect((await call({ promises: [{ criterion_id: 'AC-1', status: 'complete' }] })).isError).not.toBe(true)
  const refused = await call({ turn_number: 2, coach_decision: 'approve' })
  expect(JSON.stringify(refused.content)).toContain('coach_decision needs a token with the scope')
})
