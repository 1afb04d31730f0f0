/** `turngraph hook`: adds our hooks to the settings of Claude Code or Codex, and removes them. */
import path from 'node:path'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { CLAUDE_CODE, CODEX } from '../rules/agents.ts'
import { claudeSettings, codexHooks } from './agent-folders.ts'
import { action, type Given, group, POLICY, PROJECT } from './command.ts'
import { DEFAULT_GATE_LIMIT, DEFAULT_GATE_POLICY } from './gate-policy.ts'
import { printNote } from './output.ts'

const SETTINGS = {
  agent: [
    '--agent <agent>',
    'coding agent that runs the hooks (default: claude-code)',
    { choices: [CLAUDE_CODE, CODEX] },
  ],
  settings: ['--settings <file>', 'default: ~/.claude/settings.json; of Codex, ~/.codex/hooks.json'],
} as const
const INSTALL = {
  ...SETTINGS,
  ...PROJECT,
  gate: [
    '--gate',
    'tell an agent that stops what of its task is not proven, and one that starts what is known',
  ],
  gateLimit: ['--gate-limit <n>', `maximum number of times in a session (default: ${DEFAULT_GATE_LIMIT})`],
  gatePolicy: [
    '--gate-policy <policy>',
    `what counts as proven (default: ${DEFAULT_GATE_POLICY})`,
    { choices: POLICY.policy[2].choices },
  ],
} as const

const MAX_GATE_LIMIT = 100

export const addHook = group(
  {
    name: 'hook',
    description:
      'add hooks to Claude Code or Codex that import each session after each turn, and list unproven criteria',
  },
  [
    action(
      {
        name: 'install',
        description: 'add the hooks to the settings of the coding agent; other settings stay',
        options: INSTALL,
        help: 'The gate asks the session that is bound to a task: one that has TURNGRAPH_TASK (FEATURE/TASK) in its environment, or the first\none that starts in a folder with .turngraph/task.json (`turngraph task set`).\n\nExample:\n  turngraph hook install --gate --settings .claude/settings.local.json\n  turngraph hook install --agent codex',
      },
      installHook,
    ),
    action({ name: 'uninstall', description: 'take the hooks away again', options: SETTINGS }, uninstallHook),
  ],
)

async function installHook(given: Given<typeof INSTALL>): Promise<void> {
  const { gate = false, gateLimit, gatePolicy, agent, project, settings } = given
  if (gateLimit !== undefined && !gate) throw invalidField('gateLimit', 'is for --gate alone')
  if (gateLimit !== undefined && !(gateLimit >= 1 && gateLimit <= MAX_GATE_LIMIT))
    throw invalidField('gateLimit', `must be a whole number from 1 to ${MAX_GATE_LIMIT}`)
  if (gatePolicy !== undefined && !gate) throw invalidField('gatePolicy', 'is for --gate alone')
  const { withHooks } = await import('./hook-settings.ts')
  const { createHooks } = await import('./hook-commands.ts')
  const { loadConfig } = await import('../platform/config.ts')
  const { dataFolder } = loadConfig(process.env)
  const file = chooseFile({ agent, settings })
  const gateSettings = { limit: gateLimit ?? DEFAULT_GATE_LIMIT, policy: gatePolicy ?? DEFAULT_GATE_POLICY }
  const hooks = createHooks({ agent, dataFolder, project, gate: gate ? gateSettings : null })
  await edit(file, (text) => withHooks(text, hooks))
  printNote(
    `Installed in ${file}: sessions go into ${dataFolder}; ${path.join(dataFolder, 'hook.log')} has the log.`,
  )
  if (agent === CODEX) printNote('Codex runs a new hook after you have trusted it: enter /hooks in Codex.')
}

async function uninstallHook(options: Given<typeof SETTINGS>): Promise<void> {
  const { withoutHooks } = await import('./hook-settings.ts')
  const file = chooseFile(options)
  if (!(await edit(file, withoutHooks)))
    return printNote(`${file} had no hook of Turngraph: nothing was changed.`)
  printNote(`Removed the hooks of Turngraph from ${file}.`)
}

const chooseFile = ({ agent, settings }: Given<typeof SETTINGS>): string =>
  path.resolve(settings ?? (agent === CODEX ? codexHooks() : claudeSettings()))

async function edit(file: string, change: (text: string) => string): Promise<boolean> {
  const { readTextFile, UnfitFile, writeTextFile } = await import('./text-file.ts')
  try {
    const text = (await readTextFile(file)) ?? ''
    const changed = change(text)
    if (changed !== text) writeTextFile(file, changed)
    return changed !== text
  } catch (error) {
    if (error instanceof UnfitFile) throw notOurs(file, error.message, error)
    throw error
  }
}

const notOurs = (file: string, why: string, cause: unknown): TurngraphError =>
  new TurngraphError('invalid_request', `settings: ${file} ${why}.`, {
    hint: 'Correct it first. The file was not changed.',
    details: { problems: [{ path: 'settings', message: why }] },
    cause,
  })
