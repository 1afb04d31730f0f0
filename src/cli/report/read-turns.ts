/** Reads the newest turns of a session, as a role may see them. */
import type { TurngraphClient } from '../../client/client.ts'
import type { Role } from '../../memory/criteria/views.ts'
import type { OperationOutput } from '../../operations/table.ts'
import { type Answer, inWireForm } from '../ask-in-wire-form.ts'
import { readPages } from '../require-project.ts'
import type { Session } from './report-content.ts'

type TurnState = OperationOutput<'getTurn'>

export async function readTurns(
  client: TurngraphClient,
  session: Session,
  numbers: readonly number[],
  role: Role,
): Promise<Answer<'listTurns'>['items']> {
  const turns =
    role === 'coach'
      ? await readWholeTurns(client, session, numbers)
      : await readTurnsOfPlayer(client, session, numbers)
  return turns.map((turn) => inWireForm('getTurn', turn))
}

/** Reads turns with one list, or one by one at the end of a long session: a list would begin with its first turn. */
async function readWholeTurns(
  client: TurngraphClient,
  session: Session,
  numbers: readonly number[],
): Promise<TurnState[]> {
  if (numbers[0] === 1) {
    const wanted = new Set(numbers)
    const { items } = await readPages({}, (window) => client.listTurns({ ...session, ...window }))
    return items.filter(({ turnNumber }) => wanted.has(turnNumber))
  }
  const turns: TurnState[] = []
  for (const turnNumber of numbers) turns.push(await client.getTurn({ ...session, turnNumber }))
  return turns
}

/**
 * Reads turns as their Player may see them. Records have no view of a role but contexts do: a turn is the prior turn in the
 * Player's context of the next one.
 */
async function readTurnsOfPlayer(client: TurngraphClient, session: Session, numbers: readonly number[]) {
  const turns: TurnState[] = []
  for (const number of numbers) {
    const { prior } = await client.loadTurnContinuationContext({
      ...session,
      currentTurn: number + 1,
      role: 'player',
      elsewhere: 'off',
    })
    if (prior?.turnNumber === number) turns.push(withoutJudge(prior))
  }
  return turns
}

type PriorTurn = NonNullable<OperationOutput<'loadTurnContinuationContext'>['prior']>

/** Completes a turn with empty fields for the data that a Player does not see, which the views require. */
const withoutJudge = (prior: PriorTurn): TurnState => ({
  ...prior,
  verifications: [],
  gates: {},
  usage: null,
  extra: {},
  issues: prior.issues.map((issue) => ({ ...issue, details: {} })),
  promises: prior.promises.map((promise) => ({ ...promise, evidence: null })),
  // Fields that no view of a role has and no report shows.
  createdAt: prior.completedAt ?? '',
  recordedBy: null,
})
