// Splits a Bolt connection into its messages, and makes messages.
import { isMap, type Packed, type PackedMap, pack, Structure, unpack, unpackAll } from './packstream.ts'

export const REQUEST = {
  GOODBYE: 0x02,
  RESET: 0x0f,
  RUN: 0x10,
  BEGIN: 0x11,
  COMMIT: 0x12,
  ROLLBACK: 0x13,
  DISCARD: 0x2f,
  PULL: 0x3f,
  ROUTE: 0x66,
} as const

export const RESPONSE = { SUCCESS: 0x70, RECORD: 0x71, IGNORED: 0x7e, FAILURE: 0x7f } as const

const MAGIC_AND_PROPOSALS = 20
const MANIFEST = Buffer.from([0x00, 0x00, 0x01, 0xff])
const MOST_IN_CHUNK = 0xffff

/** Takes bytes as they come, and gives whole messages, without their chunks. */
export class MessageSplitter {
  #waiting = Buffer.alloc(0)
  #message: Buffer[] = []

  /** The first bytes of a connection, which are not chunked; null while they are not all there. */
  takeFirst(bytes: Buffer, size: number): { first: Buffer; rest: Buffer } | null {
    this.#waiting = Buffer.concat([this.#waiting, bytes])
    if (this.#waiting.length < size) return null
    const first = this.#waiting.subarray(0, size)
    const rest = this.#waiting.subarray(size)
    this.#waiting = Buffer.alloc(0)
    return { first, rest }
  }

  take(bytes: Buffer): Buffer[] {
    const messages: Buffer[] = []
    this.#waiting = Buffer.concat([this.#waiting, bytes])
    while (this.#waiting.length >= 2) {
      const size = this.#waiting.readUInt16BE()
      if (this.#waiting.length < 2 + size) break
      if (size > 0) this.#message.push(this.#waiting.subarray(2, 2 + size))
      else if (this.#message.length > 0) {
        // An empty chunk ends a message; alone it keeps the connection alive.
        messages.push(Buffer.concat(this.#message))
        this.#message = []
      }
      this.#waiting = this.#waiting.subarray(2 + size)
    }
    return messages
  }
}

export function chunked(message: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < message.length; at += MOST_IN_CHUNK) {
    const chunk = message.subarray(at, at + MOST_IN_CHUNK)
    const size = Buffer.alloc(2)
    size.writeUInt16BE(chunk.length)
    parts.push(size, chunk)
  }
  return Buffer.concat([...parts, Buffer.alloc(2)])
}

/** The second byte of a message: its first one is the structure's size. */
export const tagOf = (message: Buffer): number => message[1] ?? 0

export function fieldsOf(message: Buffer): readonly Packed[] {
  const structure = unpack(message)
  if (!(structure instanceof Structure)) throw new Error('a Bolt message is a structure')
  return structure.fields
}

export const messageOf = (tag: number, ...fields: Packed[]): Buffer => pack(new Structure(tag, fields))

export const success = (metadata: PackedMap = new Map()): Buffer => messageOf(RESPONSE.SUCCESS, metadata)
export const ignored = (): Buffer => messageOf(RESPONSE.IGNORED)

/** Under the names of Bolt 5.7 and of those before. */
export const failure = (code: string, message: string): Buffer =>
  messageOf(
    RESPONSE.FAILURE,
    new Map<string, Packed>([
      ['code', code],
      ['neo4j_code', code],
      ['message', message],
      ['gql_status', '50N42'],
      ['description', `error: general processing exception. ${message}`],
      ['diagnostic_record', new Map()],
    ]),
  )

export const HANDSHAKE_BYTES = MAGIC_AND_PROPOSALS
export const VERSION_BYTES = 4

/** What a driver proposes without the manifest, whose longer handshake the router does not speak: Bolt 5.8 and older. */
export function withoutManifest(handshake: Buffer): Buffer {
  const at = handshake.indexOf(MANIFEST, 4)
  if (at === -1) return handshake
  const proposals = Buffer.concat([handshake.subarray(4, at), handshake.subarray(at + 4), Buffer.alloc(4)])
  return Buffer.concat([handshake.subarray(0, 4), proposals])
}

/** How a transaction begins, by a BEGIN or by a RUN outside one. */
export type Beginning = {
  writes: boolean
  bookmarks: readonly string[]
  /** The metadata `statement`; empty for a transaction of several. */
  statement: string
  /** All texts among the parameters. */
  texts: readonly string[]
}

export function beginningOf(message: Buffer): Beginning {
  const fields = fieldsOf(message)
  const extra = fields.at(-1)
  if (!isMap(extra)) throw new Error('BEGIN and RUN end with a map')
  const metadata = extra.get('tx_metadata')
  const statement = isMap(metadata) ? metadata.get('statement') : undefined
  const bookmarks = extra.get('bookmarks')
  return {
    writes: extra.get('mode') !== 'r',
    bookmarks: Array.isArray(bookmarks) ? bookmarks.map(String) : [],
    statement: typeof statement === 'string' ? statement : '',
    texts: tagOf(message) === REQUEST.RUN ? textsIn(fields[1] ?? null) : [],
  }
}

function textsIn(value: Packed): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isMap(value) ? [...value.values()].flatMap(textsIn) : []
}

/** The same BEGIN or RUN without bookmarks: for a server that is another database than the one they are of. */
export function withoutBookmarks(message: Buffer): Buffer {
  const fields = fieldsOf(message)
  const extra = fields.at(-1)
  if (!isMap(extra) || !extra.has('bookmarks')) return message
  const rest = new Map([...extra].filter(([name]) => name !== 'bookmarks'))
  return messageOf(tagOf(message), ...fields.slice(0, -1), rest)
}

/** The same SUCCESS without its bookmark, which is one of another database than the leader's. */
export function withoutBookmark(message: Buffer): Buffer {
  const [metadata] = fieldsOf(message)
  if (!isMap(metadata) || !metadata.has('bookmark')) return message
  return success(new Map([...metadata].filter(([name]) => name !== 'bookmark')))
}

export function bookmarkIn(message: Buffer): string | null {
  const [metadata] = fieldsOf(message)
  const bookmark = isMap(metadata) ? metadata.get('bookmark') : undefined
  return typeof bookmark === 'string' ? bookmark : null
}

/** The number of the transaction that a bookmark of Neo4j 5 and later stands for: it stands behind the id of its database. */
export function transactionOf(bookmark: string): bigint {
  const values = unpackAll(Buffer.from(bookmark.slice('FB:'.length), 'base64'))
  const number = values.find((value) => typeof value === 'bigint')
  if (number === undefined) throw new Error(`${bookmark} is no bookmark of a known form`)
  return number
}

/** The newest transaction that bookmarks stand for; 0 without any. */
export function newestOf(bookmarks: readonly string[]): bigint {
  let newest = 0n
  for (const transaction of bookmarks.map(transactionOf)) if (transaction > newest) newest = transaction
  return newest
}
