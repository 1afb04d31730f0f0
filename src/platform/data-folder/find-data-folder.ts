/** Finds the data folder of a working folder, as git finds its repository. */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { foldersUpwards, isRepository, kindOf } from '../folders.ts'
import { DEFAULT_NAME } from './make-data-folder.ts'

/** A folder with one of these files is in use. `.turngraph` may also contain only the task of a folder (task.json). */
const FILES = ['graph.db', 'token']

/**
 * Returns the nearest data folder that is in use, in a folder or above it in its repository. Otherwise returns `.turngraph` in
 * the folder itself. A folder above counts only if it belongs to this user: in /tmp, anyone can make one.
 *
 * @example findDataFolder('/home/me/shop/src') // '/home/me/shop/.turngraph', made by a command in /home/me/shop
 */
export function findDataFolder(folder: string): string {
  const own = path.join(folder, DEFAULT_NAME)
  if (isInUse(own)) return own
  const folders = foldersUpwards(folder)
  if (!folders.some(isRepository)) return own
  const above = folders.map((each) => path.join(each, DEFAULT_NAME))
  return above.find((each) => isInUse(each) && isOwn(each)) ?? own
}

const isInUse = (dataFolder: string): boolean =>
  FILES.some((name) => kindOf(path.join(dataFolder, name)) !== null)

function isOwn(dataFolder: string): boolean {
  const { uid } = lstatSync(dataFolder)
  return process.getuid === undefined || uid === process.getuid()
}
