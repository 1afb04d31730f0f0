/** Adds our hooks to the settings of Claude Code, and takes them away: all else in them stays as it is. */
import * as z from 'zod'

/** When a session's transcript has grown. */
export const IMPORT_EVENTS = ['Stop', 'SubagentStop', 'SessionEnd'] as const

/** A command that Claude Code runs at an event, where the event's matcher fits (default: always). */
export type Hook = { event: string; command: string; matcher?: string }

/** Our entries are known by it, wherever Turngraph was installed from. */
const OURS = /\bhook-(run|gate|context)\.js\b/

/** Claude Code kills a hook that takes longer, in seconds; ours are done within a fraction of one. */
const TIMEOUT_S = 10

const matcher = z.looseObject({ hooks: z.array(z.unknown()).optional() })

/** What of a settings file must fit, so that nothing in it is lost. */
export const hookSettings = z.looseObject({
  hooks: z.record(z.string(), z.array(matcher)).optional(),
})
export type HookSettings = z.output<typeof hookSettings>

/** Puts these hooks in the place of all that are ours. */
export function withHooks(settings: HookSettings, added: readonly Hook[]): HookSettings {
  const { hooks: others = {}, ...rest } = withoutHooks(settings)
  const hooks = { ...others }
  for (const { event, command, matcher } of added) {
    const ours = {
      ...(matcher !== undefined && { matcher }),
      hooks: [{ type: 'command', command, timeout: TIMEOUT_S }],
    }
    hooks[event] = [...(hooks[event] ?? []), ours]
  }
  return { ...rest, hooks }
}

/** Takes our hooks away, and what is empty then. */
export function withoutHooks(settings: HookSettings): HookSettings {
  const { hooks, ...rest } = settings
  if (hooks === undefined) return settings
  const remaining = Object.entries(hooks)
    .map(([event, matchers]) => [event, withoutOurs(matchers)] as const)
    .filter(([event, matchers]) => matchers.length > 0 || hooks[event]?.length === 0)
  return remaining.length === 0 && Object.keys(hooks).length > 0
    ? rest
    : { ...rest, hooks: Object.fromEntries(remaining) }
}

const withoutOurs = (matchers: readonly z.output<typeof matcher>[]) =>
  matchers.flatMap((entry) => {
    const { hooks } = entry
    const kept = hooks?.filter((hook) => !isOurs(hook))
    if (kept === undefined || kept.length === hooks?.length) return [entry]
    return kept.length === 0 ? [] : [{ ...entry, hooks: kept }]
  })

const isOurs = (hook: unknown): boolean =>
  typeof hook === 'object' &&
  hook !== null &&
  'command' in hook &&
  typeof hook.command === 'string' &&
  OURS.test(hook.command)
