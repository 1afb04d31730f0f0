import { EXIT } from '../core/exit-codes.ts'
import { printNote } from './output.ts'

/** What an answer says of a task that is not stored. */
type Answer = { taskKnown?: boolean; taskMessage?: string | undefined }

/**
 * Tells on standard error that an answer is about a task of which nothing is stored.
 *
 * @param asked by what a loop asks before its first turn, which is no failure
 * @returns whether it is
 */
export function reportUnknownTask(answer: Answer, asked: { byLoops: boolean }): boolean {
  if (answer.taskKnown !== false) return false
  if (answer.taskMessage !== undefined) printNote(answer.taskMessage)
  if (!asked.byLoops) process.exitCode = EXIT.notFound.code
  return true
}
