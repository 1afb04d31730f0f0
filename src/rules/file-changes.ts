/** Counts the files that turns changed, without the files that git shows as unchanged (contract: evidence.md). Pure. */
import { projectPath } from '../core/project-paths.ts'

export type TurnFiles = {
  turn: number
  isKnown: boolean
  files: readonly string[]
}

/** The files that each turn changed. A turn is missing if its files are not known. */
export type ChangedFiles = ReadonlyMap<number, readonly string[]>

export const listChangedFiles = (turns: readonly TurnFiles[]): ChangedFiles =>
  new Map(
    turns.flatMap(({ turn, isKnown, files }) =>
      isKnown ? [[turn, [...new Set(files.map((file) => projectPath(file) ?? file))]] as const] : [],
    ),
  )

/** Counts the files that changed after one turn, up to another one; null if the files of one of these turns are not known. */
export function countChangedBetween(changed: ChangedFiles, after: number, upTo: number): number | null {
  const between = Array.from({ length: Math.max(upTo - after, 0) }, (_, i) => changed.get(after + 1 + i))
  const known = between.flatMap((files) => (files === undefined ? [] : [files]))
  return known.length < between.length ? null : new Set(known.flat()).size
}
