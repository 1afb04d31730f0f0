/** Remembers how often the gate held up each session: a line for each time, in the data folder. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'

/** Some three thousand lines; two such files are read within a millisecond. */
const MOST_BYTES = 256 * 1024

/** Appending is atomic, so two hooks at once lose no line. */
export class GateLog {
  readonly #file: string

  constructor(dataFolder: string) {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    this.#file = path.join(dataFolder, 'gate.log')
  }

  count(sessionId: string): number {
    const end = ` ${JSON.stringify(sessionId)}`
    return [`${this.#file}.old`, this.#file]
      .flatMap((file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []))
      .filter((line) => line.endsWith(end)).length
  }

  add(sessionId: string): void {
    if (existsSync(this.#file) && statSync(this.#file).size > MOST_BYTES)
      renameSync(this.#file, `${this.#file}.old`)
    appendFileSync(this.#file, `${new Date().toISOString()} ${JSON.stringify(sessionId)}\n`, { mode: 0o600 })
  }
}
