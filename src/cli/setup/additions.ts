/** Builds what `turngraph init` offers: hooks, the MCP server, lines for agents, and the task of a folder. */
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { realPath } from '../../platform/folders.ts'
import { CLAUDE_CODE, CODEX } from '../../rules/agents.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { claudeProjects, codexSessions } from '../agent-folders.ts'
import { DEFAULT_GATE_LIMIT, DEFAULT_GATE_POLICY } from '../gate-policy.ts'
import { createHooks } from '../hook-commands.ts'
import { withHooks } from '../hook-settings.ts'
import type { NamedTask } from '../hook-task.ts'
import { UnfitFile } from '../text-file.ts'
import type { Addition } from './change-files.ts'
import { addMarkedLines, IN_MARKDOWN, IN_TOML } from './marked-lines.ts'
import type { OfferName } from './offer-names.ts'
import { hasServerTable, MCP_SERVER, parseMcpSettings } from './own-parts.ts'

export type Setup = {
  folder: string
  dataFolder: string
  project: string | undefined
  /** Task of the next session in the folder; null if none is known. */
  task: NamedTask | null
}

export function additionsOf(offer: OfferName, setup: Setup): Addition[] {
  if (offer === 'hooks') return hookAdditions(setup)
  if (offer === 'mcp') return mcpAdditions(setup)
  if (offer === 'agents') return agentAdditions(setup)
  return setup.task === null ? [] : [taskAddition(setup.task)]
}

const hasCodex = (): boolean => existsSync(path.dirname(codexSessions()))
const hasClaude = (): boolean => existsSync(path.dirname(claudeProjects()))

function hookAdditions({ dataFolder, project }: Setup): Addition[] {
  const gate = { limit: DEFAULT_GATE_LIMIT, policy: DEFAULT_GATE_POLICY }
  const add = (agent: string) => (text: string) =>
    withHooks(text, createHooks({ agent, dataFolder, project, gate }))
  return [
    { file: '.claude/settings.local.json', add: add(CLAUDE_CODE) },
    ...(hasCodex() ? [{ file: '.codex/hooks.json', add: add(CODEX) } as const] : []),
  ]
}

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url))

function mcpAdditions({ dataFolder, project }: Setup): Addition[] {
  const args = [MAIN, 'mcp', ...(project === undefined ? [] : ['--project', project])]
  const server = { command: process.execPath, args, env: { TURNGRAPH_DATA: dataFolder } }
  const addJson = (text: string) => {
    const settings = parseMcpSettings(text)
    settings.addProperty(MCP_SERVER, server)
    return settings.text
  }
  // A basic string of TOML has the escapes of JSON.
  const toml = [
    '[mcp_servers.turngraph]',
    `command = ${JSON.stringify(server.command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    `env = { TURNGRAPH_DATA = ${JSON.stringify(dataFolder)} }`,
  ]
  const addToml = (text: string) => {
    if (hasServerTable(text)) throw new UnfitFile('has this server already')
    return addMarkedLines(text, toml, IN_TOML)
  }
  return [
    { file: '.mcp.json', add: addJson },
    ...(hasCodex() ? [{ file: '.codex/config.toml', add: addToml } as const] : []),
  ]
}

/** Adds the lines to each file that exists. If none exists, creates the file that the agent of this machine reads. */
function agentAdditions({ folder, project }: Setup): Addition[] {
  const add = (text: string) => addMarkedLines(text, linesForAgents(folder, project), IN_MARKDOWN)
  const places = (['AGENTS.md', 'CLAUDE.md'] as const).map((file) => [file, path.join(folder, file)] as const)
  const present = places.filter(([, place]) => existsSync(place))
  // A link to the other file needs no second copy of the lines.
  const chosen = present.filter(
    ([, place], i) => !present.slice(0, i).some(([, other]) => realPath(other) === realPath(place)),
  )
  const fallback = hasClaude() && !hasCodex() ? 'CLAUDE.md' : 'AGENTS.md'
  return chosen.length === 0 ? [{ file: fallback, add }] : chosen.map(([file]) => ({ file, add }))
}

/** Builds the eight lines. With their markers, a file gets ten. */
function linesForAgents(folder: string, project: string | undefined): string[] {
  const turngraph = ownCommand(folder)
  const more = project === undefined ? '' : ` --project ${quoteForShell(project)}`
  return [
    '## The memory of this project',
    '',
    'Turngraph keeps what earlier sessions tried and proved. Ask it before you plan a task, and again when you are stuck.',
    '',
    `- \`${turngraph} next --feature FEATURE --task TASK${more}\` prints what is proven, left and blocking, and what was tried.`,
    `- \`${turngraph} criteria --feature FEATURE --task TASK --role player${more}\` prints the state of each criterion.`,
    `- \`${turngraph} search "WORDS" --role player${more}\` finds earlier summaries, feedback, issues and lessons.`,
    `- \`${turngraph} verify --feature FEATURE --task TASK${more}\` runs the declared commands and records the result as proof.`,
  ]
}

/** Returns the command that starts this program in a shell in the folder. Avoids a name that npx would download. */
function ownCommand(folder: string): string {
  const name = process.platform === 'win32' ? 'turngraph.cmd' : 'turngraph'
  const isProgram = (file: string) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  }
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((each) => path.isAbsolute(each))
  if (isProgram(path.join(folder, 'node_modules', '.bin', name))) return 'npx --no-install turngraph'
  // npx adds its own folder to the path, which later shells do not have.
  if (onPath.some((each) => !each.includes('node_modules') && isProgram(path.join(each, name))))
    return 'turngraph'
  return `${quoteForShell(process.execPath)} ${quoteForShell(MAIN)}`
}

const taskAddition = (task: NamedTask): Addition => ({
  file: '.turngraph/task.json',
  add: () => `${JSON.stringify(task, null, 2)}\n`,
})
