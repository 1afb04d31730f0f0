/** Finds the folders in which hooks look. Starts no program and loads no package: a hook must be quick. */
import path from 'node:path'
import { foldersUpwards, isRepository, kindOf } from '../platform/folders.ts'
import { readSmallFile } from './hook-files.ts'

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
