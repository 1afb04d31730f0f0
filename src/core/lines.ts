// Splits the bytes of transcripts and exports into lines as they arrive.

/** Maximum length of a line. Lines of tens of MB occur in practice. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

const NEWLINE = 0x0a
const TAIL_BYTES = 4096

/** Receives `bytes[start, end)`, one line without its newline. The caller reuses the bytes afterwards. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/**
 * Splits bytes into lines. Only one line is in memory at a time, whatever the length of the file.
 *
 * @example
 * const lines = new LineSplitter(0, (bytes, start, end) => read(bytes.toString('utf8', start, end)))
 * for await (const chunk of stream) lines.push(chunk)
 */
export class LineSplitter {
  /** Number of bytes up to the end of the last whole line. */
  consumed: number
  /** Number of lines that were dropped because they were longer than the limit. */
  overlong = 0
  /** The last bytes before `consumed`, {@link TAIL_BYTES} at most. They show whether a file is still the same. */
  tail: Buffer = Buffer.alloc(0)
  readonly #onLine: OnLine
  readonly #maxLineBytes: number
  #parts: Buffer[] = []
  #partBytes = 0
  #dropping = false
  /** The last bytes of all chunks so far. */
  #before: Buffer = Buffer.alloc(0)

  constructor(offset: number, onLine: OnLine, maxLineBytes = MAX_LINE_BYTES) {
    this.consumed = offset
    this.#maxLineBytes = maxLineBytes
    this.#onLine = onLine
  }

  /** @param chunk may be overwritten after the call */
  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#line(chunk, start, end)
      start = end + 1
    }
    if (start > 0) this.tail = copyLastBytes(this.#before, chunk.subarray(0, start))
    this.#before = copyLastBytes(this.#before, chunk)
    if (start < chunk.length) this.#hold(chunk.subarray(start))
  }

  /** Checks whether a line, including the current unfinished one, was longer than the limit. */
  get hasOverlong(): boolean {
    return this.overlong > 0 || this.#dropping
  }

  /** Ends the input. The first bytes after the last newline are a line if `wholeBytes` counts them as whole. */
  end(wholeBytes: (rest: Buffer) => number): void {
    if (this.#partBytes === 0 || this.#dropping) return
    const rest = Buffer.concat(this.#parts, this.#partBytes)
    const length = wholeBytes(rest)
    if (length === 0) return
    this.#onLine(rest, 0, length)
    this.consumed += length
    this.tail = copyLastBytes(this.tail, rest.subarray(0, length))
    this.#parts = [rest.subarray(length)]
    this.#partBytes -= length
  }

  #line(chunk: Buffer, start: number, end: number): void {
    const length = this.#partBytes + end - start
    this.consumed += length + 1
    if (this.#dropping || length > this.#maxLineBytes) this.overlong++
    else if (this.#partBytes === 0) this.#onLine(chunk, start, end)
    else this.#onLine(Buffer.concat([...this.#parts, chunk.subarray(start, end)], length), 0, length)
    this.#parts = []
    this.#partBytes = 0
    this.#dropping = false
  }

  #hold(part: Buffer): void {
    this.#partBytes += part.length
    if (this.#partBytes > this.#maxLineBytes) {
      this.#dropping = true
      this.#parts = []
    }
    if (!this.#dropping) this.#parts.push(Buffer.from(part))
  }
}

const copyLastBytes = (before: Buffer, piece: Buffer): Buffer =>
  piece.length >= TAIL_BYTES
    ? Buffer.from(piece.subarray(-TAIL_BYTES))
    : Buffer.concat([before, piece]).subarray(-TAIL_BYTES)
