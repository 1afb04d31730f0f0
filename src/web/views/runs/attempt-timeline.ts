// Places attempts on a line of time on which nothing is squeezed: a long pause between two of them is cut short. Pure.

export type Span = { start: number; end: number }

export type Timeline = {
  /** Of each span, in its order: from where to where it reaches, as shares of the whole line. */
  places: readonly { from: number; to: number }[]
  /** Where a pause was cut short, and how long it was. */
  cuts: readonly { at: number; ms: number }[]
}

/** A pause takes at most this share of what is worked, however long it was; and all of them together that one. */
const LONGEST_PAUSE = 0.08
const ALL_PAUSES = 0.5
/** Seen also where all else took hours. */
const SHORTEST_BAR = 0.004

/** @param spans in any order; they may overlap */
export function placeSpans(spans: readonly Span[]): Timeline {
  const stretches = mergeSpans(spans)
  const worked = stretches.reduce((sum, { start, end }) => sum + end - start, 0)
  const pauses = stretches.slice(1).map(({ start }, i) => start - (stretches[i]?.end ?? start))
  const longestPause = Math.max(1, Math.min(worked * LONGEST_PAUSE, shareOut(worked * ALL_PAUSES, pauses)))
  const cuts: { at: number; ms: number }[] = []
  const begins: number[] = []
  let length = 0
  stretches.forEach((stretch, i) => {
    const pause = pauses[i - 1] ?? 0
    if (pause > longestPause) cuts.push({ at: length + longestPause / 2, ms: pause })
    length += Math.min(pause, longestPause)
    begins.push(length)
    length += stretch.end - stretch.start
  })
  const whole = Math.max(1, length)
  const placeSpan = ({ start, end }: Span) => {
    const i = stretches.findLastIndex((stretch) => stretch.start <= start)
    const offset = (begins[i] ?? 0) - (stretches[i]?.start ?? 0)
    const from = (start + offset) / whole
    return {
      from: Math.min(from, 1 - SHORTEST_BAR),
      to: Math.max((end + offset) / whole, from + SHORTEST_BAR),
    }
  }
  return { places: spans.map(placeSpan), cuts: cuts.map(({ at, ms }) => ({ at: at / whole, ms })) }
}

/** How long a pause may be drawn so that all of them take no more than there is: short ones leave their rest to long ones. */
function shareOut(all: number, pauses: readonly number[]): number {
  let left = all
  let share = all
  for (const [i, pause] of pauses.toSorted((a, b) => a - b).entries()) {
    share = left / (pauses.length - i)
    if (pause > share) return share
    left -= pause
  }
  return Math.max(share, ...pauses)
}

/** What overlaps or touches is one stretch. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const stretches: Span[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = stretches.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else stretches.push({ start, end: Math.max(start, end) })
  }
  return stretches
}
