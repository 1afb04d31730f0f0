// Writes files of the data folder atomically and readable by their owner only.
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { diskError, TurngraphError } from '../../core/errors.ts'
import { systemCode } from '../../core/system-code.ts'
import { readOwnFile, UntrustedFile } from './own-file.ts'

/** @throws `invalid_request` if git tracks the file, or another user may read or change it */
export const readPrivateFile = (file: string, remedy: string): string | null =>
  refuseUntrusted(() => readOwnFile(file, remedy))

/** @throws `invalid_request` if the work meets a file that another person may have written */
export function refuseUntrusted<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof UntrustedFile)) throw error
    throw new TurngraphError('invalid_request', error.message, { hint: error.remedy, cause: error })
  }
}

export function replacePrivateFile(file: string, text: string): void {
  const draft = writeDraft(file, text)
  try {
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Creates a file; false if it exists, so that two processes that start at once use the file of the first. */
export function createPrivateFile(file: string, text: string): boolean {
  const draft = writeDraft(file, text)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function writeDraft(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.${crypto.randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    return draft
  } catch (error) {
    rmSync(draft, { force: true })
    throw diskError(error, path.dirname(file)) ?? error
  }
}

/** Permission bits of other users. Windows has no modes, and its folders are private. */
const OTHERS = 0o077

/** Removes the permissions of other users from a file that another program created. Skips files of other users. */
export function makePrivate(place: string): void {
  const { mode, uid } = statSync(place)
  if ((mode & OTHERS) !== 0 && uid === process.getuid?.()) chmodSync(place, mode & 0o700)
}

export const isOpenToOthers = (folder: string): boolean =>
  process.getuid !== undefined && ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0
