/** Tries every guarantee of the memory on a store, in projects of its own, and removes those afterwards. */
import { hasCode, TurngraphError } from '../core/errors.ts'
import { BrokenGuarantee, type Figures, type Guarantee } from './guarantee.ts'
import { acknowledgedIsStored } from './guarantees/acknowledged-is-stored.ts'
import { deterministic } from './guarantees/deterministic.ts'
import { fenced } from './guarantees/fenced.ts'
import { idempotent } from './guarantees/idempotent.ts'
import { judgeIsolated } from './guarantees/judge-isolated.ts'
import { noBleed } from './guarantees/no-bleed.ts'
import { staysPrivate } from './guarantees/private.ts'
import { Trial, type TrialOptions } from './trial.ts'

export const GUARANTEES: readonly Guarantee[] = [
  acknowledgedIsStored,
  idempotent,
  fenced,
  noBleed,
  judgeIsolated,
  staysPrivate,
  deterministic,
]

type ProveOptions = TrialOptions & {
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
  const trial = new Trial(options, await options.open())
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
    if (hasCode(error, ...AWAY)) throw error
    if (error instanceof BrokenGuarantee) return result({}, { what: error.message, seen: error.seen })
    // What a guarantee did not expect breaks it, too: a record that is not there, or one that cannot be read.
    if (error instanceof TurngraphError) return result({}, { what: error.message, seen: error.toWire() })
    throw error
  }
}

const AWAY = ['store_unavailable', 'timeout', 'unauthorized', 'forbidden', 'rate_limited'] as const
