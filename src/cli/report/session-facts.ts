/** Reads the facts of a session for the short forms of a report: Markdown and JUnit. */
import type { TurngraphClient } from '../../client/client.ts'
import type { Role } from '../../memory/criteria/views.ts'
import type { ListedWorld } from '../../memory/worlds/list-worlds.ts'
import type { OperationOutput } from '../../operations/table.ts'
import type { Answer } from '../ask-in-wire-form.ts'
import { readPages } from '../require-project.ts'
import { readTurns } from './read-turns.ts'
import type { Session } from './report-content.ts'

export type SessionFacts = {
  world: OperationOutput<'getWorld'>
  /** Tokens of all turns; null if none are known. */
  tokens: ListedWorld['tokens']
  /** How the session ended and why; null for a Player, because it quotes judges. */
  summary: string | null
  criteria: OperationOutput<'listCriteria'>
  issues: OperationOutput<'listIssues'>['items']
  turns: Answer<'listTurns'>['items']
  olderTurns: number
}

/** Maximum number of turns that are read: a comment has no room for more. */
const MAX_TURNS = 60

export async function readSessionFacts(
  client: TurngraphClient,
  session: Session,
  role: Role,
  listed?: ListedWorld,
): Promise<SessionFacts> {
  const {
    tokens = null,
    turnTokens: _,
    ...world
  } = await client.getWorld({ ...session, tokens: listed === undefined })
  const asOf = { ...session, turn: world.currentTurn, role }
  const criteria = await client.listCriteria(asOf)
  const { turns: all } = await client.listCriteriaByTurn(session)
  const numbers = all.filter((turn) => turn <= world.currentTurn)
  const { items: issues } = await readPages({}, (window) =>
    client.listIssues({ ...asOf, state: 'open', ...window }),
  )
  const summary = role === 'player' ? null : (await client.getSessionSummary(session)).summary
  return {
    world,
    tokens: listed === undefined ? tokens : listed.tokens,
    summary,
    criteria,
    issues,
    turns: await readTurns(client, session, numbers.slice(-MAX_TURNS), role),
    olderTurns: Math.max(0, numbers.length - MAX_TURNS),
  }
}
