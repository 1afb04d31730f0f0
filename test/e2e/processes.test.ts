import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import { filesOfTurn, writeSlowly } from '../support/written-session.ts'
import { commandsOn, temporaryFolder } from './command.ts'

let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  turngraph = commandsOn(temporaryFolder())
})

const turn = (turn_number: number) =>
  JSON.stringify({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    turn_number,
    player_summary: `Did ${turn_number}`,
  })
const capture = (number: number) => turngraph.spawn(['capture'], { input: turn(number) })
const captureInProcess = (number: number) => turngraph.run(['capture'], { input: turn(number) })
const context = (number: number) =>
  turngraph.run(['context', '--feature', 'FEAT-1', '--task', 'TASK-1', '--turn', String(number)])
const ENDLESS = 'UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*) AS pairs'
const addressWithCode = (url: string) => expect.stringMatching(new RegExp(`^${url}/#code=tgk_[\\w-]{43}\n$`))
const serverFile = () => path.join(turngraph.folder, 'server.json')

describe('one graph, many processes', () => {
  test('a command uses the running server, and opens the store itself after that has ended', async () => {
    const server = await turngraph.serve()
    expect(await capture(1)).toMatchObject({ code: 0 })
    const through = await context(2)
    expect(through.stdout).toContain('Did 1')
    server.child.kill('SIGTERM')
    expect((await server.end).code).toBe(0)
    expect(existsSync(serverFile())).toBe(false)
    expect(existsSync(path.join(turngraph.folder, 'holder.json'))).toBe(false)
    expect(await context(2)).toEqual(through)
  })

  test('open opens the page in the browser of a display, through a file that only its owner can read', async () => {
    const { url } = await turngraph.serve()
    const folder = temporaryFolder()
    const [browser, opened] = [path.join(folder, 'browser'), path.join(folder, 'opened')]
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`, {
      mode: 0o755,
    })
    const environment = { DISPLAY: ':9', BROWSER: browser }
    const { code, stdout } = await turngraph.spawn(['open'], { environment })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    await vi.waitUntil(() => existsSync(opened), { timeout: 30_000 })
    expect(readFileSync(opened, 'utf8')).toContain('open.html')
    const file = path.join(turngraph.folder, 'open.html')
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`url=${url}/#code=tgk_[\\w-]{43}"`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const printed = await turngraph.spawn(['open', '--print'], { environment })
    expect(printed).toEqual({ code: 0, stdout: addressWithCode(url), stderr: '' })
  })

  test('serve prints the address of the page with a code if --print-address is set', async () => {
    const child = turngraph.start(['serve', '--port', '0', '--print-address'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout!, 'data')
    const { url = '' } = readServerFile(turngraph.folder) ?? {}
    expect(`${line}`.replace(/^Open /, '')).toEqual(addressWithCode(url))
  })

  test('open prints the address of the running service with a code, and fails without a service', async () => {
    const none = await turngraph.run(['open'])
    expect(none).toEqual({
      code: 4,
      stdout: '',
      stderr: 'error: No service runs on ./graph: start one with `turngraph serve`.\n',
    })
    const { url } = await turngraph.serve()
    const token = readFileSync(path.join(turngraph.folder, 'token'), 'utf8').trim()
    const running = { code: 0, stdout: addressWithCode(url), stderr: '' }
    expect(await turngraph.run(['open'])).toEqual(running)
    const elsewhere = commandsOn(temporaryFolder())
    const environment = { TURNGRAPH_URL: url, TURNGRAPH_TOKEN: token }
    expect(await elsewhere.run(['open'], { environment })).toEqual(running)
    const unnamed = await elsewhere.run(['open'], { environment: { TURNGRAPH_URL: url } })
    expect(unnamed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('TURNGRAPH_TOKEN') })
    const nobody = { TURNGRAPH_URL: 'http://127.0.0.1:9', TURNGRAPH_TOKEN: token }
    const gone = await elsewhere.run(['open'], { environment: nobody })
    expect(gone).toMatchObject({ code: 7, stderr: expect.stringContaining('turngraph serve') })
  })

  test('a server has the turns that were captured without it', async () => {
    await captureInProcess(1)
    await turngraph.serve()
    expect((await context(2)).stdout).toContain('Did 1')
  })

  test('the process of a query leaves nothing in the temporary folder, however it ends', async () => {
    const temporary = temporaryFolder()
    const environment = { TMPDIR: temporary }
    const query = (cypher: string, timeoutMs = 10_000) =>
      turngraph.spawn(['query', cypher, '--timeout', String(timeoutMs)], { environment })
    expect(await query('RETURN 1')).toMatchObject({ code: 0 })
    expect(await query(ENDLESS, 100)).toMatchObject({ code: 7 })
    expect(readdirSync(temporary)).toEqual([])

    const server = await turngraph.serve([], environment)
    expect(await query('RETURN 1')).toMatchObject({ code: 0 })
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^turngraph-query-/)])
    server.child.kill('SIGKILL')
    await server.end
    await expect.poll(() => readdirSync(temporary), { timeout: 30_000 }).toEqual([])
  })

  test('the error about a folder that another process holds names the process', async () => {
    const graph = EmbeddedGraph.open({ folder: turngraph.folder })
    onTestFinished(() => graph.close())
    const { code, stdout, stderr } = await capture(1)
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain(`process ${process.pid}`)
  })

  test('parallel commands run one after another', async () => {
    const graph = EmbeddedGraph.open({ folder: turngraph.folder })
    const first = capture(1)
    await sleep(700)
    await graph.close()
    expect(await first).toMatchObject({ code: 0 })
    const all = await Promise.all([capture(2), capture(3), capture(4)])
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0])
  })

  test('a command waits for a server that is starting', async () => {
    const child = turngraph.start(['serve', '--port', '0'])
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await captureInProcess(1)).toMatchObject({ code: 0 })
  })
})

describe('serve', () => {
  test('a second server on the same data folder fails, and its error names the first one', async () => {
    const { url, child } = await turngraph.serve()
    const { code, stderr } = await turngraph.spawn(['serve', '--port', '0'])
    expect(code).toBe(7)
    expect(stderr).toContain(`process ${child.pid} at ${url}`)
  })

  test('a port that is in use is one error that names it and the remedy', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stdout, stderr } = await turngraph.spawn(['serve', '--port', String(port)])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^error: Port ${port} on 127.0.0.1 is taken.*\nhint: .*--port 0.*\n$`))
    expect(stderr).toContain('`npm start -- --port 7481`')
  })

  test('a taken default port is replaced by a free one if the address of the page is printed', async () => {
    const other = createServer().listen(7480, '127.0.0.1')
    onTestFinished(() => void other.close())
    // An error means that another process has the port, so it is taken, too.
    await new Promise<void>((resolve) => other.once('listening', resolve).once('error', () => resolve()))
    const unseen = await turngraph.spawn(['serve'])
    expect([unseen.code, unseen.stderr]).toEqual([
      2,
      expect.stringContaining('Port 7480 on 127.0.0.1 is taken'),
    ])
    const child = turngraph.start(['serve', '--print-address'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout!, 'data')
    const { url = '' } = readServerFile(turngraph.folder) ?? {}
    expect(url).not.toContain(':7480')
    expect(`${line}`.replace(/^Open /, '')).toEqual(addressWithCode(url))
  })

  test('a server prints its address and the path of its token, even with a quiet log', async () => {
    const { child, end, url } = await turngraph.serve([], { TURNGRAPH_LOG: 'error' })
    child.kill('SIGINT')
    const { code, stdout, stderr } = await end
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain(url)
    expect(stderr).toContain(path.join(turngraph.folder, 'token'))
  })

  test('the log of a server is JSON lines if it is not a terminal', async () => {
    const { child, end, url } = await turngraph.serve()
    child.kill('SIGTERM')
    const lines = (await end).stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'listening', url }))
    expect(lines).toContainEqual(expect.objectContaining({ token: path.join(turngraph.folder, 'token') }))
  })

  test('SIGTERM lets a request in flight finish', async () => {
    const server = await turngraph.serve([], { TURNGRAPH_AUTH: 'off' })
    const sending = await begunCapture(server.url)
    server.child.kill('SIGTERM')
    await sleep(300)
    expect(server.child.exitCode).toBeNull()
    expect(await sending.finish()).toBe(201)
    expect((await server.end).code).toBe(0)
    expect((await context(2)).stdout).toContain('Did 1')
  })

  test('a second signal ends a server immediately', async () => {
    const server = await turngraph.serve([], { TURNGRAPH_AUTH: 'off' })
    const sending = await begunCapture(server.url)
    server.child.kill('SIGTERM')
    await sleep(600)
    const asked = performance.now()
    server.child.kill('SIGTERM')
    expect((await server.end).code).toBe(143)
    expect(performance.now() - asked).toBeLessThan(3_000)
    sending.abandon()
  })
})

test('a store that accepts connections but never answers keeps no process alive', async () => {
  const store = createTcpServer().listen(0, '127.0.0.1')
  onTestFinished(() => void store.close())
  await once(store, 'listening')
  const environment = { TURNGRAPH_STORE: `bolt://127.0.0.1:${(store.address() as AddressInfo).port}` }
  const service = turngraph.start(['serve', '--port', '0'], { environment })
  const command = turngraph.start(['worlds'], { environment })
  onTestFinished(() => [service, command].forEach((child) => void child.kill('SIGKILL')))
  const ends = [once(service, 'exit'), once(command, 'exit')]
  for await (const line of service.stderr!) if (`${line}`.includes('waiting for')) break
  service.kill('SIGTERM')
  expect(await Promise.all(ends)).toEqual([
    [0, null],
    [7, null],
  ])
})

test('mcp answers a line that is too long with an error, ends, and releases the folder', async () => {
  const child = turngraph.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.on('error', () => {}) // it is closed while the line is written
  child.stdin?.write('x'.repeat(11 * 1024 * 1024))
  const [stdout, stderr] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)])
  expect(JSON.parse(stdout)).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } })
  expect(stderr).toContain('longer than 10 MiB')
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(2)
  expect(existsSync(serverFile())).toBe(false)
  expect(await captureInProcess(1)).toMatchObject({ code: 0 })
})

test('mcp answers a line that is no message with an error, answers a batch, and continues', async () => {
  const child = turngraph.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const lines = [{ ...ping(1), params: null }, [], [ping(2), 7, ping(3)], ping(4)]
  child.stdin?.end(['no JSON', ...lines.map((line) => JSON.stringify(line))].join('\n').concat('\n'))
  const answers = (await text(child.stdout as Readable)).trim().split('\n')
  const error = (code: number, id: object = {}) => ({
    jsonrpc: '2.0',
    ...id,
    error: { code, message: expect.any(String) },
  })
  const pong = (id: number) => ({ jsonrpc: '2.0', id, result: {} })
  const expected = [
    error(-32700),
    error(-32600, { id: 1 }),
    error(-32600),
    error(-32600),
    ...[2, 3, 4].map(pong),
  ]
  const parsed = answers.map((line) => JSON.parse(line))
  expect(parsed).toHaveLength(expected.length)
  expect(parsed).toEqual(expect.arrayContaining(expected))
})

test.each(['SIGTERM', 'SIGHUP'] as const)('mcp ends normally at %s', async (signal) => {
  const child = turngraph.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await once(child.stdout as Readable, 'data')
  const ended = once(child, 'exit')
  child.kill(signal)
  const [, killedBy] = await ended
  expect(killedBy).toBeNull()
  expect(existsSync(serverFile())).toBe(false)
})

test('mcp ends normally when its output is closed', async () => {
  const child = turngraph.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stdin, stdout, stderr] = [child.stdin, child.stdout, child.stderr] as [Writable, Readable, Readable]
  stdin.on('error', () => {}) // it ends while a line is written
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
  stdin.write(ping)
  await once(stdout, 'data')
  const ended = once(child, 'exit')
  const said = text(stderr)
  stdout.destroy()
  stdin.write(ping)
  expect([await ended, await said]).toEqual([[0, null], expect.not.stringMatching(/^\s+at /m)])
  for (const file of ['server.json', 'holder.json'])
    expect(existsSync(path.join(turngraph.folder, file)), file).toBe(false)
})

test('mcp ends if its output is not read and many answers wait', async () => {
  const child = turngraph.start(['mcp'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const said = text(child.stderr as Readable)
  const lines = Array.from({ length: 100 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`)
  const begin =
    '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
  child.stdin?.end(begin + lines.join(''))
  expect(await ended).toEqual([0, null])
  child.stdout?.destroy()
  expect(await said).not.toContain('Warning')
})

test('mcp ends when its input fails', async () => {
  const folder = openSync(path.dirname(turngraph.folder), 'r') // which cannot be read as a file
  const child = turngraph.start(['mcp'], { stdin: folder })
  closeSync(folder)
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(serverFile())).toBe(false)
})

test('mcp ends normally when the connection of its input is reset', async () => {
  const listener = createTcpServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  onTestFinished(() => void listener.close())
  await once(listener, 'listening')
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  const [input] = (await once(listener, 'connection')) as [Socket]
  const child = turngraph.start(['mcp'], { stdin: input })
  onTestFinished(() => void child.kill('SIGKILL'))
  client.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await once(child.stdout as Readable, 'data')
  const [ended, said] = [once(child, 'exit'), text(child.stderr as Readable)]
  client.resetAndDestroy()
  expect([await ended, await said]).toEqual([[0, null], expect.not.stringMatching(/^\s+at /m)])
  expect(existsSync(serverFile())).toBe(false)
})

test.each([
  ['of a parent', []],
  // A write to it blocks, unless the process makes it non-blocking.
  ['of a shell', ['sh', '-c', 'mkfifo unread && exec "$@" 2<> unread', 'sh']],
])('SIGTERM ends a service whose standard error is a pipe %s that nobody reads', async (_whose, wrapper) => {
  const environment = { TURNGRAPH_AUTH: 'off' }
  const child = turngraph.start(['serve', '--port', '0'], { environment, wrapper })
  onTestFinished(() => void child.kill('SIGKILL'))
  const named = async () => readServerFile(turngraph.folder)
  await expect.poll(named, { timeout: 30_000 }).not.toBeNull()
  const url = `${(await named())?.url}/healthz?${'x'.repeat(2_000)}`
  // Each request is a line of the log. A pipe takes 64 KiB, and a socket about 200.
  for (let sent = 0; sent < 500; sent++) await (await fetch(url)).text()
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a service continues after the reader of its standard error has ended', async () => {
  const { child, end, url } = await turngraph.serve([], { TURNGRAPH_AUTH: 'off' })
  const cutOff = expect(end).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
  const ended = once(child, 'exit')
  child.stderr?.destroy()
  await cutOff
  for (let sent = 0; sent < 20; sent++) expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

/**
 * Python program that runs a command on a terminal. It closes the terminal at the first line of its input, ends the command at the
 * second one, and prints the status of the command: -1 for SIGHUP.
 */
const CLOSED_TERMINAL = `
import os, pty, subprocess, sys
outer, inner = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
os.close(inner)
sys.stdin.readline()
os.close(outer)
sys.stdin.readline()
child.terminate()
print(child.wait())`

test.each([
  ['serve', '--port', '0'],
  ['watch', '.'],
])(
  '%s continues after its terminal was closed, and does not abort at its end',
  async (...args) => {
    const wrapper = ['python3', '-c', CLOSED_TERMINAL]
    const environment = { TURNGRAPH_AUTH: 'off', TURNGRAPH_LOG: 'info' }
    const child = turngraph.start(args, { wrapper, environment })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [how, said] = [text(child.stdout as Readable), text(child.stderr as Readable)]
    await expect.poll(() => readServerFile(turngraph.folder), { timeout: 30_000 }).not.toBeNull()
    child.stdin?.write('close\n')
    await sleep(500)
    for (const each of filesOfTurn(path.join(path.dirname(turngraph.folder), 'TASK-1'), 1))
      await writeSlowly(each)
    for (let sent = 0; sent < 20; sent++)
      expect((await fetch(`${readServerFile(turngraph.folder)?.url}/healthz`)).status).toBe(200)
    if (args[0] === 'watch')
      await expect
        .poll(async () => (await turngraph.spawn(['worlds'])).stdout, { timeout: 30_000 })
        .toContain('TASK-1')
    child.stdin?.end('end\n')
    expect([await how, await said]).toEqual(['-1\n', ''])
    expect(existsSync(serverFile())).toBe(false)
  },
  60_000,
)

test('a log that is not read does not fill the memory', async () => {
  const child = logging(
    `for (let line = 0; line < 6_000; line++) {
       log.info('x'.repeat(16_000))
       await new Promise(setImmediate)
     }
     process.stdout.write('done')`,
    ['--max-old-space-size=48'],
  )
  expect([await text(child.stdout), await once(child, 'exit')]).toEqual(['done', [0, null]])
})

/** Reports when the log has been blocked for longer than the time of its own retries. */
const FILL_AND_STALL = `
  for (let line = 0; line < 300; line++) log.info('x'.repeat(4_000))
  setTimeout(() => process.stdout.write('stalled'), 2_000)`

test('a log continues once its reader reads again, and its last lines are whole', async () => {
  const child = logging(`${FILL_AND_STALL}
    process.stdin.on('data', () => {
      for (let line = 0; line < 40; line++) log.info('y'.repeat(16_000))
      process.exit(0)
    })`)
  await once(child.stdout, 'data')
  let read = ''
  child.stderr.on('data', (chunk) => {
    read += chunk
  })
  await expect.poll(() => read.length, { timeout: 30_000 }).toBeGreaterThan(1_000_000)
  child.stdin.write('end')
  await once(child, 'close')
  expect(read.match(/"y{16000}"/g)).toHaveLength(40)
})

test('a process ends if the reader of its log first stalls, and then ends', async () => {
  const child = logging(`${FILL_AND_STALL}
    process.stdin.on('data', () => process.stdin.destroy())`)
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.stderr.destroy()
  child.stdin.write('end')
  expect(await ended).toEqual([0, null])
})

test('a process that ends while its log is not read ends normally', async () => {
  const child = logging(`
    for (let line = 0; line < 60; line++) log.info('x'.repeat(16_000))
    process.exit()`)
  expect(await once(child, 'exit')).toEqual([0, null])
})

/** Starts a process that runs `script` with a log on its standard error, which is not read yet. */
function logging(script: string, options: readonly string[] = []) {
  const module = new URL('../../dist/platform/log.js', import.meta.url)
  const begin = `const log = (await import('${module}')).createLog('info')\n`
  const child = spawn(process.execPath, [...options, '--input-type=module', '-e', begin + script])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('captures that exceed the memory of the service are rejected for a later retry, and do not end it', async () => {
  const small = { NODE_OPTIONS: '--max-old-space-size=64', TURNGRAPH_AUTH: 'off' }
  const { url } = await turngraph.serve([], small)
  const lessons = Array.from({ length: 15 }, (_, i) => `${i} ${'lorem ipsum '.repeat(5_000)}`)
  const capture = (task: number) =>
    fetch(`${url}/v1/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...JSON.parse(turn(1)),
        task_id: `TASK-${task}`,
        lessons_from_turn: lessons,
      }),
    })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, task) => capture(task)))
  const kinds = answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`)
  expect(kinds).toContain('503 1')
  // A busy machine may need longer than the time limit of a request for the accepted captures: each takes up to half a second.
  expect(kinds.filter((kind) => !['201 null', '503 1', '504 null'].includes(kind))).toEqual([])
  expect((await capture(41)).status).toBe(201)
})

test('clients that declare large bodies and send one byte do not block captures of others', async () => {
  const small = { NODE_OPTIONS: '--max-old-space-size=64', TURNGRAPH_AUTH: 'off' }
  const { url } = await turngraph.serve([], small)
  const { port } = new URL(url)
  const begun = [
    'POST /v1/turns HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Content-Length: 1048576',
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n')
  for (let clients = 0; clients < 100; clients++) {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(begun)
    await once(socket, 'data') // the service reads the body now
    socket.write('{')
  }
  const headers = { 'content-type': 'application/json' }
  const extra = { parts: Array.from({ length: 12 }, () => 'x'.repeat(65_000)) }
  const body = JSON.stringify({ ...JSON.parse(turn(1)), extra })
  expect((await fetch(`${url}/v1/turns`, { method: 'POST', headers, body })).status).toBe(201)
})

test.each(['/v1/turns', '/mcp'])(
  'bodies for %s that together exceed the memory of the service are refused before they are whole',
  async (path) => {
    const small = { NODE_OPTIONS: '--max-old-space-size=64', TURNGRAPH_AUTH: 'off' }
    const { url } = await turngraph.serve([], small)
    const headers = { 'content-type': 'application/json', 'content-length': 1024 * 1024 }
    const answers = Array.from({ length: 20 }, async () => {
      const sending = request(`${url}${path}`, { method: 'POST', headers, agent: false })
      onTestFinished(() => void sending.destroy())
      sending.write('['.padEnd(900_000))
      const [{ statusCode, headers: answered }] = await once(sending, 'response')
      return [statusCode, answered['retry-after']]
    })
    for (const answer of answers) answer.catch(() => {}) // the others wait for the rest of theirs
    expect(await Promise.any(answers)).toEqual([503, '1'])
  },
)

/** Starts a request that the server has begun to read, without sending its body. */
async function begunCapture(url: string) {
  const body = turn(1)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  }
  const sending = request(`${url}/v1/turns`, { method: 'POST', headers })
  const answered = new Promise<number>((resolve, reject) => {
    sending.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sending.on('error', reject)
  })
  answered.catch(() => {}) // the test aborts it
  sending.flushHeaders()
  await once(sending, 'continue')
  return {
    finish() {
      sending.end(body)
      return answered
    },
    abandon: () => void sending.destroy(),
  }
}
