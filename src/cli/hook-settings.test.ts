import { expect, test } from 'vitest'
import { HOOK_EVENTS, type HookSettings, withHook, withoutHook } from './hook-settings.ts'

const COMMAND = "'/usr/bin/node' '/opt/turngraph/dist/cli/hook-run.js' '/home/me/.turngraph'"
const theirs = { hooks: [{ type: 'command', command: 'echo done' }] }

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
    Object.fromEntries(HOOK_EVENTS.map((event) => [event, [newer]])),
  )
})

test('uninstalling leaves what was there before, and nothing of ours', () => {
  const before: HookSettings = { hooks: { Stop: [theirs], Notification: [] }, env: { A: '1' } }
  expect(withoutHook(withHook(before, COMMAND))).toEqual(before)
  expect(withoutHook(withHook({}, COMMAND))).toEqual({})
  expect(withoutHook({})).toEqual({})
})

test('of an entry that others share with us only ours goes', () => {
  const shared: HookSettings = {
    hooks: { Stop: [{ matcher: '*', hooks: [...theirs.hooks, { type: 'command', command: COMMAND }] }] },
  }
  expect(withoutHook(shared)).toEqual({ hooks: { Stop: [{ matcher: '*', ...theirs }] } })
})
