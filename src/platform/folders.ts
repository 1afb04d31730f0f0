/** Finds folders above a folder. Imports only built-in modules, because hooks load this file. */
import { lstatSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Lists a folder and those above it, up to the root of its repository or of the file system. If a link leads to the folder, the
 * folders above its real place follow.
 */
export function foldersUpwards(folder: string): string[] {
  return [...new Set([folder, realPath(folder)].flatMap(climb))]
}

function climb(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder || isRepository(folder) ? [folder] : [folder, ...climb(parent)]
}

/** Returns false for a worktree, which has a file `.git`. The search continues above it, where its repository often is. */
export const isRepository = (folder: string): boolean => kindOf(path.join(folder, '.git')) === 'folder'

/**
 * Finds the nearest folder with `.git`, which no commit can contain. Git itself also accepts a committed folder with the files of
 * a bare repository, whose settings can start programs.
 */
export const findRepository = (folder: string): string | undefined =>
  foldersUpwards(folder).find((each) => kindOf(path.join(each, '.git')) !== null)

/** Resolves links; returns the path unchanged if it does not exist. */
export function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

export function kindOf(place: string): 'file' | 'folder' | 'other' | null {
  try {
    const found = statSync(place)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch {
    return null
  }
}

/** Checks whether a path is a symbolic link. Returns false if the path does not exist or may not be read. */
export function isLink(place: string): boolean {
  try {
    return lstatSync(place).isSymbolicLink()
  } catch {
    return false
  }
}
