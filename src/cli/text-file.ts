/** Reads and replaces small text files of a user, such as the settings of a coding agent. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { kindOf } from '../platform/folders.ts'
import { replaceFile } from '../platform/replace-file.ts'

/** Error for a file that cannot be edited safely. The message is the reason, without the name of the file. */
export class UnfitFile extends Error {}

/**
 * Returns the text of a file of at most 1 MiB; null if it does not exist.
 * @throws UnfitFile for a folder, a FIFO, a device or another encoding
 */
export async function readTextFile(file: string): Promise<string | null> {
  const kind = kindOf(file)
  if (kind === null) return null
  if (kind !== 'file') throw new UnfitFile('is not a regular file')
  const { MAX_REQUEST_BYTES, readAtMost } = await import('./bounded-input.ts')
  const bytes = await readAtMost(file, MAX_REQUEST_BYTES)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new UnfitFile('is not text in UTF-8')
  return text
}

/** Writes a file atomically with the same permissions and owner. Replaces the target of a link instead of the link. */
export function writeTextFile(file: string, text: string, mode = 0o600): void {
  const real = existsSync(file) ? realpathSync(file) : file
  mkdirSync(path.dirname(real), { recursive: true })
  replaceFile(real, text, mode)
}
