/** Rejects commands that the state of a world does not allow. Pure. */
import { invalidField, TurngraphError } from '../../core/errors.ts'
import { LIMITS } from '../../core/fields.ts'
import { worldAtWork, worldDeleted } from '../../memory/scope/world-errors.ts'
import type { WorldState } from '../decision.ts'
import { type Attempt, isActiveRun, type TurnRun } from '../record.ts'

export function requireFound<T>(found: T | null, what: 'attempt' | 'turn run'): T {
  if (found === null) throw noSuch(what)
  return found
}

export function requireOwnedAttempt(attempt: Attempt | null, fence: number): Attempt {
  const found = requireFound(attempt, 'attempt')
  if (found.status !== 'running') throw leaseLost(`Attempt ${found.attemptId} is ${found.status}.`)
  if (found.fence !== fence) throw leaseLost(`Attempt ${found.attemptId} is not held with fence ${fence}.`)
  return found
}

export function requireOwnedRun(run: TurnRun | null, fence: number): TurnRun {
  const found = requireFound(run, 'turn run')
  if (!isActiveRun(found.status)) throw leaseLost(`Turn run ${found.turnRunId} is ${found.status}.`)
  if (found.fence !== fence) throw leaseLost(`Turn run ${found.turnRunId} has another coordinator.`)
  return found
}

export const refuseDeleted = ({ deleted, slug }: WorldState): void => {
  if (deleted) throw worldDeleted(slug)
}

export function refuseBeyondTheLastTurn(
  { currentTurn, slug }: WorldState,
  count: number,
  path: string,
): void {
  if (currentTurn + count <= LIMITS.turnNumber) return
  const message = `would go beyond turn ${LIMITS.turnNumber}: world ${slug} is at turn ${currentTurn}`
  throw invalidField(path, message, { hint: 'Create another world of the task.' })
}

/** Rejects a turn number that the attempt did not try, because it would break the chain of turns. */
export function refuseOtherTurn({ attemptId, attemptedTurn }: Attempt, turnNumber: number): void {
  if (turnNumber === attemptedTurn) return
  throw invalidField('turn_number', `must be ${attemptedTurn}, the turn that attempt ${attemptId} tries`)
}

export const noSuch = (what: 'attempt' | 'turn run'): TurngraphError =>
  new TurngraphError('not_found', `There is no such ${what} here.`, {
    hint: 'Check its id, its world and the project of this connection; list_attempts lists the attempts of a world.',
  })

export const leaseLost = (message: string): TurngraphError =>
  new TurngraphError('lease_lost', message, {
    hint: 'Stop: writes of this owner are not accepted any more.',
  })

export function notRunning(run: TurnRun): TurngraphError {
  const { turnRunId, status, attemptCount, maxAttempts, activeAttemptId } = run
  const message =
    status === 'running'
      ? `Turn run ${turnRunId} has made ${maxAttempts === 1 ? 'its only attempt' : `all of its ${maxAttempts} attempts`} (${attemptCount}).`
      : `Turn run ${turnRunId} is ${status}: it starts no further attempt.`
  return new TurngraphError('busy', message, {
    hint: 'get_turn_run_status shows how it ended.',
    details: { attempt_id: activeAttemptId ?? turnRunId, turn_run_id: turnRunId },
  })
}

export const busy = ({ slug }: WorldState, run: TurnRun | null, attempt: Attempt | null): TurngraphError =>
  worldAtWork(slug, { activeRunId: run?.turnRunId ?? null, activeAttemptId: attempt?.attemptId ?? null })
