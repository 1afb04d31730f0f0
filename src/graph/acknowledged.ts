/**
 * Remembers, beside an embedded graph, up to which of its commits writes were acknowledged. The engine's log ends where it
 * cannot be read further, so damage near its end looks like a shorter log: an opening that finds fewer commits than were
 * acknowledged has lost some.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { sha256 } from '../core/keys.ts'

/** The number of a commit, which the engine counts, and when it was acknowledged. */
type Mark = { commit: number; at: string }

/** One a second is kept, so that a loss can be told by the time since when. */
const SLOTS = 64
const SLOT_BYTES = 64
/** Files of older versions have no checksum. */
const MARK = /^(\d{16}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?: ([0-9a-f]{8}))? *$/

export const acknowledgedFile = (folder: string): string => path.join(folder, 'graph.acknowledged')

export class Acknowledged {
  readonly #folder: string
  #slots: (Mark | null)[]
  #newest: number
  #handle: number | null = null

  /** @throws `store_unavailable` where the file holds anything else */
  constructor(folder: string) {
    this.#folder = folder
    this.#slots = readSlots(acknowledgedFile(folder))
    const last = Math.max(...this.#slots.map((mark) => mark?.commit ?? 0))
    this.#newest = this.#slots.findIndex((mark) => mark?.commit === last)
  }

  /** What an opening that finds `commit` as the last one has lost; null: nothing. */
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

  /** Goes on from `commit`, as the last one that there is. */
  acceptLossAfter(commit: number): void {
    this.#slots = this.#slots.map((mark) => (mark !== null && mark.commit <= commit ? mark : null))
    this.#newest = 0
    this.#slots[0] = { commit, at: new Date().toISOString() }
    this.#replaceFile()
  }

  /**
   * Called once the log is synced, and not synced itself: after a power cut it may be behind the log, and is never ahead of
   * it. A mark lies within one sector, so it is there whole or not at all; to write one takes no further room on the disk.
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
    const draft = `${acknowledgedFile(this.#folder)}.draft`
    writeFileSync(draft, this.#slots.map(slotText).join(''), { mode: 0o600, flush: true })
    renameSync(draft, acknowledgedFile(this.#folder))
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
  throw new TurngraphError(
    'store_unavailable',
    `${file} is damaged: it does not say which writes were acknowledged.`,
    {
      hint: 'Remove the file where the graph is whole: the next write makes a new one.',
    },
  )
}

/** A slot with another checksum says nothing: a changed digit would tell of writes that never were. */
function parseSlot(text: string): Mark | null {
  const [, commit, at, sum] = MARK.exec(text.trimEnd()) ?? []
  if (sum !== undefined && sum !== checksum(`${commit} ${at}`)) return null
  return commit === undefined || at === undefined ? null : { commit: Number(commit), at }
}

export const HOW_TO_GO_ON =
  'Put a copy of the folder in its place, or restore an export into a new folder. To go on without them: turngraph serve --accept-loss, or TURNGRAPH_ACCEPT_LOSS=on for a command.'
