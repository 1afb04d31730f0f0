/**
 * Reads and writes the small files that hooks use. A hook must end whatever a repository or data folder contains, so only regular
 * files of at most 64 KiB are used: a FIFO waits, and a device may have no end. Builtin modules only.
 */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { isGone, systemCode } from '../core/system-code.ts'

export const MAX_FILE_BYTES = 64 * 1024

/** A file that a hook does not use. The message is the reason, without the name of the file. */
export class UnusableFile extends Error {}

/** Returns the text of a file; null if it does not exist. @throws UnusableFile */
export function readSmallFile(file: string): string | null {
  const opened = openRegular(file, constants.O_RDONLY)
  if (opened === null) return null
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1)
    const length = fill(buffer, opened)
    if (length > MAX_FILE_BYTES) throw new UnusableFile('is larger than 64 KiB')
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(opened)
  }
}

export function fill(buffer: Buffer, opened: number): number {
  let length = 0
  while (length < buffer.length) {
    const read = readSync(opened, buffer, length, buffer.length - length, null)
    if (read === 0) break
    length += read
  }
  return length
}

/**
 * Opens a file of lines to append to. A file above its limit is renamed to `.old` first. Appending is atomic, so two hooks at
 * once lose no line. @throws UnusableFile
 */
export function openToAppend(file: string, maxBytes: number): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const open = () => {
    const opened = openRegular(file, flags)
    if (opened === null) throw new UnusableFile('has no folder')
    return opened
  }
  const opened = open()
  if (fstatSync(opened).size <= maxBytes) return opened
  closeSync(opened)
  renameSync(file, `${file}.old`)
  return open()
}

export function appendLine(file: string, maxBytes: number, line: string): void {
  const opened = openToAppend(file, maxBytes)
  try {
    writeSync(opened, `${line}\n`)
  } finally {
    closeSync(opened)
  }
}

/** Opens a file; null if it does not exist. Without O_NONBLOCK, opening a FIFO waits for its other end. */
function openRegular(file: string, flags: number): number | null {
  let opened: number
  try {
    opened = openSync(file, flags | (constants.O_NONBLOCK ?? 0), 0o600)
  } catch (error) {
    if (isGone(error)) return null
    const code = systemCode(error)
    if (code === 'ELOOP') throw new UnusableFile('is a symbolic link')
    if (code === 'EISDIR' || code === 'ENXIO') throw new UnusableFile('is not a regular file')
    throw new UnusableFile('cannot be opened', { cause: error })
  }
  if (fstatSync(opened).isFile()) return opened
  closeSync(opened)
  throw new UnusableFile('is not a regular file')
}
