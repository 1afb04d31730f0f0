import { isDeepStrictEqual } from 'node:util'
import { partsOf } from '../memory/record/normalize.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import { hasContent } from './content.ts'

/** The fields that artifacts fill. Raw words are left out: another synonym says nothing new. */
const FIELDS = [
  'playerSummary',
  'playerDecision',
  'coachDecision',
  'coachFeedback',
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

export function differenceOf(stored: TurnState, request: CaptureRequest): Difference {
  const read = recordOf(request)
  const difference: Difference = { gained: [], lost: [], changed: [], entriesGained: false }
  for (const field of FIELDS) {
    if (isDeepStrictEqual(stored[field], read[field])) continue
    if (!isFilled(stored[field])) difference.gained.push(field)
    else if (!isFilled(read[field])) difference.lost.push(field)
    else difference.changed.push(field)
  }
  const entries = [
    entryDifference(stored.verifications, read.verifications),
    entryDifference(stored.promises, read.promises),
  ]
  difference.entriesGained = entries.some((entry) => entry.gained) && !entries.some((entry) => entry.lost)
  return difference
}

export const differs = ({ gained, lost, changed }: Difference): boolean =>
  gained.length + lost.length + changed.length > 0

/**
 * Whether the record read now takes the place of the stored one: it knows more, and nothing less. Each
 * supersede fills fields and empties none, so two copies of a folder cannot take turns for ever.
 */
export const hasGained = ({ gained, lost, entriesGained }: Difference): boolean =>
  lost.length === 0 && (gained.length > 0 || entriesGained)

/** Whether it is the stored record with further fields. The mode is a default where no file says it. */
export const onlyAdds = ({ lost, changed }: Difference): boolean =>
  lost.length === 0 && changed.every((field) => field === 'mode')

/** What `task_work_results.json` may have told. */
const OF_RESULTS = ['playerSummary', 'promises', 'testsPassed', 'testsFailed', 'coverage'] as const

/**
 * `task_work_results.json` tells of the newest turn only: what an earlier import learned from it about this
 * turn is gone from the folder by now, and still true.
 */
export function withWhatResultsTold(request: CaptureRequest, stored: TurnState): CaptureRequest {
  const told = OF_RESULTS.filter((field) => !isFilled(request[field]) && isFilled(stored[field]))
  return { ...request, ...Object.fromEntries(told.map((field) => [field, stored[field]])) }
}

/** The request as it would be stored, in the fields compared. */
function recordOf(request: CaptureRequest): Pick<TurnState, Field> {
  const { turn, verifications, promises, issues, gates } = partsOf(request, '')
  return {
    ...turn,
    verifications: verifications.map(({ form: _, ...verification }) => verification),
    promises,
    issues,
    gates: Object.fromEntries(gates.map(({ name, status }) => [name, status])) as TurnState['gates'],
  }
}

const isFilled = (value: unknown): boolean => value !== 'unknown' && hasContent(value)

type CriterionEntry = { criterionId: string }

function entryDifference(
  stored: readonly CriterionEntry[],
  read: readonly CriterionEntry[],
): { gained: boolean; lost: boolean } {
  const before = filledPlaces(stored)
  const now = filledPlaces(read)
  return {
    gained: [...now].some((place) => !before.has(place)),
    lost: [...before].some((place) => !now.has(place)),
  }
}

const filledPlaces = (entries: readonly CriterionEntry[]): Set<string> =>
  new Set(
    entries.flatMap((entry) =>
      Object.entries(entry)
        .filter(([, value]) => isFilled(value))
        .map(([key]) => JSON.stringify([entry.criterionId, key])),
    ),
  )
