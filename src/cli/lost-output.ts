/** Decides what becomes of a command whose output nobody takes any more, or for which there is no room. */
import { describeDiskFault, TurngraphError } from '../core/errors.ts'

let readsOnly = false

/** Says whether the command has nothing to do but to answer: such a one ends as soon as its answer cannot be written. */
export function setReadsOnly(isReadsOnly: boolean): void {
  readsOnly = isReadsOnly
}

/**
 * `turngraph worlds | head -1` closes the pipe early: that is no failure. A command that writes finishes its work without
 * output: ended there, `turngraph capture turns.jsonl | head -1` would store a part and look like success.
 *
 * @param report prints an error and answers its exit code
 */
export function watchOutput(report: (error: TurngraphError) => number): void {
  let isFull = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (readsOnly) process.exit() // with the code of the answer, so that `stall --exit-code | head -1` keeps it
      return
    }
    if (isFull) return // each further line meets the same disk
    const lost = lostOutput(error)
    if (lost === null) throw error
    isFull = true
    const code = report(lost)
    if (readsOnly) process.exit(code)
    process.once('exit', () => {
      process.exitCode ||= code
    })
  })
  // Where errors cannot be written, nothing is left to say it with; the exit code still tells.
  process.stderr.on('error', () => {})
}

function lostOutput(cause: Error): TurngraphError | null {
  const message = describeDiskFault(cause, 'the place that standard output goes to')
  if (message === null) return null
  return new TurngraphError('store_unavailable', message, {
    hint: 'What was printed is not whole. Make room, or send it elsewhere: then try again.',
    cause,
  })
}
