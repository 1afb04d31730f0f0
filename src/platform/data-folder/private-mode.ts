/** Keeps the files of a data folder from other users of the machine. Windows has no modes, and its folders are private. */
import { chmodSync, statSync } from 'node:fs'

const OTHERS = 0o077

/** For what others made for us, in whatever mode. What belongs to another user stays as it is. */
export function makePrivate(place: string): void {
  const { mode, uid } = statSync(place)
  if ((mode & OTHERS) !== 0 && uid === process.getuid?.()) chmodSync(place, mode & 0o700)
}

export const isOpenToOthers = (folder: string): boolean =>
  process.getuid !== undefined && ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0
