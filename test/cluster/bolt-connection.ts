// Joins a driver's connection to a server, and does on the way what a member of a cluster would do.
import { connect, type Socket } from 'node:net'
import {
  type Beginning,
  beginningOf,
  bookmarkIn,
  chunked,
  failure,
  fieldsOf,
  HANDSHAKE_BYTES,
  ignored,
  MessageSplitter,
  REQUEST,
  RESPONSE,
  tagOf,
  VERSION_BYTES,
  withoutManifest,
} from './bolt-messages.ts'
import { isMap } from './packstream.ts'

/** A transaction that was committed, with the messages of its statements. */
export type Commit = { bookmark: string; runs: readonly Buffer[] }

/** What a member of the simulated cluster does with the connections to it. */
export interface Member {
  /** The server that does its work. */
  readonly server: URL
  /** The code of the error with which it refuses a transaction, at its beginning and at its commit; null: it takes it. */
  refuses(beginning: Beginning): string | null
  /** Told of each transaction that it takes; resolves once it has what the bookmarks stand for. */
  untilCaughtUp(beginning: Beginning): Promise<void>
  /** The BEGIN or RUN as its server is to get it. */
  toServer(message: Buffer): Buffer
  /** A SUCCESS as the driver is to get it. */
  toDriver(message: Buffer): Buffer
  /** The answer to ROUTE. */
  route(message: Buffer): Buffer
  /** Told of each commit; whether its reply gets lost. */
  losesReply(commit: Commit): boolean
}

/** A request that has no answer yet; `own` is that of the member, where the server is not asked. */
type Pending = { tag: number; own: Buffer | null }
type Transaction = { beginning: Beginning; runs: Buffer[]; isAlone: boolean; wrote: boolean }

export class BoltConnection {
  readonly #client: Socket
  readonly #server: Socket
  readonly #member: Member
  readonly #fromClient = new MessageSplitter()
  readonly #fromServer = new MessageSplitter()
  readonly #pending: Pending[] = []
  #transaction: Transaction | null = null
  /** After an error of the member's own, everything is ignored until the driver resets the connection. */
  #failed = false
  /** Messages of the driver are worked on one after the other: one may have to wait. */
  #working: Promise<void> = Promise.resolve()

  constructor(client: Socket, member: Member, onClose: () => void) {
    this.#client = client
    this.#member = member
    this.#server = connect({ host: member.server.hostname, port: Number(member.server.port), noDelay: true })
    for (const socket of [this.#client, this.#server]) {
      socket.on('error', () => this.cut())
      socket.on('close', () => {
        this.cut()
        onClose()
      })
    }
    this.#shakeHands()
  }

  cut(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  #shakeHands(): void {
    const onProposals = (bytes: Buffer) => {
      const taken = this.#fromClient.takeFirst(bytes, HANDSHAKE_BYTES)
      if (taken === null) return
      this.#client.off('data', onProposals).on('data', (more) => this.#takeFromClient(more))
      this.#server.write(withoutManifest(taken.first))
      this.#takeFromClient(taken.rest)
    }
    const onVersion = (bytes: Buffer) => {
      const taken = this.#fromServer.takeFirst(bytes, VERSION_BYTES)
      if (taken === null) return
      this.#server.off('data', onVersion).on('data', (more) => this.#takeFromServer(more))
      this.#client.write(taken.first)
      this.#takeFromServer(taken.rest)
    }
    this.#client.on('data', onProposals)
    this.#server.on('data', onVersion)
  }

  #takeFromClient(bytes: Buffer): void {
    for (const message of this.#fromClient.take(bytes)) {
      this.#working = this.#working.then(() => this.#request(message)).catch(() => this.cut())
    }
  }

  async #request(message: Buffer): Promise<void> {
    const tag = tagOf(message)
    if (tag === REQUEST.GOODBYE) return void this.#server.write(chunked(message))
    if (tag === REQUEST.RESET) this.#failed = false
    else if (this.#failed) return this.#answerItself(tag, ignored())
    if (tag === REQUEST.BEGIN || (tag === REQUEST.RUN && this.#transaction === null)) {
      return this.#begin(tag, message)
    }
    const transaction = this.#transaction
    if (tag === REQUEST.COMMIT && transaction !== null) {
      const code = this.#member.refuses(transaction.beginning)
      if (code !== null) return this.#refuse(tag, code)
    }
    if (tag === REQUEST.RUN) transaction?.runs.push(message)
    if (tag === REQUEST.RESET || tag === REQUEST.ROLLBACK) this.#transaction = null
    this.#forward(tag, message)
  }

  async #begin(tag: number, message: Buffer): Promise<void> {
    const beginning = beginningOf(message)
    const code = this.#member.refuses(beginning)
    if (code !== null) return this.#refuse(tag, code)
    const isAlone = tag === REQUEST.RUN
    this.#transaction = { beginning, runs: isAlone ? [message] : [], isAlone, wrote: false }
    await this.#member.untilCaughtUp(beginning)
    this.#forward(tag, this.#member.toServer(message))
  }

  #forward(tag: number, message: Buffer): void {
    this.#pending.push({ tag, own: null })
    this.#server.write(chunked(message))
  }

  #refuse(tag: number, code: string): void {
    this.#failed = true
    this.#answerItself(tag, failure(code, 'The simulated member does not take this.'))
  }

  /** Once all that was asked before has its answer. */
  #answerItself(tag: number, own: Buffer): void {
    this.#pending.push({ tag, own })
    this.#sendOwn()
  }

  #sendOwn(): void {
    for (let next = this.#pending[0]; next?.own != null; next = this.#pending[0]) {
      this.#client.write(chunked(next.own))
      this.#pending.shift()
    }
  }

  #takeFromServer(bytes: Buffer): void {
    for (const message of this.#fromServer.take(bytes)) this.#answer(message)
  }

  #answer(message: Buffer): void {
    const tag = tagOf(message)
    if (tag === RESPONSE.RECORD) return void this.#client.write(chunked(message))
    const request = this.#pending.shift()
    const isSuccess = tag === RESPONSE.SUCCESS
    if (isSuccess && request?.tag === REQUEST.ROUTE) {
      this.#client.write(chunked(this.#member.route(message)))
    } else {
      const commit = isSuccess && request !== undefined ? this.#commitIn(request.tag, message) : null
      if (commit !== null && this.#member.losesReply(commit)) this.cut()
      else this.#client.write(chunked(isSuccess ? this.#member.toDriver(message) : message))
    }
    this.#sendOwn()
  }

  /** What this answer says is committed; null: nothing. */
  #commitIn(request: number, message: Buffer): Commit | null {
    const transaction = this.#transaction
    if (transaction === null) return null
    const endsResult = request === REQUEST.PULL || request === REQUEST.DISCARD
    const isEnd = request === REQUEST.COMMIT || (transaction.isAlone && endsResult)
    if (endsResult) {
      const [metadata] = fieldsOf(message)
      if (!isMap(metadata) || metadata.get('has_more') === true) return null
      transaction.wrote ||= metadata.get('type') !== 'r'
    }
    if (!isEnd) return null
    this.#transaction = null
    const bookmark = bookmarkIn(message)
    return transaction.wrote && bookmark !== null ? { bookmark, runs: transaction.runs } : null
  }
}
