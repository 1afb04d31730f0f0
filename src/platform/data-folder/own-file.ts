/**
 * Reads files of the data folder that decide who receives data and who may read it (contract: hardening.md, section 2). A
 * repository must not choose either. Rejects a file that git tracks, that another user owns or may change, or that is not a
 * regular file. Builtin modules only, because hooks load it.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { systemCode } from '../../core/system-code.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { findRepository, isLink } from '../folders.ts'

/** Maximum size of a file that is read: a token and an address are far smaller. */
const MAX_BYTES = 64 * 1024

const OTHERS = 0o077

const GIT_TIMEOUT_MS = 2_000

/** A file that another person may have written. `remedy` is a command or sentence for the user. */
export class UntrustedFile extends Error {
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/**
 * Returns the text of a file that only this user can have written; null if it does not exist.
 * @param remedy how to remove or replace the file, for the error
 * @throws UntrustedFile
 */
export function readOwnFile(file: string, remedy: string): string | null {
  const refuse = (reason: string) => new UntrustedFile(`${file} is not used: ${reason}.`, remedy)
  refusePlantedLink(path.dirname(file))
  const opened = openWithoutLinks(file, refuse)
  if (opened === null) return null
  try {
    const { mode, uid, size } = fstatSync(opened)
    if (!fstatSync(opened).isFile()) throw refuse('it is not a regular file')
    if (process.getuid !== undefined && uid !== process.getuid()) throw refuse('it belongs to another user')
    if (process.getuid !== undefined && (mode & OTHERS) !== 0)
      throw refuse('other users may read or change it')
    if (size > MAX_BYTES) throw refuse(`it is larger than ${MAX_BYTES} bytes`)
    if (isTrackedByGit(file)) throw refuse('git tracks it, so its content may come from another person')
    return readFileSync(opened, 'utf8')
  } finally {
    closeSync(opened)
  }
}

/** Rejects a data folder that is a link in a repository, which must not choose the folder of the data. @throws UntrustedFile */
export function refusePlantedLink(folder: string): void {
  if (!isLink(folder) || !isTrackedByGit(folder)) return
  throw new UntrustedFile(
    `${folder} is not used: it is a link that git tracks.`,
    `Remove it: rm ${quoteForShell(folder)}. To use the folder that it names, set TURNGRAPH_DATA to that folder.`,
  )
}

/** Without O_NONBLOCK, opening a FIFO waits for a writer. */
function openWithoutLinks(file: string, refuse: (reason: string) => UntrustedFile): number | null {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return null
    if (code === 'ELOOP') throw refuse('it is a symbolic link')
    if (code === 'ENXIO' || code === 'EISDIR') throw refuse('it is not a regular file')
    if (code === 'EACCES' || code === 'EPERM') throw refuse('this user may not read it')
    throw error
  }
}

/** False outside a repository and on a machine without git. */
export function isTrackedByGit(file: string): boolean {
  const folder = realFolder(path.dirname(file))
  if (folder === null) return false
  const root = findRepository(folder)
  if (root === undefined) return false
  // Settings of a repository must not start a program. Variables of a surrounding git command must not choose another repository.
  const args = [
    '--literal-pathspecs',
    '-c',
    'core.fsmonitor=false',
    '-C',
    root,
    'ls-files',
    '--error-unmatch',
    '--',
  ]
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const { status, signal } = spawnSync(
    'git',
    [...args, path.relative(root, path.join(folder, path.basename(file)))],
    {
      stdio: 'ignore',
      timeout: GIT_TIMEOUT_MS,
      env: { ...Object.fromEntries(environment), GIT_OPTIONAL_LOCKS: '0' },
    },
  )
  return status === 0 || signal !== null // git was stopped at its time limit, so it may track the file
}

function realFolder(folder: string): string | null {
  try {
    return realpathSync(folder)
  } catch {
    return null // the folder does not exist
  }
}
