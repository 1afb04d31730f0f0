/** Logs each message of the gate to a session as one line, in the data folder. */
import path from 'node:path'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { appendLine, readSmallFile, UnusableFile } from './hook-files.ts'

/** Maximum size of the file: about 500 lines. The previous file has as many. */
const MAX_LOG_BYTES = 48 * 1024

const LINE = /^\S+ ("(?:[^"\\]|\\.)*") (\w+)$/

export class GateLog {
  readonly #file: string

  constructor(dataFolder: string) {
    makeDataFolder(dataFolder)
    this.#file = path.join(dataFolder, 'gate.log')
  }

  /** Returns the number of messages of the gate to a session, and the digest of the last one. */
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

function readLines(file: string): string[] {
  try {
    return (readSmallFile(file) ?? '').split('\n')
  } catch (error) {
    if (error instanceof UnusableFile) return []
    throw error
  }
}
