/** The files that `turngraph init` may change, and the part of each that belongs to Turngraph. */
import * as z from 'zod'
import { findHooks, withoutHooks } from '../hook-settings.ts'
import { parseTask, shownTask, TaskNotNamed } from '../hook-task.ts'
import { readJsonText, writeJsonText } from '../json-text.ts'
import { UnfitFile } from '../text-file.ts'
import { IN_MARKDOWN, IN_TOML, markedPart, type OwnPart } from './marked-lines.ts'

const hooks: OwnPart = { find: findHooks, remove: withoutHooks }

const mcpSettings = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() })

/** @throws UnfitFile */
function parseMcpSettings(text: string): z.output<typeof mcpSettings> {
  const settings = readJsonText(text)
  if (settings === undefined) throw new UnfitFile('is not JSON')
  // A parsed copy would have its keys in another order.
  if (mcpSettings.safeParse(settings).success) return settings as z.output<typeof mcpSettings>
  throw new UnfitFile('does not fit: mcpServers')
}

/** Adds the MCP server to `.mcp.json`. @throws UnfitFile */
export function addServer(text: string, server: unknown): string {
  const settings = parseMcpSettings(text)
  return writeJsonText({ ...settings, mcpServers: { ...settings.mcpServers, turngraph: server } }, text)
}

const mcpServer: OwnPart = {
  find: (text) => {
    const server = parseMcpSettings(text).mcpServers?.turngraph
    return server === undefined ? null : JSON.stringify(server)
  },
  remove: (text) => {
    const { mcpServers = {}, ...others } = parseMcpSettings(text)
    const { turngraph, ...servers } = mcpServers
    if (turngraph === undefined) return text
    return writeJsonText(
      Object.keys(servers).length === 0 ? others : { ...others, mcpServers: servers },
      text,
    )
  },
}

/** The task without the session that is bound to it, which a hook writes into the file. */
const task: OwnPart = {
  find: (text) => {
    if (text === '') return null
    try {
      return shownTask(parseTask('The task', text).task)
    } catch (error) {
      if (error instanceof TaskNotNamed) return text
      throw error
    }
  },
  remove: () => '',
}

/** Files by their path below the folder of the user. */
export const OWN_PARTS = {
  '.claude/settings.local.json': hooks,
  '.codex/hooks.json': hooks,
  '.mcp.json': mcpServer,
  '.codex/config.toml': markedPart(IN_TOML),
  'AGENTS.md': markedPart(IN_MARKDOWN),
  'CLAUDE.md': markedPart(IN_MARKDOWN),
  '.turngraph/task.json': task,
} satisfies Record<string, OwnPart>

export type SetupFile = keyof typeof OWN_PARTS
export const SETUP_FILES = Object.keys(OWN_PARTS) as [SetupFile, ...SetupFile[]]

/** Checks that a text has no content: it is only white space or an empty object. */
export const isEmptyText = (text: string): boolean => ['', '{}'].includes(text.replace(/\s+/g, ''))

/** Checks whether settings of Codex have a table of the MCP server. */
export const hasServerTable = (text: string): boolean =>
  /^[ \t]*\[mcp_servers\.["']?turngraph["']?\]/m.test(text)
