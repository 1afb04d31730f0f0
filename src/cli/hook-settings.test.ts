import { expect, test } from 'vitest'
import { type HookSettings, IMPORT_EVENTS, withHooks, withoutHooks } from './hook-settings.ts'

const COMMAND = "'/usr/bin/node' '/opt/turngraph/dist/cli/hook-run.js' '/home/me/.turngraph'"
const GATE = "'/usr/bin/node' '/opt/turngraph/dist/bin/hook-gate.js' '/home/me/.turngraph' '3'"
const CONTEXT = "'/usr/bin/node' '/opt/turngraph/dist/bin/hook-context.js' '/home/me/.turngraph'"
const theirs = { hooks: [{ type: 'command', command: 'echo done' }] }

const withHook = (settings: HookSettings, command: string): HookSettings =>
  withHooks(
    settings,
    IMPORT_EVENTS.map((event) => ({ event, command })),
  )

const commandsIn = (settings: HookSettings): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(settings.hooks ?? {}).map(([event, matchers]) => [
      event,
      matchers.flatMap(({ hooks = [] }) => hooks.map((hook) => (hook as { command: string }).command)),
    ]),
  )

test('the hook stands at each event, beside what is there', () => {
  const before: HookSettings = {
    model: 'opus',
    hooks: { Stop: [theirs], PreToolUse: [{ matcher: 'Bash', ...theirs }] },
  }
  const after = withHook(before, COMMAND)
  expect(after).toMatchObject({ model: 'opus', hooks: { PreToolUse: [{ matcher: 'Bash', ...theirs }] } })
  expect(commandsIn(after)).toEqual({
    Stop: ['echo done', COMMAND],
    PreToolUse: ['echo done'],
    SubagentStop: [COMMAND],
    SessionEnd: [COMMAND],
  })
})

test('installing again brings it up to date and adds none', () => {
  const newer = COMMAND.replace('/opt', '/srv')
  expect(commandsIn(withHook(withHook({}, COMMAND), newer))).toEqual(
    Object.fromEntries(IMPORT_EVENTS.map((event) => [event, [newer]])),
  )
})

test('uninstalling leaves what was there before, and nothing of ours', () => {
  const before: HookSettings = { hooks: { Stop: [theirs], Notification: [] }, env: { A: '1' } }
  expect(withoutHooks(withHook(before, COMMAND))).toEqual(before)
  expect(withoutHooks(withHook({}, COMMAND))).toEqual({})
  expect(withoutHooks({})).toEqual({})
})

test('of an entry that others share with us only ours goes', () => {
  const shared: HookSettings = {
    hooks: { Stop: [{ matcher: '*', hooks: [...theirs.hooks, { type: 'command', command: COMMAND }] }] },
  }
  expect(withoutHooks(shared)).toEqual({ hooks: { Stop: [{ matcher: '*', ...theirs }] } })
})

test('the gate stands beside the import at Stop, the context at the starts of a session that it is for; both go', () => {
  const gated = withHooks({ hooks: { Stop: [theirs] } }, [
    { event: 'Stop', command: COMMAND },
    { event: 'Stop', command: GATE },
    { event: 'SessionStart', matcher: 'startup|resume|compact', command: CONTEXT },
  ])
  expect(commandsIn(gated)).toEqual({ Stop: ['echo done', COMMAND, GATE], SessionStart: [CONTEXT] })
  expect(gated.hooks?.SessionStart).toMatchObject([{ matcher: 'startup|resume|compact' }])
  expect(withoutHooks(gated)).toEqual({ hooks: { Stop: [theirs] } })
})
