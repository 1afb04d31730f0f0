/** Reads one session for a report, as a role may see it. */
import type { TurngraphClient } from '../../client/client.ts'
import type { Role } from '../../memory/criteria/views.ts'
import { askForAll, askInWireForm } from '../ask-in-wire-form.ts'
import { readEvidence } from './read-evidence.ts'
import { readTurns } from './read-turns.ts'
import type { Session, SessionContent } from './report-content.ts'

/** Maximum number of turns: a matrix with these columns and 200 rows has 6 MB. */
const MAX_TURNS = 200

type WholeSession = Omit<SessionContent, 'recordsFrom' | 'cuts'>

/** Reads a session as of its newest turn, so that no part of the report includes a turn that is captured during the read. */
export async function readSession(
  client: TurngraphClient,
  session: Session,
  role: Role,
): Promise<WholeSession> {
  const world = await askInWireForm(client, 'getWorld', session)
  const newest = world.current_turn
  const asOf = { ...session, turn: newest, role }
  const why = newest === 0 ? null : await askInWireForm(client, 'explainTurn', asOf)
  const hasSummary = newest > 0 && role === 'coach'
  const summary = hasSummary ? await askInWireForm(client, 'getSessionSummary', session) : null
  const criteria = await askInWireForm(client, 'listCriteria', asOf)
  const matrix = await askInWireForm(client, 'listCriteriaByTurn', session)
  const byTurn = { ...matrix, turns: matrix.turns.filter((turn) => turn <= newest) }
  const turns = await readTurns(client, session, byTurn.turns.slice(-MAX_TURNS), role)
  const contexts = await readContexts(client, session, newest + 1, role)
  return {
    world,
    summary: summary && { outcome: summary.outcome, summary: summary.summary },
    why,
    criteria,
    byTurn,
    turns,
    contexts,
    // The stall analysis has no view of a role: a Player's verdict comes from its context.
    stall:
      role === 'player'
        ? (contexts[0]?.stall ?? null)
        : await askInWireForm(client, 'loadStall', { ...session, turn: newest }),
    issues: (await askForAll(client, 'listIssues', asOf)).items,
    evidence: role === 'player' ? [] : await readEvidence(client, session, turns, criteria),
  }
}

async function readContexts(
  client: TurngraphClient,
  session: Session,
  currentTurn: number,
  reader: Role,
): Promise<SessionContent['contexts']> {
  const load = (role: Role) =>
    askInWireForm(client, 'loadTurnContinuationContext', { ...session, currentTurn, sections: true, role })
  return reader === 'player' ? [await load('player')] : [await load('player'), await load('coach')]
}
