/** Compares the record read from artifacts with the stored one: whether it has gained content, or lost some. */
import { isDeepStrictEqual } from 'node:util'
import { bareMarks } from '../core/scrub/marks.ts'
import { normalizeTurn } from '../memory/record/normalize.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import { hasContent } from './content.ts'
import type { EarlierReading } from './turn-record.ts'

/** The fields that artifacts fill. Raw words are left out: another synonym says nothing new. */
const FIELDS = [
  'playerSummary',
  'playerDecision',
  'coachDecision',
  'coachFeedback',
  'deliveredFeedback',
  'mode',
  'blockersFound',
  'lessonsFromTurn',
  'filesModified',
  'verifications',
  'promises',
  'issues',
  'gates',
  'testsPassed',
  'testsFailed',
  'coverage',
  'archScore',
  'startedAt',
  'completedAt',
  'durationSeconds',
  'whatToTryNext',
  'commit',
] as const satisfies readonly (keyof TurnState)[]

type Field = (typeof FIELDS)[number]

/** How the record read now differs from the stored one. */
export type Difference = {
  /** Empty before and filled now; `unknown` is empty. */
  gained: Field[]
  /** Filled before and empty now. */
  lost: Field[]
  /** Filled with something else. */
  changed: Field[]
  /** A criterion's entry is new, or tells more, and none tells less. */
  entriesGained: boolean
}

export function compareRecords(stored: TurnState, request: CaptureRequest): Difference {
  const read = normalizeTurn(request, '')
  const difference: Difference = { gained: [], lost: [], changed: [], entriesGained: false }
  for (const field of FIELDS) {
    if (isEqual(stored[field], read[field])) continue
    if (!isFilled(stored[field])) difference.gained.push(field)
    else if (!isFilled(read[field])) difference.lost.push(field)
    else difference.changed.push(field)
  }
  const [before, now] = [filledPlaces(stored), filledPlaces(read)]
  difference.entriesGained =
    [...now].some((place) => !before.has(place)) && [...before].every((place) => now.has(place))
  return difference
}

/** Ignores marks of secrets: the files have other marks than the graph, whose key only the graph has. */
const isEqual = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) || bareMarks(JSON.stringify(a) ?? '') === bareMarks(JSON.stringify(b) ?? '')

export const differs = ({ gained, lost, changed }: Difference): boolean =>
  gained.length + lost.length + changed.length > 0

/**
 * Whether the record read now takes the place of the stored one: it knows more, and nothing less. Each
 * supersede fills fields and empties none, so two copies of a folder cannot take turns for ever.
 */
export const hasGained = ({ gained, lost, entriesGained }: Difference): boolean =>
  lost.length === 0 && (gained.length > 0 || entriesGained)

/**
 * Checks whether the stored record is an earlier reading of the same files: it has the time or the summary from before a turn
 * state came, or from before a text proved to be boilerplate. A folder with fewer turns than are stored is an old copy and never
 * replaces a record.
 */
export function isEarlierReading(
  stored: TurnState,
  { lost, changed }: Difference,
  earlier: EarlierReading,
  isOldCopy: boolean,
): boolean {
  const isKnown = {
    playerSummary: !isOldCopy && earlier.playerSummary.includes(stored.playerSummary),
    completedAt: stored.completedAt !== null && earlier.completedAt.includes(stored.completedAt),
  }
  return (
    lost.length === 0 &&
    (isKnown.playerSummary || isKnown.completedAt) &&
    changed.length > 0 &&
    changed.some((field) => field in isKnown && isKnown[field as keyof typeof isKnown])
  )
}

/** Whether it is the stored record with further fields. The mode is a default where no file says it. */
export const onlyAdds = ({ lost, changed }: Difference): boolean =>
  lost.length === 0 && changed.every((field) => field === 'mode')

/** Fields that `task_work_results.json` may have given. */
const OF_RESULTS = ['playerSummary', 'promises', 'testsPassed', 'testsFailed', 'coverage'] as const

/**
 * `task_work_results.json` tells of the newest turn only: what an earlier import learned from it about this
 * turn is gone from the folder by now, and still true.
 */
export function keepFieldsOfResults(request: CaptureRequest, stored: TurnState): CaptureRequest {
  const missing = OF_RESULTS.filter((field) => !isFilled(request[field]) && isFilled(stored[field]))
  return { ...request, ...Object.fromEntries(missing.map((field) => [field, stored[field]])) }
}

const isFilled = (value: unknown): boolean => value !== 'unknown' && hasContent(value)

/** Each field with content of each verification and promise, by the criterion's label. */
function filledPlaces(record: Pick<TurnState, 'verifications' | 'promises'>): Set<string> {
  const listPlaces = (kind: 'verifications' | 'promises') =>
    record[kind].flatMap((entry) =>
      Object.entries(entry).flatMap(([key, value]) =>
        isFilled(value) ? [JSON.stringify([kind, entry.criterionId, key])] : [],
      ),
    )
  return new Set([...listPlaces('verifications'), ...listPlaces('promises')])
}
