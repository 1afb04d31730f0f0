/** The files that `turngraph init` may change, and the part of each that belongs to Turngraph. */
import * as z from 'zod'
import { findHooks, hasAllHooks, withoutHooks } from '../hook-settings.ts'
import { parseTask, shownTask, TaskNotNamed } from '../hook-task.ts'
import { JsonText } from '../json-text.ts'
import { UnfitFile } from '../text-file.ts'
import { IN_MARKDOWN, IN_TOML, markedPart, type OwnPart } from './marked-lines.ts'

const hooks: OwnPart = { find: findHooks, isWhole: hasAllHooks, remove: withoutHooks }

const SERVERS = 'mcpServers'
export const MCP_SERVER = [SERVERS, 'turngraph'] as const

const mcpServer: OwnPart = {
  find: (text) => {
    const value = parseMcpSettings(text).at(MCP_SERVER)
    return value === undefined ? null : JSON.stringify(value)
  },
  remove: (text) => {
    const settings = parseMcpSettings(text)
    if (settings.at(MCP_SERVER) === undefined) return text
    settings.remove(MCP_SERVER)
    if (settings.isBare([SERVERS])) settings.remove([SERVERS])
    return settings.text
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

export const OWN_PARTS = {
  '.claude/settings.local.json': hooks,
  '.codex/hooks.json': hooks,
  '.mcp.json': mcpServer,
  '.codex/config.toml': markedPart(IN_TOML),
  'AGENTS.md': markedPart(IN_MARKDOWN),
  'CLAUDE.md': markedPart(IN_MARKDOWN),
  '.turngraph/task.json': task,
} as const satisfies Record<string, OwnPart>

export type SetupFile = keyof typeof OWN_PARTS
export const SETUP_FILES = Object.keys(OWN_PARTS) as [SetupFile, ...SetupFile[]]

/** Checks that a text has no content: it is only white space or an empty object. */
export const isEmptyText = (text: string): boolean => ['', '{}'].includes(text.replace(/\s+/g, ''))

export const hasServerTable = (text: string): boolean =>
  /^[ \t]*\[mcp_servers\.["']?turngraph["']?\]/m.test(text)

const mcpSettings = z.looseObject({ [SERVERS]: z.record(z.string(), z.unknown()).optional() })

export function parseMcpSettings(text: string): JsonText {
  const settings = JsonText.parse(text)
  if (settings === null) throw new UnfitFile('is not JSON')
  if (!mcpSettings.safeParse(settings.at([])).success) throw new UnfitFile(`does not fit: ${SERVERS}`)
  return settings
}
