// Finds names that are similar to a misspelled one.
import leven from 'leven'

const MAX_NEAR = 3

/**
 * Returns up to three candidates that are similar to a name, the most similar first. A candidate is similar if it differs in at
 * most a third of the characters, ignoring case, or if one of the two names contains the other.
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
    .slice(0, MAX_NEAR)
    .map(({ candidate }) => candidate)
}

/** "Did you mean A, B or C?" with a space before it; empty if there is no similar name. */
export function didYouMean(near: readonly string[]): string {
  const last = near.at(-1)
  if (last === undefined) return ''
  const others = near.slice(0, -1).join(', ')
  return ` Did you mean ${others === '' ? last : `${others} or ${last}`}?`
}

/** Extra distance of names that contain each other: they come after names that differ in few characters. */
const CONTAINED = 1
const MIN_CONTAINED = 3

function distanceTo(wanted: string, candidate: string, allowed: number): number {
  // leven stops counting at maxDistance.
  const distance = isSwapOf(wanted, candidate) ? 1 : leven(wanted, candidate, { maxDistance: allowed + 1 })
  if (distance <= allowed && distance < Math.max(wanted.length, candidate.length)) return distance // at least one character is equal
  const [shorter, longer] = wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted]
  const contained = shorter.length >= MIN_CONTAINED && longer.includes(shorter)
  return contained ? allowed + CONTAINED : Number.POSITIVE_INFINITY
}

/** Checks whether two texts differ only by a swap of two neighboring characters. */
function isSwapOf(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false
  let at = 0
  while (a[at] === b[at]) at++
  return a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2) === b
}
