import * as z from 'zod'

/** The settings of Claude Code, as far as our hook is concerned: all else in them stays as it is. */

/** When a session's transcript has grown. */
export const HOOK_EVENTS = ['Stop', 'SubagentStop', 'SessionEnd'] as const

/** Our entries are known by it, wherever Turngraph was installed from. */
const OURS = /\bhook-run\.js\b/

/** Claude Code kills a hook that takes longer, in seconds; ours hands over within a fraction of one. */
const TIMEOUT_S = 10

const matcher = z.looseObject({ hooks: z.array(z.unknown()).optional() })

/** What of a settings file must fit, so that nothing in it is lost. */
export const hookSettings = z.looseObject({
  hooks: z.record(z.string(), z.array(matcher)).optional(),
})
export type HookSettings = z.output<typeof hookSettings>

/** Adds the hook, or brings it up to date. */
export function withHook(settings: HookSettings, command: string): HookSettings {
  const { hooks = {}, ...rest } = withoutHook(settings)
  const ours = { hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] }
  const added = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [...(hooks[event] ?? []), ours]]))
  return { ...rest, hooks: { ...hooks, ...added } }
}

/** Takes the hook away, and what is empty then. */
export function withoutHook(settings: HookSettings): HookSettings {
  const { hooks, ...rest } = settings
  if (hooks === undefined) return settings
  const kept = Object.entries(hooks)
    .map(([event, matchers]) => [event, withoutOurs(matchers)] as const)
    .filter(([event, matchers]) => matchers.length > 0 || hooks[event]?.length === 0)
  return kept.length === 0 && Object.keys(hooks).length > 0
    ? rest
    : { ...rest, hooks: Object.fromEntries(kept) }
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
