/** Writes what a command makes to standard output, or to a file that appears under its name once it is whole. */
import { constants, createWriteStream } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidField } from '../core/errors.ts'

/** Parts are made as fast as they are taken: no more than a few of them wait. */
export async function writeWhole(
  parts: Iterable<string> | AsyncIterable<string>,
  out: string | undefined,
): Promise<void> {
  if (out === undefined) return pipeline(Readable.from(parts), process.stdout, { end: false })
  // The last good file is not overwritten by half of the next.
  const partial = `${out}.partial`
  try {
    await pipeline(Readable.from(parts), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, out)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/**
 * Fails before anything is read where a file could not be written in the end.
 *
 * @throws `invalid_request` that names `--out`
 */
export async function checkOut(out: string): Promise<void> {
  if (await isFolder(out)) throw invalidField('out', `"${out}" is a folder`, { hint: 'Name a file in it.' })
  const folder = path.dirname(out)
  if (!(await isFolder(folder))) {
    throw invalidField('out', `the folder "${folder}" does not exist`, { hint: 'Make it first: mkdir -p.' })
  }
  try {
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw invalidField('out', `no file can be written in the folder "${folder}"`, {
      hint: 'Name a file in a folder that is yours.',
      cause,
    })
  }
}

/** A path that cannot be read counts as no folder: the write would fail on it, too. */
const isFolder = (name: string): Promise<boolean> =>
  stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  )
