/** Makes the data folder. Builtin modules only, because hooks load it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { systemCode } from '../../core/system-code.ts'
import { refusePlantedLink } from './own-file.ts'

/** Name of a data folder by default: git ignores its content even if another program made the folder. */
export const DEFAULT_NAME = '.turngraph'

/**
 * Makes a folder that only its owner may read, with a `.gitignore` that keeps its content out of every repository. An existing
 * folder of another name gets no `.gitignore`, because it may hold files to commit. @throws UntrustedFile if it is a link that
 * git tracks
 */
export function makeDataFolder(folder: string): void {
  refusePlantedLink(folder)
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (!isNew && path.basename(folder) !== DEFAULT_NAME) return
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // The folder exists or the disk is full. A command that only reads still works.
    if (!['EEXIST', 'ENOSPC', 'EROFS', 'EACCES', 'EPERM', 'EDQUOT'].includes(systemCode(error) ?? ''))
      throw error
  }
}
