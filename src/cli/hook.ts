/** `turngraph hook`: adds the hook to the settings of Claude Code, and takes it away again. */
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
import { TurngraphError } from '../core/errors.ts'
import { action, group, PROJECT } from './command.ts'
import type { HookSettings } from './hook-settings.ts'
import { printNote } from './output.ts'

const SETTINGS = { settings: ['--settings <file>', 'default: ~/.claude/settings.json'] } as const
type HookOptions = { settings?: string | undefined; project?: string | undefined }

export const addHook = group(
  {
    name: 'hook',
    description:
      'let Claude Code import each session as it goes: a hook for Stop, SubagentStop and SessionEnd',
  },
  [
    action(
      {
        name: 'install',
        description: 'add the hook to the settings of Claude Code; what is there stays',
        options: { ...SETTINGS, ...PROJECT },
        help: 'Example:\n  turngraph hook install --settings .claude/settings.local.json',
      },
      installHook,
    ),
    action({ name: 'uninstall', description: 'take the hook away again', options: SETTINGS }, uninstallHook),
  ],
)

async function installHook(options: HookOptions): Promise<void> {
  const { withHook } = await import('./hook-settings.ts')
  const { loadConfig } = await import('../platform/config.ts')
  const { dataFolder } = loadConfig(process.env)
  const file = fileOf(options)
  const given = [dataFolder, ...(options.project === undefined ? [] : [options.project])]
  const command = [process.execPath, HOOK, ...given].map(quoted).join(' ')
  write(file, withHook(await settingsIn(file), command))
  printNote(
    `Installed in ${file}: sessions go into ${dataFolder}; ${path.join(dataFolder, 'hook.log')} has the log.`,
  )
}

async function uninstallHook(options: HookOptions): Promise<void> {
  const { withoutHook } = await import('./hook-settings.ts')
  const file = fileOf(options)
  if (existsSync(file)) write(file, withoutHook(await settingsIn(file)))
  printNote(`${file} has no hook of Turngraph.`)
}

const HOOK = fileURLToPath(new URL('./hook-run.js', import.meta.url))

const fileOf = ({ settings }: HookOptions): string =>
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
