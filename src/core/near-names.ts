// Finds names that somebody who misspelt one may have meant.
import leven from 'leven'

const MOST_NEAR = 3

/**
 * Up to three of the candidates that are near to a name, the nearest first: they differ from it in a third of its
 * characters at most, whatever their case, or the one stands in the other.
 *
 * @example
 * nearNames('task-11', ['TASK-1', 'TASK-12', 'OTHER']) // ['TASK-1', 'TASK-12']
 */
export function nearNames(name: string, candidates: Iterable<string>): string[] {
  const wanted = name.toLowerCase()
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .filter((candidate) => candidate !== name)
    .map((candidate) => ({ candidate, distance: distanceTo(wanted, candidate.toLowerCase(), allowed) }))
    .filter(({ distance }) => distance <= allowed + CONTAINED)
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map(({ candidate }) => candidate)
}

/** "Did you mean A, B or C?", or nothing where there is no near name. With the space before it. */
export function didYouMean(near: readonly string[]): string {
  const last = near.at(-1)
  if (last === undefined) return ''
  const others = near.slice(0, -1).join(', ')
  return ` Did you mean ${others === '' ? last : `${others} or ${last}`}?`
}

/** Names that contain each other come after those that are near by themselves. */
const CONTAINED = 1
const LEAST_CONTAINED = 3

function distanceTo(wanted: string, candidate: string, allowed: number): number {
  // What is further apart is not counted to its end.
  const distance = isSwapOf(wanted, candidate) ? 1 : leven(wanted, candidate, { maxDistance: allowed + 1 })
  if (distance <= allowed && distance < Math.max(wanted.length, candidate.length)) return distance // something is left
  const [shorter, longer] = wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted]
  const contained = shorter.length >= LEAST_CONTAINED && longer.includes(shorter)
  return contained ? allowed + CONTAINED : Number.POSITIVE_INFINITY
}

/** True if the two differ only in two neighboring characters that changed places. */
function isSwapOf(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false
  let at = 0
  while (a[at] === b[at]) at++
  return a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2) === b
}
