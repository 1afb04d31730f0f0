/** Writes the observed proofs of a session as in-toto statements, for `turngraph export --format in-toto`. */

import type { TurngraphClient } from '../client/client.ts'
import { plural } from '../core/plural.ts'
import { listObservedProofs, toStatement } from '../rules/in-toto.ts'
import { printNote } from './output.ts'
import { readPages } from './require-project.ts'

/** Yields a statement for each criterion that was observed. Notes the observations that name no files. */
export async function* statementLines(client: TurngraphClient, worldSlug: string): AsyncGenerator<string> {
  const { criteria } = await client.listCriteria({ worldSlug, policy: 'observed' })
  const { items: turns } = await readPages({}, (window) => client.listTurns({ worldSlug, ...window }))
  const proofs = listObservedProofs(criteria, turns)
  let withoutFiles = 0
  for (const proof of proofs) {
    const statement = toStatement(proof)
    if (statement === null) withoutFiles++
    else yield JSON.stringify(statement)
  }
  if (withoutFiles > 0)
    printNote(`${plural(withoutFiles, 'observation')} left out: outside of a git repository.`)
}
