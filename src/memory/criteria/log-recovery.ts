import type { PromisesView, Role } from './views.ts'

/**
 * Logs that promises were recovered from an earlier turn, in the words of seed 004. A context logs it for the Coach
 * alone: a turn loads one for each role, and the recovery is the Coach's.
 */
export function logRecovery(
  log: ((message: string) => void) | undefined,
  { promises, role = 'coach' }: { promises: PromisesView | null; role?: Role },
): void {
  if (role === 'coach' && promises?.source === 'recovered' && promises.message !== undefined)
    log?.(promises.message)
}
