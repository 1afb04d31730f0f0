import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AS_OTHERS, commandsOn, temporaryFolder } from './command.ts'

let home = ''
let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  home = temporaryFolder()
  turngraph = commandsOn(home)
})

test.skipIf(!existsSync('/dev/zero')).each([
  [['capture', '/dev/zero'], '/dev/zero is over the limit of 256 MiB.'],
  [['specify', '/dev/zero'], '/dev/zero is over the limit of 8 MiB.'],
])('%j, which has no end, is refused at its limit', async (args, says) => {
  const { code, stderr } = await turngraph.run(args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${says}\n`)])
})

test('restore rejects a FIFO, because opening it waits for a writer', async () => {
  const file = path.join(home, 'backup.jsonl')
  execFileSync('mkfifo', [file])
  const { code, stderr } = await turngraph.run(['restore', file])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${file} is not a regular file.\n`)])
})

describe('specify answers with one error for', () => {
  const task = '# Retry\n## Acceptance Criteria\n'
  const cases: [
    what: string,
    name: string,
    content: Buffer | string | ((file: string) => void),
    says: string,
  ][] = [
    ['an empty check box', 'TASK-1.md', `${task}- [ ]\n`, 'TASK-1.md states no criteria: no item under'],
    [
      'a link to a device',
      'TASK-1.md',
      (file) => symlinkSync('/dev/zero', file),
      'TASK-1.md is not a regular file.',
    ],
    [
      'a FIFO',
      'TASK-1.md',
      (file) => void execFileSync('mkfifo', [file]),
      'TASK-1.md is not a regular file.',
    ],
    [
      'a loop of links',
      'TASK-1.md',
      (file) => symlinkSync('TASK-1.md', file),
      'TASK-1.md cannot be read: ELOOP.',
    ],
    [
      'a text that is not UTF-8',
      'TASK-1.md',
      Buffer.from(`${task}- caf\u00e9 opens\n`, 'latin1'),
      'TASK-1.md is not UTF-8.',
    ],
    [
      'a name with a line break',
      'TASK-1\nerror: none.md',
      `${task}- [ ] Retries\n`,
      'The name of the file holds a line break or a hidden character.',
    ],
    [
      'a name with an escape sequence',
      '\u001b[2JTASK-1.md',
      `${task}- [ ] Retries\n`,
      'The name of the file holds a line break or a hidden character.',
    ],
  ]
  test.each(cases)('%s', async (_what, name, content, says) => {
    const file = path.join(home, name)
    if (typeof content === 'function') content(file)
    else writeFileSync(file, content)
    const args = ['specify', name, '--feature', 'FEAT-1', '--task', 'TASK-1']
    const { code, stdout, stderr } = await turngraph.run(args)
    expect([code, stdout]).toEqual([2, ''])
    const [error, ...hints] = stderr.trimEnd().split('\n')
    expect(error).toContain(`error: ${says}`)
    expect(hints).toEqual([expect.stringMatching(/^hint: /)])
  })
})

test('a statement of more than 1 MiB on standard input is rejected', async () => {
  const { code, stderr } = await turngraph.run(['query', '-'], { input: ' '.repeat(1024 * 1024 + 1) })
  expect([code, stderr]).toEqual([2, expect.stringContaining('Standard input is over the limit of 1 MiB.')])
})

test('the error about a data folder that is a file asks for a folder', async () => {
  const file = path.join(home, 'file')
  writeFileSync(file, '')
  for (const args of [['worlds'], ['serve', '--port', '0']]) {
    const { code, stderr } = await turngraph.run(args, { environment: { TURNGRAPH_DATA: file } })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`The data folder ${file} is no folder.`)])
  }
})

test('a data folder that cannot be written is not reported as held by another process', async () => {
  chmodSync(home, 0o555)
  onTestFinished(() => chmodSync(home, 0o700))
  const environment = { TURNGRAPH_DATA: home }
  const args = ['worlds', 'create', '--feature', 'FEAT-1', '--task', 'TASK-1']
  const { code, stderr } = await turngraph.run(args, { environment, wrapper: AS_OTHERS })
  expect([code, stderr]).toEqual([7, expect.stringMatching(/ cannot be opened: .*Permission denied/)])
  expect(stderr).toContain('hint: Check that the folder exists and is writable.\n')
})

test.each([
  [['hook', 'install'], 'claude', 'settings.json', ''],
  [['task', 'set', 'F/T'], '.turngraph', 'task.json', ''],
  [
    ['token', 'create', '--name', 'a', '--scope', 'play'],
    'data',
    'tokens.json.lock',
    ' TURNGRAPH_DATA names another data folder.',
  ],
])(
  '%j without the permission to write names the file, and reports no defect',
  async (args, name, file, more) => {
    const folder = path.join(home, name)
    mkdirSync(folder, { mode: 0o555 })
    const environment = {
      TURNGRAPH_DATA: path.join(home, 'data'),
      CLAUDE_CONFIG_DIR: path.join(home, 'claude'),
    }
    const { code, stderr } = await turngraph.run(args, { environment, wrapper: AS_OTHERS })
    expect([code, stderr]).toEqual([
      2,
      `error: EACCES: permission denied, open '${path.join(folder, file)}'\nhint: Check that this user may read and write ${folder}.${more}\n`,
    ])
  },
)

test('watch rejects a file, because it can never become a folder', async () => {
  const file = path.join(home, 'r.json')
  writeFileSync(file, '{}')
  const { code, stderr } = await turngraph.run(['watch', file])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} is no folder.`)])
})

test('an import of unreadable files reports them in its exit code, and does not claim that the task folder is missing', async () => {
  const folder = path.join(home, 'autobuild', 'TASK-1')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'coach_turn_1.json'), '{"decision": ')
  const { code, stderr } = await turngraph.run(['import', 'autobuild', home])
  expect(code).toBe(8)
  expect(stderr).toContain('coach_turn_1.json: is not valid JSON')
  expect(stderr).not.toContain('There is no task folder')
})

test('import autobuild lists an artifact that is no file or no UTF-8 as skipped', async () => {
  const folder = path.join(home, 'autobuild', 'TASK-1')
  mkdirSync(path.join(folder, 'player_turn_2.json'), { recursive: true })
  execFileSync('mkfifo', [path.join(folder, 'player_turn_3.json')])
  writeFileSync(path.join(folder, 'player_turn_1.json'), Buffer.from('{"task_id": "caf\u00e9"}', 'latin1'))
  writeFileSync(
    path.join(folder, 'coach_turn_1.json'),
    '{"task_id": "TASK-1", "turn": 1, "decision": "approve"}',
  )
  const { stdout } = await turngraph.run(['import', 'autobuild', home, '--json'])
  const { skipped } = JSON.parse(stdout) as { skipped: { file: string; reason: string }[] }
  const reasons = Object.fromEntries(skipped.map(({ file, reason }) => [path.basename(file), reason]))
  expect(reasons).toMatchObject({
    'player_turn_1.json': 'is not UTF-8',
    'player_turn_2.json': 'is named as an artifact, and is no file',
    'player_turn_3.json': 'is named as an artifact, and is no file',
  })
})

test.each(['127.0.0.1:7480', 'localhost:7480'])(
  'the error about a TURNGRAPH_URL without http:// shows an example',
  async (url) => {
    const { code, stderr } = await turngraph.run(['worlds'], { environment: { TURNGRAPH_URL: url } })
    const says = 'TURNGRAPH_URL must be an address such as http://127.0.0.1:7480'
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  },
)

test('the hint about an address of another machine is about the address, not about the port', async () => {
  const { code, stderr } = await turngraph.run(['serve', '--host', '192.0.2.1', '--port', '0'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^error: .*EADDRNOTAVAIL.*\nhint: .*TURNGRAPH_HOST/),
  ])
})

test.each([[], ['--dry-run']])(
  'import transcripts %s says that a folder has no transcript',
  async (...more) => {
    const folder = path.join(home, 'empty')
    mkdirSync(folder)
    const { code, stderr } = await turngraph.run(['import', 'transcripts', folder, ...more])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`There is no transcript below ${folder}: `)])
  },
)

test('a TURNGRAPH_URL that answers with a redirect gets no token, and the error names the variable', async () => {
  const elsewhere = createServer((_req, res) => res.writeHead(302, { location: '/login' }).end())
  onTestFinished(() => void elsewhere.close())
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
  const { port } = elsewhere.address() as AddressInfo
  const environment = {
    TURNGRAPH_URL: `http://127.0.0.1:${port}`,
    TURNGRAPH_TOKEN: 'a-token-of-43-characters',
  }
  const { code, stderr } = await turngraph.run(['worlds'], { environment })
  expect([code, stderr]).toEqual([3, expect.stringContaining('Check TURNGRAPH_URL and TURNGRAPH_TOKEN')])
})
