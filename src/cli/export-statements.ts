/** Writes the observed proofs of a session as in-toto statements, for `turngraph export --format in-toto`. */
import type { TurngraphClient } from '../client/client.ts'
import { listObservedProofs, type ObservedTurn, toStatement } from '../rules/in-toto.ts'
import { plural, printNote } from './output.ts'

/** Yields a statement for each criterion that was observed. Notes the observations that name no files. */
export async function* statementLines(client: TurngraphClient, worldSlug: string): AsyncGenerator<string> {
  const { criteria } = await client.listCriteria({ worldSlug, policy: 'observed' })
  const proofs = listObservedProofs(criteria, await readTurns(client, worldSlug))
  let withoutFiles = 0
  for (const proof of proofs) {
    const statement = toStatement(proof)
    if (statement === null) withoutFiles++
    else yield JSON.stringify(statement)
  }
  if (withoutFiles > 0)
    printNote(`${plural(withoutFiles, 'observation')} left out: outside of a git repository.`)
}

async function readTurns(client: TurngraphClient, worldSlug: string): Promise<ObservedTurn[]> {
  const turns: ObservedTurn[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<TurngraphClient['listTurns']>> = await client.listTurns({
      worldSlug,
      cursor,
    })
    turns.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return turns
}
