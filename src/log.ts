import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

/**
 * JSON lines on standard error: standard output belongs to what a command answers. Writes do not wait
 * for the reader of the pipe, so a slow one never holds a request up; pino flushes when the process ends.
 */
export function createLog(level: string, to: DestinationStream = standardError()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    to,
  )
}

const standardError = (): DestinationStream => destination({ dest: 2, sync: false })
