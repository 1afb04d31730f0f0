/** Reads a whole file or standard input up to a limit, because `/dev/zero` has no end. */
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { TurngraphError } from '../core/errors.ts'

/** Maximum size of a request, also over HTTP. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/** @throws `too_large` as soon as the limit is exceeded, `invalid_request` for a FIFO or a device in a folder */
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

/** Paths of the system, such as a process substitution of a shell, which are the user's choice. */
const OF_THE_SYSTEM = /^\/(?:dev|proc)\//

/**
 * Returns the status of a file. Rejects FIFOs and devices, which another person may have put in a folder: opening a FIFO waits,
 * and a device may have no end.
 */
export async function refuseEndless(file: string): Promise<Stats> {
  const found = await stat(file)
  if (OF_THE_SYSTEM.test(file) || found.isFile() || found.isDirectory()) return found
  throw new TurngraphError('invalid_request', `${file} is not a regular file.`, {
    hint: 'Name another file, or pipe the content in.',
  })
}
