import { OPERATORS, PROCEDURES } from './allowed.ts'
import { invalidQuery } from './invalid-query.ts'
import type { Plan } from './reader.ts'

/**
 * Refuses by what the engine itself would do: whatever the words were, a plan of anything but known reading operators
 * is not run. An operator that is new to us is refused, too.
 *
 * @throws `invalid_request` that names the operator or the procedure
 */
export function refuseByPlan(engine: keyof typeof OPERATORS, { reads, operators, procedures }: Plan): void {
  const foreign = operators.find((operator) => !OPERATORS[engine].has(operator))
  if (foreign !== undefined) throw refused(`needs the operator ${foreign}`)
  const called = procedures.find((procedure) => !PROCEDURES.has(procedure))
  if (called !== undefined) throw refused(`calls the procedure ${called}`)
  if (!reads || operators.length === 0) throw refused('is none that only reads')
}

const refused = (problem: string) =>
  invalidQuery(`${problem}, which is not for queries`, 'Only reading statements are run.')
