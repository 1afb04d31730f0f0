// Carries MCP messages as lines on standard input and output.

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { TurngraphError } from '../core/errors.ts'
import { LineSplitter } from '../core/lines.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { errorAnswer } from './protocol-errors.ts'

/** Reason for the end: the input ended, a line exceeded the limit, or the output was closed. */
export type EndOfConnection = 'input ended' | 'line too long' | 'output closed'

const MAX_LINE_BYTES = 10 * 1024 * 1024

/** The SDKs close a connection with more than 10 MiB unread. A chunk of 64 KiB may also have the start of the next line. */
const MAX_ANSWER_BYTES = MAX_LINE_BYTES - 64 * 1024

/** Answer to a line that cannot be parsed. It has no request id. */
const NO_JSON: JSONRPCErrorResponse = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'This line is not JSON of at most 10 MiB.' },
}

/** Builds the answer to JSON that is not a message of MCP. Without the request id, the client would wait until its time-out. */
function refuseMessage(value: unknown): JSONRPCErrorResponse {
  const message = Object(value) as { id?: unknown }
  // The id of a malformed answer is one of our own requests.
  const id = 'result' in message || 'error' in message ? null : message.id
  return {
    jsonrpc: '2.0',
    ...((typeof id === 'string' || typeof id === 'number') && { id }),
    error: { code: -32600, message: 'This JSON is not a JSON-RPC message of MCP.' },
  }
}

const ANSWER_TOO_LARGE = new TurngraphError(
  'too_large',
  'The answer is above 10 MiB, the limit over stdio.',
  {
    hint: 'Ask for less: the role player omits evidence, and limit bounds the rows of a query. HTTP has no such limit.',
  },
)

/** Replaces an answer that is too large. The answer of a tool stays a result. */
function refuseAnswer({ id, result: { content, structuredContent, ...rest } }: JSONRPCResultResponse) {
  if (content === undefined) return errorAnswer({ id }, ANSWER_TOO_LARGE, {})
  const text = JSON.stringify(ANSWER_TOO_LARGE.toWire())
  const result = { ...rest, isError: true, content: [{ type: 'text', text }] }
  return { jsonrpc: '2.0' as const, id, result }
}

const isMessage = (value: unknown): value is JSONRPCMessage =>
  isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)

/**
 * Transport over standard input and output. The transport of the SDK silently skips lines that are not JSON, and does not report
 * the reason for its end. A line above the limit is answered and ends the connection, because its end is unknown.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly ended: Promise<EndOfConnection>
  #end: (reason: EndOfConnection) => void = () => {}
  #isClosed = false
  /**
   * Ids of the requests without an answer, one entry per request, because a client may use an id twice. Contains no subscriptions,
   * because a subscription is answered only at its end.
   */
  readonly #unanswered: (string | number)[] = []
  #hasInputEnded = false
  /** Common wait of all messages while the output is full. */
  #drained: Promise<void> | null = null
  readonly #lines = new LineSplitter(
    0,
    (bytes, start, end) => this.#read(bytes.toString('utf8', start, end)),
    MAX_LINE_BYTES,
  )

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async start(): Promise<void> {
    process.stdin.on('data', this.#onData).once('end', this.#onEnd).on('error', this.#onInputError)
    process.stdout.on('error', this.#onOutputError)
  }

  /** Sends a message. Resolves when the output accepts more. */
  async send(message: JSONRPCMessage): Promise<void> {
    let line = serializeMessage(message)
    if (Buffer.byteLength(line) > MAX_ANSWER_BYTES && 'result' in message)
      line = serializeMessage(refuseAnswer(message))
    if (this.#isClosed) return
    const isFull = !process.stdout.write(line)
    if (!('method' in message) && message.id !== undefined) this.settle(message.id)
    if (!isFull) return
    this.#drained ??= new Promise((resolve) => {
      process.stdout.once('drain', () => {
        this.#drained = null
        resolve()
      })
    })
    await Promise.race([this.#drained, this.ended])
  }

  async close(reason: EndOfConnection = 'input ended'): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    process.stdin.off('data', this.#onData).off('end', this.#onEnd).pause()
    this.#end(reason)
    this.onclose?.()
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk)
    if (!this.#lines.hasOverlong || this.#isClosed) return
    void this.send(NO_JSON)
    void this.close('line too long')
  }

  /** Closes the connection after the last answer: a script may send its requests and close the input at once. */
  readonly #onEnd = (): void => {
    this.#onData(Buffer.from('\n')) // the last line may have no line break
    this.#hasInputEnded = true
    if (this.#unanswered.length === 0) void this.close('input ended')
  }

  /** Marks a request as answered or cancelled. Closes the connection if the input has ended and this was the last request. */
  protected settle(id: string | number): void {
    const place = this.#unanswered.indexOf(id)
    if (place !== -1) this.#unanswered.splice(place, 1)
    if (this.#hasInputEnded && this.#unanswered.length === 0) void this.close('input ended')
  }

  /** Handles errors of the input, such as a reset connection or a closed terminal. */
  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error)
    void this.close('input ended')
  }

  readonly #onOutputError = (error: Error): void => {
    this.onerror?.(error)
    void this.close('output closed')
  }

  #read(line: string): void {
    if (this.#isClosed || line.trim() === '') return
    let parsed: unknown
    try {
      parsed = parseOrderedJson(line)
    } catch {
      return void this.send(NO_JSON)
    }
    const messages: unknown[] = Array.isArray(parsed) && parsed.length > 0 ? parsed : [parsed]
    for (const message of messages) {
      if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen')
        this.#unanswered.push(message.id)
      if (isMessage(message)) this.receive(message)
      else void this.send(refuseMessage(message))
    }
  }

  protected receive(message: JSONRPCMessage): void {
    this.onmessage?.(message)
  }
}
