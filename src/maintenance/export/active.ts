/**
 * Ends the active run and attempt of a world in its export: a lease belongs to the graph that granted it, and two graphs must
 * not both grant it. The export shows them as interrupted at the last renewal of the lease, by the rules of the lifecycle.
 */
import { toInstant } from '../../core/instants.ts'
import type { WorldState } from '../../runs/decision.ts'
import { reconcile } from '../../runs/lifecycle/reconcile.ts'
import { type Attempt, attemptRow, runRow, type TurnRun } from '../../runs/record.ts'
import { type Found, type NodeKind, recordWith } from './read.ts'
import type { RecordOf } from './records.ts'
import { storedForms } from './stored-form.ts'

export function endActive(
  world: WorldState,
  attempts: readonly Found<'attempt'>[],
  runs: readonly Found<'turn_run'>[],
): { attempts: RecordOf<'attempt'>[]; runs: RecordOf<'turn_run'>[] } {
  const isActive = ({ node, record }: Found<'attempt' | 'turn_run'>) =>
    storedForms[record.kind].isRecord?.(node) === false
  const [attempt, run] = [attempts.find(isActive)?.node, runs.find(isActive)?.node]
  const view = {
    attempt: attempt === undefined ? null : attemptRow.parse(attempt),
    run: run === undefined ? null : runRow.parse(run),
  }
  const { change } = reconcile(
    { now: Number.POSITIVE_INFINITY, world, ...view, askedRun: null, askedAttempt: null },
    {
      formerLifeOf: null,
      executing: new Set(),
      resumeAs: null,
      at: describeLastHeard(world, view.run ?? view.attempt),
    },
  )
  const ended = <K extends NodeKind>(kind: K, found: Found<K>, after: object = {}) =>
    recordWith(kind, found, after) ?? []
  return {
    attempts: attempts.flatMap((one) =>
      one.node === attempt ? ended('attempt', one, change?.attempt) : one.record,
    ),
    runs: runs.flatMap((one) => (one.node === run ? ended('turn_run', one, change?.run) : one.record)),
  }
}

/** Returns the time of the last renewal: each renewal sets the lease to end one `leaseTtlMs` later. */
function describeLastHeard({ leaseTtlMs }: WorldState, work: TurnRun | Attempt | null): string {
  if (work === null) return ''
  const renewed = work.leaseUntil - leaseTtlMs
  return toInstant(new Date(Math.max(renewed, Date.parse(work.startedAt))))
}
