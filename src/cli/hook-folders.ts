/** Finds the folders in which hooks look. Starts no program and loads no package: a hook must be quick. */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { readSmallFile } from './hook-files.ts'

/**
 * Lists a folder and those above it, up to the root of its repository; outside a repository up to the root of the file system.
 * A folder that is reached by a link is followed by the folders above its real place.
 */
export function foldersUpwards(folder: string): string[] {
  return [...new Set([folder, realPath(folder)].flatMap(climb))]
}

function climb(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder || isRepository(folder) ? [folder] : [folder, ...climb(parent)]
}

/** A worktree has a file named `.git` instead: the search continues above it, because worktrees often lie in their repository. */
const isRepository = (folder: string): boolean => kindOf(path.join(folder, '.git')) === 'folder'

/** Returns the root of the main checkout if a folder lies in a git worktree, whose own root may be anywhere; otherwise null. */
export function mainCheckoutOf(folder: string): string | null {
  const root = foldersUpwards(folder).find((above) => kindOf(path.join(above, '.git')) !== null)
  if (root === undefined || isRepository(root)) return null
  const gitFolder = namedIn(path.join(root, '.git'), /^gitdir: (.+)$/m, root)
  if (gitFolder === null) return null
  const common = namedIn(path.join(gitFolder, 'commondir'), /^(.+)$/m, gitFolder)
  return common !== null && path.basename(common) === '.git' ? path.dirname(common) : null
}

/** Reads the path that a file of git names, relative to a folder. */
function namedIn(file: string, form: RegExp, folder: string): string | null {
  try {
    const name = form.exec(readSmallFile(file) ?? '')?.[1]?.trim()
    return name === undefined || name === '' ? null : path.resolve(folder, name)
  } catch {
    return null // not a file of git
  }
}

/** Resolves links; returns the path unchanged if it does not exist. */
export function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

/** Returns null if the path does not exist or may not be read. */
export function kindOf(place: string): 'file' | 'folder' | 'other' | null {
  try {
    const found = statSync(place)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch {
    return null
  }
}
