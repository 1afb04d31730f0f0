/**
 * Finds which criterion an entry means (contract: criteria.md, "Identity"). Pure: what is known comes in, what the turn adds
 * goes out. A criterion's identity is its text, matched by words; labels are aliases, because they shift between Player and
 * Coach (97 shifts in 28 of 248 real turns).
 */
import { criterionKey, labelOnlyCriterionKey } from '../core/keys.ts'
import { normalizeLabel } from './labels.ts'
import { oneBeginsWithTheOther, sharedShare, splitWords } from './words.ts'

export type Criterion = {
  key: string
  /** Every wording that anybody gave it, oldest first. */
  texts: { text: string; source: string }[]
  /** Every label that anybody gave it, oldest first. */
  aliases: { label: string; source: string }[]
  /** Set on a criterion known by its label alone that turned out to be this other one. */
  mergedInto: string | null
  /** The world of a criterion that began as a label alone; null where it began with a text. */
  worldKey: string | null
}

export type Entry = { label: string | null; text: string | null; source: string }

export type LabelMeaning = { source: string; label: string; criterionKey: string; turn: number }

/** What the task and the world know before the turn. */
export type Known = {
  taskKey: string
  worldKey: string
  criteria: readonly Criterion[]
  /** What each label meant in this world, in turns below this one. */
  labels: readonly LabelMeaning[]
  /** The newest earlier turn that has promises. */
  earlier: { promises: readonly { label: string; criterionKey: string }[]; judged: readonly string[] }
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
  /** What labels mean from this turn on, where that differs from before. */
  labels: { source: string; label: string; criterionKey: string }[]
}

export function resolveCriteria(known: Known, turn: TurnEntries): Resolution {
  const judged = turn.judgements.flat().filter((entry) => entry.source !== 'player')
  const resolver = new Resolver(known, sameIds(turn.promises, judged))
  const promises = resolver.list(turn.promises)
  resolver.promised(turn.promises, promises)
  const judgements = turn.judgements.map((list) => resolver.list(list))
  const mentioned = turn.mentioned.map((label) => resolver.find(label))
  return { promises, judgements, mentioned, ...resolver.added() }
}

/**
 * Which criteria of the task a declared list means: one that is worded otherwise than before, or as a Coach worded it, is the
 * same by the rules of any entry with a text.
 */
export function resolveDeclared(
  known: Pick<Known, 'taskKey' | 'criteria' | 'declared'>,
  declared: readonly { label: string; text: string }[],
): { keys: string[]; changed: Criterion[] } {
  const nothing = { worldKey: '', labels: [], earlier: { promises: [], judged: [] } }
  const resolver = new Resolver({ ...known, ...nothing }, false)
  const keys = resolver.list(declared.map((each) => ({ ...each, source: DECLARED })))
  return { keys, changed: resolver.added().changed }
}

/** The source of texts and labels that a task declares. */
const DECLARED = 'specification'

/** Both lists name the same ids: only then may a judge's id be read as the Player's. */
function sameIds(promises: readonly Entry[], judged: readonly Entry[]): boolean {
  return equalSets(listLabels(promises), listLabels(judged))
}

const listLabels = (entries: readonly Entry[]): Set<string> =>
  new Set(entries.flatMap(({ label }) => (label === null ? [] : [normalizeLabel(label)])))

const equalSets = (a: Set<string>, b: Set<string>): boolean =>
  a.size > 0 && a.size === b.size && [...a].every((label) => b.has(label))

type Words = { list: readonly string[]; joined: string }

const NO_WORDS: Words = { list: [], joined: '' }

/** One turn's resolution: a working copy of what is known, and a note of what changed. */
class Resolver {
  readonly #known: Known
  readonly #listsAgree: boolean
  readonly #criteria = new Map<string, Criterion>()
  readonly #changed = new Set<string>()
  readonly #meanings = new Map<string, string>()
  readonly #newMeanings = new Map<string, { source: string; label: string; criterionKey: string }>()
  readonly #promisedNow = new Map<string, string>()
  readonly #promisedEarlier = new Map<string, string>()
  readonly #words = new Map<string, Words>()
  readonly #declaredLabels = new Map<string, string>()
  readonly #declaredKeys = new Set<string>()

  constructor(known: Known, listsAgree: boolean) {
    this.#known = known
    this.#listsAgree = listsAgree
    for (const criterion of known.criteria) {
      const copy = { ...criterion, texts: [...criterion.texts], aliases: [...criterion.aliases] }
      this.#criteria.set(criterion.key, copy)
    }
    for (const meaning of [...known.labels].sort((a, b) => a.turn - b.turn)) {
      this.#meanings.set(meaningKey(meaning.source, meaning.label), meaning.criterionKey)
    }
    for (const { label, criterionKey: key } of known.declared ?? []) {
      this.#declaredLabels.set(normalizeLabel(label), key)
      this.#declaredKeys.add(this.#follow(key).key)
    }
    const { promises, judged } = known.earlier
    const earlierLabels = new Set(promises.map(({ label }) => normalizeLabel(label)))
    if (equalSets(earlierLabels, new Set(judged.map(normalizeLabel)))) {
      for (const { label, criterionKey: key } of promises)
        this.#promisedEarlier.set(normalizeLabel(label), key)
    }
  }

  /**
   * Resolves one list: declared criteria before others; of each, equal wordings first, then each entry in order. Each
   * criterion is used once.
   */
  list(entries: readonly Entry[]): string[] {
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
      const labelled = ({ label }: Entry) =>
        label === null ? undefined : this.#declaredLabels.get(normalizeLabel(label))
      const hasText = (entry: Entry) => this.#wordsIn(entry).list.length > 0
      const areIdsDeclared = entries.every((entry) => hasText(entry) || labelled(entry) !== undefined)
      takeWhere((_, words) => this.#equalTo(words, isDeclared))
      takeWhere(({ label }, words) => this.#similarTo(words, label, (c) => isDeclared(c) && !used.has(c.key)))
      takeWhere((entry, words) => {
        const key = areIdsDeclared && words.list.length === 0 ? labelled(entry) : undefined
        return key === undefined ? undefined : this.#follow(key)
      })
    }
    takeWhere((_, words) => this.#equalTo(words))
    return entries.map((entry, i) => {
      const key = found[i] ?? this.#resolve(entry, used).key
      used.add(key)
      this.#remember(entry, key)
      return key
    })
  }

  #wordsIn({ text }: Entry): Words {
    return text === null ? NO_WORDS : this.#readWords(text)
  }

  promised(entries: readonly Entry[], keys: readonly string[]): void {
    if (!this.#listsAgree) return
    entries.forEach(({ label }, i) => {
      const key = keys[i]
      if (label !== null && key !== undefined) this.#promisedNow.set(normalizeLabel(label), key)
    })
  }

  /** The criterion that a label names here, without making one: this turn's judges first, then before. */
  find(label: string): string | null {
    const normalized = normalizeLabel(label)
    const judges = ['coach', 'validator', 'gate', 'command']
    for (const source of judges) {
      const key = this.#meanings.get(meaningKey(source, normalized))
      if (key !== undefined) return this.#follow(key).key
    }
    const promised = this.#promisedNow.get(normalized) ?? this.#promisedEarlier.get(normalized)
    const named = promised ?? this.#declaredLabels.get(normalized)
    return named === undefined ? (this.#labelOnly(normalized)?.key ?? null) : this.#follow(named).key
  }

  added(): Pick<Resolution, 'changed' | 'labels'> {
    const changed = [...this.#criteria.values()].filter((criterion) => this.#changed.has(criterion.key))
    return { changed, labels: [...this.#newMeanings.values()] }
  }

  /** Each text is split once, however many entries it is compared with. */
  #readWords(text: string): Words {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const list = splitWords(text)
    const words = { list, joined: list.join(' ') }
    this.#words.set(text, words)
    return words
  }

  #resolve(entry: Entry, used: ReadonlySet<string>): Criterion {
    const words = this.#wordsIn(entry)
    if (words.list.length === 0) return this.#byLabel(entry)
    const label = entry.label === null ? null : normalizeLabel(entry.label)
    const found = this.#equalTo(words) ?? this.#similarTo(words, entry.label, ({ key }) => !used.has(key))
    // The Player's text completes a criterion known by its label alone, where both lists name the same ids.
    const bare =
      entry.source === 'player' && this.#listsAgree && label !== null ? this.#labelOnly(label) : undefined
    if (bare !== undefined && found === undefined) return bare // #remember gives it its first text
    if (bare !== undefined && found !== undefined) this.#merge(bare, found)
    return found ?? this.#create(criterionKey(this.#known.taskKey, words.joined), null)
  }

  #byLabel(entry: Entry): Criterion {
    const label = normalizeLabel(entry.label ?? '')
    const before = this.#meanings.get(meaningKey(entry.source, label))
    const promised = this.#promisedNow.get(label) ?? this.#promisedEarlier.get(label)
    if (before !== undefined) {
      const criterion = this.#follow(before)
      // Its own source's word comes first; a text that the Player gave it meanwhile completes it.
      if (criterion.texts.length > 0 || entry.source === 'player') return criterion
      const now = this.#promisedNow.get(label)
      if (now === undefined || now === criterion.key) return criterion
      const target = this.#follow(now)
      this.#merge(criterion, target)
      return target
    }
    if (promised !== undefined) return this.#follow(promised)
    const bare = this.#labelOnly(label)
    if (bare !== undefined) return bare
    const { taskKey, worldKey } = this.#known
    return this.#create(labelOnlyCriterionKey(taskKey, worldKey, label), worldKey)
  }

  #equalTo(
    { list, joined }: Words,
    free: (criterion: Criterion) => boolean = () => true,
  ): Criterion | undefined {
    if (list.length === 0) return undefined
    return this.#first(
      (criterion) =>
        free(criterion) && criterion.texts.some(({ text }) => this.#readWords(text).joined === joined),
    )
  }

  #similarTo(
    { list: words }: Words,
    given: string | null,
    free: (criterion: Criterion) => boolean,
  ): Criterion | undefined {
    if (words.length === 0) return undefined
    const label = given === null ? null : normalizeLabel(given)
    const hasLabel = (criterion: Criterion) =>
      label !== null && criterion.aliases.some((alias) => alias.label === label)
    const begins = (criterion: Criterion) =>
      criterion.texts.some(({ text }) => {
        const other = this.#readWords(text).list
        return Math.min(words.length, other.length) >= 4 && oneBeginsWithTheOther(words, other)
      })
    const shares = (criterion: Criterion) =>
      criterion.texts.some(({ text }) => sharedShare(words, this.#readWords(text).list) >= 0.6)
    return (
      this.#first((c) => free(c) && hasLabel(c) && begins(c)) ??
      this.#first((c) => free(c) && begins(c)) ??
      this.#first((c) => free(c) && hasLabel(c) && shares(c))
    )
  }

  /** The first that fits, in an order that no engine decides; merged ones stand for their target. */
  #first(fits: (criterion: Criterion) => boolean): Criterion | undefined {
    let first: Criterion | undefined
    for (const criterion of this.#criteria.values()) {
      const comesFirst = first === undefined || criterion.key < first.key
      if (criterion.mergedInto === null && comesFirst && fits(criterion)) first = criterion
    }
    return first
  }

  #labelOnly(label: string): Criterion | undefined {
    return this.#first(
      (c) =>
        c.texts.length === 0 &&
        c.worldKey === this.#known.worldKey &&
        c.aliases.some((alias) => alias.label === label),
    )
  }

  #create(key: string, worldKey: string | null): Criterion {
    const there = this.#criteria.get(key)
    if (there !== undefined) return there.mergedInto === null ? there : this.#follow(key)
    const criterion: Criterion = { key, texts: [], aliases: [], mergedInto: null, worldKey }
    this.#criteria.set(key, criterion)
    this.#changed.add(key)
    return criterion
  }

  /** No edge moves and no verification changes: reads follow `mergedInto`. The labels are the target's from now on. */
  #merge(bare: Criterion, target: Criterion): void {
    if (bare.key === target.key) return
    bare.mergedInto = target.key
    for (const alias of bare.aliases) {
      if (!target.aliases.some((a) => a.label === alias.label && a.source === alias.source))
        target.aliases.push(alias)
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

  /** Keeps the entry's text and label on the criterion, and what its label now means. */
  #remember(entry: Entry, key: string): void {
    const criterion = this.#follow(key)
    const { text, source } = entry
    if (
      text !== null &&
      this.#readWords(text).list.length > 0 &&
      !criterion.texts.some((t) => t.text === text && t.source === source)
    ) {
      criterion.texts.push({ text, source })
      this.#changed.add(criterion.key)
    }
    if (entry.label === null) return
    const label = normalizeLabel(entry.label)
    if (!criterion.aliases.some((alias) => alias.label === label && alias.source === source)) {
      criterion.aliases.push({ label, source })
      this.#changed.add(criterion.key)
    }
    const meaning = meaningKey(source, label)
    if (this.#meanings.get(meaning) === criterion.key) return
    this.#meanings.set(meaning, criterion.key)
    this.#newMeanings.set(meaning, { source, label, criterionKey: criterion.key })
  }
}

const meaningKey = (source: string, label: string): string => `${source}\n${label}`
