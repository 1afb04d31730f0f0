import { expect, test } from 'vitest'
import { IMPORT_EVENTS, START_SOURCES, withHooks, withoutHooks } from './hook-settings.ts'
import { UnfitFile } from './text-file.ts'

const COMMAND = "'/usr/bin/node' '/opt/turngraph/dist/cli/hook-run.js' '/home/me/.turngraph'"
const GATE = "'/usr/bin/node' '/opt/turngraph/dist/bin/hook-gate.js' '/home/me/.turngraph' '3'"
const CONTEXT = "'/usr/bin/node' '/opt/turngraph/dist/bin/hook-context.js' '/home/me/.turngraph'"
const theirs = { hooks: [{ type: 'command', command: 'echo done' }] }

type Settings = { hooks?: Record<string, { matcher?: string; hooks?: { command: string }[] }[]> }

const imports = (command: string) => IMPORT_EVENTS.map((event) => ({ event, command }))
const gate = [
  { event: 'Stop', command: GATE },
  { event: 'SessionStart', matcher: START_SOURCES, command: CONTEXT },
]
const withHook = (settings: object, command = COMMAND): string =>
  withHooks(JSON.stringify(settings), imports(command))
const read = (text: string): Settings => JSON.parse(text)

const commandsIn = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(read(text).hooks ?? {}).map(([event, matchers]) => [
      event,
      matchers.flatMap(({ hooks = [] }) => hooks.map(({ command }) => command)),
    ]),
  )

test('adds the hook to each event and keeps existing hooks', () => {
  const before = { model: 'opus', hooks: { Stop: [theirs], PreToolUse: [{ matcher: 'Bash', ...theirs }] } }
  const after = withHook(before)
  expect(read(after)).toMatchObject({
    model: 'opus',
    hooks: { PreToolUse: [{ matcher: 'Bash', ...theirs }] },
  })
  expect(commandsIn(after)).toEqual({
    Stop: ['echo done', COMMAND],
    PreToolUse: ['echo done'],
    SubagentStop: [COMMAND],
    SessionEnd: [COMMAND],
  })
})

test('a second installation updates the hook and adds none', () => {
  const newer = COMMAND.replace('/opt', '/srv')
  expect(commandsIn(withHooks(withHook({}), imports(newer)))).toEqual(
    Object.fromEntries(IMPORT_EVENTS.map((event) => [event, [newer]])),
  )
})

test('an uninstallation restores the former settings', () => {
  const before = { hooks: { Stop: [theirs], Notification: [] }, env: { A: '1' } }
  expect(read(withoutHooks(withHook(before)))).toEqual(before)
  expect(read(withoutHooks(withHook({})))).toEqual({})
  expect(withoutHooks('{}')).toBe('{}')
})

test('removes only our hook from an entry that also has foreign hooks', () => {
  const shared = {
    hooks: { Stop: [{ matcher: '*', hooks: [...theirs.hooks, { type: 'command', command: COMMAND }] }] },
  }
  expect(read(withoutHooks(JSON.stringify(shared)))).toEqual({
    hooks: { Stop: [{ matcher: '*', ...theirs }] },
  })
})

test('a hook of the user whose program has a similar name stays', () => {
  const named = JSON.stringify({
    hooks: {
      Stop: [{ hooks: [{ command: 'node tools/pre-hook-run.js' }, { command: "node 'bin/hook-gate.js'" }] }],
    },
  })
  expect(withoutHooks(named)).toBe(named)
})

test('adds the gate next to the import at Stop and the context at matching starts of a session, and removes both', () => {
  const gated = withHooks(JSON.stringify({ hooks: { Stop: [theirs] } }), [
    { event: 'Stop', command: COMMAND },
    ...gate,
  ])
  expect(commandsIn(gated)).toEqual({ Stop: ['echo done', COMMAND, GATE], SessionStart: [CONTEXT] })
  expect(read(gated).hooks?.SessionStart).toMatchObject([{ matcher: 'startup|resume|compact|fork' }])
  expect(read(withoutHooks(gated))).toEqual({ hooks: { Stop: [theirs] } })
})

const COMMENTED = `// settings of this machine
{
\t"model": "opus", // the big one
\t/* hooks of others */
\t"hooks": {
\t\t"Stop": [
\t\t\t// says when it is done
\t\t\t{ "hooks": [{ "type": "command", "command": "echo done" }] }, // ours stays above
\t\t],
\t\t"PreToolUse": [{"matcher":"Bash","hooks":[ ]},],
\t},
}
// the end
`

test('comments, trailing commas and the format of the file stay, and uninstalling restores its text', () => {
  const installed = withHooks(COMMENTED, [...imports(COMMAND), ...gate])
  for (const line of COMMENTED.split('\n')) expect(installed.split('\n')).toContain(line)
  expect(installed).toContain('\t\t"SubagentStop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n')
  expect(withHooks(installed, [...imports(COMMAND), ...gate])).toBe(installed)
  expect(withoutHooks(installed)).toBe(COMMENTED)
})

test.each([
  ['Windows line ends', '{\r\n  "a": 1 // one\r\n}\r\n'],
  [
    'no comma at the end, and a comment behind the last item',
    '{\n  "hooks": {\n    "Stop": [\n      {} // theirs\n    ] // all\n  }\n}\n',
  ],
  ['one line', '{"a":1,"hooks":{"Stop":[{"hooks":[]}]}}'],
  ['one line with a comment', '{"a":1 /* one */,"hooks":{"Stop":[{"hooks":[]},]},}'],
  ['a byte order mark', '\uFEFF{\n  "a": 1\n}\n'],
  [
    'brackets that share lines with items',
    '{ "a": [1,\n  2], "hooks": { "Stop": [{\n  "hooks": [] }]\n} }\n',
  ],
])('a file with %s is restored unchanged', (_name, text) => {
  const installed = withHooks(text, [...imports(COMMAND), ...gate])
  expect(installed).toContain('hook-gate.js')
  expect(withoutHooks(installed)).toBe(text)
})

test('a list that is empty without us stays if it has a comment', () => {
  const commented = withHooks('{\n  "hooks": {\n    "Stop": [\n      // for Turngraph\n    ]\n  }\n}\n', gate)
  expect(withoutHooks(commented)).toContain('// for Turngraph')
})

test.each(['{"hooks": ', '{"hooks": {"Stop": 7}}', '[]', '{"a": 1} {', '{"a" 1}', '['.repeat(100_000)])(
  'a file that does not fit is refused: %.20s',
  (text) => {
    expect(() => withHooks(text, gate)).toThrow(UnfitFile)
    expect(() => withoutHooks(text)).toThrow(UnfitFile)
  },
)

test('a file that is not an object is refused with the reason', () => {
  expect(() => withHooks('[]', gate)).toThrow('does not fit: it must be a JSON object')
})

test('an empty file becomes settings on several lines', () => {
  for (const text of ['', '\n', '{}', '{ }\n'])
    expect(withHooks(text, gate)).toBe(`${JSON.stringify(read(withHooks('{}', gate)), null, 2)}\n`)
})
