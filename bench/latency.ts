// Measures the time of work, and prints the figures.
export type Latency = { p50: number; p95: number; n: number }

/** Returns the latency in milliseconds, rounded to microseconds. */
export function latencyOf(samples: readonly number[]): Latency {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (q: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 1000) / 1000
  return { p50: at(0.5), p95: at(0.95), n: sorted.length }
}

/** Measures named work round by round, so that all names are measured under the same conditions. */
export function sampler() {
  const samples = new Map<string, number[]>()
  return {
    async sample<T>(name: string, work: () => Promise<T>): Promise<T> {
      const list = samples.get(name) ?? []
      samples.set(name, list)
      const started = performance.now()
      const result = await work()
      list.push(performance.now() - started)
      return result
    },
    figures: (): Figures => Object.fromEntries([...samples].map(([name, list]) => [name, latencyOf(list)])),
  }
}

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Rotates the forms of a round: the first form pays for cold caches after the call before it. */
export const rotated = <T>(forms: readonly T[], round: number): T[] => {
  const at = round % forms.length
  return [...forms.slice(at), ...forms.slice(0, at)]
}

export type Figures = Record<string, Latency>

/** Prints each figure as a ratio to the floor of the same run. */
export function printFigures(title: string, figures: Figures): void {
  const read = figures['floor read']?.p50 ?? 1
  const write = figures['floor write']?.p50 ?? 1
  console.log(`\n${title.padEnd(46)}p50 ms    p95 ms   × RETURN 1   × one-node write`)
  for (const [name, { p50, p95 }] of Object.entries(figures)) {
    const cells = [p50.toFixed(3), p95.toFixed(3), (p50 / read).toFixed(2), (p50 / write).toFixed(2)]
    console.log(name.padEnd(44) + cells.map((cell) => cell.padStart(9)).join(' '))
  }
}

/** Prints each figure as a ratio to one of them. */
export function printRatios(figures: Figures, to: string): void {
  const base = figures[to]?.p50 ?? Number.NaN
  for (const [name, { p50, p95 }] of Object.entries(figures))
    console.log(
      `${name}: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, ${(p50 / base).toFixed(2)} x ${to}`,
    )
}

/**
 * Prints how the cost of each grew from the first size to the last, as a ratio to the growth of the floor.
 */
export function printGrowth(results: Record<number, Figures>): void {
  const sizes = Object.keys(results).map(Number)
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)]
  if (first === last) return
  const [small = {}, large = {}] = [results[first], results[last]]
  const grew = (name: string) => (large[name]?.p50 ?? 1) / (small[name]?.p50 ?? 1)
  console.log(`\n${`p50, ${first} to ${last} turns`.padEnd(44)}grew   × growth of RETURN 1`)
  for (const name of Object.keys(large)) {
    const cells = [grew(name).toFixed(2), (grew(name) / grew('floor read')).toFixed(2)]
    console.log(name.padEnd(40) + cells.map((cell) => cell.padStart(9)).join(' '))
  }
}
