/** Tries every guarantee of the memory on a store, in projects of its own, and removes those afterwards. */
import type { TurngraphClient } from '../client/client.ts'
import { type ErrorCode, hasCode, TurngraphError } from '../core/errors.ts'
import type { ForgetAnswer } from '../maintenance/forget/record.ts'
import { BrokenGuarantee, type Figures, type Guarantee, type Trial, type TurnToSend } from './guarantee.ts'
import { acknowledgedIsStored } from './guarantees/acknowledged-is-stored.ts'
import { deterministic } from './guarantees/deterministic.ts'
import { fenced } from './guarantees/fenced.ts'
import { idempotent } from './guarantees/idempotent.ts'
import { judgeIsolated } from './guarantees/judge-isolated.ts'
import { noBleed } from './guarantees/no-bleed.ts'
import { staysPrivate } from './guarantees/private.ts'

export const GUARANTEES: readonly Guarantee[] = [
  acknowledgedIsStored,
  idempotent,
  fenced,
  noBleed,
  judgeIsolated,
  staysPrivate,
  deterministic,
]

export type ProveOptions = {
  /** Opens a connection to the store, as a process does that begins. */
  open(): Promise<TurngraphClient>
  /**
   * Captures turns in a process of its own that is killed in the middle, while no connection of ours is open. Default: none
   * is killed.
   *
   * @returns the numbers of the turns that were acknowledged
   */
  killWriter?: (turns: readonly TurnToSend[]) => Promise<readonly number[]>
  /** Begins the names of its projects. */
  project: string
  /** Told before each guarantee is tried. */
  onBegin?: (guarantee: Guarantee) => void
}

export type Proven = {
  name: string
  promise: string
  holds: boolean
  seconds: number
  figures: Figures
  /** Why it does not hold; null: it does. */
  broken: { what: string; seen: unknown } | null
}

/**
 * Tries the guarantees one after the other; one that is broken does not keep the others from being tried.
 *
 * @throws what is no answer about a guarantee: a store that is away
 */
export async function prove(options: ProveOptions): Promise<Proven[]> {
  const trial = await StoreTrial.open(options)
  try {
    const proven: Proven[] = []
    for (const guarantee of GUARANTEES) {
      options.onBegin?.(guarantee)
      proven.push(await tryGuarantee(guarantee, trial))
    }
    return proven
  } finally {
    await trial.close()
  }
}

async function tryGuarantee({ name, promise, run }: Guarantee, trial: Trial): Promise<Proven> {
  const began = performance.now()
  const result = (figures: Figures, broken: Proven['broken']): Proven => ({
    name,
    promise,
    holds: broken === null,
    seconds: (performance.now() - began) / 1_000,
    figures,
    broken,
  })
  try {
    return result(await run(trial), null)
  } catch (error) {
    if (error instanceof BrokenGuarantee) return result({}, { what: error.message, seen: error.seen })
    // What a guarantee did not expect breaks it, too: a record that is not there, or one that cannot be read.
    if (error instanceof TurngraphError && !AWAY.has(error.code))
      return result({}, { what: error.message, seen: error.toWire() })
    throw error
  }
}

const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'store_unavailable',
  'timeout',
  'unauthorized',
  'forbidden',
  'rate_limited',
])

class StoreTrial implements Trial {
  readonly project: string
  readonly #options: ProveOptions
  readonly #projects: Set<string>
  #client: TurngraphClient

  private constructor(options: ProveOptions, client: TurngraphClient) {
    this.#options = options
    this.#client = client
    this.project = options.project
    this.#projects = new Set([options.project])
  }

  static async open(options: ProveOptions): Promise<StoreTrial> {
    return new StoreTrial(options, await options.open())
  }

  get client(): TurngraphClient {
    return this.#client
  }

  nameProject(suffix: string): string {
    const name = `${this.project}-${suffix}`
    this.#projects.add(name)
    return name
  }

  async reopen(): Promise<void> {
    await this.#client.close()
    this.#client = await this.#options.open()
  }

  async killWriter(turns: readonly TurnToSend[]): Promise<readonly number[]> {
    const { killWriter, open } = this.#options
    if (killWriter === undefined) return []
    await this.#client.close()
    try {
      return await killWriter(turns)
    } finally {
      this.#client = await open()
    }
  }

  async close(): Promise<void> {
    try {
      for (const project of this.#projects) await forgetProject(this.#client, project)
    } finally {
      await this.#client.close()
    }
  }
}

async function forgetProject(client: TurngraphClient, project: string): Promise<void> {
  for (let answer: ForgetAnswer | null = null; answer?.done !== true; ) {
    const cursor = answer?.nextCursor ?? null
    try {
      answer = await client.forget({ project, wholeProject: true, dryRun: false, cursor })
    } catch (error) {
      if (hasCode(error, 'not_found')) return // no guarantee came so far as to write there
      throw error
    }
  }
}
