/** Declares what a guarantee of the memory is, and what one has to try it with. */
import type { TurngraphClient } from '../client/client.ts'
import type { OperationInput } from '../operations/table.ts'

export type TurnToSend = OperationInput<'captureTurnState'>

/** What was counted while a guarantee was tried. */
export type Figures = Record<string, number>

export type Guarantee = {
  name: string
  /** In one sentence, as it is promised to callers. */
  promise: string
  /** @throws BrokenGuarantee where the store does not hold to it */
  run(trial: Trial): Promise<Figures>
}

/** A store under proof. Everything happens in projects that begin with `project` and are deleted afterwards. */
export interface Trial {
  readonly client: TurngraphClient
  readonly project: string
  /** Names a further project, which is deleted afterwards too. */
  nameProject(suffix: string): string
  /** Closes the connection and opens another one, as the next process does. */
  reopen(): Promise<void>
  /** Runs a writer in a process of its own, kills it in the middle, and answers the numbers of the turns it was acknowledged. */
  killWriter(turns: readonly TurnToSend[]): Promise<readonly number[]>
}

/** What a store did that it must not do. */
export class BrokenGuarantee extends Error {
  readonly seen: unknown

  constructor(message: string, seen?: unknown) {
    super(message)
    this.name = 'BrokenGuarantee'
    this.seen = seen
  }
}

/** @throws BrokenGuarantee with what was seen, unless `condition` */
export function requireThat(condition: boolean, what: string, seen?: unknown): asserts condition {
  if (!condition) throw new BrokenGuarantee(what, seen)
}
