// Notices that the file of an open graph was deleted or replaced.
import { statSync } from 'node:fs'
import { TurngraphError } from '../core/errors.ts'

/** The initial size of the engine's file. The engine may shrink a larger file, but not below this size. */
const MIN_BYTES = 32 * 1024

/** Checks that the file of an open graph is still the opened one: writes into another file are lost. */
export class GraphFile {
  readonly #file: string
  readonly #inode: number
  readonly #leastBytes: number
  #isGone = false

  constructor(file: string) {
    this.#file = file
    const { ino, size } = statSync(file)
    this.#inode = ino
    this.#leastBytes = Math.min(size, MIN_BYTES)
  }

  /** @throws `store_unavailable`, also on all later calls: the engine may have written into the other file since then */
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
