// Notices that the file of an open graph was deleted or replaced.
import { statSync } from 'node:fs'
import { TurngraphError } from '../core/errors.ts'

/** The engine makes its file with this size, and may shrink a larger one, but not below it. */
const LEAST_BYTES = 32 * 1024

/** Watches that the file of an open graph stays the one that was opened: what is written into another one is lost. */
export class GraphFile {
  readonly #file: string
  readonly #inode: number
  readonly #leastBytes: number
  #isGone = false

  constructor(file: string) {
    this.#file = file
    const { ino, size } = statSync(file)
    this.#inode = ino
    this.#leastBytes = Math.min(size, LEAST_BYTES)
  }

  /** @throws `store_unavailable`, from then on for good: the engine may have written into it meanwhile */
  refuseIfGone(): void {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    this.#isGone ||= found?.ino !== this.#inode || found.size < this.#leastBytes
    if (!this.#isGone) return
    throw new TurngraphError(
      'store_unavailable',
      `${this.#file} was deleted, cut off or replaced while the graph was open.`,
      {
        hint: 'Export what this process still has (turngraph export). Then end it, and put a copy of the folder in its place.',
      },
    )
  }
}
