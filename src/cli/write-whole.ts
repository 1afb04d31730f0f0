/** Writes what a command makes to standard output, or to a file that appears under its name once it is whole. */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

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
