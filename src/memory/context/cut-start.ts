/** Cuts a long text to its start: at the end of a sentence, otherwise of a word, otherwise of a grapheme. Pure. */

export const MARK = ' […]'

/** Maximum length of a unit in characters. Longer units are dumps or logs, not prose, and are cut inside. */
const MAX_UNIT_LENGTH = { sentence: 1_000, word: 100, grapheme: Number.POSITIVE_INFINITY } as const
type Unit = keyof typeof MAX_UNIT_LENGTH

/** Returns the start of a text up to its last complete sentence before `end`, otherwise up to a word or a grapheme. */
export function cutStart(
  text: string,
  end: number,
  units: readonly Unit[] = ['sentence', 'word', 'grapheme'],
): string {
  const at = nextInk(text, end)
  for (const unit of units) {
    const found = segmenter(unit).segment(text).containing(at)
    if (found === undefined || found.segment.length > MAX_UNIT_LENGTH[unit]) continue
    const start = text.slice(0, found.index).trimEnd()
    if (start !== '') return start
  }
  return ''
}

function nextInk(text: string, end: number): number {
  INK.lastIndex = end
  return Math.min(INK.exec(text)?.index ?? text.length, text.length - 1)
}
const INK = /\S/g

/** Returns a segmenter, created on first use, which takes 1 ms. */
function segmenter(granularity: Unit): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity })
  segmenters.set(granularity, made)
  return made
}
const segmenters = new Map<Unit, Intl.Segmenter>()
