// Writes the log as JSON lines on standard error.
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'
import { scrubText } from '../core/scrub/scrub.ts'
import { systemCode } from '../core/system-code.ts'

export type Log = Logger

/**
 * JSON lines on standard error: standard output belongs to what a command answers. Writes do not wait
 * for the reader of the pipe, so a slow one never holds a request up; pino flushes when the process ends.
 * Lines that nobody reads are dropped: {@link standardError}.
 */
export function createLog(level: string, to: DestinationStream = standardError()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
      // Whatever a line quotes: an address, a statement, an error of somebody else.
      hooks: { streamWrite: scrubText },
    },
    to,
  )
}

/** So much waits for a reader of standard error; further lines are dropped. */
const MOST_WAITING_BYTES = 1024 * 1024

/** For so long without a byte taken the process waits at its end. */
const STALLED_MS = 1_000

/** A full pipe that nobody reads must neither fill the memory nor keep the process from ending. */
function standardError(): DestinationStream {
  let stalledSince: number | null = null
  const hasStalled = () => stalledSince !== null && performance.now() - stalledSince >= STALLED_MS
  const stream = destination({
    dest: 2,
    sync: false,
    maxLength: MOST_WAITING_BYTES,
    retryEAGAIN: () => {
      stalledSince ??= performance.now()
      return !hasStalled()
    },
  })
  stream.on('write', () => {
    stalledSince = null
  })
  let triesAgain = false
  stream.on('error', (error) => {
    ignoreUnread(error)
    stalledSince = Number.NEGATIVE_INFINITY
    // What was not taken waits for the reader. A further line would not send it: where no more may wait, it is dropped.
    if (triesAgain) return
    triesAgain = true
    setTimeout(() => {
      triesAgain = false
      stream.write('')
    }, STALLED_MS).unref()
  })
  const flush = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    // To a pipe that has closed meanwhile it would write for ever. What waits for a reader that has just come back is lost.
    if (hasStalled()) return
    try {
      flush()
    } catch (error) {
      ignoreUnread(error)
    }
  }
  return stream
}

/** The pipe is full, or its reader has closed it. */
function ignoreUnread(error: unknown): void {
  if (!UNREAD.includes(systemCode(error))) throw error
}

const UNREAD: readonly (string | null)[] = ['EAGAIN', 'EPIPE']
