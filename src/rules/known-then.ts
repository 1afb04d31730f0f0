/**
 * Finds the records and names from before the capture of a turn (contract: truth.md, "A context shown later is labeled"): which record each
 * earlier turn had, how criteria were named, and which of them had merged. Pure.
 */
import type { Criterion } from './identity.ts'
import { normalizeLabel, splitLabel } from './labels.ts'

/** A record of a turn: the current one or one that was replaced. */
export type RecordOfTurn = { number: number; revision: number; createdAt: string }

/** An entry of a record about a criterion. */
export type Mention = { criterionKey: string; label: string; text: string | null; source: string }

const instantOf = ({ createdAt }: RecordOfTurn): number => Date.parse(createdAt)

/**
 * The instant at which a turn was captured first. Without a capture of that turn, the first capture of a later one; infinity:
 * neither has happened.
 *
 * @param records of one session
 */
export function findCaptureInstant(records: readonly RecordOfTurn[], turn: number): number {
  const own = records.filter(({ number }) => number === turn)
  const chosen = own.length > 0 ? own : records.filter(({ number }) => number > turn)
  return chosen.map(instantOf).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

export const isKnownAt =
  (instant: number) =>
  (record: RecordOfTurn): boolean =>
    instantOf(record) <= instant

/** The newest record of each turn below one, ascending. */
export function newestRecords<R extends RecordOfTurn>(records: readonly R[], below: number): R[] {
  const newest = new Map<number, R>()
  for (const record of records) {
    const other = newest.get(record.number)
    if (record.number < below && (other === undefined || other.revision < record.revision))
      newest.set(record.number, record)
  }
  return [...newest.values()].sort((a, b) => a.number - b.number)
}

type Told = RecordOfTurn & { worldKey: string; mentions: readonly Mention[] }

/**
 * The criteria as they were when only these records existed: without later names and merges.
 *
 * @param records of all sessions of the task
 * @param declared what the known versions of the specification name
 */
export function restoreCriteria(
  criteria: readonly Criterion[],
  records: readonly Told[],
  declared: readonly Mention[],
): Criterion[] {
  const inOrder = records.toSorted((a, b) => instantOf(a) - instantOf(b) || a.number - b.number)
  const mentions = inOrder.flatMap((record) => record.mentions)
  const merged = criteria.map((criterion) =>
    criterion.mergedInto === null || hasMerged(criterion, inOrder)
      ? criterion
      : { ...criterion, mergedInto: null },
  )
  const follow = (key: string): string => {
    const next = targets.get(key)
    return next == null ? key : follow(next)
  }
  const targets = new Map(merged.map(({ key, mergedInto }) => [key, mergedInto]))
  const given = new Set(
    [...mentions, ...declared].flatMap((mention) =>
      [mention.criterionKey, follow(mention.criterionKey)].flatMap((key) => namesIn(mention, key)),
    ),
  )
  return merged.map((criterion) => ({
    ...criterion,
    texts: criterion.texts.filter(({ text, source }) =>
      given.has(nameKey(criterion.key, 'text', text, source)),
    ),
    aliases: criterion.aliases.filter(({ label, source }) =>
      given.has(nameKey(criterion.key, 'label', label, source)),
    ),
  }))
}

const nameKey = (...parts: [key: string, kind: 'text' | 'label', name: string, source: string]): string =>
  JSON.stringify(parts)

const labelsOf = ({ label, text }: Mention): string[] =>
  text === null ? [label] : [label, ...[splitLabel(text).label].filter((found) => found !== null)]

const namesIn = (mention: Mention, key: string): string[] => [
  ...(mention.text === null ? [] : [nameKey(key, 'text', mention.text, mention.source)]),
  ...labelsOf(mention).map((label) => nameKey(key, 'label', label, mention.source)),
]

/**
 * Checks whether a criterion that is known by its label only had become another one. Two kinds of entries do that
 * (`identity.ts`): the first promise with a text under the label, and a judge's entry without a text under a label that the judge
 * had given the criterion before.
 *
 * @param records in the order of their captures
 */
function hasMerged({ key, mergedInto, worldKey }: Criterion, records: readonly Told[]): boolean {
  const own = records.filter((record) => record.worldKey === worldKey)
  const isNamed = (mention: Mention) => mention.criterionKey === key
  const last = own.findLastIndex(({ mentions }) => mentions.some(isNamed))
  const named = labelsIn(own.flatMap(({ mentions }) => mentions.filter(isNamed)))
  return own.some(({ number, mentions }, i) => {
    if (i <= last) return false
    // A replaced record no longer counts for the captures after its replacement.
    const earlier = newestRecords(own.slice(0, i), number).flatMap((record) => record.mentions)
    const judged = earlier.filter(isNamed)
    const promisedBefore = labelsIn(earlier.filter(({ source }) => source === 'player'))
    return mentions.some((mention) => {
      if (mention.criterionKey !== mergedInto) return false
      const labels = [...labelsIn([mention])]
      if (mention.source === 'player')
        return mention.text !== null && labels.some((label) => named.has(label) && !promisedBefore.has(label))
      const judgedAs = labelsIn(judged.filter(({ source }) => source === mention.source))
      return mention.text === null && labels.some((label) => judgedAs.has(label))
    })
  })
}

const labelsIn = (mentions: readonly Mention[]): Set<string> =>
  new Set(mentions.flatMap((mention) => labelsOf(mention).map(normalizeLabel)))
