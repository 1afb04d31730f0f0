/** `turngraph hook`: adds our hooks to the settings of Claude Code, and takes them away again. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { action, group, PROJECT } from './command.ts'
import type { Hook, HookSettings } from './hook-settings.ts'
import { printNote } from './output.ts'

const SETTINGS = { settings: ['--settings <file>', 'default: ~/.claude/settings.json'] } as const
type HookOptions = { settings?: string | undefined; project?: string | undefined }
type InstallOptions = HookOptions & { gate?: boolean | undefined; gateLimit?: number | undefined }

/** Claude Code itself ends a turn that hooks have held up 8 times in a row. */
const GATE_LIMIT = 3
const MOST_GATE_LIMIT = 100

export const addHook = group(
  {
    name: 'hook',
    description:
      'let Claude Code import each session as it goes, and ask for what is not proven: hooks in its settings',
  },
  [
    action(
      {
        name: 'install',
        description: 'add the hooks to the settings of Claude Code; what is there stays',
        options: {
          ...SETTINGS,
          ...PROJECT,
          gate: [
            '--gate',
            'tell an agent that stops what of its task is not proven, and one that starts what is known',
          ],
          gateLimit: ['--gate-limit <n>', `so often in a session at most (default: ${GATE_LIMIT})`],
        },
        help: 'The task is the one of TURNGRAPH_TASK (FEATURE/TASK), else of .turngraph/task.json in the working folder.\n\nExample:\n  turngraph hook install --gate --settings .claude/settings.local.json',
      },
      installHook,
    ),
    action({ name: 'uninstall', description: 'take the hooks away again', options: SETTINGS }, uninstallHook),
  ],
)

async function installHook({ gate = false, gateLimit, ...options }: InstallOptions): Promise<void> {
  if (gateLimit !== undefined && !gate) throw invalidField('gateLimit', 'is for --gate alone')
  if (gateLimit !== undefined && !(gateLimit >= 1 && gateLimit <= MOST_GATE_LIMIT))
    throw invalidField('gateLimit', `must be a whole number from 1 to ${MOST_GATE_LIMIT}`)
  const { IMPORT_EVENTS, withHooks } = await import('./hook-settings.ts')
  const { loadConfig } = await import('../platform/config.ts')
  const { dataFolder } = loadConfig(process.env)
  const file = chooseFile(options)
  const run = (program: string, ...args: string[]) =>
    [process.execPath, fileURLToPath(new URL(program, import.meta.url)), dataFolder, ...args]
      .concat(options.project ?? [])
      .map(quoted)
      .join(' ')
  const hooks: Hook[] = IMPORT_EVENTS.map((event) => ({ event, command: run('./hook-run.js') }))
  if (gate) {
    hooks.push({ event: 'Stop', command: run('./hook-gate.js', String(gateLimit ?? GATE_LIMIT)) })
    const matcher = 'startup|resume|compact'
    hooks.push({ event: 'SessionStart', matcher, command: run('./hook-context.js') })
  }
  write(file, withHooks(await settingsIn(file), hooks))
  printNote(
    `Installed in ${file}: sessions go into ${dataFolder}; ${path.join(dataFolder, 'hook.log')} has the log.`,
  )
}

async function uninstallHook(options: HookOptions): Promise<void> {
  const { withoutHooks } = await import('./hook-settings.ts')
  const file = chooseFile(options)
  const settings = existsSync(file) ? await settingsIn(file) : {}
  const without = withoutHooks(settings)
  if (JSON.stringify(without) === JSON.stringify(settings))
    return printNote(`${file} had no hook of Turngraph: nothing was changed.`)
  write(file, without)
  printNote(`Removed the hooks of Turngraph from ${file}.`)
}

const chooseFile = ({ settings }: HookOptions): string =>
  path.resolve(settings ?? path.join(homedir(), '.claude', 'settings.json'))

/** For the shell that Claude Code starts a hook with. */
const quoted = (argument: string): string =>
  process.platform === 'win32' ? `"${argument}"` : `'${argument.replaceAll("'", "'\\''")}'`

async function settingsIn(file: string): Promise<HookSettings> {
  if (!existsSync(file)) return {}
  const { hookSettings } = await import('./hook-settings.ts')
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '') || '{}')
  } catch (cause) {
    throw notOurs(file, 'is no JSON', cause)
  }
  const parsed = hookSettings.safeParse(json)
  if (!parsed.success)
    throw notOurs(file, `does not fit: ${parsed.error.issues[0]?.path.join('.')}`, parsed.error)
  return json as HookSettings // its keys in their own order
}

const notOurs = (file: string, why: string, cause: unknown): TurngraphError =>
  new TurngraphError('invalid_request', `settings: ${file} ${why}.`, {
    hint: 'Mend it first: nothing was changed.',
    details: { problems: [{ path: 'settings', message: why }] },
    cause,
  })

/** Whole or not at all, in the place of what a link leads to, with the same rights. */
function write(file: string, settings: HookSettings): void {
  const there = existsSync(file)
  const real = there ? realpathSync(file) : file
  mkdirSync(path.dirname(real), { recursive: true })
  const draft = `${real}.${process.pid}.${crypto.randomUUID()}`
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, {
    mode: there ? statSync(real).mode : 0o600,
    flag: 'wx',
  })
  renameSync(draft, real)
}
