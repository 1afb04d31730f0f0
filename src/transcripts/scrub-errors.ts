/** Masks secrets in error messages and cuts the messages. No other texts of a transcript are stored. */
import { scrubEach } from '../core/scrub/scrub.ts'
import { MAX_ERROR_CHARACTERS } from '../rules/tool-error.ts'
import type { TranscriptState } from './transcript.ts'

/** Maximum number of characters at the end of a message that are scanned for secrets. */
const MAX_SCANNED = 16 * 1024

type WithError = { error: string | null }

/** Converts the error messages of steps to their stored form. @returns the number of masked places of each step with any */
export async function scrubErrors<S extends WithError>(steps: readonly S[]): Promise<Map<S, number>> {
  const errors = [...new Set(steps.flatMap(({ error }) => error ?? []))]
  const counts = new Map<S, number>()
  if (errors.length === 0) return counts
  const scrubbed = await scrubEach(
    errors.map((error) => scanned(error).toWellFormed().replaceAll('\0', '\uFFFD')),
  )
  const masked = new Map(errors.map((error, i) => [error, scrubbed[i]]))
  for (const step of steps) {
    const message = masked.get(step.error ?? '')
    if (message === undefined) continue
    step.error = storedPart(step.error ?? '', message.text)
    if (message.places > 0) counts.set(step, message.places)
  }
  return counts
}

/** Cuts a long message before the scan. Removes the first word, because a secret that is cut in two is not recognized. */
const scanned = (error: string): string =>
  error.length <= MAX_SCANNED ? error : error.slice(-MAX_SCANNED).replace(/^\S+/, '')

/** Returns the end of a message with its first words or the maximum length, by which the doctor knows it; otherwise ''. */
function storedPart(error: string, masked: string): string {
  const end = [...masked].slice(-MAX_ERROR_CHARACTERS)
  return error.length <= MAX_SCANNED || end.length === MAX_ERROR_CHARACTERS ? end.join('') : ''
}

/** Returns the steps of open turns, which are stored with the file's progress. */
export const stepsOfState = ({ threads }: TranscriptState): WithError[] =>
  threads.flatMap(({ open, unsettled, held }) =>
    [...held, ...unsettled, ...(open === null ? [] : [open])].flatMap((turn): WithError[] => turn.steps),
  )
