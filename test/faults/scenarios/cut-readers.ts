import type { TurngraphClient } from '../../../src/client/client.ts'
import { httpClient } from '../../../src/client/http.ts'
import { isAway } from '../../../src/core/errors.ts'
import { startBriefNeo4j } from '../../support/test-neo4j.ts'
import { serviceOnNeo4j } from '../harness/on-neo4j.ts'
import { Random } from '../harness/random.ts'
import { holds, inScope, type Later, pause, type Scenario, until } from '../harness/scenario.ts'
import { type ServiceProcess, untilReady } from '../harness/service-process.ts'

const READERS = 50
const SESSIONS = 6
const PROJECT = 'cut-readers'
/** Time limit within which every reader must know the current state at the end of a round. */
const KNOWS_WITHIN_MS = 60_000
const TRY_AGAIN_MS = 200

/**
 * Cuts off readers of events at random, kills their replicas, and restarts their Neo4j. Every reader that
 * returns with its cursor, to any replica, learns the newest state of every session, and never receives an
 * older state after a newer one.
 */
export const cutReaders: Scenario = ({ rounds, seed, log, neo4j }) =>
  inScope(async (later) => {
    const server = neo4j === undefined ? await startBriefNeo4j({ version: 'lts' }) : null
    if (server !== null) later(() => server.stop())
    const store = server?.url ?? neo4j ?? ''
    const random = new Random(seed)
    const replicas = await Promise.all([Replica.start(store, later), Replica.start(store, later)])
    const any = () => replicas[random.between(0, 1)] as Replica
    const readers = Array.from({ length: READERS }, () => new Reader())
    later(() => Promise.all(readers.map((reader) => reader.cut())))
    const turns = new Map<string, number>()
    const figures = { rounds, captures: 0, cuts: 0, replicasKilled: 0, neo4jRestarts: 0, events: 0 }
    for (const reader of readers) reader.follow(any())
    for (let round = 1; round <= rounds; round++) {
      const away = random.shuffled(readers).slice(0, random.between(1, READERS / 2))
      for (const reader of away) await reader.cut()
      figures.cuts += away.length
      const capturing = Promise.all(
        Array.from({ length: SESSIONS }, async (_, session) => {
          for (let more = random.between(0, 3); more > 0; more--) {
            const taskId = `TASK-${session}`
            const turnNumber = (turns.get(taskId) ?? 0) + 1
            await until(`turn ${turnNumber} of ${taskId} is stored`, KNOWS_WITHIN_MS, () =>
              any().stores({ taskId, turnNumber }),
            )
            turns.set(taskId, turnNumber)
            figures.captures++
          }
        }),
      )
      if (round % 5 === 0) {
        const replica = any()
        for (const reader of readers.filter(({ replica: of }) => of === replica)) away.push(reader)
        await replica.killAndStart(later)
        figures.replicasKilled++
      }
      if (server !== null && round % 25 === 0) {
        await server.kill()
        await server.restart()
        for (const replica of replicas) await replica.untilReady()
        figures.neo4jRestarts++
      }
      await capturing
      for (const reader of new Set(away)) {
        await reader.cut()
        reader.follow(any())
      }
      await until('every reader knows the newest state of every session', KNOWS_WITHIN_MS, async () => {
        for (const reader of readers) reader.check()
        return readers.every((reader) => [...turns].every(([task, turn]) => reader.turnOf(task) === turn))
      })
      if (round % 10 === 0) log(`round ${round}: ${JSON.stringify(figures)}`)
    }
    figures.events = readers.reduce((sum, { events }) => sum + events, 0)
    return figures
  })

class Replica {
  readonly #store: string
  #service: ServiceProcess

  private constructor(store: string, service: ServiceProcess) {
    this.#store = store
    this.#service = service
  }

  static async start(store: string, later: Later): Promise<Replica> {
    return new Replica(store, await serviceOnNeo4j(store, later))
  }

  client(): TurngraphClient {
    return httpClient({ url: this.#service.url, project: PROJECT })
  }

  async stores({ taskId, turnNumber }: { taskId: string; turnNumber: number }): Promise<boolean> {
    const turn = { featureId: 'FEAT-1', taskId, worldSlug: taskId, turnNumber, playerSummary: 'Built it' }
    return this.client()
      .captureTurnState(turn)
      .then(
        () => true,
        () => false,
      )
  }

  async killAndStart(later: Later): Promise<void> {
    await this.#service.kill()
    this.#service = await serviceOnNeo4j(this.#store, later)
  }

  untilReady(): Promise<unknown> {
    return untilReady(this.#service)
  }
}

class Reader {
  replica: Replica | null = null
  events = 0
  readonly #held = new Map<string, { version: number; turn: number }>()
  #cursor: string | null = null
  #stop = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #failure: unknown = null

  follow(replica: Replica): void {
    this.replica = replica
    this.#stop = new AbortController()
    this.#reading = this.#readUntilCut(replica.client(), this.#stop.signal).catch((error: unknown) => {
      this.#failure = error
    })
  }

  async cut(): Promise<void> {
    this.#stop.abort()
    await this.#reading
  }

  turnOf(taskId: string): number | undefined {
    return this.#held.get(taskId)?.turn
  }

  check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * A replica may reject a reader while it plans statements or its Neo4j restarts: the caller of the client
   * must retry.
   */
  async #readUntilCut(client: TurngraphClient, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(client, signal)
      } catch (error) {
        if (!isAway(error)) throw error
        await pause(TRY_AGAIN_MS)
      }
    }
  }

  async #read(client: TurngraphClient, signal: AbortSignal): Promise<void> {
    const told = new Map<string, number>()
    const from = this.#cursor === null ? { snapshot: true } : { cursor: this.#cursor }
    for await (const event of client.events(from, { signal })) {
      this.events++
      this.#cursor = event.cursor ?? this.#cursor
      if (event.type !== 'session') continue
      const { worldSlug, version, currentTurn } = event
      holds(version >= (told.get(worldSlug) ?? 0), 'no older state follows a newer one', event)
      told.set(worldSlug, version)
      const held = this.#held.get(worldSlug)
      if (held !== undefined && version < held.version) continue
      holds(held === undefined || currentTurn >= held.turn, 'a higher version is a newer state', {
        held,
        event,
      })
      this.#held.set(worldSlug, { version, turn: currentTurn })
    }
  }
}
