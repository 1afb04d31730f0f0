/**
 * Adds our hooks to the settings of Claude Code or the hooks.json of Codex, which has the same form, and removes them. The rest
 * of the file stays unchanged: order, format, comments and trailing commas.
 */
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { itemsOf, JsonText, type Place } from './json-text.ts'
import { UnfitFile } from './text-file.ts'

/** Events after which a session's transcript has grown. */
export const IMPORT_EVENTS = ['Stop', 'SubagentStop', 'SessionEnd'] as const

/** Events of Codex after which a transcript has grown. Codex has no SessionEnd. */
export const CODEX_IMPORT_EVENTS = ['Stop'] as const

/** Starts of a session at which it gets the context. Not `clear`: a user clears a session to empty it. */
export const START_SOURCES = 'startup|resume|compact|fork'

export type Hook = { event: string; command: string; matcher?: string }

/** Matches our commands, wherever Turngraph is installed: the path of a program and its first argument, both in quotes. */
const OURS = /[\\/](?:bin|cli)[\\/](hook-(?:run|gate|context)\.js)['"] ['"]/

/** Time limit of a hook, in seconds. Our hooks take less than one second, or two at the start of a session. */
const TIMEOUT_S = 10

const handler = z.looseObject({ command: z.unknown() })
const entry = z.looseObject({ hooks: z.array(z.unknown()).optional() })

/** Part of a settings file that must fit, so that no edit loses data. */
const hookSettings = z.looseObject({ hooks: z.record(z.string(), z.array(entry)).optional() })

/** Replaces all hooks of Turngraph in the text of a settings file with these. @throws UnfitFile */
export function withHooks(text: string, added: readonly Hook[]): string {
  const settings = parse(withoutHooks(text))
  for (const { event, command, matcher } of added) {
    const hooks = [{ type: 'command', command, timeout: TIMEOUT_S }]
    settings.append(['hooks', event], { ...(matcher !== undefined && { matcher }), hooks })
  }
  return settings.text
}

/** Removes our hooks from the text of a settings file, and lists that become empty. @throws UnfitFile */
export function withoutHooks(text: string): string {
  const settings = parse(text)
  let [ours] = listOurs(settings)
  if (ours === undefined) return text
  for (; ours !== undefined; [ours] = listOurs(settings)) {
    const [hooks = 'hooks', event = '', place = 0] = ours.place
    settings.remove(ours.place)
    if (settings.isBare([hooks, event, place, 'hooks']) && !settings.hasComment([hooks, event, place]))
      settings.remove([hooks, event, place])
    if (settings.isBare([hooks, event])) settings.remove([hooks, event])
    if (settings.isBare([hooks])) settings.remove([hooks])
  }
  return settings.text
}

/** Returns the name of our part of a settings file; null if it has no hook of ours. @throws UnfitFile */
export const findHooks = (text: string): string | null => (listOurs(parse(text)).next().done ? null : 'hooks')

/** Checks that a settings file has the hooks of an import and of a gate, all from this installation. @throws UnfitFile */
export function hasAllHooks(text: string): boolean {
  const commands = [...listOurs(parse(text))].map(({ command }) => command)
  const programs = new Set(commands.map((command) => OURS.exec(command)?.[1]))
  const own = quoteArgument(fileURLToPath(new URL('.', import.meta.url))).slice(0, -1)
  return programs.size === OUR_PROGRAMS && commands.every((command) => command.includes(own))
}

const OUR_PROGRAMS = 3

export const quoteArgument = (argument: string): string =>
  process.platform === 'win32' ? `"${argument}"` : `'${argument.replaceAll("'", "'\\''")}'`

/** Yields our hooks. The removal of a hook changes the places of later hooks. */
function* listOurs(settings: JsonText): Generator<{ place: Place; command: string }> {
  for (const event of itemsOf(settings.at(['hooks'])))
    for (const entry of itemsOf(settings.at(['hooks', event])))
      for (const index of itemsOf(settings.at(['hooks', event, entry, 'hooks']))) {
        const place: Place = ['hooks', event, entry, 'hooks', index]
        const { command } = handler.safeParse(settings.at(place)).data ?? {}
        if (typeof command === 'string' && OURS.test(command)) yield { place, command }
      }
}

function parse(text: string): JsonText {
  const settings = JsonText.parse(text)
  if (settings === null) throw new UnfitFile('is not JSON')
  const { error } = hookSettings.safeParse(settings.at([]))
  if (error !== undefined)
    throw new UnfitFile(`does not fit: ${error.issues[0]?.path.join('.') || 'it must be a JSON object'}`)
  return settings
}
