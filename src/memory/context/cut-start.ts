/** Cuts a long text to its start: at the end of a sentence, else of a word, else of a grapheme. Pure. */

/** Ends a text that was cut. */
export const MARK = ' […]'

/** Longer ones, in characters, are no prose but a dump or a log, and are cut inside. */
const LONGEST = { sentence: 1_000, word: 100, grapheme: Number.POSITIVE_INFINITY } as const
type Unit = keyof typeof LONGEST

/** The start of a text, up to where its last sentence before `end` ends; a word or a grapheme where none does. */
export function cutStart(
  text: string,
  end: number,
  units: readonly Unit[] = ['sentence', 'word', 'grapheme'],
): string {
  const at = nextInk(text, end)
  for (const unit of units) {
    const found = segmenter(unit).segment(text).containing(at)
    if (found === undefined || found.segment.length > LONGEST[unit]) continue
    const start = text.slice(0, found.index).trimEnd()
    if (start !== '') return start
  }
  return ''
}

/** Where the next unit begins if one ends at `end`. */
function nextInk(text: string, end: number): number {
  INK.lastIndex = end
  return Math.min(INK.exec(text)?.index ?? text.length, text.length - 1)
}
const INK = /\S/g

/** Made on first use: 1 ms each. */
function segmenter(granularity: Unit): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity })
  segmenters.set(granularity, made)
  return made
}
const segmenters = new Map<Unit, Intl.Segmenter>()
