import { readFile } from 'node:fs/promises'
import { TurngraphError } from '../errors.ts'

/** What a request may hold, over HTTP too. */
const MAX_BYTES = 1024 * 1024

/** The JSON of a file, or of standard input for `-`. */
export async function readRecord(file: string): Promise<unknown> {
  const bytes = file === '-' ? await standardInput() : await contentOf(file)
  const shown = file === '-' ? 'Standard input' : file
  if (bytes.length > MAX_BYTES) {
    throw new TurngraphError('too_large', `${shown} has ${bytes.length} bytes, over the limit of 1 MiB.`)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    // The parser's own words quote the text, which may hold a secret.
    const place =
      cause instanceof Error
        ? (/at position \d+(?: \(line \d+ column \d+\))?/.exec(cause.message)?.[0] ?? '')
        : ''
    throw new TurngraphError('invalid_request', `${shown} is no JSON ${place}`.trimEnd().concat('.'), {
      hint: 'Give one turn record as a JSON object in UTF-8.',
    })
  }
}

async function standardInput(): Promise<Buffer> {
  if (process.stdin.isTTY) {
    throw new TurngraphError('invalid_request', 'There is no record: name a file, or pipe one in.', {
      hint: 'turngraph capture turn.json',
    })
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BYTES) break
  }
  return Buffer.concat(chunks)
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new TurngraphError('not_found', `${file} cannot be read: ${code}.`, { cause })
  }
}
