/** Finds the files that turns changed, without the files that git shows as unchanged (contract: evidence.md). Pure. */
import { projectPath } from '../core/project-paths.ts'

/** A turn with the files that its Player claims, and the texts of its issues about claims that git does not confirm. */
export type ClaimedFiles = {
  turn: number
  /** True if the Player left a report of the turn. */
  isReported: boolean
  files: readonly string[]
  denials: readonly string[]
}

/** The files that each turn changed. A turn is missing if its Player left no report. */
export type ChangedFiles = ReadonlyMap<number, readonly string[]>

/** Finds the path in an issue of GuardKit's check of claims. */
const DENIED = /\bPlayer claimed file (\S{1,1000})\. Actual: /

/** Lists the changed files of each turn. A path that an issue of the turn denies does not count. */
export function listChangedFiles(turns: readonly ClaimedFiles[]): ChangedFiles {
  return new Map(
    turns.flatMap(({ turn, isReported, files, denials }) => {
      if (files.length === 0 && !isReported) return []
      const denied = new Set(denials.flatMap((text) => projectPath(DENIED.exec(text)?.[1] ?? '') ?? []))
      const changed = new Set(files.map((file) => projectPath(file) ?? file))
      return [[turn, [...changed].filter((file) => !denied.has(file))] as const]
    }),
  )
}

/** Counts the files that changed after one turn, up to another one; null if one of these turns left no report. */
export function countChangedBetween(changed: ChangedFiles, after: number, upTo: number): number | null {
  const between = Array.from({ length: Math.max(upTo - after, 0) }, (_, i) => changed.get(after + 1 + i))
  const known = between.flatMap((files) => (files === undefined ? [] : [files]))
  return known.length < between.length ? null : new Set(known.flat()).size
}
