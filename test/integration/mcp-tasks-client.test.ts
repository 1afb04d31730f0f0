import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createTaskSessionFromClient, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Started, start } from './http-start.ts'
import { commandOn, httpTo } from './mcp-clients.ts'
import { executorsFile, type Json } from './mcp-connect.ts'

/** The tasks extension by the second SDK's client and the extension's own package, which drives the task to its end. */

const VERSION = '2026-07-28'
const INFO = { name: 'test', version: '1.0.0' }
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const TRANSPORTS: readonly [string, (started: Started) => Transport][] = [
  ['stdio', (started) => new StdioClientTransport(commandOn(started))],
  ['streamable HTTP', (started) => new StreamableHTTPClientTransport(...httpTo(started))],
]

describe.each(TRANSPORTS)('over %s', (_name, transportTo) => {
  const connectTo = async (executor: string) => {
    const started = await start({ TURNGRAPH_EXECUTORS: executorsFile() })
    const world = { project: 'shop', feature_id: 'F', task_id: 'T', world_slug: 'w', executor }
    expect((await started.call('POST', '/v1/worlds', { body: world })).status).toBe(201)
    const client = new Client(INFO, {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode: { pin: VERSION } },
    })
    const transport = transportTo(started)
    await client.connect(transport)
    const session = createTaskSessionFromClient(client, {
      endpointId: 'test',
      rawDispatch: dispatchOn(transport),
      v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: CAPABILITIES },
    })
    onTestFinished(async () => {
      await session.close()
      await client.close()
    })
    return { session, started }
  }

  test('a turn run is a task that is polled to its end, and its result is that of run_turn', async () => {
    const { session } = await connectTo('trial')
    const execution = await session.callTool('run_turn', { world_slug: 'w', turn_count: 2 })
    expect(execution.kind).toBe('task')
    expect((await execution.settle()).outcome).toMatchObject({
      status: 'completed',
      result: {
        isError: false,
        structuredContent: { run_mode: 'turn_run', world_slug: 'w', status: 'completed', turn_count: 2 },
      },
    })
  })

  test('a task that is cancelled ends as cancelled, as its run does', async () => {
    const { session, started } = await connectTo('slow')
    const execution = await session.callTool('run_turn', { world_slug: 'w', turn_count: 50 })
    if (execution.kind !== 'task') throw new Error('a turn run is a task')
    await session.cancelTask(execution.handle.taskId)
    expect((await execution.settle()).outcome.status).toBe('cancelled')
    const [, turn_run_id] = execution.handle.taskId.split('/')
    const runOf = async () => {
      const { body } = await started.call('GET', `/v1/turn-runs/${turn_run_id}?project=shop`)
      return [body.status, body.attempt_count]
    }
    await expect.poll(runOf, { timeout: 20_000 }).toEqual(['cancelled', 1])
  })
})

/**
 * Requests past the SDK's client, on its own transport: it takes no result of the type `task` (2.4), and the extension's
 * package leaves the sending to its host.
 */
function dispatchOn(transport: Transport): RawClientDispatch {
  const waiting = new Map<unknown, (message: Json) => void>()
  const toClient = transport.onmessage
  transport.onmessage = (message, extra) => {
    const settle = 'id' in message ? waiting.get(message.id) : undefined
    if (settle === undefined) toClient?.(message, extra)
    else settle(message)
  }
  return async (request: Json) => {
    const id = `task-${waiting.size}`
    const answered = new Promise<Json>((resolve) => waiting.set(id, resolve))
    await transport.send({ ...request, jsonrpc: '2.0', id })
    const { result, error } = await answered
    return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
  }
}
