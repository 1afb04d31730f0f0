/** Finds proofs whose files were changed after they were given (contract: specification.md, "Proofs that age"). Pure. */
import { projectPath } from '../core/project-paths.ts'

/** What a turn touched, and on which files its promises and verifications stand. */
export type TouchedFiles = {
  turn: number
  touched: readonly string[]
  promised: readonly { key: string; files: readonly string[] }[]
  verified: readonly { key: string; files: readonly string[] }[]
}

export type Stale = { turn: number; files: string[] }

/** Since when a criterion that was verified last in some turn is stale; null while it is not. */
export type StaleSince = (criterionKey: string, verifiedInTurn: number) => Stale | null

export const neverStale: StaleSince = () => null

/**
 * Whether a later turn touched a file of a criterion's proof: a file that its newest promise names, or its newest verification
 * with files. The first such turn is named. A turn that judged the criterion itself clears it: the Coach judges after the
 * Player wrote.
 *
 * @param turns of one world, ascending
 * @param finalKey where an entry's criterion counts
 */
export function staleSince(turns: readonly TouchedFiles[], finalKey: (key: string) => string): StaleSince {
  const newest = (of: 'promised' | 'verified') => {
    const files = new Map<string, readonly string[]>()
    for (const turn of turns) {
      for (const { key, files: named } of turn[of])
        if (named.length > 0 || of === 'promised') files.set(finalKey(key), named)
    }
    return files
  }
  const [promised, verified] = [newest('promised'), newest('verified')]
  const touched = turns.map(({ turn, touched }) => ({ turn, files: listPaths(touched) }))
  return (criterionKey, verifiedInTurn) => {
    const proof = new Set(
      listPaths([...(promised.get(criterionKey) ?? []), ...(verified.get(criterionKey) ?? [])]),
    )
    for (const { turn, files } of touched) {
      const common = turn > verifiedInTurn ? files.filter((file) => proof.has(file)) : []
      if (common.length > 0) return { turn, files: common }
    }
    return null
  }
}

const listPaths = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => projectPath(file) ?? []))].sort()
