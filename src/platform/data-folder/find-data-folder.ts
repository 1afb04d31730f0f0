/** Finds the data folder of a working folder, as git finds its repository. */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { foldersUpwards, isRepository, kindOf } from '../folders.ts'
import { DEFAULT_NAME } from './make-data-folder.ts'

/** A folder with one of these files is in use. `.turngraph` may also contain only the task of a folder (task.json). */
const FILES = ['graph.db', 'token']

const WRITE_BY_OTHERS = 0o022

/**
 * Returns the nearest data folder that is in use, in a folder or above it in its repository; otherwise `.turngraph` in the
 * folder. A folder above counts only if it is not a link, belongs to this user, and no other user may write to it. In /tmp,
 * anyone can make a folder, and a repository may contain a link to a folder of another user.
 * @example findDataFolder('/home/me/shop/src') // '/home/me/shop/.turngraph', made by a command in /home/me/shop
 */
export function findDataFolder(folder: string): string {
  const own = path.join(folder, DEFAULT_NAME)
  if (isInUse(own)) return own
  const above = listCheckout(folder).map((each) => path.join(each, DEFAULT_NAME))
  return above.find((each) => isInUse(each) && isPrivate(each)) ?? own
}

/** Lists a folder and those above it in its checkout, and in the repository that the checkout is in; none outside a checkout. */
function listCheckout(folder: string): string[] {
  const folders = foldersUpwards(folder)
  if (folders.some(isRepository)) return folders
  // A worktree or a submodule has a file named .git.
  const root = folders.findIndex((each) => kindOf(path.join(each, '.git')) !== null)
  return folders.slice(0, root + 1)
}

const isInUse = (dataFolder: string): boolean =>
  FILES.some((name) => kindOf(path.join(dataFolder, name)) !== null)

function isPrivate(dataFolder: string): boolean {
  const found = lstatSync(dataFolder)
  if (!found.isDirectory()) return false
  return (
    process.getuid === undefined || (found.uid === process.getuid() && (found.mode & WRITE_BY_OTHERS) === 0)
  )
}
