/** A repository must not choose where data is sent (contract: hardening.md, section 2). */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { readInstance } from '../../src/graph/instance-lock.ts'
import { makeDataFolder } from '../../src/platform/data-folder/make-data-folder.ts'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import { readTokenFile } from '../../src/platform/data-folder/token-file.ts'
import { computeProof, hashToken, knowsToken } from '../../src/platform/service-proof.ts'
import { commandsOn, temporaryFolder } from '../e2e/command.ts'
import { start } from './http-start.ts'

const TOKEN = 'a-token-of-43-characters-that-somebody-made'
const turn = JSON.stringify({ feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Secret work' })

/** Creates a folder with files in `.turngraph`. `tracked` commits them. */
function plant(files: Record<string, string>, { tracked = false, mode = 0o600 } = {}): string {
  const repository = mkdtempSync(path.join(tmpdir(), 'turngraph planted-'))
  onTestFinished(() => rmSync(repository, { recursive: true, force: true }))
  const folder = path.join(repository, '.turngraph')
  mkdirSync(folder, { mode: 0o700 })
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), content, { mode })
  if (tracked) {
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })
    git('init', '-q')
    git('add', '-f', '.')
  }
  return folder
}

/** Counts the requests that reach a program that is not Turngraph, on another loopback address. */
async function listen(answer = '{}', host = '127.0.0.2') {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`)
      response.end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return { seen, url: `http://${host}:${(server.address() as AddressInfo).port}` }
}

const serverJson = (url: string) => JSON.stringify({ pid: process.pid, url, version: '0.1.0' })

describe('server.json', () => {
  test.each([
    ['tracked by git', { tracked: true }, 'git tracks it'],
    ['readable by others', { mode: 0o644 }, 'other users may read or change it'],
  ])('is refused if it is %s', (_what, how, reason) => {
    const folder = plant({ 'server.json': serverJson('http://127.0.0.1:9') }, how)
    expect(() => readServerFile(folder)).toThrow(reason)
  })

  test.each(['http://turngraph.example:7480', 'http://10.0.0.1:80', 'http://127.0.0.1.evil.example'])(
    'that names %s is refused: other machines come from the environment only',
    (url) => {
      expect(() => readServerFile(plant({ 'server.json': serverJson(url) }))).toThrow(
        'is not on this machine',
      )
    },
  )

  test('that is a link is rejected', () => {
    const folder = plant({ other: serverJson('http://127.0.0.1:9') })
    symlinkSync('other', path.join(folder, 'server.json'))
    expect(() => readServerFile(folder)).toThrow('it is a symbolic link')
  })

  test.runIf(process.platform === 'linux')('that is a FIFO or a device is rejected immediately', () => {
    const folder = plant({})
    execFileSync('mkfifo', [path.join(folder, 'server.json')])
    expect(() => readServerFile(folder)).toThrow('it is not a regular file')
    symlinkSync('/dev/zero', path.join(folder, 'token'))
    expect(() => readTokenFile(folder)).toThrow('it is a symbolic link')
  })
})

describe('a planted folder', () => {
  test('sends neither a token nor a turn to the program that its server.json names', async () => {
    const stranger = await listen()
    const folder = plant({ 'server.json': serverJson(stranger.url), token: `${TOKEN}\n` })
    const { run } = commandsOn(path.dirname(folder))
    const environment = { TURNGRAPH_DATA: folder }
    await run(['capture'], { input: turn, environment })
    for (const command of [['worlds'], ['doctor'], ['events', '--json', '--once'], ['open', '--print']])
      await run(command, { environment })
    expect(stranger.seen.filter((line) => !line.startsWith('GET /proof?'))).toEqual([])
    expect(stranger.seen.join()).not.toContain(TOKEN)
  })

  test('a token that git tracks, or that others can read, is rejected with the command that creates a new one', async () => {
    for (const how of [{ tracked: true }, { mode: 0o644 }]) {
      const folder = plant({ token: `${TOKEN}\n` }, how)
      await expect(start({}, { dataFolder: folder })).rejects.toMatchObject({
        code: 'invalid_request',
        hint: `Others may know this token. Make a new one: rm '${path.join(folder, 'token')}', then turngraph serve`,
      })
    }
  })

  test('a graph that git tracks is not opened', async () => {
    const made = plant({})
    await EmbeddedGraph.open({ folder: made }).close()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path.dirname(made), ...args], { stdio: 'pipe' })
    git('init', '-q')
    git('add', '-f', '.turngraph/graph.db')
    expect(() => EmbeddedGraph.open({ folder: made })).toThrow('git tracks it')
  })

  const graphFiles = [
    ...['graph.db', 'graph.db.wal', 'graph.acknowledged', 'graph.acknowledged.draft', 'holder.json'],
    // The engine writes the first two while it opens a graph, and deletes files in the third.
    ...['graph.db.creating', 'graph.db.migrate.lock', 'graph.db.spill'],
  ]
  const ways: [how: string, put: (file: string) => void, says: string][] = [
    ['a FIFO', (file) => void execFileSync('mkfifo', [file]), 'it is not a regular file'],
    ['a link to a device', (file) => symlinkSync('/dev/zero', file), 'it is a symbolic link'],
    ['a link to a file', (file) => symlinkSync('../graph', file), 'it is a symbolic link'],
    ['committed', (file) => writeFileSync(file, 'planted'), 'git tracks it'],
  ]
  const planted = graphFiles.flatMap((name) => ways.map((way) => [name, ...way] as const))
  test.runIf(process.platform === 'linux').each(planted)(
    'whose %s is %s is refused at once, in one sentence',
    (name, _how, put, says) => {
      const folder = plant({})
      put(path.join(folder, name))
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', path.dirname(folder), ...args], { stdio: 'pipe' })
      git('init', '-q')
      if (says.startsWith('git')) git('add', '-f', '.')
      expect(() => EmbeddedGraph.open({ folder })).toThrow(`${path.join(folder, name)} is not used: ${says}`)
      expect(existsSync(path.join(folder, '..', 'graph'))).toBe(false) // no link was followed
    },
  )

  test('a link to a backup next to the graph is ignored', async () => {
    const folder = plant({})
    for (const name of ['graph.db.bak', 'graph.db.backup', 'graph.db.old'])
      symlinkSync('../backup', path.join(folder, name))
    await EmbeddedGraph.open({ folder }).close()
    expect(existsSync(path.join(folder, '..', 'backup'))).toBe(false)
  })

  const noFiles: [how: string, put: (file: string) => void, says: string][] = [
    ...ways.filter(([how]) => how !== 'committed'),
    ['a folder', (file) => mkdirSync(file), 'it is not a regular file'],
  ]
  test.runIf(process.platform === 'linux').each(noFiles)(
    'whose instance is %s is refused at once, in one sentence',
    (_how, put, says) => {
      const folder = plant({})
      put(path.join(folder, 'instance'))
      expect(() => readInstance(folder)).toThrow(`${path.join(folder, 'instance')} is not used: ${says}`)
    },
  )

  test.each(['', 'bare'])(
    'that is a committed link to another folder is refused, and nothing is written there, in %j',
    async (below) => {
      const root = temporaryFolder()
      const repository = path.join(root, below)
      const elsewhere = temporaryFolder()
      const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe' })
      git('init', '-q')
      // Git treats this folder as a separate repository, which does not track the link.
      if (below !== '') git('init', '-q', '--bare', below)
      symlinkSync(elsewhere, path.join(repository, '.turngraph'))
      git('add', '-f', path.join(below, '.turngraph'))
      const environment = { TURNGRAPH_DATA: path.join(repository, '.turngraph') }
      const { code, stderr } = await commandsOn(repository).run(['capture'], { input: turn, environment })
      expect([code, stderr]).toEqual([2, expect.stringContaining('it is a link that git tracks')])
      expect(readdirSync(elsewhere)).toEqual([])
    },
  )

  test('with a committed spool is refused: no turn is sent, and the folder behind a link in the spool is unchanged', async () => {
    const { url, seen } = await listen()
    const linked = temporaryFolder()
    chmodSync(linked, 0o755)
    const data = plant({})
    const spool = path.join(data, 'spool')
    mkdirSync(spool)
    const input = { featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: 'Forged' }
    const entry = { operation: 'captureTurnState', input, address: `${url}/` }
    writeFileSync(path.join(spool, '0000000000000001.json'), JSON.stringify(entry))
    symlinkSync(linked, path.join(spool, 'refused'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path.dirname(data), ...args], { stdio: 'pipe' })
    git('init', '-q')
    git('add', '-f', '.')
    const client = createTurngraphClient({ url, spool })
    onTestFinished(() => client.close())
    await expect(client.listWorlds({})).rejects.toMatchObject({
      code: 'invalid_request',
      message: `${spool} is not used as a spool: git tracks it.`,
      hint: expect.stringContaining(`git rm -r '${spool}'`), // the path has a space
    })
    expect(seen).toEqual([])
    expect(statSync(linked).mode & 0o777).toBe(0o755)
  })

  test('the data folder keeps its content out of git', async () => {
    const repository = temporaryFolder()
    execFileSync('git', ['-C', repository, 'init', '-q'])
    const folder = path.join(repository, '.turngraph')
    const { service } = await start({}, { dataFolder: folder })
    await service.close()
    const status = execFileSync('git', ['-C', repository, 'status', '--porcelain', '-uall'], {
      encoding: 'utf8',
    })
    expect([existsSync(path.join(folder, 'token')), status]).toEqual([true, ''])
    const mine = path.join(repository, 'documents')
    mkdirSync(mine)
    makeDataFolder(mine)
    expect(existsSync(path.join(mine, '.gitignore'))).toBe(false)
  })
})

describe('a service proves that it knows the token', () => {
  const options = { isLocal: true, timeoutMs: 5_000 }

  test('to a caller with that token, by a nonce that is used once, with tokens and without', async () => {
    for (const environment of [{}, { TURNGRAPH_AUTH: 'off' }] as Record<string, string>[]) {
      const { service, dataFolder } = await start(environment)
      const token = readFileSync(path.join(dataFolder, 'token'), 'utf8').trim()
      expect(await knowsToken(service.url, token, options)).toBe(true)
      expect(await knowsToken(service.url, token, { ...options, isLocal: false })).toBe(true)
      expect(await knowsToken(service.url, `${token}x`, options)).toBe(false)
    }
  })

  test('and a program that forwards the request to the service cannot', async () => {
    const { service, token } = await start()
    const relay = createServer(async (request, response) => {
      const answer = await fetch(`${service.url}${request.url}`)
      response.end(await answer.text())
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void relay.close())
    const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
    expect(await knowsToken(url, token, options)).toBe(false)
    expect(await knowsToken(url, token, { ...options, isLocal: false })).toBe(true) // a tunnel of the user looks the same
  })

  test('and a program that wants to speak another protocol cannot', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    server.on('connection', (socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      )
    })
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await knowsToken(url, TOKEN, options)).toBe(false)
  })

  test('a proof of another nonce, another port or another token differs', () => {
    const [hash, nonce] = [hashToken(TOKEN), 'a'.repeat(64)]
    const proofs = [
      computeProof(hash, nonce, 7480),
      computeProof(hash, nonce, 7481),
      computeProof(hash, nonce, null),
      computeProof(hash, 'b'.repeat(64), 7480),
      computeProof(hashToken('other'), nonce, 7480),
    ]
    expect(new Set(proofs).size).toBe(proofs.length)
  })

  test('otherwise a command with TURNGRAPH_URL sends no data to it, and reports that', async () => {
    const stranger = await listen('{"proof":"00"}', '127.0.0.1')
    const { run } = commandsOn(temporaryFolder())
    const environment = { TURNGRAPH_URL: stranger.url, TURNGRAPH_TOKEN: TOKEN }
    const { code, stderr } = await run(['capture'], { input: turn, environment })
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `error: The token may be wrong: ${stranger.url} did not prove that it knows this token, so no data was sent to it.\nhint: Check TURNGRAPH_URL and TURNGRAPH_TOKEN.\n`,
    })
    expect(stranger.seen.every((line) => line.startsWith('GET /proof?') && !line.includes(TOKEN))).toBe(true)
  })
})

test('a file that another user owns is rejected', { skip: process.getuid?.() !== 0 }, () => {
  const folder = plant({ token: `${TOKEN}\n` })
  execFileSync('chown', ['65534', path.join(folder, 'token')])
  chmodSync(path.join(folder, 'token'), 0o600)
  expect(() => readTokenFile(folder)).toThrow('it belongs to another user')
})
