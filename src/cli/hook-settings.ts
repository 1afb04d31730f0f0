/**
 * Adds our hooks to the settings of Claude Code or the hooks.json of Codex, which has the same form, and removes them. The rest of
 * the file stays as it is.
 */
import * as z from 'zod'
import { readJsonText, writeJsonText } from './json-text.ts'
import { UnfitFile } from './text-file.ts'

/** Events after which a session's transcript has grown. */
export const IMPORT_EVENTS = ['Stop', 'SubagentStop', 'SessionEnd'] as const

/** Events of Codex after which a transcript has grown. Codex has no SessionEnd. */
export const CODEX_IMPORT_EVENTS = ['Stop'] as const

/** Starts of a session at which it gets the context. Not `clear`: a user clears a session to empty it. */
export const START_SOURCES = 'startup|resume|compact|fork'

/** A command that the coding agent runs at an event, if the event fits the matcher (default: always). */
export type Hook = { event: string; command: string; matcher?: string }

/** Matches our commands, wherever Turngraph is installed. */
const OURS = /\bhook-(run|gate|context)\.js\b/

/** Time limit of a hook, in seconds. Our hooks take less than one second, or two at the start of a session. */
const TIMEOUT_S = 10

const handler = z.looseObject({ command: z.unknown() })
const entry = z.looseObject({ hooks: z.array(z.unknown()).optional() })

/** Part of a settings file that must fit, so that no edit loses data. */
const hookSettings = z.looseObject({ hooks: z.record(z.string(), z.array(entry)).optional() })
type HookSettings = z.output<typeof hookSettings>

/**
 * Returns the text of a settings file with these hooks in place of all hooks of Turngraph.
 *
 * @throws UnfitFile
 */
export function withHooks(text: string, added: readonly Hook[]): string {
  const settings = parse(withoutHooks(text))
  const hooks = { ...settings.hooks }
  for (const { event, command, matcher } of added) {
    const handlers = [{ type: 'command', command, timeout: TIMEOUT_S }]
    const entry = { ...(matcher !== undefined && { matcher }), hooks: handlers }
    hooks[event] = [...(hooks[event] ?? []), entry]
  }
  return writeJsonText({ ...settings, hooks }, text)
}

/**
 * Returns the text of a settings file without our hooks and without lists that become empty.
 *
 * @throws UnfitFile
 */
export function withoutHooks(text: string): string {
  const settings = parse(text)
  if (!hasOurs(settings)) return text
  const { hooks = {}, ...others } = settings
  const left = Object.entries(hooks).flatMap(([event, entries]) => {
    const kept = entries.flatMap((entry) => withoutOurs(entry) ?? [])
    return kept.length === 0 && entries.length > 0 ? [] : [[event, kept] as const]
  })
  const rest = left.length === 0 ? others : { ...settings, hooks: Object.fromEntries(left) }
  return writeJsonText(rest, text)
}

/**
 * Returns the name of our part of a settings file; null if it has no hook of ours.
 *
 * @throws UnfitFile
 */
export const findHooks = (text: string): string | null => (hasOurs(parse(text)) ? 'hooks' : null)

type Entry = z.output<typeof entry>

const hasOurs = ({ hooks = {} }: HookSettings): boolean =>
  Object.values(hooks)
    .flat()
    .some((entry) => entry.hooks?.some(isOurs))

/** Returns null if the entry has no other handler. */
function withoutOurs(entry: Entry): Entry | null {
  if (!entry.hooks?.some(isOurs)) return entry
  const hooks = entry.hooks.filter((each) => !isOurs(each))
  return hooks.length === 0 ? null : { ...entry, hooks }
}

function isOurs(given: unknown): boolean {
  const { command } = handler.safeParse(given).data ?? {}
  return typeof command === 'string' && OURS.test(command)
}

function parse(text: string): HookSettings {
  const settings = readJsonText(text)
  if (settings === undefined) throw new UnfitFile('is not JSON, or has comments or trailing commas')
  const { error } = hookSettings.safeParse(settings)
  if (error === undefined) return settings as HookSettings // a parsed copy would have its keys in another order
  throw new UnfitFile(`does not fit: ${error.issues[0]?.path.join('.')}`)
}
