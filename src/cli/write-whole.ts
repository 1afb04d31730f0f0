/** Writes what a command makes to standard output, or to a file that appears under its name once it is whole. */
import { constants, createWriteStream } from 'node:fs'
import { access, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
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
  // A FIFO or a device takes what is written; a file in its place would be something else.
  if ((await findKind(out)) === 'other') return pipeline(Readable.from(parts), createWriteStream(out))
  const target = await followLinks(out)
  // The last good file is not overwritten by half of the next. A name that nobody can foresee, and no file that is there
  // already: a link could lead the writing elsewhere, and of two commands at once each would write into the other's.
  const partial = path.join(path.dirname(target), `.turngraph-${crypto.randomUUID()}.partial`)
  try {
    await pipeline(Readable.from(parts), createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, target)
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
  const kind = await findKind(out)
  if (kind === 'folder') throw invalidField('out', `"${out}" is a folder`, { hint: 'Name a file in it.' })
  if (kind === 'other') return refuseUnwritable(out, constants.W_OK, `"${out}" cannot be written`)
  const folder = path.dirname(await followLinks(out))
  if ((await findKind(folder)) !== 'folder') {
    throw invalidField('out', `the folder "${folder}" does not exist`, { hint: 'Make it first: mkdir -p.' })
  }
  const message = `no file can be written in the folder "${folder}"`
  await refuseUnwritable(folder, constants.W_OK | constants.X_OK, message)
}

async function refuseUnwritable(place: string, mode: number, message: string): Promise<void> {
  try {
    await access(place, mode)
  } catch (cause) {
    throw invalidField('out', message, { hint: 'Name a file in a folder that is yours.', cause })
  }
}

/** A path that cannot be read counts as none: the write would fail on it, too. */
const findKind = (name: string): Promise<'folder' | 'file' | 'other' | null> =>
  stat(name).then(
    (found) => (found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'),
    () => null,
  )

/** The file that a symbolic link leads to, which may not be there yet: a link is written through, as a shell does. */
async function followLinks(name: string): Promise<string> {
  const found = await realpath(name).catch((error: NodeJS.ErrnoException) => error)
  if (typeof found === 'string') return found
  // Of links in a circle the name itself is written: it leads nowhere.
  const leadsTo = found.code === 'ENOENT' ? await readlink(name).catch(() => null) : null
  return leadsTo === null ? name : followLinks(path.resolve(path.dirname(name), leadsTo))
}
