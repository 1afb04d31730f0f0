// Places attempts on a timeline. Shortens long pauses between attempts, so that the attempts stay visible. Pure.

export type Span = { start: number; end: number }

export type Timeline = {
  /** Start and end of each span as shares of the timeline, in the order of the input. */
  places: readonly { from: number; to: number }[]
  /** Positions of the shortened pauses, with their real length. */
  cuts: readonly { at: number; ms: number }[]
}

/** Maximum length of one pause, and of all pauses together, as shares of the total working time. */
const MAX_PAUSE = 0.08
const ALL_PAUSES = 0.5
/** Minimum length of a bar as a share of the timeline, so that an attempt of seconds stays visible next to hours. */
const SHORTEST_BAR = 0.004

/** @param spans in any order; they may overlap */
export function placeSpans(spans: readonly Span[]): Timeline {
  const stretches = mergeSpans(spans)
  const worked = stretches.reduce((sum, { start, end }) => sum + end - start, 0)
  const pauses = stretches.slice(1).map(({ start }, i) => start - (stretches[i]?.end ?? start))
  const longestPause = Math.max(1, Math.min(worked * MAX_PAUSE, shareOut(worked * ALL_PAUSES, pauses)))
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

/** Returns the maximum length of a pause at which all pauses fit into `all`. Short pauses leave their rest to long ones. */
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

/** Merges spans that overlap or touch. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const stretches: Span[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = stretches.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else stretches.push({ start, end: Math.max(start, end) })
  }
  return stretches
}
