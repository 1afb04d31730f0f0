/** Reads the evidence of a session's matrix cells: promises, and verdicts with their evidence. */
import type { TurngraphClient } from '../../client/client.ts'
import { groupBy } from '../../core/group-by.ts'
import { type Answer, askForAll, askInWireForm } from '../ask-in-wire-form.ts'
import type { CellEvidence, Session } from './report-content.ts'

type Turn = Answer<'listTurns'>['items'][number]

/** Reads the evidence by turn, newest first. Only for the Coach, because a Player sees no evidence. */
export async function readEvidence(
  client: TurngraphClient,
  session: Session,
  turns: readonly Turn[],
  { criteria }: Answer<'listCriteria'>,
): Promise<CellEvidence[]> {
  const verdicts = new Map<string, ReadonlyMap<number, CellEvidence['verdicts']>>()
  for (const criterion of criteria) {
    const history = await readHistory(client, session, criterion)
    verdicts.set(
      criterion.key,
      groupBy(history, ({ turn }) => turn),
    )
  }
  const evidence: CellEvidence[] = []
  for (const turn of turns.toReversed()) {
    const promises = groupBy(await readPromises(client, session, turn), ({ key }) => key)
    for (const key of new Set([...verdicts.keys(), ...promises.keys()])) {
      const cell = {
        key,
        turn: turn.turn_number,
        verdicts: verdicts.get(key)?.get(turn.turn_number) ?? [],
        promises: promises.get(key) ?? [],
      }
      if (cell.verdicts.length + cell.promises.length > 0) evidence.push(cell)
    }
  }
  return evidence
}

async function readHistory(
  client: TurngraphClient,
  session: Session,
  { key, history = [], history_omitted = 0 }: Answer<'listCriteria'>['criteria'][number],
): Promise<CellEvidence['verdicts']> {
  if (history_omitted === 0) return history
  return (await askForAll(client, 'getCriterionHistory', { ...session, key })).items
}

async function readPromises(
  client: TurngraphClient,
  session: Session,
  { turn_number: turn, promises }: Turn,
): Promise<CellEvidence['promises']> {
  if (promises.length === 0) return []
  const { source, items } = await askInWireForm(client, 'recoverPromises', { ...session, turn })
  return source === 'current' ? items : []
}
