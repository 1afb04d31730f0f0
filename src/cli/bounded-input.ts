/** Reads a file or standard input whole, and no more of it than a limit: `/dev/zero` has no end. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { TurngraphError } from '../core/errors.ts'

/** What a request may hold, over HTTP too. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/**
 * @param file `-` is standard input
 * @throws `too_large` as soon as there is more, `invalid_request` for a FIFO or a device of a folder, or the system's error where
 *   the file cannot be read
 */
export async function readAtMost(file: string, limit: number): Promise<Buffer> {
  if (file !== '-') await refuseEndless(file)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= limit) continue
    const shown = file === '-' ? 'Standard input' : file
    throw new TurngraphError('too_large', `${shown} is over the limit of ${limit / 1024 / 1024} MiB.`, {
      hint: 'Split it, or name another file.',
    })
  }
  return Buffer.concat(chunks)
}

/** Names of the system, such as that of a process substitution of a shell, are the choice of the user. */
const OF_THE_SYSTEM = /^\/(?:dev|proc)\//

/** A file of a folder may be another person's. Opening a FIFO waits for its other end, and a device may have no end. */
async function refuseEndless(file: string): Promise<void> {
  if (OF_THE_SYSTEM.test(file)) return
  const found = await stat(file)
  if (found.isFile() || found.isDirectory()) return
  throw new TurngraphError('invalid_request', `${file} is not a regular file.`, {
    hint: 'Name another file, or pipe the content in.',
  })
}
