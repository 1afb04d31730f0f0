/** `turngraph hook`: adds our hooks to the settings of Claude Code or Codex, and removes them. */
import { existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { CLAUDE_CODE, CODEX } from '../rules/agents.ts'
import { codexHooks } from './agent-folders.ts'
import { action, group, POLICY, PROJECT } from './command.ts'
import { DEFAULT_GATE_POLICY, policyArguments } from './gate-policy.ts'
import { kindOf } from './hook-folders.ts'
import type { Hook } from './hook-settings.ts'
import { printNote } from './output.ts'

const SETTINGS = {
  agent: [
    '--agent <agent>',
    'coding agent that runs the hooks (default: claude-code)',
    { choices: [CLAUDE_CODE, CODEX] },
  ],
  settings: ['--settings <file>', 'default: ~/.claude/settings.json; of Codex, ~/.codex/hooks.json'],
} as const
type HookOptions = {
  agent?: string | undefined
  settings?: string | undefined
  project?: string | undefined
}
type InstallOptions = HookOptions & {
  gate?: boolean | undefined
  gateLimit?: number | undefined
  gatePolicy?: string | undefined
}

/** Default limit of the gate. Claude Code ends a turn after hooks have continued it 8 times in a row. */
const GATE_LIMIT = 3
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
        options: {
          ...SETTINGS,
          ...PROJECT,
          gate: [
            '--gate',
            'tell an agent that stops what of its task is not proven, and one that starts what is known',
          ],
          gateLimit: ['--gate-limit <n>', `so often in a session at most (default: ${GATE_LIMIT})`],
          gatePolicy: [
            '--gate-policy <policy>',
            `what counts as proven (default: ${DEFAULT_GATE_POLICY})`,
            { choices: POLICY.policy[2].choices },
          ],
        },
        help: 'The gate asks the session that is bound to a task: one that has TURNGRAPH_TASK (FEATURE/TASK) in its environment, or the first\none that starts in a folder with .turngraph/task.json (`turngraph task set`).\n\nExample:\n  turngraph hook install --gate --settings .claude/settings.local.json\n  turngraph hook install --agent codex',
      },
      installHook,
    ),
    action({ name: 'uninstall', description: 'take the hooks away again', options: SETTINGS }, uninstallHook),
  ],
)

async function installHook(given: InstallOptions): Promise<void> {
  const { gate = false, gateLimit, gatePolicy, ...options } = given
  if (gateLimit !== undefined && !gate) throw invalidField('gateLimit', 'is for --gate alone')
  if (gateLimit !== undefined && !(gateLimit >= 1 && gateLimit <= MAX_GATE_LIMIT))
    throw invalidField('gateLimit', `must be a whole number from 1 to ${MAX_GATE_LIMIT}`)
  if (gatePolicy !== undefined && !gate) throw invalidField('gatePolicy', 'is for --gate alone')
  const { CODEX_IMPORT_EVENTS, IMPORT_EVENTS, START_SOURCES, withHooks } = await import('./hook-settings.ts')
  const { loadConfig } = await import('../platform/config.ts')
  const { dataFolder } = loadConfig(process.env)
  const file = chooseFile(options)
  const run = (program: string, ...args: string[]) =>
    [process.execPath, fileURLToPath(new URL(program, import.meta.url)), dataFolder, ...args]
      .concat(options.project ?? [])
      .map(quoted)
      .join(' ')
  const events = options.agent === CODEX ? CODEX_IMPORT_EVENTS : IMPORT_EVENTS
  const hooks: Hook[] = events.map((event) => ({ event, command: run('./hook-run.js') }))
  if (gate) {
    const policy = policyArguments(gatePolicy ?? DEFAULT_GATE_POLICY)
    hooks.push({ event: 'Stop', command: run('./hook-gate.js', String(gateLimit ?? GATE_LIMIT), ...policy) })
    const command = run('./hook-context.js', ...policy)
    hooks.push({ event: 'SessionStart', matcher: START_SOURCES, command })
  }
  await edit(file, (text) => withHooks(text, hooks))
  printNote(
    `Installed in ${file}: sessions go into ${dataFolder}; ${path.join(dataFolder, 'hook.log')} has the log.`,
  )
  if (options.agent === CODEX)
    printNote('Codex runs a new hook after you have trusted it: enter /hooks in Codex.')
}

async function uninstallHook(options: HookOptions): Promise<void> {
  const { withoutHooks } = await import('./hook-settings.ts')
  const file = chooseFile(options)
  if (!(await edit(file, withoutHooks)))
    return printNote(`${file} had no hook of Turngraph: nothing was changed.`)
  printNote(`Removed the hooks of Turngraph from ${file}.`)
}

const chooseFile = ({ agent, settings }: HookOptions): string =>
  path.resolve(
    settings ?? (agent === CODEX ? codexHooks() : path.join(homedir(), '.claude', 'settings.json')),
  )

/** Quotes an argument for the shell in which the coding agent starts a hook. */
const quoted = (argument: string): string =>
  process.platform === 'win32' ? `"${argument}"` : `'${argument.replaceAll("'", "'\\''")}'`

/** Edits the settings. Returns true if they changed. */
async function edit(file: string, change: (text: string) => string): Promise<boolean> {
  const { UnfitSettings } = await import('./hook-settings.ts')
  const text = await readSettings(file)
  try {
    const changed = change(text)
    if (changed !== text) write(file, changed)
    return changed !== text
  } catch (error) {
    if (error instanceof UnfitSettings) throw notOurs(file, error.message, error)
    throw error
  }
}

async function readSettings(file: string): Promise<string> {
  const kind = kindOf(file)
  if (kind === null) return ''
  if (kind !== 'file') throw notOurs(file, 'is not a regular file', null)
  const { MAX_REQUEST_BYTES, readAtMost } = await import('./bounded-input.ts')
  return (await readAtMost(file, MAX_REQUEST_BYTES)).toString('utf8')
}

const notOurs = (file: string, why: string, cause: unknown): TurngraphError =>
  new TurngraphError('invalid_request', `settings: ${file} ${why}.`, {
    hint: 'Correct it first. The file was not changed.',
    details: { problems: [{ path: 'settings', message: why }] },
    cause,
  })

/** Writes a file atomically with the same permissions. Replaces the target of a link instead of the link. */
function write(file: string, text: string): void {
  const there = existsSync(file)
  const real = there ? realpathSync(file) : file
  mkdirSync(path.dirname(real), { recursive: true })
  const draft = `${real}.${process.pid}.${crypto.randomUUID()}`
  writeFileSync(draft, text, {
    mode: there ? statSync(real).mode : 0o600,
    flag: 'wx',
  })
  renameSync(draft, real)
}
