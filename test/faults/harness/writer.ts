import { parseWire } from '../../../src/core/wire-form.ts'
import type { TurnState } from '../../../src/memory/record/record.ts'
import { captureAnswer } from '../../../src/operations/memory.ts'
import { type Op, type Place, plannedParts, plannedTurn } from './planned-turn.ts'
import type { Random } from './random.ts'
import { holds, pause } from './scenario.ts'
import { type Exchange, sendTurn } from './send.ts'

/** A record that the service has acknowledged (or that was found stored), with its answer. */
export type Stored = { op: Op; record: TurnState }

const SUPERSEDES_ONE_IN = 6
const BACK_OFF_MS = 25

/**
 * An orchestrator of one world: captures turns in order, and sometimes supersedes a recent one. A capture
 * without an answer is sent again before any other, as the contract requires.
 */
export class Writer {
  readonly place: Place
  /** Stored records, in the order in which they took effect. */
  readonly stored: Stored[] = []
  /** The capture that was sent but is not acknowledged yet. */
  inFlight: Op | null = null
  readonly #random: Random
  /** The op in flight was found stored after a crash: its repeat must be answered 200 with the same record. */
  #landed: Stored | null = null

  constructor(place: Place, random: Random) {
    this.place = place
    this.#random = random
  }

  get currentTurn(): number {
    return this.stored.reduce((newest, { op }) => Math.max(newest, op.turn), 0)
  }

  /** Returns the current record of each turn, ascending. */
  standing(): Stored[] {
    const byTurn = new Map(this.stored.map((stored) => [stored.op.turn, stored]))
    return [...byTurn.values()].sort((a, b) => a.op.turn - b.op.turn)
  }

  /** Returns the superseded records of a turn, newest first. */
  replaced(turn: number): Stored[] {
    return this.stored
      .filter(({ op }) => op.turn === turn)
      .slice(0, -1)
      .reverse()
  }

  /** Notes that the capture in flight was stored. */
  land(record: TurnState): void {
    if (this.inFlight === null || this.#landed !== null) return
    this.#landed = { op: this.inFlight, record }
    this.stored.push(this.#landed)
  }

  /** Sends captures until `stop`. `onExchange` receives every answer; `url` may change between them. */
  async run(url: () => string, stop: AbortSignal, onExchange: (seen: Exchange) => void): Promise<void> {
    while (!stop.aborted) await this.#sendNext(url(), onExchange)
  }

  /** Sends the capture in flight until it is acknowledged. */
  async finish(url: string, onExchange: (seen: Exchange) => void): Promise<void> {
    while (this.inFlight !== null) await this.#sendNext(url, onExchange)
  }

  async #sendNext(url: string, onExchange: (seen: Exchange) => void): Promise<void> {
    const repeated = this.inFlight !== null
    const op = this.inFlight ?? this.#next()
    this.inFlight = op
    const seen = await sendTurn(url, plannedTurn(this.place, op))
    onExchange(seen)
    if (seen.status === 200 || seen.status === 201) {
      this.#acknowledge(op, seen, repeated)
      return
    }
    const passes = [0, 503, 504].includes(seen.status) || seen.body?.error?.code === 'busy'
    holds(passes, 'a capture is stored, or fails with an error that allows a retry', {
      ...this.place,
      op,
      seen,
    })
    await pause(BACK_OFF_MS)
  }

  #acknowledge(op: Op, seen: Exchange, repeated: boolean): void {
    const { created, superseded, worldCreated, redactions, ...record } = parseWire(
      captureAnswer,
      seen.body,
      'answer',
    )
    const landed = this.#landed
    holds(repeated || created, 'a first capture is answered 201', { ...this.place, op, seen })
    holds(landed === null || !created, 'a stored capture is not stored again', { ...this.place, op, seen })
    holds(partsFit(op, record), 'an answer contains the whole record', { ...this.place, op, record })
    if (landed === null) this.stored.push({ op, record })
    this.inFlight = null
    this.#landed = null
  }

  #next(): Op {
    const standing = this.standing()
    if (standing.length > 0 && this.#random.between(1, SUPERSEDES_ONE_IN) === 1) {
      const recent = standing.slice(-3)
      const { op } = recent[this.#random.between(0, recent.length - 1)] as Stored
      return { turn: op.turn, revision: op.revision + 1 }
    }
    return { turn: this.currentTurn + 1, revision: 1 }
  }
}

export function partsFit(op: Op, record: TurnState): boolean {
  const planned = plannedParts(op)
  return (
    record.verifications.length === planned.verifications &&
    record.promises.length === planned.promises &&
    record.issues.length === planned.issues &&
    Object.keys(record.gates).length === planned.gates
  )
}
