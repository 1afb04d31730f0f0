/** Tries that the same request on the same graph gives the same bytes. */
import { type Guarantee, requireThat } from '../guarantee.ts'
import { FEATURE, proofTurns } from '../turns.ts'

const TURNS = 12
const ASKED = 20
const TASK = 'TASK-steady'

export const deterministic: Guarantee = {
  name: 'Deterministic',
  promise: 'The same request on the same graph is answered with the same bytes, by the next process too.',
  async run(trial) {
    const { project } = trial
    for (const turn of proofTurns(project, TASK, TURNS)) await trial.client.captureTurnState(turn)
    const task = { project, featureId: FEATURE, taskId: TASK }
    const ask = async () =>
      JSON.stringify([
        await trial.client.loadTurnContinuationContext({ ...task, currentTurn: TURNS + 1, role: 'coach' }),
        await trial.client.loadTurnContinuationContext({ ...task, currentTurn: TURNS / 2, role: 'player' }),
        await trial.client.listCriteria({ ...task, role: 'coach' }),
        await trial.client.explainTurn(task),
        await trial.client.listIssues(task),
      ])
    const first = await ask()
    const others = await Promise.all(Array.from({ length: ASKED }, ask))
    await trial.reopen()
    others.push(await ask())
    const different = others.find((answer) => answer !== first)
    const isSame = different === undefined
    requireThat(isSame, 'the same request is answered with the same bytes', { first, different })
    return { 'answers compared': others.length, 'bytes each': Buffer.byteLength(first) }
  },
}
