/** Remembers what the gate said to each session: a line each time, in the data folder. */
import path from 'node:path'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { appendLine, readSmallFile, UnusableFile } from './hook-files.ts'

/** About 500 lines, and as many in the file before. */
const MAX_LOG_BYTES = 48 * 1024

/** The time, the session as JSON, and the digest of what was said, which older lines do not have. */
const LINE = /^\S+ ("(?:[^"\\]|\\.)*")(?: (\w+))?$/

export class GateLog {
  readonly #file: string

  constructor(dataFolder: string) {
    makeDataFolder(dataFolder)
    this.#file = path.join(dataFolder, 'gate.log')
  }

  /** How often the gate spoke to a session, and the digest of what it said last. */
  read(sessionId: string): { times: number; lastDigest: string | null } {
    const id = JSON.stringify(sessionId)
    const spoken = [`${this.#file}.old`, this.#file]
      .flatMap((file) => readLines(file))
      .map((line) => LINE.exec(line))
      .filter((parts) => parts?.[1] === id)
    return { times: spoken.length, lastDigest: spoken.at(-1)?.[2] ?? null }
  }

  add(sessionId: string, digest: string): void {
    const line = `${new Date().toISOString()} ${JSON.stringify(sessionId)} ${digest}`
    appendLine(this.#file, MAX_LOG_BYTES, line)
  }
}

/** An earlier version let the file grow beyond what is read: such a file is replaced at the next line. */
function readLines(file: string): string[] {
  try {
    return (readSmallFile(file) ?? '').split('\n')
  } catch (error) {
    if (error instanceof UnusableFile) return []
    throw error
  }
}
