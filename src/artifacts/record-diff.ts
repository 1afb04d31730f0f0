/** Compares the record read from artifacts with the stored one, to find gained and lost content. */
import { isDeepStrictEqual } from 'node:util'
import { bareMarks } from '../core/scrub/marks.ts'
import { normalizeTurn } from '../memory/record/normalize.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import { hasContent } from './content.ts'
import type { EarlierReading } from './turn-record.ts'

/** The fields that artifacts fill. Raw words are left out, because another synonym adds no information. */
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

export type Difference = {
  /** Fields that were empty and are filled now; `unknown` counts as empty. */
  gained: Field[]
  lost: Field[]
  changed: Field[]
  /** An entry of a criterion is new or has more fields, and no entry has fewer. */
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

/** Compares values and ignores the marks of secrets: only the graph has the key of its marks, so files have other marks. */
const isEqual = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) || bareMarks(JSON.stringify(a) ?? '') === bareMarks(JSON.stringify(b) ?? '')

export const differs = ({ gained, lost, changed }: Difference): boolean =>
  gained.length + lost.length + changed.length > 0

/**
 * Checks whether the newly read record replaces the stored one. It must have more content and lack nothing: otherwise two copies
 * of a folder could replace each other forever.
 */
export const hasGained = ({ gained, lost, entriesGained }: Difference): boolean =>
  lost.length === 0 && (gained.length > 0 || entriesGained)

/**
 * Checks whether the stored record is an earlier reading of the same files. Its time or summary was read before a turn state
 * came, or before a text proved to be boilerplate. A folder with fewer turns than are stored is an old copy and never replaces a
 * record.
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

/** Checks whether the record only adds fields to the stored one. The mode may differ: it is a default if no file names it. */
export const onlyAdds = ({ lost, changed }: Difference): boolean =>
  lost.length === 0 && changed.every((field) => field === 'mode')

const OF_RESULTS = ['playerSummary', 'promises', 'testsPassed', 'testsFailed', 'coverage'] as const

/** Keeps fields that came from `task_work_results.json`. It describes only the newest turn, so the folder has lost them. */
export function keepFieldsOfResults(request: CaptureRequest, stored: TurnState): CaptureRequest {
  const missing = OF_RESULTS.filter((field) => !isFilled(request[field]) && isFilled(stored[field]))
  return { ...request, ...Object.fromEntries(missing.map((field) => [field, stored[field]])) }
}

const isFilled = (value: unknown): boolean => value !== 'unknown' && hasContent(value)

function filledPlaces(record: Pick<TurnState, 'verifications' | 'promises'>): Set<string> {
  const listPlaces = (kind: 'verifications' | 'promises') =>
    record[kind].flatMap((entry) =>
      Object.entries(entry).flatMap(([key, value]) =>
        isFilled(value) ? [JSON.stringify([kind, entry.criterionId, key])] : [],
      ),
    )
  return new Set([...listPlaces('verifications'), ...listPlaces('promises')])
}
