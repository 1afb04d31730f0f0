import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { isSpooled } from '../../src/client/client-errors.ts'
import { createTurngraphClient, type HttpTurngraphOptions } from '../../src/client/create.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { flakyProxy } from './flaky-proxy.ts'
import { restartable } from './http-restart.ts'
import { newFolder, SwitchedGraph, start } from './http-start.ts'

const turn = (turnNumber: number, more: object = {}) => ({
  featureId: 'FEAT-1',
  taskId: 'TASK-1',
  worldSlug: 'w',
  turnNumber,
  playerSummary: `Attempt ${turnNumber}`,
  completedAt: '2026-01-31T12:00:00Z',
  ...more,
})

function clientOf(options: HttpTurngraphOptions): TurngraphClient {
  const client = createTurngraphClient({ retries: 0, log: () => {}, ...options })
  onTestFinished(() => client.close())
  return client
}

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

const spoolOf = async (client: TurngraphClient) => {
  const spool = await client.spool()
  if (spool === null) throw new Error('it has no spool')
  return spool
}

const numbersIn = async (client: TurngraphClient): Promise<number[]> =>
  (await client.listTurns({ worldSlug: 'w' })).items.map(({ turnNumber }) => turnNumber)

describe('the spool', () => {
  test('reports of a turn wait like records, without their secrets, and are sent when the service is back', async () => {
    const service = await restartable()
    const folder = path.join(newFolder(), 'spool')
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    await service.down()
    const { playerSummary, completedAt, ...place } = turn(1)
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    const playerReport = {
      implementation_notes: `Built it with ${secret}`,
      completion_promises: [{ criterion_id: 'AC-1', status: 'complete' }],
    }
    const error = await errorOf(client.captureReports({ ...place, playerReport }))
    expect(error).toMatchObject({ code: 'store_unavailable', details: { spooled: true, waiting: 1 } })
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'))
    expect(readFileSync(path.join(folder, file), 'utf8')).not.toContain(secret)
    await service.up()
    await client.captureTurnState(turn(2))
    const { items } = await client.listTurns({ worldSlug: 'w' })
    expect(items.map(({ turnNumber, promises }) => [turnNumber, promises[0]?.criterionId])).toEqual([
      [1, 'AC-1'],
      [2, undefined],
    ])
  })

  test('captures wait while the service is away, and are sent in order, once', async () => {
    const service = await restartable()
    const folder = path.join(newFolder(), 'spool')
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    await client.captureTurnState(turn(1))
    await service.down()
    for (const n of [2, 3]) {
      const error = await errorOf(client.captureTurnState(turn(n)))
      expect(error).toMatchObject({ code: 'store_unavailable', details: { spooled: true, waiting: n - 1 } })
      expect(isSpooled(error)).toBe(true)
    }
    const spool = await spoolOf(client)
    expect(spool.entries().map(({ input }) => (input as { turnNumber: number }).turnNumber)).toEqual([2, 3])
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
    expect(files.map((name) => statSync(path.join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600])

    const { graph } = await service.up()
    expect(await client.captureTurnState(turn(4))).toMatchObject({ turnNumber: 4, created: true })
    expect(spool.waiting).toBe(0)
    expect(await numbersIn(client)).toEqual([1, 2, 3, 4])
    expect(graph.engine).toBe('embedded')
    const world = await client.getWorld({ worldSlug: 'w' })
    expect(world.currentTurn).toBe(4)
    expect(await spool.replay()).toEqual({ sent: 0, refused: 0, waiting: 0, stoppedBy: null })
  })

  test('after a kill the next process sends the waiting captures, and one that was already sent is stored once', async () => {
    const service = await restartable()
    const folder = path.join(newFolder(), 'spool')
    const first = clientOf({ url: service.url, token: service.token, spool: folder })
    await service.down()
    await errorOf(first.captureTurnState(turn(1)))
    await errorOf(first.captureTurnState(turn(2)))
    const sentTwice = path.join(folder, '0000000000000001.json')
    const bytes = readFileSync(sentTwice)
    await first.close()
    await service.up()
    const second = clientOf({ url: service.url, token: service.token, spool: folder })
    expect(await numbersIn(second)).toEqual([1, 2])
    await second.close()
    writeFileSync(sentTwice, bytes) // killed between the answer and the removal
    writeFileSync(path.join(folder, '0000000000000009.json.draft'), '{"half":') // and killed while it wrote
    const third = clientOf({ url: service.url, token: service.token, spool: folder })
    expect(await numbersIn(third)).toEqual([1, 2])
    expect((await spoolOf(third)).refused).toBe(0)
    expect((await third.getTurnHistory({ worldSlug: 'w', turnNumber: 1 })).items).toEqual([])
  })

  test('a read through it sees its own waiting captures', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    expect(await errorOf(client.getWorld({ worldSlug: 'w' }))).toMatchObject({ code: 'store_unavailable' })
    await service.up()
    const context = await client.loadTurnContinuationContext({
      featureId: 'FEAT-1',
      taskId: 'TASK-1',
      currentTurn: 2,
    })
    expect(context.context).toContain('Attempt 1')
  })

  test('it is sent automatically when the service is back', async () => {
    const service = await restartable()
    const said: string[] = []
    const client = clientOf({
      url: service.url,
      token: service.token,
      spool: newFolder(),
      log: (message) => said.push(message),
    })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    const { graph } = await service.up()
    await expect.poll(() => said, { timeout: 20_000 }).toEqual(['1 spooled turns were sent to the service.'])
    expect(graph).toBeDefined()
  })

  test('a full spool rejects captures with an error and keeps the waiting ones', async () => {
    const service = await restartable()
    await service.down()
    const folder = newFolder()
    const few = clientOf({ url: service.url, token: service.token, spool: { folder, maxEntries: 1 } })
    expect(isSpooled(await errorOf(few.captureTurnState(turn(1))))).toBe(true)
    expect(await errorOf(few.captureTurnState(turn(2)))).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/^The spool is full: 1 captures, \d+ bytes\. Nothing was kept\.$/),
      details: { spooled: false, waiting: 1 },
    })
    await few.close()
    const small = clientOf({ url: service.url, token: service.token, spool: { folder, maxBytes: 300 } })
    expect(await errorOf(small.captureTurnState(turn(2)))).toMatchObject({ code: 'too_large' })
    expect((await spoolOf(small)).waiting).toBe(1)
  })

  test('a turn that the graph rejects is kept with its reason and the turns built on it, and others are sent', async () => {
    const service = await restartable()
    const folder = newFolder()
    const said: string[] = []
    const client = clientOf({
      url: service.url,
      token: service.token,
      spool: folder,
      log: (message) => said.push(message),
    })
    const other = clientOf({ url: service.url, token: service.token })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    await errorOf(client.captureTurnState(turn(2)))
    await errorOf(client.captureTurnState(turn(1, { taskId: 'TASK-2', worldSlug: 'w-2' })))
    await service.up()
    await other.captureTurnState(turn(1, { playerSummary: 'Somebody else was faster' }))
    const spool = await spoolOf(client)
    await spool.replay()
    expect({ waiting: spool.waiting, refused: spool.refused }).toEqual({ waiting: 0, refused: 2 })
    expect(await numbersIn(other)).toEqual([1])
    expect((await other.getWorld({ worldSlug: 'w-2' })).currentTurn).toBe(1)
    const refused = readdirSync(path.join(folder, 'refused')).sort()
    expect(refused).toHaveLength(4)
    const reasons = refused
      .filter((name) => name.endsWith('.error.json'))
      .map((name) => JSON.parse(readFileSync(path.join(folder, 'refused', name), 'utf8')).error)
    expect(reasons.map(({ code }) => code)).toEqual(['turn_conflict', 'turn_conflict'])
    expect(reasons[1].message).toBe('It was built on a turn of its world that was refused.')
    expect(said.filter((message) => message.includes('was refused'))).toHaveLength(2)
  })

  test('an error about one world does not hold up the captures of others', async () => {
    const { service, token } = await start()
    let [isAway, posts] = [true, 0]
    const { error: unfinished } = new TurngraphError(
      'restore_unfinished',
      'A restore is not finished.',
    ).toWire()
    const url = await flakyProxy(service.url, ({ method }) => {
      if (isAway) return 'refuse'
      return method === 'POST' && ++posts % 2 === 1 ? { status: 409, body: { error: unfinished } } : undefined
    })
    const said: string[] = []
    const client = clientOf({ url, token, spool: newFolder(), log: (message) => said.push(message) })
    await errorOf(client.captureTurnState(turn(1)))
    await errorOf(client.captureTurnState(turn(1, { taskId: 'TASK-2', worldSlug: 'w-2' })))
    isAway = false
    const spool = await spoolOf(client)
    await spool.replay()
    expect(spool.waiting).toBe(1)
    expect((await clientOf({ url: service.url, token }).getWorld({ worldSlug: 'w-2' })).currentTurn).toBe(1)
    expect(said).toEqual([
      expect.stringContaining(unfinished.message),
      '1 spooled turns were sent to the service.',
    ])
  })

  test('a commit whose lease expired during the outage is captured, unless another caller stored the turn', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    await client.createWorld({ featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: 'w', leaseTtlMs: 1_000 })
    const { attemptId = '' } = await client.runTurn({ worldSlug: 'w' })
    const { fence } = await client.claimAttempt({ attemptId, workerId: 'me' })
    await service.down()
    expect(isSpooled(await errorOf(client.commitAttempt({ attemptId, fence, turn: turn(1) })))).toBe(true)
    await service.up()
    const other = clientOf({ url: service.url, token: service.token })
    const statusOf = async () => (await other.getTurnStatus({ attemptId })).status
    // The spool sends automatically: a commit in time, or a capture after the lease has expired.
    await expect.poll(() => numbersIn(client), { timeout: 20_000 }).toEqual([1])
    expect(['committed', 'interrupted']).toContain(await statusOf())
  })

  test('a user and a password in the url are neither sent, stored nor shown', async () => {
    const service = await restartable()
    const folder = path.join(newFolder(), 'spool')
    const url = service.url.replace('//', '//me:hunter2@')
    const client = clientOf({ url, token: service.token, spool: folder })
    await service.down()
    expect(String(await errorOf(client.captureTurnState(turn(1))))).not.toContain('hunter2')
    const [file = ''] = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name))
    expect(JSON.parse(readFileSync(path.join(folder, file), 'utf8')).address).toBe(`${service.url}/`)
    expect(readFileSync(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n')
    await service.up()
    await (await spoolOf(client)).replay()
    expect(await numbersIn(client)).toEqual([1])
  })

  test('it contains no secret and no invalid record', async () => {
    const service = await restartable()
    const folder = newFolder()
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    await service.down()
    const secret = 'postgres://app:hunter2@db/app'
    await errorOf(client.captureTurnState(turn(1, { coachFeedback: `try ${secret}` })))
    const [file = ''] = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name))
    expect(readFileSync(path.join(folder, file), 'utf8')).not.toContain('hunter2')
    expect(await errorOf(client.captureTurnState({ ...turn(2), playerSummary: 7 } as never))).toMatchObject({
      code: 'invalid_request',
    })
    expect((await spoolOf(client)).waiting).toBe(1)
  })

  test('waiting captures are sent only to their own service and project', async () => {
    const service = await restartable()
    const folder = newFolder()
    const { url, token } = service
    const alpha = clientOf({ url, token, spool: folder, project: 'alpha' })
    await service.down()
    await errorOf(alpha.captureTurnState(turn(1)))
    await alpha.close()
    const elsewhere = clientOf({ url: 'http://127.0.0.1:1', spool: folder })
    expect(await errorOf(elsewhere.spool())).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`wait for ${url}/, not for http://127.0.0.1:1/`),
    })
    await service.up()
    const beta = clientOf({ url, token, spool: folder, project: 'beta' })
    await expect(beta.getWorld({ worldSlug: 'w' })).rejects.toMatchObject({ code: 'unknown_world' })
    expect((await beta.getWorld({ worldSlug: 'w', project: 'alpha' })).currentTurn).toBe(1)
  })

  test('the error of a failing disk names its folder, and a file that vanishes does not block other captures', async () => {
    const service = await restartable()
    const { url, token } = service
    const folder = path.join(newFolder(), 'spool')
    const client = clientOf({ url, token, spool: folder })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    rmSync(path.join(folder, '0000000000000001.json'))
    await service.up()
    expect(await client.captureTurnState(turn(2))).toMatchObject({ created: true })
    await service.down()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file')
    expect(await errorOf(client.captureTurnState(turn(3)))).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(folder),
      details: { spooled: false },
    })
    const other = clientOf({ url, token, spool: folder })
    expect(await errorOf(other.spool())).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`The spool in ${folder} cannot be used`),
    })
    rmSync(folder)
  })

  test('a service that hangs is not called again for every capture', async () => {
    let hangs = true
    let asked = 0
    const service = await restartable()
    const url = await flakyProxy(service.url, () => {
      asked++
      return hangs ? 'hang' : undefined
    })
    const client = clientOf({ url, token: service.token, spool: newFolder(), timeoutMs: 300 })
    for (const n of [1, 2, 3, 4, 5]) {
      expect(isSpooled(await errorOf(client.captureTurnState(turn(n))))).toBe(true)
      expect(await errorOf(client.getWorld({ worldSlug: 'w' }))).toMatchObject({ code: 'timeout' })
    }
    expect(asked, 'the first capture, and one try to send it').toBeLessThanOrEqual(3)
    hangs = false
    await expect.poll(() => numbersIn(client).catch(() => []), { timeout: 30_000 }).toEqual([1, 2, 3, 4, 5])
  })

  test('an abort ends a call that waits for a hanging service to take the waiting captures', async () => {
    let hangs = false
    const service = await restartable()
    const url = await flakyProxy(service.url, () => (hangs ? 'hang' : 'refuse'))
    const client = clientOf({ url, token: service.token, spool: newFolder(), timeoutMs: 3_000 })
    await errorOf(client.captureTurnState(turn(1)))
    hangs = true
    const aborts = () => ({ signal: AbortSignal.timeout(100) })
    const captured = errorOf(client.captureTurnState(turn(2), aborts()))
    const gaveUp = { code: 'timeout', message: 'The caller gave up on the call.' }
    await expect(client.getWorld({ worldSlug: 'w' }, aborts())).rejects.toMatchObject(gaveUp)
    expect(await captured).toMatchObject({ details: { spooled: true, waiting: 2 }, cause: gaveUp })
  })

  test('a capture that is under way when its client closes is kept, and sent by the next client', async () => {
    let asked = 0
    const service = await restartable()
    const url = await flakyProxy(service.url, () => (asked++ === 0 ? 'hang' : undefined))
    const options = { url, token: service.token, spool: newFolder() }
    const client = clientOf(options)
    const error = errorOf(client.captureTurnState(turn(1)))
    await expect.poll(() => asked).toBe(1)
    await client.close()
    expect(isSpooled(await error)).toBe(true)
    expect(await numbersIn(clientOf(options))).toEqual([1])
  })

  test('a client that is closed while the service hangs ends at once, and the next client sends its waiting captures', async () => {
    let hangs = 0
    const service = await restartable()
    const url = await flakyProxy(service.url, () =>
      hangs++ === 0 ? 'refuse' : hangs === 2 ? 'hang' : undefined,
    )
    const options = { url, token: service.token, spool: newFolder() }
    const client = clientOf(options)
    await errorOf(client.captureTurnState(turn(1)))
    const captured = errorOf(client.captureTurnState(turn(2)))
    await expect.poll(() => hangs).toBe(2)
    const began = performance.now()
    await client.close()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(isSpooled(await captured)).toBe(true)
    expect(readdirSync(path.join(options.spool, 'refused'))).toEqual([])
    expect(await numbersIn(clientOf(options))).toEqual([1, 2])
  })

  test('several processes share it, and each is a separate worker', async () => {
    const service = await restartable()
    const folder = newFolder()
    const first = clientOf({ url: service.url, token: service.token, spool: folder })
    const second = clientOf({ url: service.url, token: service.token, spool: folder })
    const id = await first.workerId()
    expect(await second.workerId()).not.toBe(id)
    await service.down()
    await errorOf(first.captureTurnState(turn(1)))
    await errorOf(second.captureTurnState(turn(2)))
    await errorOf(first.captureTurnState(turn(3)))
    await service.up()
    await Promise.all([first, second].map(async (client) => (await spoolOf(client)).replay()))
    expect(await numbersIn(first)).toEqual([1, 2, 3])
    expect((await spoolOf(second)).waiting).toBe(0)
    await first.close()
    const third = clientOf({ url: service.url, token: service.token, spool: folder })
    expect(await third.workerId(), 'the same program after a restart').toBe(id)
  })

  test('a claimed turn blocks the later turns of its world, and a kill of its process releases it', async () => {
    const service = await restartable()
    const folder = newFolder()
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    await errorOf(client.captureTurnState(turn(2)))
    await errorOf(client.captureTurnState(turn(1, { taskId: 'TASK-2', worldSlug: 'w-2' })))
    const other = spawn('sleep', ['600'])
    onTestFinished(() => void other.kill('SIGKILL'))
    const turnFile = path.join(folder, '0000000000000001.json')
    renameSync(turnFile, `${turnFile}.claimed-${other.pid}-${Date.now()}`)
    await service.up()
    const spool = await spoolOf(client)
    expect(await spool.replay()).toEqual({ sent: 1, refused: 0, waiting: 2, stoppedBy: null })
    expect(isSpooled(await errorOf(client.captureTurnState(turn(3))))).toBe(true)
    const ended = once(other, 'exit')
    other.kill('SIGKILL')
    await ended
    await spool.replay()
    expect(await numbersIn(client)).toEqual([1, 2, 3])
  })

  test('an old claim is ignored, because another process can have its number by now', async () => {
    const service = await restartable()
    const folder = newFolder()
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    await service.down()
    await errorOf(client.captureTurnState(turn(1)))
    const turnFile = path.join(folder, '0000000000000001.json')
    renameSync(turnFile, `${turnFile}.claimed-${process.ppid}-${Date.now() - 3_600_000}`)
    await service.up()
    expect(await (await spoolOf(client)).replay()).toMatchObject({ sent: 1, waiting: 0 })
  })

  test('a FIFO, a link and a device in it are skipped, and reported once', async () => {
    const service = await restartable()
    const folder = newFolder()
    const said: string[] = []
    execFileSync('mkfifo', [path.join(folder, '0000000000000001.json')])
    symlinkSync('/dev/zero', path.join(folder, '0000000000000002.json'))
    const log = (message: string) => said.push(message)
    const client = clientOf({ url: service.url, token: service.token, spool: folder, log })
    expect(await client.captureTurnState(turn(1))).toMatchObject({ created: true })
    expect((await spoolOf(client)).waiting).toBe(0)
    expect(said).toEqual(
      ['0000000000000001.json', '0000000000000002.json'].map(
        (name) => `${path.join(folder, name)} is passed over: it is not a regular file.`,
      ),
    )
  })

  test('a foreign file in it is kept with the reason, and does not block other captures', async () => {
    const service = await restartable()
    const folder = newFolder()
    writeFileSync(path.join(folder, '0000000000000001.json'), '{"operation":"captureTurnState"')
    const client = clientOf({ url: service.url, token: service.token, spool: folder })
    expect(await client.captureTurnState(turn(1))).toMatchObject({ created: true })
    expect((await spoolOf(client)).refused).toBe(1)
    expect(existsSync(path.join(folder, 'refused', '0000000000000001.json'))).toBe(true)
    const reason = readFileSync(path.join(folder, 'refused', '0000000000000001.error.json'), 'utf8')
    expect(JSON.parse(reason).error.message).toBe(
      '0000000000000001.json is no capture that a spool has kept.',
    )
  })
})

describe('repeats', () => {
  test('a call is repeated while the store is away, and stored once', async () => {
    const graph = new SwitchedGraph()
    const { service, token } = await start({}, { graph })
    let failures = 2
    const client = clientOf({ url: service.url, token, retries: 3 })
    await client.captureTurnState(turn(1))
    graph.gate = async () => {
      if (failures-- > 0) throw away()
    }
    expect(await client.captureTurnState(turn(2))).toMatchObject({ turnNumber: 2 })
    expect(await numbersIn(client)).toEqual([1, 2])
  })

  test('a lost answer creates no second world and no second run', async () => {
    const { service, token } = await start()
    const asked: string[] = []
    const proxy = createServer(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const answer = await fetch(`${service.url}${req.url}`, {
        method: req.method ?? 'GET',
        headers: Object.entries(req.headers)
          .filter(([name]) => !['host', 'content-length', 'connection'].includes(name))
          .map(([name, value]) => [name, String(value)]),
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const text = await answer.text()
      asked.push(`${req.method} ${req.url}`)
      // Handles the request, but loses the answer.
      if (asked.filter((call) => call === `${req.method} ${req.url}`).length === 1) return void res.destroy()
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const client = clientOf({ url, token, retries: 2 })
    const world = await client.createWorld({ featureId: 'FEAT-1', taskId: 'TASK-1' })
    const direct = clientOf({ url: service.url, token })
    expect((await direct.listWorlds({})).items).toEqual([
      expect.objectContaining({ worldSlug: world.worldSlug }),
    ])
    expect(await errorOf(client.runTurn({ worldSlug: world.worldSlug }))).toMatchObject({
      code: 'store_unavailable',
    })
    expect(asked.filter((call) => call.includes('turn-runs'))).toHaveLength(1)
  })

  test('a rejected call is not repeated, and the caller sets the timeout', async () => {
    let asked = 0
    const silent = createServer(() => {
      asked++
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const client = clientOf({ url, timeoutMs: 50, retries: 1 })
    expect(await errorOf(client.getWorld({ worldSlug: 'w' }))).toMatchObject({ code: 'timeout' })
    expect(asked, 'it has had its time').toBe(1)
    const { service, token } = await start()
    const other = clientOf({ url: service.url, token, retries: 3 })
    expect(await errorOf(other.getWorld({ worldSlug: 'none' }))).toMatchObject({ code: 'unknown_world' })
  })
})

const away = (): TurngraphError => new TurngraphError('store_unavailable', 'The store is away.')
