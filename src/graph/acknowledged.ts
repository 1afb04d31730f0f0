/**
 * Stores, next to an embedded graph, the number of its last acknowledged commit. The engine's log ends at the
 * first unreadable byte, so damage near its end looks like a shorter log. If the engine finds fewer commits
 * than were acknowledged when it opens the graph, commits were lost.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { sha256 } from '../core/keys.ts'
import { replacePrivateFile } from '../platform/data-folder/private-file.ts'

/** The engine's number of a commit, and the time when the commit was acknowledged. */
type Mark = { commit: number; at: string }

/** Marks in the file, at most one per second. After a loss, they give the time of the last commit that is left. */
const SLOTS = 64
const SLOT_BYTES = 64
const MARK = /^(\d{16}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}) *$/

export const acknowledgedFile = (folder: string): string => path.join(folder, 'graph.acknowledged')

export class Acknowledged {
  readonly #folder: string
  #slots: (Mark | null)[]
  #newest: number
  #handle: number | null = null

  /** @throws `store_unavailable` if the file has other content */
  constructor(folder: string) {
    this.#folder = folder
    this.#slots = readSlots(acknowledgedFile(folder))
    const last = Math.max(...this.#slots.map((mark) => mark?.commit ?? 0))
    this.#newest = this.#slots.findIndex((mark) => mark?.commit === last)
  }

  lossAfter(commit: number): TurngraphError | null {
    const last = this.#slots[this.#newest]
    if (last == null || last.commit <= commit) return null
    const before = this.#slots
      .filter((mark) => mark !== null && mark.commit <= commit)
      .sort((a, b) => (b?.commit ?? 0) - (a?.commit ?? 0))[0]
    const since = before == null ? '' : ` since ${before.at}`
    const count = last.commit - commit
    return new TurngraphError(
      'store_unavailable',
      `The graph in ${this.#folder} has lost up to ${count} acknowledged writes, made${since} until ${last.at}.`,
      { hint: HOW_TO_GO_ON, details: { lost_writes: count } },
    )
  }

  acceptLossAfter(commit: number): void {
    this.#slots = this.#slots.map((mark) => (mark !== null && mark.commit <= commit ? mark : null))
    this.#newest = 0
    this.#slots[0] = { commit, at: new Date().toISOString() }
    this.#replaceFile()
  }

  /**
   * Call this after the log was synced. The mark itself is not synced: after a power cut it may be behind the
   * log, but it is never ahead of it. A mark lies within one sector, so it is written completely or not at
   * all, and writing it needs no additional disk space.
   */
  write(commit: number): void {
    const last = this.#slots[this.#newest] ?? null
    if (last !== null && commit <= last.commit) return
    const at = new Date().toISOString()
    if (last?.at.slice(0, 19) !== at.slice(0, 19)) this.#newest = (this.#newest + 1) % SLOTS
    this.#slots[this.#newest] = { commit, at }
    if (!existsSync(acknowledgedFile(this.#folder))) this.#replaceFile()
    this.#handle ??= openSync(acknowledgedFile(this.#folder), 'r+')
    writeSync(this.#handle, slotText({ commit, at }), this.#newest * SLOT_BYTES)
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle)
    this.#handle = null
  }

  #replaceFile(): void {
    this.close()
    replacePrivateFile(acknowledgedFile(this.#folder), this.#slots.map(slotText).join(''))
  }
}

const slotText = (mark: Mark | null): string =>
  `${(mark === null ? '' : withChecksum(`${String(mark.commit).padStart(16, '0')} ${mark.at}`)).padEnd(SLOT_BYTES - 1)}\n`

const checksum = (text: string): string => sha256(text).slice(0, 8)
const withChecksum = (text: string): string => `${text} ${checksum(text)}`

function readSlots(file: string): (Mark | null)[] {
  if (!existsSync(file)) return Array.from({ length: SLOTS }, () => null)
  const text = readFileSync(file, 'latin1')
  const slots = Array.from({ length: SLOTS }, (_, i) =>
    parseSlot(text.slice(i * SLOT_BYTES, (i + 1) * SLOT_BYTES)),
  )
  if (slots.some((mark) => mark !== null) || text.trim() === '') return slots
  throw new TurngraphError('store_unavailable', `${file} is damaged: the acknowledged writes are unknown.`, {
    hint: 'If the graph is complete, remove the file: the next write creates a new one.',
  })
}

/** Ignores a slot whose checksum does not match: a changed digit would report writes that never happened. */
function parseSlot(text: string): Mark | null {
  const [, commit, at, sum] = MARK.exec(text.trimEnd()) ?? []
  if (commit === undefined || at === undefined || sum !== checksum(`${commit} ${at}`)) return null
  return { commit: Number(commit), at }
}

export const HOW_TO_GO_ON =
  'Put a copy of the folder in its place, or restore an export into a new folder. To continue without them: turngraph serve --accept-loss, or TURNGRAPH_ACCEPT_LOSS=on for a command.'
