// Computes, directly from the files, which sessions ended with an approval, which were superseded, and how the proofs of a session of
// one turn are known. Shares no code with src.
import { tasks } from './artifacts.ts'
import { gradedVerdicts } from './bases.ts'

export type ExpectedEnd = {
  task: string
  world: number
  isApproved: boolean
  /** Number of the newest later session of the task whose last turn is approved; null without one. */
  supersededBy: number | null
  /** Bases of the verified verdicts; null for a session of several turns. */
  bases: string[] | null
}

export function expectedEnds(root: string): ExpectedEnd[] {
  const graded = gradedVerdicts(root)
  return tasks(root).flatMap(({ featureId, taskId, worlds }) => {
    const task = `${featureId} ${taskId}`
    const approved = worlds.map((turns) => turns.at(-1)?.coachDecision === 'approved')
    return worlds.map((turns, i): ExpectedEnd => {
      const later = approved.findLastIndex((isApproved, j) => j > i && isApproved)
      const own = graded.filter((each) => each.task === task && each.world === i + 1)
      return {
        task,
        world: i + 1,
        isApproved: approved[i] === true,
        supersededBy: later === -1 ? null : later + 1,
        bases: turns.length === 1 ? own.map(({ basis }) => basis) : null,
      }
    })
  })
}
