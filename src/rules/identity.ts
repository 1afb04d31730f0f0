/**
 * Finds which criterion an entry means (contract: criteria.md, "Identity"). Pure: takes the known criteria and returns the
 * changes of the turn. A criterion's identity is its text, matched by words; labels are aliases, because they shift between
 * Player and Coach (97 shifts in 28 of 248 real turns).
 */
import { criterionKey, labelOnlyCriterionKey } from '../core/keys.ts'
import { hasMark, showMarks } from '../core/scrub/marks.ts'
import { normalizeLabel, splitLabel, withoutOwnLabel } from './labels.ts'
import { oneBeginsWithTheOther, sharedShare, splitWords } from './words.ts'

export type Criterion = {
  key: string
  /** All wordings with their sources, oldest first. */
  texts: { text: string; source: string }[]
  /** All labels with their sources, oldest first. */
  aliases: { label: string; source: string }[]
  /** Key of the criterion that a criterion known only by its label turned out to be. */
  mergedInto: string | null
  /** World of a criterion that began as a label without a text; null if it began with a text. */
  worldKey: string | null
}

export type Entry = {
  label: string | null
  text: string | null
  source: string
  evidence?: string | null
  /** True for a verification that was added to a recorded turn. Its id is the label under which a list shows the criterion. */
  isAdded?: boolean
}

/** Data of the task and the world before the turn. */
export type Known = {
  taskKey: string
  worldKey: string
  criteria: readonly Criterion[]
  /** Criterion that each source meant by a label in earlier turns of this world, by {@link meaningKey}. */
  labels: ReadonlyMap<string, string>
  /** Promises of the newest earlier turn that has any, in their order. */
  earlier: readonly { label: string; criterionKey: string }[]
  /** The criteria that the task declares, each under its label: an entry is matched to them first (specification.md). */
  declared?: readonly { label: string; criterionKey: string }[]
}

export type TurnEntries = {
  promises: readonly Entry[]
  /** `acceptance_criteria_status` and `verifications`: two lists, matched one after the other. */
  judgements: readonly (readonly Entry[])[]
  /** Labels that issues name. They find criteria and never create one. */
  mentioned: readonly string[]
}

export type Resolution = {
  promises: string[]
  judgements: string[][]
  mentioned: (string | null)[]
  /** Criteria that are new or have a new text, label or merge: complete, as they are to be stored. */
  changed: Criterion[]
}

export function resolveCriteria(known: Known, turn: TurnEntries): Resolution {
  const resolver = new Resolver(known, !hasOtherNumbering(known, turn))
  const promises = resolver.list(turn.promises)
  resolver.promised(turn.promises, promises)
  const judgements = turn.judgements.map((list) => resolver.list(list))
  const mentioned = turn.mentioned.map((label) => resolver.find(label))
  return { promises, judgements, mentioned, changed: resolver.changed() }
}

/** Finds the criteria of a declared list. The rules for any entry match those with a new wording, or with a Coach's. */
export function resolveDeclared(
  known: Pick<Known, 'taskKey' | 'criteria' | 'declared'>,
  declared: readonly { label: string; text: string }[],
): { keys: string[]; changed: Criterion[] } {
  const resolver = new Resolver({ ...known, worldKey: '', labels: new Map(), earlier: [] }, false)
  const keys = resolver.list(declared.map((each) => ({ ...each, source: DECLARED })))
  return { keys, changed: resolver.changed() }
}

/** Source of declared texts and labels. */
export const DECLARED = 'specification'

/** True if more evidence of ids without a text names code of another promise than of its own. Equal sets are one numbering. */
function hasOtherNumbering(known: Known, { promises, judgements }: TurnEntries): boolean {
  const judged = judgements.flat().filter(({ source, label }) => source !== 'player' && label !== null)
  const names = new Map<string, ReadonlySet<string>>()
  const textsByKey = new Map(known.criteria.map((each) => [each.key, each.texts.map(({ text }) => text)]))
  for (const { label, criterionKey: key } of known.earlier)
    names.set(normalizeLabel(label), findCodeNames(textsByKey.get(key) ?? []))
  for (const { label, text } of promises)
    if (label !== null && text !== null) names.set(normalizeLabel(label), findCodeNames([text]))
  const ids = new Set(judged.map(({ label }) => normalizeLabel(label ?? '')))
  if (ids.size === names.size && [...ids].every((id) => names.has(id))) return false
  const allNames = new Set([...names.values()].flatMap((each) => [...each]))
  let [own, other] = [0, 0]
  for (const { label, text, evidence } of judged) {
    const ownNames = names.get(normalizeLabel(label ?? ''))
    if (text !== null || evidence == null || ownNames === undefined) continue
    const named = [...findCodeNames([evidence])]
    if (named.some((name) => ownNames.has(name))) own++
    else if (named.some((name) => allNames.has(name))) other++
  }
  return other > own
}

/** Returns the names in `snake_case`, `CONSTANT_CASE` and `camelCase`. */
const findCodeNames = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(
    texts.flatMap((text) =>
      (text.match(/[A-Za-z]\w*/g) ?? []).filter((word) => /.(?:_\w|[a-z][A-Z])/.test(word)),
    ),
  )

type Words = { list: readonly string[]; joined: string; distinct?: ReadonlySet<string> }

/** Returns the set of words of a text. Builds it once per text, when the text is first compared. */
const distinct = (words: Words): ReadonlySet<string> => {
  words.distinct ??= new Set(words.list)
  return words.distinct
}

const NO_WORDS: Words = { list: [], joined: '' }

/** Criteria by a text or a label. */
type Lookup = Map<string, Set<Criterion>>

function addTo(lookup: Lookup, key: string, criterion: Criterion): void {
  const there = lookup.get(key)
  if (there === undefined) lookup.set(key, new Set([criterion]))
  else there.add(criterion)
}

type Wording = { criterion: Criterion; words: readonly string[] }

/** Minimum number of words that two texts must share for one to begin with the other. */
const BEGINNING_WORDS = 4
const beginningOf = (words: readonly string[]): string => words.slice(0, BEGINNING_WORDS).join(' ')

const JUDGES = ['coach', 'validator', 'gate', 'command', 'person']

/** Resolution of one turn: a working copy of the known criteria, and a record of changes. */
class Resolver {
  readonly #known: Known
  /** True if the judges' ids are the ids of the Player's promises. */
  readonly #sharesNumbers: boolean
  readonly #criteria = new Map<string, Criterion>()
  readonly #changed = new Set<string>()
  readonly #meanings: Map<string, string>
  readonly #promisedNow = new Map<string, string>()
  readonly #promisedEarlier = new Map<string, string>()
  readonly #words = new Map<string, Words>()
  readonly #normalized = new Map<string, string>()
  readonly #declaredLabels = new Map<string, string>()
  readonly #declaredKeys = new Set<string>()
  // Each index is built by its first look-up, because many turns need only one. Comparing all pairs would take seconds.
  #byText: { equal: Lookup; quoted: Lookup; beginning: Map<string, Wording[]> } | null = null
  #byAlias: Lookup | null = null

  constructor(known: Known, sharesNumbers: boolean) {
    this.#known = known
    this.#sharesNumbers = sharesNumbers
    for (const criterion of known.criteria) {
      const copy = { ...criterion, texts: [...criterion.texts], aliases: [...criterion.aliases] }
      this.#criteria.set(criterion.key, copy)
    }
    this.#meanings = new Map(known.labels)
    for (const { label, criterionKey: key } of known.declared ?? []) {
      this.#declaredLabels.set(normalizeLabel(label), key)
      this.#declaredKeys.add(this.#follow(key).key)
    }
    for (const { label, criterionKey: key } of known.earlier)
      this.#promisedEarlier.set(normalizeLabel(label), key)
  }

  /** Resolves a list: declared criteria before others, and among both equal wordings before other ones. Uses each once. */
  list(given: readonly Entry[]): string[] {
    const entries = given.map((entry) => ({
      ...entry,
      text: entry.text && withoutOwnLabel(entry.text, entry.label),
    }))
    const used = new Set<string>()
    const found: (string | undefined)[] = entries.map(() => undefined)
    const takeWhere = (match: (entry: Entry, words: Words) => Criterion | undefined): void =>
      entries.forEach((entry, i) => {
        const criterion = found[i] === undefined ? match(entry, this.#wordsIn(entry)) : undefined
        if (criterion === undefined) return
        found[i] = criterion.key
        used.add(criterion.key)
      })
    if (this.#declaredKeys.size > 0) {
      const isDeclared = ({ key }: Criterion) => this.#declaredKeys.has(key)
      takeWhere((_, words) => this.#equalTo(words, isDeclared))
      takeWhere((entry) => this.#quotedBy(entry, isDeclared))
      takeWhere((entry, words) => this.#similarTo(words, entry, (c) => isDeclared(c) && !used.has(c.key)))
      takeWhere((entry, words) => {
        if (words.list.length > 0) return undefined
        const key = this.#firstMeaning(entry, (label) => this.#declaredLabels.get(label))
        return key === undefined ? undefined : this.#follow(key)
      })
      takeWhere((entry) => this.#textGivenAsId(entry, isDeclared))
    }
    takeWhere((_, words) => this.#equalTo(words))
    takeWhere((entry) => this.#quotedBy(entry))
    return entries.map((entry, i) => {
      const given = found[i]
      const key = given ?? this.#resolve(entry, used).key
      used.add(key)
      const promisedOnly = given === undefined ? undefined : this.#promisedOnly(entry)
      if (promisedOnly !== undefined) this.#merge(promisedOnly, this.#follow(key))
      this.#remember(entry, key)
      return key
    })
  }

  #wordsIn({ text }: Entry): Words {
    return text === null ? NO_WORDS : this.#readWords(text)
  }

  /** Notes the meanings of the Player's labels. A label within a text comes from the task and wins over the Player's numbering. */
  promised(entries: readonly Entry[], keys: readonly string[]): void {
    const note = (label: string | null, i: number) => {
      const key = keys[i]
      if (label !== null && key !== undefined) this.#promisedNow.set(normalizeLabel(label), key)
    }
    entries.forEach(({ label }, i) => void note(label, i))
    entries.forEach((entry, i) => void note(labelInText(entry), i))
  }

  /** Finds the criterion of the newest promise of this world with a label. */
  #promisedAs(label: string): string | undefined {
    return (
      this.#promisedNow.get(label) ??
      this.#promisedEarlier.get(label) ??
      this.#meanings.get(meaningKey('player', label))
    )
  }

  /** Finds the criterion that a judge of this world means by a label. */
  #judgedAs(label: string): string | undefined {
    for (const source of JUDGES) {
      const key = this.#meanings.get(meaningKey(source, label))
      if (key !== undefined) return key
    }
    return undefined
  }

  #firstMeaning(entry: Entry, find: (label: string) => string | undefined): string | undefined {
    for (const label of labelsIn(entry)) {
      const key = find(normalizeLabel(label))
      if (key !== undefined) return key
    }
    return undefined
  }

  /** Finds the criterion of a label without creating one: first by this turn's judges, then by earlier turns. */
  find(label: string): string | null {
    const normalized = normalizeLabel(label)
    const judged = this.#judgedAs(normalized)
    if (judged !== undefined) return this.#follow(judged).key
    const named = this.#declaredLabels.get(normalized) ?? this.#promisedAs(normalized)
    return named === undefined ? (this.#labelOnly(normalized)?.key ?? null) : this.#follow(named).key
  }

  changed(): Criterion[] {
    return [...this.#criteria.values()].filter((criterion) => this.#changed.has(criterion.key))
  }

  /** Normalizes a label, once for all comparisons. */
  #normalize(label: string): string {
    const cached = this.#normalized.get(label)
    if (cached !== undefined) return cached
    const normalized = normalizeLabel(label)
    this.#normalized.set(label, normalized)
    return normalized
  }

  /** Splits a text into words, once for all comparisons. */
  #readWords(text: string): Words {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const list = splitWords(text)
    const words: Words = { list, joined: list.join(' ') }
    this.#words.set(text, words)
    return words
  }

  #resolve(entry: Entry, used: ReadonlySet<string>): Criterion {
    const words = this.#wordsIn(entry)
    if (words.list.length === 0) return this.#byLabel(entry)
    const found = this.#equalTo(words) ?? this.#similarTo(words, entry, ({ key }) => !used.has(key))
    // The first text that the Player promises under a label completes a criterion that this world knows by that label only.
    const isFirst =
      this.#sharesNumbers && this.#firstMeaning(entry, (label) => this.#promisedAs(label)) === undefined
    const bare =
      entry.source !== 'player' ? this.#promisedOnly(entry) : isFirst ? this.#labelOnlyOf(entry) : undefined
    if (bare !== undefined && found === undefined) return bare // #remember gives it its first text
    if (bare !== undefined && found !== undefined) this.#merge(bare, found)
    return found ?? this.#create(criterionKey(this.#known.taskKey, words.joined), null)
  }

  /** Finds a criterion that only the Player has named, without a text. A judge's text under the same label completes it. */
  #promisedOnly(entry: Entry): Criterion | undefined {
    if (entry.source === 'player' || !this.#sharesNumbers || this.#wordsIn(entry).list.length === 0)
      return undefined
    const bare = this.#labelOnlyOf(entry)
    return bare?.aliases.every(({ source }) => source === 'player') ? bare : undefined
  }

  #byLabel(entry: Entry): Criterion {
    const { source, isAdded = false } = entry
    const before = this.#firstMeaning(
      entry,
      (label) =>
        this.#meanings.get(meaningKey(source, label)) ?? (isAdded ? this.#judgedAs(label) : undefined),
    )
    const promisedKey =
      source === 'player' || this.#sharesNumbers
        ? this.#firstMeaning(entry, (label) => this.#promisedAs(label))
        : undefined
    const promised = promisedKey === undefined ? undefined : this.#follow(promisedKey)
    if (before !== undefined) {
      const criterion = this.#follow(before)
      // The meaning of the entry's own source comes first, completed by a text that the Player has given to the label since.
      if (criterion.texts.length > 0 || source === 'player') return criterion
      if (promised === undefined || promised.texts.length === 0) return criterion
      this.#merge(criterion, promised)
      return promised
    }
    if (promised !== undefined) return promised
    const judged =
      source === 'player' && this.#sharesNumbers
        ? this.#firstMeaning(entry, (label) => this.#judgedAs(label))
        : undefined
    if (judged !== undefined) return this.#follow(judged)
    const known = this.#labelOnlyOf(entry) ?? this.#textGivenAsId(entry)
    if (known !== undefined) return known
    const { taskKey, worldKey } = this.#known
    const label = normalizeLabel(labelsIn(entry)[0] ?? '')
    return this.#create(labelOnlyCriterionKey(taskKey, worldKey, label), worldKey)
  }

  #equalTo(
    { list, joined }: Words,
    free: (criterion: Criterion) => boolean = () => true,
  ): Criterion | undefined {
    if (list.length === 0) return undefined
    return this.#first(this.#texts().equal.get(joined), free)
  }

  /** Finds the criterion whose text is the id of an entry without a text. Keys of `acceptance_criteria_status` may be texts. */
  #textGivenAsId(entry: Entry, free?: (criterion: Criterion) => boolean): Criterion | undefined {
    if (entry.label === null || this.#wordsIn(entry).list.length > 0) return undefined
    return this.#equalTo(this.#readWords(entry.label), free)
  }

  /** Finds the criterion whose text an entry quotes from an answer. If several texts differ only in secrets, the label decides. */
  #quotedBy(entry: Entry, free: (criterion: Criterion) => boolean = () => true): Criterion | undefined {
    if (entry.text === null || !hasMark(entry.text) || showMarks(entry.text) !== entry.text) return undefined
    const { joined } = this.#readWords(entry.text)
    const quoted = this.#texts().quoted.get(joined) ?? []
    const found = [...quoted].filter((criterion) => criterion.mergedInto === null && free(criterion))
    if (found.length < 2) return found[0]
    const labelled = this.#labelled(labelsIn(entry))
    return this.#first(found, (criterion) => labelled.has(criterion))
  }

  #similarTo(words: Words, entry: Entry, free: (criterion: Criterion) => boolean): Criterion | undefined {
    if (words.list.length === 0) return undefined
    const labelled = this.#labelled(labelsIn(entry))
    const shares = (criterion: Criterion) =>
      criterion.texts.some(({ text }) => sharedShare(distinct(words), distinct(this.#readWords(text))) >= 0.6)
    const alike = (this.#texts().beginning.get(beginningOf(words.list)) ?? []).flatMap((other) =>
      oneBeginsWithTheOther(words.list, other.words) && free(other.criterion) ? [other.criterion] : [],
    )
    return (
      this.#first(alike, (c) => labelled.has(c)) ??
      this.#first(alike) ??
      this.#first(labelled, (c) => free(c) && shares(c))
    )
  }

  /** Finds the first matching criterion by key, which does not depend on the engine. Skips merged criteria. */
  #first(
    among: Iterable<Criterion> = [],
    fits: (criterion: Criterion) => boolean = () => true,
  ): Criterion | undefined {
    let first: Criterion | undefined
    for (const criterion of among) {
      const comesFirst = first === undefined || criterion.key < first.key
      if (criterion.mergedInto === null && comesFirst && fits(criterion)) first = criterion
    }
    return first
  }

  #texts() {
    if (this.#byText === null) {
      this.#byText = { equal: new Map(), quoted: new Map(), beginning: new Map() }
      for (const criterion of this.#criteria.values())
        for (const { text } of criterion.texts) this.#addText(criterion, text)
    }
    return this.#byText
  }

  #addText(criterion: Criterion, text: string): void {
    if (this.#byText === null) return
    const { list, joined } = this.#readWords(text)
    addTo(this.#byText.equal, joined, criterion)
    if (list.length >= BEGINNING_WORDS) {
      const beginning = beginningOf(list)
      const others = this.#byText.beginning.get(beginning) ?? []
      others.push({ criterion, words: list })
      this.#byText.beginning.set(beginning, others)
    }
    if (hasMark(text)) addTo(this.#byText.quoted, this.#readWords(showMarks(text)).joined, criterion)
  }

  #labelled(labels: readonly string[]): ReadonlySet<Criterion> {
    if (this.#byAlias === null) {
      this.#byAlias = new Map()
      for (const criterion of this.#criteria.values())
        for (const { label } of criterion.aliases) this.#addAlias(criterion, label)
    }
    const lookup = this.#byAlias
    const [first = new Set<Criterion>(), ...others] = labels.flatMap(
      (label) => lookup.get(this.#normalize(label)) ?? [],
    )
    return others.length === 0 ? first : new Set([first, ...others].flatMap((each) => [...each]))
  }

  #addAlias(criterion: Criterion, label: string): void {
    if (this.#byAlias !== null) addTo(this.#byAlias, this.#normalize(label), criterion)
  }

  #labelOnly(label: string): Criterion | undefined {
    return this.#first(
      this.#labelled([label]),
      ({ texts, worldKey }) => texts.length === 0 && worldKey === this.#known.worldKey,
    )
  }

  #labelOnlyOf(entry: Entry): Criterion | undefined {
    for (const label of labelsIn(entry)) {
      const bare = this.#labelOnly(normalizeLabel(label))
      if (bare !== undefined) return bare
    }
    return undefined
  }

  #create(key: string, worldKey: string | null): Criterion {
    const there = this.#criteria.get(key)
    if (there !== undefined) return there.mergedInto === null ? there : this.#follow(key)
    const criterion: Criterion = { key, texts: [], aliases: [], mergedInto: null, worldKey }
    this.#criteria.set(key, criterion)
    this.#changed.add(key)
    return criterion
  }

  /** Merges a criterion into another and copies its labels. Stored edges and verifications stay: reads follow `mergedInto`. */
  #merge(bare: Criterion, target: Criterion): void {
    if (bare.key === target.key) return
    bare.mergedInto = target.key
    for (const alias of bare.aliases) {
      if (target.aliases.some((a) => a.label === alias.label && a.source === alias.source)) continue
      target.aliases.push(alias)
      this.#addAlias(target, alias.label)
    }
    this.#changed.add(bare.key).add(target.key)
  }

  #follow(key: string): Criterion {
    let criterion = this.#criteria.get(key)
    while (criterion !== undefined && criterion.mergedInto !== null)
      criterion = this.#criteria.get(criterion.mergedInto)
    if (criterion === undefined)
      throw new Error(`a label means criterion ${key}, which the task does not have`)
    return criterion
  }

  /** Adds the text and label of an entry to its criterion, and notes the meaning of the label. */
  #remember(entry: Entry, key: string): void {
    const criterion = this.#follow(key)
    const { text, source } = entry
    if (
      text !== null &&
      this.#readWords(text).list.length > 0 &&
      !criterion.texts.some((t) => (t.text === text || showMarks(t.text) === text) && t.source === source)
    ) {
      criterion.texts.push({ text, source })
      this.#addText(criterion, text)
      this.#changed.add(criterion.key)
    }
    for (const label of labelsIn(entry)) {
      if (criterion.aliases.some((alias) => alias.label === label && alias.source === source)) continue
      criterion.aliases.push({ label, source })
      this.#addAlias(criterion, label)
      this.#changed.add(criterion.key)
    }
    for (const meaning of listMeanings(entry)) this.#meanings.set(meaning, criterion.key)
  }
}

const labelInText = ({ text }: Pick<Entry, 'text'>): string | null =>
  text === null ? null : splitLabel(text).label

const labelsIn = (entry: Pick<Entry, 'label' | 'text'>): string[] =>
  [
    ...new Set([entry.label, labelInText(entry)].filter((label) => label !== null && label.trim() !== '')),
  ] as string[]

/** Builds the key of a label, which may have another meaning for each source. `label`: normalized. */
const meaningKey = (source: string, label: string): string => `${source}\n${label}`

/** Lists the keys of the labels of an entry (see {@link meaningKey}). In later turns, they mean the criterion of the entry. */
export const listMeanings = (entry: Pick<Entry, 'label' | 'text' | 'source'>): string[] =>
  labelsIn(entry).map((label) => meaningKey(entry.source, normalizeLabel(label)))
