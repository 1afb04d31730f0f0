// Hides what only a judge may read from answers whose shape is the same for each role.
import { hideVerdict } from './capture-for-caller.ts'
import { isOnlyPlayer } from './field-rules.ts'
import type { Scope } from './operation.ts'
import type { OperationName, OperationOutput } from './table.ts'

/**
 * Runs an operation, and returns what a token with these scopes may read of its answer or its error. A door that knows fewer
 * scopes than the service calls it, too.
 */
export async function answerFor(
  operation: OperationName,
  scopes: ReadonlySet<Scope>,
  run: () => Promise<unknown>,
): Promise<unknown> {
  try {
    const answer = await run()
    return isOnlyPlayer(scopes) ? hideGates(operation, answer) : answer
  } catch (error) {
    throw hideVerdict(error, scopes)
  }
}

/** The outcome of a blocked session names the gate, which a Player does not see. */
function hideGates(operation: OperationName, answer: unknown): unknown {
  if (operation === 'getWorld') return hideGate(answer as OperationOutput<'getWorld'>)
  if (operation !== 'listWorlds') return answer
  const page = answer as OperationOutput<'listWorlds'>
  return { ...page, items: page.items.map(hideGate) }
}

const hideGate = <W extends { outcome: string }>(world: W): W =>
  world.outcome.startsWith('blocked by ') ? { ...world, outcome: 'blocked' } : world
