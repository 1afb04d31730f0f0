/** Tries that a Player's view holds no evidence and no verdict of the Coach. */
import { type Guarantee, requireThat } from '../guarantee.ts'
import { FEATURE } from '../turns.ts'

const EVIDENCE = 'evidence-that-only-the-coach-may-see'
const GATE = 'gate-that-only-the-coach-may-see'
const DETAIL = 'detail-that-only-the-coach-may-see'
const TASK = 'TASK-judged'
const TURNS = 3

export const judgeIsolated: Guarantee = {
  name: 'Judge isolation',
  promise: "A Player's view holds no evidence, no gate and no internals of the Coach's verdict.",
  async run({ client, project }) {
    for (let turnNumber = 1; turnNumber <= TURNS; turnNumber++) {
      await client.captureTurnState({
        project,
        featureId: FEATURE,
        taskId: TASK,
        turnNumber,
        playerSummary: 'Built it',
        coachDecision: 'feedback',
        coachFeedback: 'The error path is missing',
        verifications: [
          { criterionId: 'AC-1', criterionText: 'It works', status: 'verified', evidence: EVIDENCE },
          { criterionId: 'AC-2', criterionText: 'It fails well', status: 'rejected', evidence: EVIDENCE },
        ],
        issues: [{ severity: 'blocking', description: 'No test', details: { seen: DETAIL } }],
        gates: { [GATE]: 'failed' },
      })
    }
    const task = { project, featureId: FEATURE, taskId: TASK }
    const readViews = async (role: 'player' | 'coach') => [
      await client.loadTurnContinuationContext({ ...task, currentTurn: TURNS + 1, role }),
      await client.loadTurnContinuationContext({ ...task, currentTurn: 2, role }),
      await client.listCriteria({ ...task, role }),
      await client.explainTurn({ ...task, role }),
    ]
    const ofPlayer = await readViews('player')
    for (const view of ofPlayer) {
      const text = JSON.stringify(view)
      for (const secret of [EVIDENCE, GATE, DETAIL]) {
        requireThat(!text.includes(secret), `a Player's view does not hold the ${secret}`, view)
      }
    }
    const ofCoach = JSON.stringify(await readViews('coach'))
    requireThat(
      ofCoach.includes(EVIDENCE) && ofCoach.includes(GATE),
      "a Coach's view holds evidence and gates",
    )
    return { 'views of a Player': ofPlayer.length }
  },
}
