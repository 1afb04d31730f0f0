/** Tries that what was acknowledged is there for the next process, also where the writer is killed. */
import { type Guarantee, requireThat } from '../guarantee.ts'
import { proofTurns, readTurns, requireWhole } from '../turns.ts'

const TURNS = 25
const TURNS_OF_KILLED = 400

export const acknowledgedIsStored: Guarantee = {
  name: 'Acknowledged is stored',
  promise:
    'A turn that was acknowledged is there, whole and once, for the next process that opens the store.',
  async run(trial) {
    const { project } = trial
    const sent = proofTurns(project, 'TASK-stored', TURNS)
    for (const turn of sent) await trial.client.captureTurnState(turn)
    const sentByKilled = proofTurns(project, 'TASK-killed', TURNS_OF_KILLED)
    const acknowledged = await trial.killWriter(sentByKilled)
    await trial.reopen()
    const stored = await readTurns(trial.client, project, 'TASK-stored')
    const counts = { sent: sent.length, stored: stored.length }
    const isOneEach = counts.stored === counts.sent
    requireThat(isOneEach, 'a world has a turn for each that was acknowledged, and no other', counts)
    for (const [i, turn] of sent.entries()) requireWhole(turn, stored[i])
    const ofKilled = acknowledged.length === 0 ? [] : await readTurns(trial.client, project, 'TASK-killed')
    const byNumber = new Map(ofKilled.map((turn) => [turn.turnNumber, turn]))
    requireThat(byNumber.size === ofKilled.length, 'no turn of a killed writer is there twice')
    for (const turn of sentByKilled) {
      const found = byNumber.get(turn.turnNumber)
      // One in flight is there whole or not at all.
      if (found !== undefined || acknowledged.includes(turn.turnNumber)) requireWhole(turn, found)
    }
    return { 'turns read back': stored.length, 'turns acknowledged to a killed writer': acknowledged.length }
  },
}
