export type Latency = { p50: number; p95: number; n: number }

/** Milliseconds, to the microsecond. */
export function latencyOf(samples: readonly number[]): Latency {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (q: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 1000) / 1000
  return { p50: at(0.5), p95: at(0.95), n: sorted.length }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
