/** Reads a file or standard input whole, and no more of it than a limit: `/dev/zero` has no end. */
import { createReadStream } from 'node:fs'
import { TurngraphError } from '../core/errors.ts'

/** What a request may hold, over HTTP too. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/**
 * @param file `-` is standard input
 * @throws `too_large` as soon as there is more, or the system's error where the file cannot be read
 */
export async function readAtMost(file: string, limit: number): Promise<Buffer> {
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
