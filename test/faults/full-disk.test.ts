import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isSpooled } from '../../src/client/client-errors.ts'
import { createTurngraphClient } from '../../src/client/create.ts'
import { toWire } from '../../src/core/wire-form.ts'
import { operations } from '../../src/operations/table.ts'
import { newFolder, PROCESS_TEST_MS } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { until } from './harness/scenario.ts'
import { exchange, sendTurn } from './harness/send.ts'
import {
  isReady,
  runCli,
  type ServiceProcess,
  startServiceProcess,
  untilReady,
} from './harness/service-process.ts'
import { canMount, mountSmallDisk, type SmallDisk } from './harness/small-disk.ts'

const mountable = canMount()
if (!mountable) console.log('Left out: full disks. This machine does not let us mount one.')

const place = { project: 'full', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }
const turn = (number: number) => ({
  ...plannedTurn(place, { turn: number, revision: 1 }),
  // Larger than the rest of the last block of the log.
  coachFeedback: 'long '.repeat(3_000),
})

describeOnFullDisk('answers 503 and is not ready until there is room, and loses no write', async () => {
  const { disk, service } = await serveOnSmallDisk()
  expect((await sendTurn(service.url, turn(1))).status).toBe(201)
  disk.fill()
  const refused = await sendTurn(service.url, turn(2))
  expect(refused).toMatchObject({ status: 503, retryAfter: '1' })
  expect(refused.body.error).toMatchObject({ code: 'store_unavailable' })
  expect(refused.body.error.message).toMatch(/^No space left in .*turngraph-chaos-/)
  const notReady = await until('it is not ready', 2_000, async () => {
    const answer = await exchange(`${service.url}/readyz`)
    return answer.status === 503 && answer
  })
  expect(notReady.body.error).toMatchObject({ message: refused.body.error.message })
  expect(await turnsOf(service)).toEqual([1]) // stored turns can be read
  disk.makeRoom()
  await untilReady(service)
  expect((await sendTurn(service.url, turn(2))).status).toBe(201)
  expect(await turnsOf(service)).toEqual([1, 2])
  await service.stop()
  expect(service.output().match(/"reason":"No space left/g)).toHaveLength(1)
  expect(service.output().match(/is back/g)).toHaveLength(1)
})

describeOnFullDisk('keeps the turn in the spool of the client', async () => {
  const { disk, service } = await serveOnSmallDisk()
  const spool = newFolder()
  const client = createTurngraphClient({ url: service.url, spool, retries: 0, log: () => {} })
  onTestFinished(() => client.close())
  disk.fill()
  const error = await client.captureTurnState(turn(1)).catch((thrown: unknown) => thrown)
  expect(isSpooled(error)).toBe(true)
  disk.makeRoom()
  await untilReady(service)
  expect(await (await client.spool())?.replay()).toMatchObject({ sent: 1, waiting: 0 })
  expect(await turnsOf(service)).toEqual([1])
})

describeOnFullDisk('stops normally, and the next start has all acknowledged turns', async () => {
  const { disk, service } = await serveOnSmallDisk()
  expect((await sendTurn(service.url, turn(1))).status).toBe(201)
  disk.fill()
  expect((await sendTurn(service.url, turn(2))).status).toBe(503)
  expect(await service.stop()).toBe(0)
  expect(service.output()).not.toMatch(/^\s+at /m)
  expect(existsSync(path.join(disk.folder, 'data', 'server.json'))).toBe(false)
  // Stored turns can be read, and so exported.
  expect((await runCli(['worlds'], { dataFolder: dataOn(disk) })).exitCode).toBe(0)
  for (const command of [
    ['capture', writtenTurn(2)],
    ['serve', '--port', '0'],
  ]) {
    const { exitCode, output } = await runCli(command, { dataFolder: dataOn(disk) })
    expect(output).toContain(`No space left in ${dataOn(disk)}`)
    expect(output).not.toMatch(/^\s+at /m)
    expect(exitCode).toBe(7)
  }
  // A missing graph cannot be created.
  const another = path.join(disk.folder, 'another')
  const { exitCode, output } = await runCli(['capture', writtenTurn(2)], { dataFolder: another })
  expect(output).toContain(`No space left in ${another}`)
  expect(exitCode).toBe(7)
  disk.makeRoom()
  const next = await startedOn(disk)
  expect(await turnsOf(next)).toEqual([1])
})

function writtenTurn(number: number): string {
  const folder = newFolder()
  const file = path.join(folder, 'turn.json')
  writeFileSync(file, JSON.stringify(toWire(operations.captureTurnState.input, turn(number))))
  return file
}

function describeOnFullDisk(guarantee: string, work: () => Promise<void>): void {
  test.skipIf(!mountable)(`a service on a full disk ${guarantee}`, { timeout: PROCESS_TEST_MS }, work)
}

const dataOn = (disk: SmallDisk): string => path.join(disk.folder, 'data')

async function serveOnSmallDisk(): Promise<{ disk: SmallDisk; service: ServiceProcess }> {
  const disk = await mountSmallDisk()
  onTestFinished(() => disk.remove())
  return { disk, service: await startedOn(disk) }
}

async function startedOn(disk: SmallDisk): Promise<ServiceProcess> {
  const service = await startServiceProcess({ dataFolder: dataOn(disk) })
  onTestFinished(() => service.kill())
  await until('it is ready', PROCESS_TEST_MS, () => isReady(service))
  return service
}

async function turnsOf(service: ServiceProcess): Promise<number[]> {
  const scope = { project: 'full', worldSlug: 'TASK-1' }
  return (await service.client.listTurns(scope)).items.map(({ turnNumber }) => turnNumber)
}
