/** Declares what a guarantee of the memory is. */
import type { Trial } from './trial.ts'

/** What was counted while a guarantee was tried. */
export type Figures = Record<string, number>

export type Guarantee = {
  name: string
  /** In one sentence, as it is promised to callers. */
  promise: string
  /** @throws BrokenGuarantee where the store does not hold to it */
  run(trial: Trial): Promise<Figures>
}

/** What a store did that it must not do. */
export class BrokenGuarantee extends Error {
  override readonly name = 'BrokenGuarantee'
  readonly seen: unknown

  constructor(message: string, seen: unknown) {
    super(message)
    this.seen = seen
  }
}

/** The error that a call was refused with; null where it was taken. */
export const awaitRefusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

/** @throws BrokenGuarantee with what was seen, unless `condition` */
export function requireThat(condition: boolean, what: string, seen?: unknown): asserts condition {
  if (!condition) throw new BrokenGuarantee(what, seen)
}
