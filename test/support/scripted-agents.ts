import { RunnableLambda } from '@langchain/core/runnables'
import type { CoachInput, PlayerInput } from '../../src/langchain/index.ts'

export const CRITERIA = {
  'AC-001': 'Unknown projects are answered with 404',
  'AC-002': 'Every answer names its request id',
  'AC-003': 'A worker that lost its lease cannot write',
}
type CriterionId = keyof typeof CRITERIA
const IDS = Object.keys(CRITERIA) as CriterionId[]

/** A request to an agent. */
export type Asked = { role: 'player' | 'coach'; turn: number; context: string | null }

/**
 * Agents that know only the content of their requests. The Player builds the first criterion that its context
 * does not show as verified, and promises only in turn 1. The Coach checks one promised criterion per turn,
 * and only its context shows which criteria were proven and promised before.
 */
export function scriptedAgents() {
  const asked: Asked[] = []
  const player = RunnableLambda.from(({ context, turn }: PlayerInput) => {
    asked.push({ role: 'player', turn, context })
    const next = IDS.find((id) => !isVerified(context, id)) ?? 'AC-003'
    return {
      playerSummary: `Built ${next}`,
      playerDecision: 'implemented',
      filesModified: [`src/${next}.ts`],
      ...(turn === 1 && {
        promises: IDS.map((id) => ({ criterionId: id, criterionText: CRITERIA[id], status: 'complete' })),
      }),
    }
  })
  const coach = RunnableLambda.from(({ context, turn, player: report }: CoachInput) => {
    asked.push({ role: 'coach', turn, context })
    const { playerSummary, promises } = report as { playerSummary: string; promises?: unknown[] }
    const built = IDS.find((id) => playerSummary.endsWith(id))
    const promised = promises !== undefined || /\*\*Promises recovered from turn 1\*\*: 3/.test(context ?? '')
    if (built === undefined || !promised) {
      return { coachDecision: 'feedback', coachFeedback: 'Nothing was promised, so nothing can be checked.' }
    }
    const left = IDS.filter((id) => id !== built && !isVerified(context, id))
    return {
      coachDecision: left.length === 0 ? 'approved' : 'feedback',
      coachFeedback: left.length === 0 ? null : `Not met: ${left.join(', ')}`,
      verifications: [
        {
          criterionId: built,
          criterionText: CRITERIA[built],
          status: 'verified',
          evidence: 'its test passes',
        },
      ],
      issues: left.map((id) => ({ severity: 'blocking', description: `${id} not met`, criterionIds: [id] })),
    }
  })
  const of = (role: Asked['role'], turn: number) =>
    asked.findLast((call) => call.role === role && call.turn === turn)?.context
  return { player, coach, asked, contextOf: of }
}

const isVerified = (context: string | null, id: string): boolean =>
  new RegExp(`✓ ${id}: verified`).test(context ?? '')

/** Returns both agents in the form of the loop's options. */
export const roles = ({ player, coach }: ReturnType<typeof scriptedAgents>) => ({ player, coach })
