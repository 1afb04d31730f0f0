import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const preload = fileURLToPath(new URL('fail-point.mjs', import.meta.url))

/** The environment of a service that dies at its n-th step for a world, or at the first of a name. 0: it only lists the steps. */
export const failingAt = (
  worldSlug: string,
  point: number | string,
  trace?: string,
): Record<string, string> => ({
  NODE_OPTIONS: `--import ${preload}`,
  CHAOS_WORLD: encodeURIComponent(worldSlug), // as in keys
  CHAOS_FAIL_AT: String(point),
  ...(trace !== undefined && { CHAOS_TRACE: trace }),
})

/** Returns the steps of a service, in order. */
export const tracedPoints = (trace: string): string[] =>
  existsSync(trace) ? readFileSync(trace, 'utf8').trimEnd().split('\n') : []
