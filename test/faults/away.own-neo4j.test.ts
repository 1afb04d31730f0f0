import { once } from 'node:events'
import path from 'node:path'
import neo4j, { type Driver } from 'neo4j-driver'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { httpClient } from '../../src/client/http.ts'
import { worldKey } from '../../src/core/keys.ts'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import type { Neo4jServer } from '../../tools/neo4j/server.ts'
import { describeOnOwnNeo4j } from '../support/engines.ts'
import { startBriefNeo4j } from '../support/test-neo4j.ts'
import { filesOfTurn, writeSlowly } from '../support/written-session.ts'
import { CommitDropper } from './harness/commit-dropper.ts'
import { planStatements } from './harness/on-neo4j.ts'
import { type Place, plannedTurn } from './harness/planned-turn.ts'
import { Random } from './harness/random.ts'
import { pause, until } from './harness/scenario.ts'
import { type Exchange, exchange, sendTurn } from './harness/send.ts'
import {
  type ServiceProcess,
  spawnCli,
  startServiceProcess,
  tailOf,
  temporaryFolder,
  untilReady,
} from './harness/service-process.ts'
import { killGivenNeo4j } from './scenarios/kill-neo4j.ts'

/** The time limit of the contract (turns.md, "Errors"). */
const ANSWERS_WITHIN_MS = 5_000

const PASSWORD = 'correct-horse-battery'
/** Temporary errors. */
const AWAY = /^(504 timeout|503 store_unavailable)$/
/** A watch checks several times in this time, and each check fails. */
const OUTAGE_MS = 12_000
/** Time limit of a test that starts processes on a busy machine. */
const BOUND_MS = 180_000

describeOnOwnNeo4j('lts', () => {
  let server: Neo4jServer
  let driver: Driver

  beforeAll(async () => {
    // Like users' servers: no limit for a transaction or for the wait for a lock.
    const settings = { 'db.lock.acquisition.timeout': '', 'db.transaction.timeout': '' }
    server = await startBriefNeo4j({ version: 'lts', password: PASSWORD, settings })
    driver = neo4j.driver(server.url, neo4j.auth.basic('neo4j', PASSWORD))
    await planStatements(server.url, PASSWORD)
  }, 120_000)

  afterAll(async () => {
    await driver?.close()
    await server?.stop()
  })

  test('a capture that waits for a lock is an error within 5 s, and leaves no waiting transaction', {
    timeout: BOUND_MS,
  }, async () => {
    const service = await serviceWith({ TURNGRAPH_NEO4J_PASSWORD: PASSWORD })
    const place = placeOf('TASK-lock')
    await captureUntilStored(service, place, 1)
    const lock = await holdWorld(place)

    const refused = await sendTurn(service.url, plannedTurn(place, { turn: 2, revision: 1 }))
    expect(codeOf(refused)).toBe('504 timeout')
    expect(refused.ms).toBeLessThan(ANSWERS_WITHIN_MS)
    await until(
      'our transaction has left the server',
      ANSWERS_WITHIN_MS,
      async () => (await oursOnServer()) === 0,
    )

    await lock.rollback()
    await captureUntilStored(service, place, 2)
    expect(await turnsOf(service, place)).toEqual([1, 2])
  })

  test('the limit of 5 s is for the whole request, regardless of the number of statements', {
    timeout: BOUND_MS,
  }, async () => {
    const first = await serviceWith({ TURNGRAPH_NEO4J_PASSWORD: PASSWORD })
    const place = placeOf('TASK-slow')
    await captureUntilStored(first, place, 1)
    const lock = await holdWorld(place)
    // The first write of a service also reads the version of the schema.
    const service = await serviceWith({ TURNGRAPH_NEO4J_PASSWORD: PASSWORD })
    // The reads before the write wait for the frozen server, then the write waits for the lock.
    process.kill(server.pid, 'SIGSTOP')
    const thaw = setTimeout(() => process.kill(server.pid, 'SIGCONT'), 3_000)
    onTestFinished(() => {
      clearTimeout(thaw)
      process.kill(server.pid, 'SIGCONT')
    })
    const refused = await sendTurn(service.url, plannedTurn(place, { turn: 2, revision: 1 }))
    expect(codeOf(refused)).toMatch(AWAY)
    expect(refused.ms).toBeLessThan(ANSWERS_WITHIN_MS)
    await lock.rollback()
  })

  test('readers that wait for each other get an error within 5 s', { timeout: BOUND_MS }, async () => {
    const service = await serviceWith({ TURNGRAPH_NEO4J_PASSWORD: PASSWORD })
    const place = placeOf('TASK-read')
    await captureUntilStored(service, place, 1)
    process.kill(server.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
    const address = `${service.url}/v1/worlds/${place.taskId}/turns?project=${place.project}`
    for (const refused of await Promise.all(Array.from({ length: 6 }, () => exchange(address)))) {
      expect(codeOf(refused)).toMatch(AWAY)
      expect(refused.ms).toBeLessThan(ANSWERS_WITHIN_MS)
    }
  })

  test('a wrong password is store_unavailable, and names the variables but not their values', {
    timeout: BOUND_MS,
  }, async () => {
    const service = await serviceWith({ TURNGRAPH_NEO4J_PASSWORD: 'wrong-secret-guess' }, false)
    const refused = await refusedCredentials(service)
    const { message, hint } = refused.body.error
    expect(`${message} ${hint}`).toContain('TURNGRAPH_NEO4J_USER')
    expect(`${message} ${hint}`).toContain('TURNGRAPH_NEO4J_PASSWORD')
    const ready = await exchange(`${service.url}/readyz`)
    expect(ready.status).toBe(503)
    for (const text of [JSON.stringify(refused.body), JSON.stringify(ready.body), service.output()]) {
      expect(text).not.toContain('wrong-secret-guess')
    }
  })

  test('credentials in the address of the store are never shown', { timeout: BOUND_MS }, async () => {
    const address = server.url.replace('//', '//neo4j:wrong-secret-guess@')
    const service = await startServiceOrNull({ TURNGRAPH_STORE: address })
    if (service === null) return
    const refused = await refusedCredentials(service)
    const ready = await exchange(`${service.url}/readyz`)
    for (const text of [JSON.stringify(refused.body), JSON.stringify(ready.body), service.output()]) {
      expect(text).not.toContain('wrong-secret-guess')
    }
  })

  test('a watch that cannot reach its Neo4j reports each outage once, and imports the missed changes after it', {
    timeout: BOUND_MS,
  }, async () => {
    const [{ folder, remove }, watched] = [temporaryFolder(), temporaryFolder()]
    // Closing a proxy takes less time than a restart, after which Neo4j plans all statements again.
    const proxyAt = (port: number) => CommitDropper.before(server.url, 0, new Random(1), port)
    let proxy = await proxyAt(0)
    onTestFinished(() => proxy.close())
    const store = proxy.url
    const environment = { TURNGRAPH_STORE: store, TURNGRAPH_NEO4J_PASSWORD: PASSWORD }
    const watch = spawnCli(['watch', watched.folder, '--project', 'away'], {
      dataFolder: folder,
      environment,
    })
    const output = tailOf(watch)
    const gone = once(watch, 'exit')
    onTestFinished(async () => {
      watch.kill('SIGKILL')
      await gone
      remove()
      watched.remove()
    })
    const write = async (turn: number) => {
      for (const each of filesOfTurn(path.join(watched.folder, 'TASK-watched'), turn)) await writeSlowly(each)
    }
    const { url } = await until('it serves', BOUND_MS, async () => readServerFile(folder))
    const service = { url, client: httpClient({ url, retries: 0 }) as TurngraphClient } as ServiceProcess
    const turns = () => turnsOf(service, placeOf('TASK-watched')).catch(() => [])
    const reports = () =>
      [...output().matchAll(/The graph is (unavailable|available again)\./g)].map(([, said]) => said)
    await write(1)
    await until('the first turn is stored', BOUND_MS, async () => (await turns()).length === 1)
    await proxy.close()
    await write(2)
    await until('it says so', BOUND_MS, async () => reports().at(-1) === 'unavailable')
    await write(3)
    await pause(OUTAGE_MS)
    proxy = await proxyAt(Number(new URL(store).port))
    await until('all turns are stored', BOUND_MS, async () => (await turns()).length === 3)
    await until('it says so', BOUND_MS, async () => reports().at(-1) === 'available again')
    // A busy Neo4j may be too slow for an import, which is another outage.
    expect(reports()).toEqual(reports().map((_, index) => ['unavailable', 'available again'][index % 2]))
    watch.kill('SIGTERM')
    expect(await gone).toEqual([143, null])
  })

  test('a kill -9 loses no acknowledged write; requests get 503 within 5 s, and services recover on their own', {
    timeout: BOUND_MS,
  }, async () => {
    const { acknowledged } = await killGivenNeo4j(server, { rounds: 1, seed: 1, log: () => {} })
    expect(acknowledged).toBeGreaterThan(0)
  })

  /** Until its first attempt has failed, a service reports that the graph is being prepared. */
  const refusedCredentials = ({ url }: ServiceProcess): Promise<Exchange> =>
    until('the service reports wrong credentials', 30_000, async () => {
      const seen = await sendTurn(url, plannedTurn(placeOf('TASK-refused'), { turn: 1, revision: 1 }))
      expect(codeOf(seen)).toBe('503 store_unavailable')
      return seen.body.error.message.includes('credentials') ? seen : null
    })

  const placeOf = (taskId: string): Place => ({
    project: 'away',
    featureId: 'FEAT-1',
    taskId,
    worldSlug: null,
  })

  async function startServiceOrNull(environment: Record<string, string>): Promise<ServiceProcess | null> {
    const { folder, remove } = temporaryFolder()
    onTestFinished(remove)
    try {
      const service = await startServiceProcess({
        dataFolder: folder,
        environment: { TURNGRAPH_STORE: server.url, ...environment },
      })
      onTestFinished(() => service.kill())
      return service
    } catch (error) {
      // Rejecting the address is also correct if the error does not show it.
      expect(String(error)).not.toContain('wrong-secret-guess')
      return null
    }
  }

  async function serviceWith(environment: Record<string, string>, ready = true): Promise<ServiceProcess> {
    const service = await startServiceOrNull(environment)
    if (service === null) throw new Error('the service did not start')
    if (ready) await untilReady(service)
    return service
  }

  /** Locks the world in another program's transaction, such as one that an analyst left open. */
  async function holdWorld({ project, taskId }: Place) {
    const session = driver.session()
    onTestFinished(() => session.close())
    const transaction = session.beginTransaction()
    const { records } = await transaction.run("MATCH (w:World {key: $key}) SET w.rev = 'held' RETURN w", {
      key: worldKey(project, taskId),
    })
    expect(records).toHaveLength(1)
    return transaction
  }

  async function oursOnServer(): Promise<number> {
    const { records } = await driver.executeQuery(
      "SHOW TRANSACTIONS YIELD metaData WHERE metaData.app = 'turngraph' RETURN count(*) AS ours",
    )
    return Number(records[0]?.get('ours'))
  }
})

/** A cold server plans each statement first, so the first captures may time out. */
async function captureUntilStored({ url }: ServiceProcess, place: Place, turn: number): Promise<void> {
  await until(`turn ${turn} is stored`, 60_000, async () => {
    const seen = await sendTurn(url, plannedTurn(place, { turn, revision: 1 }))
    if (seen.status < 300) return true
    expect(codeOf(seen)).toMatch(AWAY)
    return false
  })
}

async function turnsOf({ client }: ServiceProcess, { project, taskId }: Place): Promise<number[]> {
  const { items } = await client.listTurns({ project, worldSlug: taskId })
  return items.map(({ turnNumber }) => turnNumber)
}

const codeOf = ({ status, body }: Exchange): string => `${status} ${body?.error?.code}`
