import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from './random.ts'

/**
 * Bolt's COMMIT as the driver sends it, in a separate chunk: length 2, structure 0x12 without fields, end.
 */
const COMMIT = Buffer.from([0x00, 0x02, 0xb0, 0x12, 0x00, 0x00])

/**
 * A proxy before a Neo4j that forwards some COMMITs but cuts the connection before their reply: the
 * committing client cannot know the result.
 */
export class CommitDropper {
  readonly figures = { commits: 0, afterReply: 0, atOnce: 0 }
  readonly #random: Random
  readonly #share: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(neo4j: URL, share: number, random: Random) {
    this.#share = share
    this.#random = random
    this.#server = createServer({ noDelay: true }, (client) => {
      this.#join(client, connect({ host: neo4j.hostname, port: Number(neo4j.port), noDelay: true }))
    })
  }

  /**
   * @param share of the commits whose replies are dropped, 0 to 1
   * @param port to listen on, for example the port of a closed proxy; 0 means any free port
   */
  static async before(neo4jUrl: string, share: number, random: Random, port = 0): Promise<CommitDropper> {
    const dropper = new CommitDropper(new URL(neo4jUrl), share, random)
    await new Promise<void>((resolve) => dropper.#server.listen(port, '127.0.0.1', resolve))
    return dropper
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return `bolt://127.0.0.1:${address.port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket, server: Socket): void {
    let dropped = false
    const cut = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', cut).on('close', () => {
        this.#sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (bytes) => {
      const drops = bytes.includes(COMMIT) && this.#drops()
      if (drops) dropped = true
      // Cuts half of them when the bytes have just left: then the server may not even have committed.
      const atOnce = drops && this.#random.fraction() < 0.5
      server.write(bytes, () => atOnce && cut())
      if (drops) this.figures[atOnce ? 'atOnce' : 'afterReply']++
    })
    server.on('data', (bytes) => {
      if (dropped) cut()
      else client.write(bytes)
    })
  }

  #drops(): boolean {
    this.figures.commits++
    return this.#random.fraction() < this.#share
  }
}
