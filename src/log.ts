import { destination, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

const STANDARD_ERROR = 2

/**
 * JSON lines on standard error: standard output belongs to what a command answers. Writes do not wait
 * for the reader of the pipe, so a slow one never holds a request up; pino flushes when the process ends.
 */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    destination({ dest: STANDARD_ERROR, sync: false }),
  )
}
