import { JsonOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda } from '@langchain/core/runnables'
import type { CoachInput, PlayerInput } from 'turngraph/langchain'
import { ScriptedModel } from './scripted-model.ts'

/** The task of the session. Replace `ScriptedModel` with your own model to run a real session. */
export const task = {
  text: 'A shop that answers, logs and refuses',
  criteria: {
    'AC-001': 'Unknown products are answered with 404',
    'AC-002': 'Every answer names its request id',
    'AC-003': 'A sold out product cannot be ordered',
  } as Record<string, string>,
}
type Task = typeof task

const asked = ({ context, turn }: PlayerInput<Task>) => ({
  turn,
  task: JSON.stringify(task),
  context: context ?? 'This is the first turn.',
})

const playerPrompt = ChatPromptTemplate.fromTemplate('You build. Turn {turn} of {task}\n\n{context}')
const coachPrompt = ChatPromptTemplate.fromTemplate(
  'You judge. Turn {turn} of {task}\n\n{context}\n\nThe Player reports: {report}',
)

/** Builds the first unverified criterion. Makes its promises in the first turn only. */
const playerModel = new ScriptedModel((prompt) => {
  const next = Object.keys(task.criteria).find((id) => !isVerified(prompt, id)) ?? 'nothing'
  return {
    player_summary: `Built ${next}`,
    player_decision: 'implemented',
    ...(prompt.includes('Turn 1 of') && {
      promises: Object.entries(task.criteria).map(([id, text]) => ({
        criterion_id: id,
        criterion_text: text,
        status: 'complete',
      })),
    }),
  }
})

/** Compares the work with the promises. Verifies one criterion per turn. */
const coachModel = new ScriptedModel((prompt) => {
  const built = /Built (AC-\d+)/.exec(prompt.slice(prompt.lastIndexOf('The Player reports')))?.[1] ?? ''
  const promised = /promises"|Promises recovered/.test(prompt)
  if (!promised)
    return { coach_decision: 'feedback', coach_feedback: 'What did you promise? Nothing to check.' }
  const left = Object.keys(task.criteria).filter((id) => id !== built && !isVerified(prompt, id))
  return {
    coach_decision: left.length === 0 ? 'approved' : 'feedback',
    coach_feedback: left.length === 0 ? null : `Not met yet: ${left.join(', ')}`,
    verifications: [
      {
        criterion_id: built,
        criterion_text: task.criteria[built],
        status: 'verified',
        evidence: `the test of ${built} passes`,
      },
    ],
  }
})

const isVerified = (prompt: string, id: string): boolean => prompt.includes(`✓ ${id}: verified`)

export const player = RunnableLambda.from(asked)
  .pipe(playerPrompt)
  .pipe(playerModel)
  .pipe(new JsonOutputParser())

export const coach = RunnableLambda.from((input: CoachInput<Task>) => ({
  ...asked(input),
  report: JSON.stringify(input.player),
}))
  .pipe(coachPrompt)
  .pipe(coachModel)
  .pipe(new JsonOutputParser())
