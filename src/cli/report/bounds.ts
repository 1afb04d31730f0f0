/** Limits the size of a report, so that its file can be attached and opened. Pure. */

/** Maximum number of characters of a text, about one and a half screens. */
const MAX_LENGTH = 2_000

/** Shortens the texts of an answer and counts them. Leaves keys of criteria unchanged, because they differ at their end. */
export function shortenTexts<T>(answer: T, mostLetters = MAX_LENGTH): [shortened: T, cut: number] {
  let cut = 0
  const shortened: T = JSON.parse(JSON.stringify(answer), (name, value) => {
    if (typeof value !== 'string' || name === 'key' || value.length <= mostLetters) return value
    const letters = [...value] // keeps surrogate pairs together
    if (letters.length <= mostLetters) return value
    cut++
    return `${letters.slice(0, mostLetters).join('')}… (${letters.length - mostLetters} more letters)`
  })
  return [shortened, cut]
}

/** Takes as many of the first items as fit; the most important items come first. */
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

const measureAnswer = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer))
