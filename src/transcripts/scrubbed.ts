import { scrub } from '../scrub.ts'
import type { TranscriptState } from './transcript.ts'

/** Error messages are the only words of a transcript that are kept: scrubbed of secrets, then cut. */

const LONGEST_ERROR = 500
/** A secret that begins in what is kept ends here. */
const LONGEST_SCANNED = 16 * 1024

type WithError = { error: string | null }

/** The form in which each message is stored. */
export async function scrubbedErrors(steps: readonly WithError[]): Promise<Map<string, string>> {
  const errors = [...new Set(steps.flatMap(({ error }) => error ?? []))]
  if (errors.length === 0) return new Map()
  const { scrubbed } = await scrub(
    errors.map((error) => scanned(error).toWellFormed().replaceAll('\0', '\uFFFD')),
  )
  return new Map(errors.map((error, i) => [error, [...(scrubbed[i] ?? '')].slice(0, LONGEST_ERROR).join('')]))
}

/** A secret that is cut in two would not be known: the last word goes. */
const scanned = (error: string): string =>
  error.length <= LONGEST_SCANNED ? error : error.slice(0, LONGEST_SCANNED).replace(/(?<!\S)\S+$/, '')

/** What stands open is stored as well. */
export async function scrubbedState(state: TranscriptState): Promise<TranscriptState> {
  const steps: WithError[] = state.threads.flatMap(({ open, unsettled, held }) =>
    [...held, ...unsettled, ...(open === null ? [] : [open])].flatMap((turn): WithError[] => turn.steps),
  )
  const messages = await scrubbedErrors(steps)
  for (const step of steps) if (step.error !== null) step.error = messages.get(step.error) ?? ''
  return state
}
