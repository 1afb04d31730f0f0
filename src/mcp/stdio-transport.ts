// Carries MCP messages as lines on standard input and output.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { LineSplitter } from '../core/lines.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'

/** The input ended, a line of it is longer than is taken, or nobody reads the output any more. */
export type EndOfConnection = 'input ended' | 'line too long' | 'output closed'

const MAX_LINE_BYTES = 10 * 1024 * 1024

/** Answers a line that is not a message of MCP, which names no request to answer to. */
const NO_MESSAGE = {
  jsonrpc: '2.0' as const,
  error: { code: -32700, message: 'This line is not a JSON-RPC message of at most 10 MiB.' },
}

/**
 * Not that of the SDK, which passes over lines that are no JSON in silence, and does not say why it closes. A line that is
 * too long has no end to go on after: it is answered, and ends the connection.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly ended: Promise<EndOfConnection>
  #end: (reason: EndOfConnection) => void = () => {}
  #isClosed = false
  /** Where the output is full: one wait for all that is to be sent. */
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

  /** Resolves when the output takes more. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || process.stdout.write(serializeMessage(message))) return
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
    void this.send(NO_MESSAGE)
    void this.close('line too long')
  }

  readonly #onEnd = (): void => void this.close('input ended')

  /** A connection that was reset, a terminal that hung up. */
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
    let message: JSONRPCMessage
    try {
      deserializeMessage(line) // rejects a line that is not a message
      message = parseOrderedJson(line) as JSONRPCMessage
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return void this.send(NO_MESSAGE)
    }
    this.receive(message)
  }

  protected receive(message: JSONRPCMessage): void {
    this.onmessage?.(message)
  }
}
