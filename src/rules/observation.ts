/** Describes observations, and checks that they fit a status (contract: evidence.md, "Observations"). Pure. */
import * as z from 'zod'
import { parseJson } from '../core/parse-json.ts'
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'

/** Maximum length of a command in a sentence, in characters. */
const MAX_COMMAND_SHOWN = 200

/** The files that an observation saw, and when: shown with a criterion that is known by it. */
export const observedOn = z.object({
  tree: z.string().nullable().describe('git tree that was checked'),
  dirty: z.string().nullable().describe('SHA-256 of the changes that were not committed; null: none'),
  commit: z.string().nullable(),
  at: z.string().describe('when it was observed'),
})

export type ObservedOn = z.output<typeof observedOn>

/** Files and time of an observation, in their stored form. */
export const observedOnText = z
  .string()
  .transform((stored) => parseJson(stored))
  .pipe(observedOn)

export const toObservedOn = ({
  tree,
  dirty,
  commit,
  startedAt,
}: Omit<ObservedOn, 'at'> & { startedAt: string }): ObservedOn => ({
  tree,
  dirty,
  commit,
  at: startedAt,
})

/** How a command or the tests of a report ended. */
type Seen = {
  command?: readonly string[] | null | undefined
  exitCode?: number | null | undefined
  signal?: string | null | undefined
  tests?: readonly { status: string }[] | null | undefined
  report?: { format: string } | null | undefined
}

/** Returns the evidence of an observation without a text, such as "`npm test` exited with 0". */
export function describeObservation({ command, exitCode, signal, tests, report }: Seen): string {
  if (report != null) {
    const count = (wanted: string) => (tests ?? []).filter(({ status }) => status === wanted).length
    return `${report.format} report: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  }
  const words = (command ?? []).map((word) => (/^[^\s"'`]+$/u.test(word) ? word : JSON.stringify(word)))
  const shown = `\`${cutLine(toOneLine(words.join(' ')).replaceAll('`', "'"), MAX_COMMAND_SHOWN)}\``
  return signal != null
    ? `${shown} was ended by ${toOneLine(signal)}`
    : `${shown} exited with ${exitCode ?? 'no code'}`
}

/** Finds a contradiction. An observation names one command or one report. A `verified` needs success, or tests that all passed. */
export function findContradiction({ status, seen }: { status: string; seen: Seen }): string | null {
  const { command, exitCode, signal, tests, report } = seen
  if ((command == null) === (report == null)) return 'needs either a command or a report'
  if (report != null) {
    if (exitCode != null || signal != null) return 'has a report, so it has no exit_code and no signal'
    const ran = (tests ?? []).filter((test) => test.status !== 'skipped')
    if (status === 'verified' && (ran.length === 0 || ran.some((test) => test.status === 'failed')))
      return 'says verified, but its report has no test that passed, or one that failed'
    return null
  }
  if ((exitCode == null) === (signal == null)) return 'needs either an exit_code or a signal'
  if (status === 'verified' && exitCode !== 0) return 'says verified, but its command did not exit with 0'
  return null
}
