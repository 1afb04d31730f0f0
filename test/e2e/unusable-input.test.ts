import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

let home = ''
let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  home = temporaryFolder()
  turngraph = commandsOn(home)
})

test.skipIf(!existsSync('/dev/zero')).each([
  [['capture', '/dev/zero'], '/dev/zero is over the limit of 256 MiB.'],
  [['specify', '/dev/zero'], '/dev/zero is over the limit of 1 MiB.'],
])('%j, which has no end, is refused at its limit', async (args, says) => {
  const { code, stderr } = await turngraph.run(args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${says}\n`)])
})

test('a statement of more than 1 MiB on standard input is refused', async () => {
  const { code, stderr } = await turngraph.run(['query', '-'], { input: ' '.repeat(1024 * 1024 + 1) })
  expect([code, stderr]).toEqual([2, expect.stringContaining('Standard input is over the limit of 1 MiB.')])
})

test('a data folder that is a file is said to be no folder', async () => {
  const file = path.join(home, 'file')
  writeFileSync(file, '')
  for (const args of [['worlds'], ['serve', '--port', '0']]) {
    const { code, stderr } = await turngraph.run(args, { environment: { TURNGRAPH_DATA: file } })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`The data folder ${file} is no folder.`)])
  }
})

test('watch refuses a file, which would never change into a folder', async () => {
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

test('import autobuild lists what is named as an artifact and is no file, or no UTF-8, as skipped', async () => {
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
