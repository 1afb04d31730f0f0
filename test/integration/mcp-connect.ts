import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client as ModernClient, type Transport as ModernTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as SchemaValidator,
} from '@modelcontextprotocol/sdk/validation'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { onTestFinished } from 'vitest'
import { graphStore } from '../../src/transcripts/graph-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { cli } from '../faults/harness/service-process.ts'
import { memory } from '../support/embedded-engines.ts'
import { type AtEnd, newFolder, start } from './http-start.ts'

export type Json = ReturnType<JSON['parse']>

/** A connected client of an official SDK, with helpers for its results. */
export type Connection = {
  client: Client | ModernClient
  /** Returns the structured content of a successful call. Checks that its text is the same object. */
  call(tool: string, args?: Record<string, unknown>): Promise<Json>
  /** Returns the error of a failed call. Checks that it has no structured content. */
  refused(tool: string, args?: unknown): Promise<Json>
}

export const EXECUTORS = {
  trial: { kind: 'simulated', duration_ms: 5 },
  slow: { kind: 'simulated', duration_ms: 400 },
  flaky: { kind: 'simulated', duration_ms: 5, outcomes: ['failed', 'committed'], repeat: true },
  failing: { kind: 'simulated', duration_ms: 5, outcomes: ['failed'] },
}

export function executorsFile(executors: object = EXECUTORS, atEnd: AtEnd = onTestFinished): string {
  const file = path.join(newFolder(atEnd), 'executors.json')
  writeFileSync(file, JSON.stringify(executors))
  return file
}

/** A folder of transcripts that are imported before the connection. */
export type Prepared = { transcripts?: string }

/** Connects a client of the first SDK. mcp-clients.ts connects both SDKs over both transports. */
export const overHttp = async (project = 'shop', { transcripts }: Prepared = {}): Promise<Connection> => {
  const graph = await memory.open()
  if (transcripts !== undefined) await importFiles(graphStore(graph, 5), [transcripts], { project })
  const { service, token } = await start({ TURNGRAPH_EXECUTORS: executorsFile() }, { graph })
  const headers = { authorization: `Bearer ${token}`, 'turngraph-project': project }
  const url = new URL(`${service.url}/mcp?tools=all`)
  return connectClient(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport)
}

/** Connects a client of the second SDK to the command, with an embedded graph. */
export const overStdio = async (
  project = 'shop',
  { transcripts }: Prepared = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Connection> => {
  const env = {
    PATH: process.env.PATH ?? '',
    TURNGRAPH_STORE: transcripts === undefined ? 'embedded:memory' : 'embedded:',
    TURNGRAPH_DATA: newFolder(atEnd),
    TURNGRAPH_EXECUTORS: executorsFile(EXECUTORS, atEnd),
  }
  if (transcripts !== undefined) {
    const args = [cli, 'import', 'transcripts', transcripts, '--project', project]
    await promisify(execFile)(process.execPath, args, { env })
  }
  const server = {
    command: process.execPath,
    args: [cli, 'mcp', '--project', project, '--tools', 'all'],
    env,
    stderr: 'inherit' as const,
  }
  return connectClientOf2026(new ModernStdioTransport(server), atEnd)
}

const ajv = new AjvJsonSchemaValidator()
const compiled = new Map<string, JsonSchemaValidator<unknown>>()

/** The validator of the SDK with a cache: without it, the SDK compiles the same schemas for each connection. */
const jsonSchemaValidator: SchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const text = JSON.stringify(schema)
    const validator = compiled.get(text) ?? ajv.getValidator(schema)
    compiled.set(text, validator)
    return validator as JsonSchemaValidator<T>
  },
}

/** Connects a client of the first SDK, which supports the newest version of 2025. */
export async function connectClient(transport: Transport): Promise<Connection> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { jsonSchemaValidator })
  await client.connect(transport)
  return connectionOf(client, onTestFinished)
}

/** Connects a client of the second SDK, which supports only 2026-07-28 here. */
async function connectClientOf2026(transport: ModernTransport, atEnd: AtEnd): Promise<Connection> {
  const client = new ModernClient(
    { name: 'test', version: '1.0.0' },
    { jsonSchemaValidator, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(transport)
  return connectionOf(client, atEnd)
}

async function connectionOf(client: Connection['client'], atEnd: AtEnd): Promise<Connection> {
  atEnd(() => client.close())
  await client.listTools() // loads the output schemas, so that the client validates every result
  const callTool = (name: string, args: unknown): Promise<Json> =>
    client.callTool({ name, arguments: args as Record<string, unknown> })
  return {
    client,
    async call(name, args = {}) {
      const { content, structuredContent, isError } = await callTool(name, args)
      if (isError) throw new Error(`${name} was refused: ${content[0]?.text}`)
      if (content.length !== 1 || content[0].text !== JSON.stringify(structuredContent)) {
        throw new Error(`${name} answers two different things`)
      }
      return structuredContent
    },
    async refused(name, args = {}) {
      const answer = await callTool(name, args)
      if (answer.isError !== true || 'structuredContent' in answer || answer.content.length !== 1) {
        throw new Error(`${name} was not refused as it should be: ${JSON.stringify(answer)}`)
      }
      const body = JSON.parse(answer.content[0].text)
      if (Object.keys(body).join() !== 'error') throw new Error(`no error: ${answer.content[0].text}`)
      return body.error
    },
  }
}
