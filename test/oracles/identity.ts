// The oracle's own implementation of "Identity" in the criteria contract. Simple on purpose; shares no code
// with src.

export type Who = 'player' | 'coach'

export type Criterion = {
  texts: { text: string; who: Who }[] // every text it was ever given, in the order of arrival
  labels: string[] // every label, normalized
  mergedInto: Criterion | null
}

export type Entry = { id: string; text: string | null }

export function normalizedText(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .replace(/^([-+*•]|\d+[.)])\s+/, '')
    .replace(/^\[[ xX]?\]\s*/, '')
    .replace(/[`*_#[\]]/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .replace(/[.;:,\s]+$/, '')
    .trim()
}

export function words(text: string): string[] {
  return normalizedText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

export function label(id: string): string {
  const parts = /^(\p{L}+)-(\d+)$/u.exec(id.trim())
  if (!parts) return id.trim()
  return `${parts[1]}-${String(BigInt(parts[2]!)).padStart(3, '0')}`
}

/** Compares runs of digits as numbers. */
export function naturalOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function equal(a: string[], b: string[]): boolean {
  return a.length > 0 && a.join(' ') === b.join(' ')
}

export function beginsWith(long: string[], short: string[]): boolean {
  return short.length <= long.length && short.every((word, i) => long[i] === word)
}

function oneBeginsTheOther(a: string[], b: string[]): boolean {
  if (Math.min(a.length, b.length) < 4) return false
  return beginsWith(a, b) || beginsWith(b, a)
}

/**
 * Returns the number of common distinct words, divided by the distinct words of the text with fewer words.
 */
function share(a: string[], b: string[]): number {
  const x = new Set(a)
  const y = new Set(b)
  if (x.size === 0 || y.size === 0) return 0
  return [...x].filter((word) => y.has(word)).length / Math.min(x.size, y.size)
}

/**
 * Resolves the entries of one list that have a text; `known` grows by the new ones.
 * Entries with only an id stay undefined: the caller resolves them.
 */
export function resolveTexts(list: Entry[], known: Criterion[], who: Who): (Criterion | undefined)[] {
  const answer: (Criterion | undefined)[] = list.map(() => undefined)
  const used = new Set<Criterion>()

  const anyText = (criterion: Criterion, test: (w: string[]) => boolean) =>
    criterion.texts.some((t) => test(words(t.text)))
  const free = () => known.filter((c) => !used.has(c) && c.mergedInto === null && c.texts.length > 0)
  const take = (i: number, criterion: Criterion) => {
    answer[i] = criterion
    used.add(criterion)
    const entry = list[i]!
    if (!criterion.texts.some((t) => t.text === entry.text && t.who === who))
      criterion.texts.push({ text: entry.text!, who })
    if (entry.id !== '' && !criterion.labels.includes(label(entry.id))) criterion.labels.push(label(entry.id))
  }

  // Resolves equal texts of the whole list first. The candidates are the criteria known before the list.
  list.forEach((entry, i) => {
    if (entry.text === null) return
    const mine = words(entry.text)
    const found = free().find((c) => anyText(c, (theirs) => equal(mine, theirs)))
    if (found) take(i, found)
  })

  list.forEach((entry, i) => {
    if (entry.text === null || answer[i]) return
    const mine = words(entry.text)
    const underLabel = (c: Criterion) => entry.id !== '' && c.labels.includes(label(entry.id))

    const prefixed = free().filter((c) => anyText(c, (theirs) => oneBeginsTheOther(mine, theirs)))
    let found = prefixed.find(underLabel) ?? prefixed[0]
    if (!found)
      found = free()
        .filter(underLabel)
        .find((c) => anyText(c, (theirs) => share(mine, theirs) >= 0.6))
    if (!found) {
      found = { texts: [], labels: [], mergedInto: null }
      known.push(found)
    }
    take(i, found)
  })
  return answer
}
