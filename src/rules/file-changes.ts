/** Counts the files that turns changed, without the files that git shows as unchanged (contract: evidence.md). Pure. */
import { projectPath } from '../core/project-paths.ts'

/** A turn with the files that it changed. */
export type TurnFiles = {
  turn: number
  /** True if the Player left a report of the turn. */
  isReported: boolean
  files: readonly string[]
}

/** The files that each turn changed. A turn is missing if its Player left no report. */
export type ChangedFiles = ReadonlyMap<number, readonly string[]>

/** Lists the changed files of each turn. */
export const listChangedFiles = (turns: readonly TurnFiles[]): ChangedFiles =>
  new Map(
    turns.flatMap(({ turn, isReported, files }) =>
      isReported ? [[turn, [...new Set(files.map((file) => projectPath(file) ?? file))]] as const] : [],
    ),
  )

/** Counts the files that changed after one turn, up to another one; null if one of these turns left no report. */
export function countChangedBetween(changed: ChangedFiles, after: number, upTo: number): number | null {
  const between = Array.from({ length: Math.max(upTo - after, 0) }, (_, i) => changed.get(after + 1 + i))
  const known = between.flatMap((files) => (files === undefined ? [] : [files]))
  return known.length < between.length ? null : new Set(known.flat()).size
}
