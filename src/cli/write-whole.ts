/** Writes output to standard output, or atomically to a file. */
import { constants, createWriteStream } from 'node:fs'
import { access, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidField } from '../core/errors.ts'

/** Writes parts as a stream, so that only a few of them are in memory. */
export async function writeWhole(
  parts: Iterable<string> | AsyncIterable<string>,
  out: string | undefined,
): Promise<void> {
  if (out === undefined) return pipeline(Readable.from(parts), process.stdout, { end: false })
  // Writes directly to a FIFO or a device, which a rename would replace with a file.
  if ((await findKind(out)) === 'other') return pipeline(Readable.from(parts), createWriteStream(out))
  const target = await followLinks(out)
  // Does not overwrite the existing file with an incomplete one. The temporary name is random and the file must be new: a link at
  // a known name could redirect the output, and two simultaneous commands would write to the same file.
  const partial = path.join(path.dirname(target), `.turngraph-${crypto.randomUUID()}.partial`)
  try {
    await pipeline(Readable.from(parts), createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Checks that the output file can be written, before any data is read. @throws `invalid_request` that names `--out` */
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

/** Returns the kind of a path; null if it cannot be read: writing it would also fail. */
const findKind = (name: string): Promise<'folder' | 'file' | 'other' | null> =>
  stat(name).then(
    (found) => (found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'),
    () => null,
  )

/** Resolves a symbolic link to its target, which may not exist yet: like a shell, a command writes to the target. */
async function followLinks(name: string): Promise<string> {
  const found = await realpath(name).catch((error: NodeJS.ErrnoException) => error)
  if (typeof found === 'string') return found
  // For a cycle of links, returns the name itself.
  const leadsTo = found.code === 'ENOENT' ? await readlink(name).catch(() => null) : null
  return leadsTo === null ? name : followLinks(path.resolve(path.dirname(name), leadsTo))
}
