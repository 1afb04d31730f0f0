/** Finds proofs whose files were changed after they were given (contract: specification.md, "Proofs that age"). Pure. */
import { projectPath } from '../core/project-paths.ts'

export type TouchedFiles = {
  turn: number
  touched: readonly string[]
  promised: readonly { key: string; files: readonly string[] }[]
  verified: readonly { key: string; files: readonly string[] }[]
}

/** Files of the turns of a world, ascending. */
export type ProofFiles = {
  touched: ReadonlyMap<string, readonly number[]>
  /** Files that the newest promise of a criterion names. */
  promised: ReadonlyMap<string, readonly string[]>
  /** Files that the newest verification with files names. */
  verified: ReadonlyMap<string, readonly string[]>
}

export const NO_FILES: ProofFiles = { touched: new Map(), promised: new Map(), verified: new Map() }

export function addFiles(
  before: ProofFiles,
  { turn, touched, promised, verified }: TouchedFiles,
  finalKey: (key: string) => string,
): ProofFiles {
  const after = {
    touched: new Map(before.touched),
    promised: new Map(before.promised),
    verified: new Map(before.verified),
  }
  for (const { key, files } of promised) after.promised.set(finalKey(key), listPaths(files))
  for (const { key, files } of verified)
    if (files.length > 0) after.verified.set(finalKey(key), listPaths(files))
  for (const path of listPaths(touched)) after.touched.set(path, [...(after.touched.get(path) ?? []), turn])
  return after
}

/** Drops touches that no proof is compared with. Only the first touch after the newest verification of a criterion counts. */
export function dropOldTouches(files: ProofFiles, verifiedInTurns: Iterable<number | null>): ProofFiles {
  const since = [...new Set(verifiedInTurns)].filter((turn) => turn !== null)
  const touched = [...files.touched].map(([path, turns]) => {
    const first = new Set(since.map((verified) => turns.find((turn) => turn > verified)))
    return [path, turns.filter((turn) => first.has(turn))] as const
  })
  return { ...files, touched: new Map(touched.filter(([, turns]) => turns.length > 0)) }
}

export type Stale = { turn: number; files: string[] }

/** Returns the first turn that made a proof stale, given its newest verification; null if it is not stale. */
export type StaleSince = (criterionKey: string, verifiedInTurn: number) => Stale | null

export const neverStale: StaleSince = () => null

/** Finds the first later turn that touched a file of a proof, but not the judging one: the Coach judges after the Player. */
export const staleSince =
  ({ touched, promised, verified }: ProofFiles): StaleSince =>
  (criterionKey, verifiedInTurn) => {
    const proof = new Set([...(promised.get(criterionKey) ?? []), ...(verified.get(criterionKey) ?? [])])
    const later = [...proof].flatMap((file) => {
      const turn = touched.get(file)?.find((touching) => touching > verifiedInTurn)
      return turn === undefined ? [] : { file, turn }
    })
    if (later.length === 0) return null
    const first = Math.min(...later.map(({ turn }) => turn))
    return { turn: first, files: later.flatMap(({ file, turn }) => (turn === first ? [file] : [])).sort() }
  }

const listPaths = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => projectPath(file) ?? []))].sort()
