// Makes many transcripts from a few real ones.
import { createReadStream, createWriteStream, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

const UUID = /[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g
const CALL = /toolu_[0-9A-Za-z]{4}/g

export const transcriptsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()

/** Repeats real files, each time with new uuids and calls, up to a number of bytes. */
export async function repeatTo(bytes: number, from: readonly string[], folder: string): Promise<string[]> {
  const files: string[] = []
  for (let round = 1, written = 0; written < bytes; round++) {
    for (const [i, file] of from.entries()) {
      if (written >= bytes) break
      const uuid = `${round.toString(16).padStart(8, '0')}-0000-4000-8000-${i.toString(16).padStart(12, '0')}`
      const to = path.join(folder, String(round), `${uuid}.jsonl`)
      mkdirSync(path.dirname(to), { recursive: true })
      await renamed(file, to, round)
      written += statSync(to).size
      files.push(to)
    }
  }
  return files
}

async function renamed(from: string, to: string, round: number): Promise<void> {
  const out = createWriteStream(to)
  const calls = `toolu_${round.toString(36).padStart(4, '0')}`
  for await (const line of createInterface({
    input: createReadStream(from),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const renewed = line
      .replace(UUID, (hex) =>
        ((Number.parseInt(hex, 16) ^ (round * 0x9e3779b1)) >>> 0).toString(16).padStart(8, '0'),
      )
      .replace(CALL, calls)
    if (!out.write(`${renewed}\n`)) await new Promise<void>((resolve) => out.once('drain', () => resolve()))
  }
  await new Promise<void>((resolve) => out.end(() => resolve()))
}
