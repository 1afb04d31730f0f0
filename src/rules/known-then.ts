/**
 * Finds the records and names from before the capture of a turn (contract: truth.md, "A context shown later is labeled"): which record each
 * earlier turn had, how criteria were named, and which of them had merged. Pure.
 */
import type { Criterion } from './identity.ts'
import { normalizeLabel, splitLabel } from './labels.ts'
import { joinedWords } from './words.ts'

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

/** A criterion that a version of the specification names. */
export type Declaration = Mention & { declaredAt: string }

/**
 * The criteria as they were when only these records existed: without later names and merges.
 *
 * @param records of all sessions of the task
 * @param declared what the known versions of the specification name
 */
export function restoreCriteria(
  criteria: readonly Criterion[],
  records: readonly Told[],
  declared: readonly Declaration[],
): Criterion[] {
  const inOrder = records.toSorted((a, b) => instantOf(a) - instantOf(b) || a.number - b.number)
  const mentions = inOrder.flatMap((record) => record.mentions)
  const merged = criteria.map((criterion) =>
    criterion.mergedInto === null || hasMerged(criterion, inOrder, declared)
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
 * Checks whether a criterion that is known by its label only had become another one. Three kinds of entries do that
 * (`identity.ts`): the first promise under the label with a text that nobody has worded before, a judge's entry without a text
 * under a label that the judge had given the criterion before, and a judge's text under a label that only promises had given it.
 *
 * @param records in the order of their captures
 */
function hasMerged(
  { key, mergedInto, worldKey }: Criterion,
  records: readonly Told[],
  declared: readonly Declaration[],
): boolean {
  const isNamed = (mention: Mention) => mention.criterionKey === key
  const isTarget = (mention: Mention) => mention.criterionKey === mergedInto
  const last = records.findLastIndex(({ mentions }) => mentions.some(isNamed))
  const allNamed = records.flatMap(({ mentions }) => mentions.filter(isNamed))
  const named = labelsIn(allNamed)
  const isPromisedOnly = allNamed.every(({ source }) => source === 'player')
  return records.some((record, i) => {
    if (i < last || record.worldKey !== worldKey) return false
    const before = records.slice(0, i)
    // A replaced record no longer counts for the captures after its replacement.
    const earlier = newestRecords(
      before.filter((each) => each.worldKey === worldKey),
      record.number,
    ).flatMap(({ mentions }) => mentions)
    const judged = earlier.filter(isNamed)
    const promised = labelsIn(earlier.filter(({ source }) => source === 'player'))
    const declaredBefore = declared.filter(({ declaredAt }) => Date.parse(declaredAt) < instantOf(record))
    const worded = [...declaredBefore, ...before.flatMap(({ mentions }) => mentions)].filter(isTarget)
    const isFirstWording = ({ text }: Mention) =>
      text !== null &&
      worded.every((other) => other.text === null || joinedWords(text) !== joinedWords(other.text))
    return record.mentions.filter(isTarget).some((mention) => {
      const labels = [...labelsIn([mention])]
      if (mention.source !== 'player' && mention.text !== null)
        return isPromisedOnly && labels.some((label) => named.has(label))
      if (i === last) return false
      if (mention.source === 'player')
        return isFirstWording(mention) && labels.some((label) => named.has(label) && !promised.has(label))
      const judgedAs = labelsIn(judged.filter(({ source }) => source === mention.source))
      return labels.some((label) => judgedAs.has(label))
    })
  })
}

const labelsIn = (mentions: readonly Mention[]): Set<string> =>
  new Set(mentions.flatMap((mention) => labelsOf(mention).map(normalizeLabel)))
