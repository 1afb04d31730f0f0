import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttpTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { newFolder, type Started } from './http-start.ts'
import type { Json } from './mcp-connect.ts'

/** The calls of an MCP client, for either SDK. */
export type McpClient = {
  readResource(uri: string): Promise<Json>
  listResources(): Promise<Json>
  listTemplates(): Promise<Json>
  listPrompts(): Promise<Json>
  getPrompt(name: string, args: Record<string, string>): Promise<Json>
  callTool(
    name: string,
    args: object,
    options?: { signal?: AbortSignal; onprogress?: (progress: Json) => void },
  ): Promise<Json>
  /** Resolves when the subscription is acknowledged. Calls `hear` with the URI of each change. */
  subscribe(uris: readonly string[], hear: (uri: string) => void): Promise<void>
}

type Where = { token?: string; project?: string }

/** Each SDK over each transport. Over stdio the command connects to the same service. */
export const CLIENTS: readonly [string, (started: Started, where?: Where) => Promise<McpClient>][] = [
  [
    'the first SDK over streamable HTTP',
    (started, where) => firstSdk(new StreamableHTTPClientTransport(...httpTo(started, where)) as Transport),
  ],
  [
    'the first SDK over stdio',
    (started, where) => firstSdk(new StdioClientTransport(commandOn(started, where))),
  ],
  [
    'the second SDK over streamable HTTP',
    (started, where) => secondSdk(new ModernHttpTransport(...httpTo(started, where))),
  ],
  [
    'the second SDK over stdio',
    (started, where) => secondSdk(new ModernStdioTransport(commandOn(started, where))),
  ],
]

export const httpTo = (
  { service, token }: Started,
  { token: shown = token, project = 'shop' }: Where = {},
): [URL, { requestInit: RequestInit }] => [
  new URL(`${service.url}/mcp`),
  { requestInit: { headers: { authorization: `Bearer ${shown}`, 'turngraph-project': project } } },
]

export const commandOn = (
  { service, token }: Started,
  { token: shown = token, project = 'shop' }: Where = {},
) => ({
  command: process.execPath,
  args: [cli, 'mcp', '--project', project],
  env: {
    PATH: process.env.PATH ?? '',
    TURNGRAPH_DATA: newFolder(),
    TURNGRAPH_URL: service.url,
    TURNGRAPH_TOKEN: shown,
  },
  stderr: 'inherit' as const,
})

async function firstSdk(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    ...callsOfBothSdks(client),
    callTool: (name, args, options = {}) =>
      client.callTool({ name, arguments: { ...args } }, undefined, options),
    async subscribe(uris, hear) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri))
      for (const uri of uris) await client.subscribeResource({ uri })
    },
  }
}

async function secondSdk(transport: ModernHttpTransport | ModernStdioTransport): Promise<McpClient> {
  const client = new ModernClient(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    ...callsOfBothSdks(client),
    callTool: (name, args, options = {}) => client.callTool({ name, arguments: { ...args } }, options),
    async subscribe(uris, hear) {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear(params.uri))
      const { honoredFilter } = await client.listen({ resourceSubscriptions: [...uris] })
      if (honoredFilter.resourceSubscriptions?.length !== uris.length) throw new Error('not all are honored')
    },
  }
}

/** The calls that have the same names in both SDKs. */
const callsOfBothSdks = (client: Client | ModernClient): Omit<McpClient, 'callTool' | 'subscribe'> => ({
  readResource: (uri) => client.readResource({ uri }),
  listResources: () => client.listResources(),
  listTemplates: () => client.listResourceTemplates(),
  listPrompts: () => client.listPrompts(),
  getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
})
