// Writes the log as JSON lines on standard error.
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'
import { scrubText } from '../core/scrub/scrub.ts'
import { systemCode } from '../core/system-code.ts'

export type Log = Logger

/**
 * Creates a log of JSON lines on standard error; standard output is for the answers of commands. A slow reader of the pipe never
 * delays a request. Drops lines that nobody reads: {@link standardError}.
 */
export function createLog(level: string, to: DestinationStream = standardError()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
      // Masks secrets in all quoted texts: addresses, statements, foreign errors.
      hooks: { streamWrite: scrubText },
    },
    to,
  )
}

const MAX_WAITING_BYTES = 1024 * 1024

/** Time that the ending process waits for a reader that reads nothing. */
const STALLED_MS = 1_000

/** Opens standard error. A full pipe without a reader must neither fill the memory nor block the end of the process. */
function standardError(): DestinationStream {
  let stalledSince: number | null = null
  const hasStalled = () => stalledSince !== null && performance.now() - stalledSince >= STALLED_MS
  const stream = destination({
    dest: 2,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
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
    // Unwritten data waits for the reader. Retries with an empty write: a further line is dropped if the limit is reached.
    if (triesAgain) return
    triesAgain = true
    setTimeout(() => {
      triesAgain = false
      stream.write('')
    }, STALLED_MS).unref()
  })
  const flush = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    // Skips the flush of a stalled pipe, which would block forever. Loses the waiting lines if the reader just came back.
    if (hasStalled()) return
    try {
      flush()
    } catch (error) {
      ignoreUnread(error)
    }
  }
  return stream
}

/** Ignores the errors of a full or closed pipe and of a closed terminal. */
function ignoreUnread(error: unknown): void {
  if (!UNREAD.includes(systemCode(error))) throw error
}

const UNREAD: readonly (string | null)[] = ['EAGAIN', 'EPIPE', 'EIO']
