// Hides what only a judge may read from answers whose shape is the same for each role.
import { answerForPlayer } from './access.ts'
import { hideVerdict } from './capture-for-caller.ts'
import { isOnlyPlayer } from './field-rules.ts'
import type { Scope } from './operation.ts'
import type { OperationName } from './table.ts'

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
    return isOnlyPlayer(scopes) ? answerForPlayer(operation, answer) : answer
  } catch (error) {
    throw hideVerdict(error, scopes)
  }
}
