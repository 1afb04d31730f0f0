/** Tries that what is sent twice is stored once, and that another record at the same place is refused. */
import { hasCode, TurngraphError } from '../../core/errors.ts'
import { awaitRefusal, type Guarantee, requireThat } from '../guarantee.ts'
import { proofTurn, readTurns, requireWhole } from '../turns.ts'

const AT_ONCE = 8

export const idempotent: Guarantee = {
  name: 'Idempotent',
  promise: 'The same turn again is the same record; another one at its place is a conflict that shows both.',
  async run({ client, project }) {
    const turn = proofTurn(project, 'TASK-again', 1)
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => client.captureTurnState(turn)))
    const created = answers.filter((answer) => answer.created).length
    requireThat(created === 1, 'of the same captures at once one makes the record', { created })
    const again = await client.captureTurnState(turn)
    requireThat(!again.created, 'a repeated capture makes nothing', again)
    const other = { ...turn, playerSummary: 'Another record of the same turn' }
    const refused = await awaitRefusal(client.captureTurnState(other))
    requireThat(hasCode(refused, 'turn_conflict'), 'another record of the same turn is a conflict', refused)
    const details = refused instanceof TurngraphError ? JSON.stringify(refused.details) : ''
    const showsBoth = details.includes(turn.playerSummary) && details.includes(other.playerSummary)
    requireThat(showsBoth, 'a conflict shows the record that is stored and the one that was sent', details)
    const replaced = await client.captureTurnState({ ...other, onConflict: 'supersede' })
    requireThat(replaced.superseded, 'a record is replaced where the caller says so', replaced)
    const stored = await readTurns(client, project, 'TASK-again')
    requireThat(stored.length === 1, 'a turn is there once, however often it was sent', stored.length)
    const isReplaced = stored[0]?.playerSummary === other.playerSummary
    requireThat(isReplaced, 'the record that replaced is the turn', stored)
    const history = await client.getTurnHistory({ project, worldSlug: 'TASK-again', turnNumber: 1 })
    requireThat(history.items.length === 1, 'the record that was replaced is kept', history.items.length)
    requireWhole(turn, history.items[0])
    return { 'captures of one turn': AT_ONCE + 3, 'records made': created }
  },
}
