import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import { cli } from '../faults/harness/service-process.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** `turngraph mcp` as a process. */

const turn = (turnNumber: number) =>
  JSON.stringify({ feature_id: 'F', task_id: 'T', turn_number: turnNumber, player_summary: 'Built it' })

test('standard output contains only the protocol, whatever a package prints', async () => {
  const user = commandsOn(temporaryFolder())
  const noise = "data:text/javascript,process.on('SIGUSR2',()=>console.log('noise of a package'))"
  const child = user.start(['mcp'], { environment: { NODE_OPTIONS: `--import "${noise}"` } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const read = createInterface({ input: child.stdout as Readable }).on('line', (line) => lines.push(line))
  const ask = async (id: number) => {
    child.stdin?.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBe(id)
  }
  await ask(1)
  child.kill('SIGUSR2')
  await ask(2)
  child.stdin?.end()
  await once(read, 'close')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})

test('all requests are answered, even if the input ends right after them, without a line break', async () => {
  const user = commandsOn(temporaryFolder())
  const client = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } })
  const lines = [
    { id: 1, method: 'initialize', params: client },
    { method: 'notifications/initialized' },
    { id: 2, ...call('capture_turn_state', JSON.parse(turn(1))) },
    { id: 2, method: 'ping' }, // the same id again
    { id: 3, method: 'ping' },
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
  const child = user.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.end(lines.join('\n'))
  const answers = (await text(child.stdout as Readable)).trim().split('\n')
  expect(answers.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2, 2, 3])
})

test('an unknown version is rejected in each request, not only in the first one', async () => {
  const user = commandsOn(temporaryFolder())
  const list = (id: number, version: string) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'prompts/list', params: { _meta } })
  }
  const child = user.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.end([list(1, '2031-01-01'), list(2, '2026-07-28'), list(3, '2031-01-01')].join('\n'))
  const answers = (await text(child.stdout as Readable)).trim().split('\n')
  const byId = Object.fromEntries(answers.map((line) => [JSON.parse(line).id, JSON.parse(line)]))
  expect(byId[2].result.prompts).toHaveLength(2)
  for (const id of [1, 3]) {
    const data = { supported: ['2026-07-28'], requested: '2031-01-01' }
    expect(byId[id].error, String(id)).toMatchObject({ code: -32022, data })
  }
})

test('the handshake of 2025 determines the version of a connection, whatever its requests name', async () => {
  const user = commandsOn(temporaryFolder())
  const clientInfo = { name: 'test', version: '1' }
  const protocolVersion = '2025-06-18'
  const _meta = { 'io.modelcontextprotocol/protocolVersion': protocolVersion }
  const lines = [
    { id: 1, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } },
    { id: 2, method: 'prompts/list', params: { _meta } },
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
  const child = user.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.end(lines.join('\n'))
  const answers = (await text(child.stdout as Readable))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.find(({ id }) => id === 1).result).toMatchObject({ protocolVersion })
  expect(answers.find(({ id }) => id === 2).result?.prompts).toHaveLength(2)
})

test('a subscription continues when the process that served the graph ends and another takes over', async () => {
  const user = commandsOn(temporaryFolder())
  const agent = () => anAgent(user.folder)
  const first = await agent()
  await user.run(['capture', '--json'], { input: turn(1) })
  const served = readServerFile(user.folder)?.pid
  const second = await agent()
  let changes = 0
  second.setNotificationHandler('notifications/resources/updated', () => {
    changes++
  })
  await second.listen({ resourceSubscriptions: ['turngraph://default/worlds/T'] })
  await user.run(['capture', '--json'], { input: turn(2) })
  await expect.poll(() => changes, { timeout: 20_000 }).toBeGreaterThan(0)
  await first.close()
  await second.callTool({ name: 'list_worlds', arguments: {} })
  expect(readServerFile(user.folder)?.pid).not.toBe(served)
  const before = changes
  await user.run(['capture', '--json'], { input: turn(3) })
  await expect.poll(() => changes, { timeout: 20_000 }).toBeGreaterThan(before)
})

/** A client of 2026-07-28 on the command of a data folder. */
async function anAgent(folder: string): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const env = { PATH: process.env.PATH ?? '', TURNGRAPH_DATA: folder }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp'], env }))
  onTestFinished(() => client.close())
  return client
}
