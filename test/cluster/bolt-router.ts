// Simulates a cluster before one or two Neo4j Community servers: what a driver meets is a routing table that changes.
import { createServer, type Server, type Socket } from 'node:net'
import { BoltConnection, type Commit, type Member } from './bolt-connection.ts'
import {
  type Beginning,
  fieldsOf,
  newestOf,
  success,
  transactionOf,
  withoutBookmark,
  withoutBookmarks,
} from './bolt-messages.ts'
import { isMap, type Packed } from './packstream.ts'
import { Replica } from './replica.ts'

/** How a leader loses its role. */
export const DEPARTURES = ['steps down', 'is elected anew', 'goes away', 'is unavailable'] as const
export type Departure = (typeof DEPARTURES)[number]

export type RouterOptions = {
  /** The address of the server that does the work of the leader. */
  leader: string
  /** Of the one that does that of followers, to which each commit is repeated; default: the leader's. */
  follower?: string
  members?: number
  /** How far followers are behind, in milliseconds. */
  lagMs?: number
  /** Whether the reply to this commit gets lost; default: none does. */
  losesReply?: () => boolean
}

const TABLE_SECONDS = 10n
const AWAY_MS = 400

const NOT_A_LEADER = 'Neo.ClientError.Cluster.NotALeader'
const UNAVAILABLE = 'Neo.TransientError.General.DatabaseUnavailable'

/**
 * A Bolt router of our own between a driver and its servers (docs/decisions/cluster.md says what that proves). It rewrites
 * routing tables, moves the leader, refuses what a member that is not the leader would refuse, holds back what asks a
 * follower for more than it has, loses replies to commits, and checks the bookmarks of what followers are asked.
 */
export class BoltRouter {
  readonly figures = {
    moves: 0,
    atLeader: 0,
    atFollowers: 0,
    waited: 0,
    refusedByMembers: 0,
    repliesLost: 0,
    tables: 0,
  }
  /** What a follower was asked without the bookmark that it must bring. */
  readonly violations: string[] = []
  lagMs: number
  readonly #members: RoutedMember[] = []
  readonly #replica: Replica | null
  readonly #losesReply: () => boolean
  /** By statement, how often the leader and how often followers ran it. */
  readonly #statements = new Map<string, { atLeader: number; atFollowers: number }>()
  readonly #committedAt = new Map<bigint, number>()
  readonly #required = new Map<string, bigint>()
  #leader: number | null = 0

  private constructor({ follower, lagMs = 0, losesReply = () => false }: RouterOptions) {
    this.lagMs = lagMs
    this.#losesReply = losesReply
    this.#replica = follower === undefined ? null : new Replica(follower, () => this.lagMs)
  }

  static async start(options: RouterOptions): Promise<BoltRouter> {
    const router = new BoltRouter(options)
    const { leader, follower = leader, members = 3 } = options
    for (let i = 0; i < members; i++) {
      // With a server of its own for followers, the leader stays where its data is.
      const server = new URL(i === 0 ? leader : follower)
      router.#members.push(await RoutedMember.start(router, i, server))
    }
    return router
  }

  get url(): string {
    return `neo4j://${this.#members[0]?.address}`
  }

  async close(): Promise<void> {
    for (const member of this.#members) await member.close()
    await this.#replica?.close()
  }

  /** From now on, whoever asks a follower about this text must bring a bookmark that stands for at least this transaction. */
  require(text: string, transaction: bigint): void {
    this.#required.set(text, transaction)
  }

  /** Resolves once the followers have all that was committed. */
  async catchUp(): Promise<void> {
    await this.#replica?.catchUp()
  }

  /** How often each kind of member ran a statement of these so far. */
  served(prefix: string): { atLeader: number; atFollowers: number } {
    const served = { atLeader: 0, atFollowers: 0 }
    for (const [name, { atLeader, atFollowers }] of this.#statements) {
      if (!name.startsWith(prefix)) continue
      served.atLeader += atLeader
      served.atFollowers += atFollowers
    }
    return served
  }

  /** Another member becomes the leader. */
  moveLeader(departure: Departure): void {
    if (this.#replica !== null) throw new Error('the server of the followers does not take writes')
    const before = this.#leader ?? 0
    const next = (before + 1) % this.#members.length
    this.figures.moves++
    this.#leader = departure === 'is elected anew' ? null : next
    if (departure === 'is elected anew') {
      setTimeout(() => {
        this.#leader = next
      }, AWAY_MS).unref()
    }
    if (departure === 'goes away') this.#members[before]?.goAway(AWAY_MS)
    if (departure === 'is unavailable') this.#members[before]?.beUnavailable(AWAY_MS)
  }

  isLeader(member: number): boolean {
    return this.#leader === member
  }

  refuses(member: number, isAvailable: boolean, { writes }: Beginning): string | null {
    const code = !isAvailable ? UNAVAILABLE : writes && !this.isLeader(member) ? NOT_A_LEADER : null
    if (code !== null) this.figures.refusedByMembers++
    return code
  }

  async untilCaughtUp(beginning: Beginning): Promise<void> {
    const { writes, bookmarks, statement, texts } = beginning
    const count = this.#statements.get(statement) ?? { atLeader: 0, atFollowers: 0 }
    this.#statements.set(statement, count)
    if (writes) {
      this.figures.atLeader++
      count.atLeader++
      return
    }
    this.figures.atFollowers++
    count.atFollowers++
    const newest = newestOf(bookmarks)
    if (bookmarks.length === 0) this.violations.push(`${statement} asks a follower, and brings no bookmark`)
    for (const text of texts) this.#check(text, statement, newest)
    await this.#hold(newest)
  }

  #check(text: string, statement: string, newest: bigint): void {
    for (const [required, transaction] of this.#required) {
      if (!text.includes(required) || newest >= transaction) continue
      this.violations.push(`${statement} of ${text} brings ${newest}, and must bring ${transaction}`)
    }
  }

  /** A follower answers once it has the transaction. */
  async #hold(transaction: bigint): Promise<void> {
    if (this.#replica !== null) {
      if (await this.#replica.untilApplied(transaction)) this.figures.waited++
      return
    }
    const since = performance.now() - (this.#committedAt.get(transaction) ?? -Infinity)
    if (since >= this.lagMs) return
    this.figures.waited++
    await new Promise((resolve) => setTimeout(resolve, this.lagMs - since))
  }

  toServer(member: number, message: Buffer): Buffer {
    return this.#replica !== null && member > 0 ? withoutBookmarks(message) : message
  }

  toDriver(member: number, message: Buffer): Buffer {
    return this.#replica !== null && member > 0 ? withoutBookmark(message) : message
  }

  losesReply(commit: Commit): boolean {
    const transaction = transactionOf(commit.bookmark)
    this.#committedAt.set(transaction, performance.now())
    this.#replica?.add({ transaction, runs: commit.runs })
    if (!this.#losesReply()) return false
    this.figures.repliesLost++
    return true
  }

  route(message: Buffer): Buffer {
    this.figures.tables++
    const [metadata] = fieldsOf(message)
    const table = isMap(metadata) ? metadata.get('rt') : undefined
    if (!isMap(metadata) || !isMap(table)) throw new Error('an answer to ROUTE holds a table')
    const addresses = this.#members.map(({ address }) => address)
    const of = (role: string, among: (i: number) => boolean): Packed =>
      new Map<string, Packed>([
        ['role', role],
        ['addresses', addresses.filter((_, i) => among(i))],
      ])
    const servers = [
      of('WRITE', (i) => this.isLeader(i)),
      of('READ', (i) => !this.isLeader(i)),
      of('ROUTE', () => true),
    ]
    const ours = new Map<string, Packed>([...table, ['ttl', TABLE_SECONDS], ['servers', servers]])
    return success(new Map<string, Packed>([...metadata, ['rt', ours]]))
  }
}

/** A member: a port, and the connections to it. */
class RoutedMember implements Member {
  readonly server: URL
  readonly #router: BoltRouter
  readonly #number: number
  readonly #listener: Server
  readonly #connections = new Set<BoltConnection>()
  #isAway = false
  #isAvailable = true

  private constructor(router: BoltRouter, number: number, server: URL) {
    this.#router = router
    this.#number = number
    this.server = server
    this.#listener = createServer({ noDelay: true }, (client) => this.#accept(client))
  }

  static async start(router: BoltRouter, number: number, server: URL): Promise<RoutedMember> {
    const member = new RoutedMember(router, number, server)
    await new Promise<void>((resolve) => member.#listener.listen(0, '127.0.0.1', resolve))
    return member
  }

  get address(): string {
    const address = this.#listener.address()
    if (address === null || typeof address === 'string') throw new Error('the member does not listen')
    return `127.0.0.1:${address.port}`
  }

  /** Its connections break, and no new one lives. */
  goAway(ms: number): void {
    this.#isAway = true
    for (const connection of this.#connections) connection.cut()
    setTimeout(() => {
      this.#isAway = false
    }, ms).unref()
  }

  beUnavailable(ms: number): void {
    this.#isAvailable = false
    setTimeout(() => {
      this.#isAvailable = true
    }, ms).unref()
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.cut()
    await new Promise((resolve) => this.#listener.close(resolve))
  }

  refuses(beginning: Beginning): string | null {
    return this.#router.refuses(this.#number, this.#isAvailable, beginning)
  }

  untilCaughtUp(beginning: Beginning): Promise<void> {
    return this.#router.untilCaughtUp(beginning)
  }

  toServer(message: Buffer): Buffer {
    return this.#router.toServer(this.#number, message)
  }

  toDriver(message: Buffer): Buffer {
    return this.#router.toDriver(this.#number, message)
  }

  route(message: Buffer): Buffer {
    return this.#router.route(message)
  }

  losesReply(commit: Commit): boolean {
    return this.#router.losesReply(commit)
  }

  #accept(client: Socket): void {
    if (this.#isAway) return void client.destroy()
    const connection = new BoltConnection(client, this, () => this.#connections.delete(connection))
    this.#connections.add(connection)
  }
}
