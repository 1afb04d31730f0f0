/** Handles output that no process reads, or for which the disk has no space. */
import { isatty } from 'node:tty'
import { diskError, type TurngraphError } from '../core/errors.ts'

let readsOnly = false

const terminals = [0, 1, 2].filter(isatty)

/** Ends the process by SIGHUP if its terminal was closed: a Node without the fix nodejs/node#58200 aborts at a normal end. */
export function endWithTerminal(): void {
  if (terminals.every(isatty)) return
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/** Sets whether the command only prints an answer. Such a command ends as soon as its answer cannot be written. */
export function setReadsOnly(isReadsOnly: boolean): void {
  readsOnly = isReadsOnly
}

/**
 * Handles errors of the output. A closed pipe, as in `turngraph worlds | head -1`, or a closed terminal is not a failure. A
 * command that writes finishes its work without output: otherwise `turngraph capture turns.jsonl | head -1` would store a part
 * and look successful.
 */
export function watchOutput(report: (error: TurngraphError) => number): void {
  let isFull = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || (error.code === 'EIO' && terminals.includes(1))) {
      if (!readsOnly) return
      endWithTerminal()
      process.exit() // keeps the exit code of the answer, for `stall --exit-code | head -1`
    }
    if (isFull) return // further lines fail for the same reason
    const lost = lostOutput(error)
    if (lost === null) throw error
    isFull = true
    const code = report(lost)
    if (readsOnly) process.exit(code)
    process.once('exit', () => {
      process.exitCode ||= code
    })
  })
  // An error that cannot be written is lost; the exit code still reports the failure.
  process.stderr.on('error', () => {})
}

const lostOutput = (cause: Error): TurngraphError | null =>
  diskError(
    cause,
    'the destination of standard output',
    'The output is incomplete. Free some space or choose another destination, then try again.',
  )
