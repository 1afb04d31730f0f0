/** Bounds what a report holds, so that its file can be attached and opened. Pure. */

/** Of one text: a screen and a half. */
const MOST_LETTERS = 2_000

/** The same answer with its texts shortened, and how many were. Keys of criteria stay: their ends tell them apart. */
export function shortenTexts<T>(answer: T, mostLetters = MOST_LETTERS): [shortened: T, cut: number] {
  let cut = 0
  const shortened: T = JSON.parse(JSON.stringify(answer), (name, value) => {
    if (typeof value !== 'string' || name === 'key' || value.length <= mostLetters) return value
    const letters = [...value] // half a surrogate pair is no letter
    if (letters.length <= mostLetters) return value
    cut++
    return `${letters.slice(0, mostLetters).join('')}… (${letters.length - mostLetters} more letters)`
  })
  return [shortened, cut]
}

/**
 * The first items, as many as fit: the most important ones come first.
 *
 * @param measured what of an item takes room
 */
export function takeWithin<T>(
  items: readonly T[],
  mostBytes: number,
  measured: (item: T) => unknown = (item) => item,
): T[] {
  let taken = 0
  const end = items.findIndex((item) => {
    taken += measureAnswer(measured(item))
    return taken > mostBytes
  })
  return items.slice(0, end === -1 ? items.length : end)
}

/** How much of a file a text takes, near enough: most letters are of more than one byte outside of English. */
const measureAnswer = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer))
