/**
 * The hook that Claude Code runs at Stop if it was installed with `--gate`: lists the unproven criteria of a task for the agent
 * of the bound session. It repeats the list only if the criteria changed, and only a limited number of times, because an agent
 * that cannot meet a criterion must be able to end.
 * Arguments: the data folder, the limit, the project if one is named; `--policy=POLICY`.
 */
import { plural } from '../core/plural.ts'
import { GateLog } from './gate-log.ts'
import { readHookArguments } from './gate-policy.ts'
import { answerHook, type HookAnswer, type HookQuestion } from './hook-answer.ts'
import { digestOf, listUnproven, type Unproven, unprovenLines } from './hook-criteria.ts'
import { WAIT_MS } from './hook-service.ts'
import { isBoundTo, shownTask } from './hook-task.ts'

const { named, policy } = readHookArguments(process.argv.slice(2))
const [dataFolder = '.turngraph', limit = '3', project] = named

/**
 * Answers only at the end of a session. A subagent ends when its work does. A session has not ended if background work or a
 * scheduled job will wake it: the gate could only make it ask again (anthropics/claude-code#55754).
 */
async function answerStop({ input, found, ask }: HookQuestion): Promise<HookAnswer | null> {
  const { event, sessionId, agentId, pendingWork } = input
  if (event !== 'Stop' || sessionId === null || agentId !== null || pendingWork > 0) return null
  if (!isBoundTo(found, sessionId)) return null
  const task = shownTask(found.task)
  const { task_known: isKnown, criteria } = Object(
    await ask('/v1/criteria', { role: 'player', policy }),
  ) as Record<string, unknown>
  if (isKnown === false) return { systemMessage: `Turngraph does not know ${task}.` }
  const left = listUnproven(criteria, policy)
  if (left.length === 0) return null
  const log = new GateLog(dataFolder)
  const digest = digestOf(left)
  const { times, lastDigest } = log.read(sessionId)
  if (lastDigest === digest) return null
  if (times >= Number(limit))
    return {
      systemMessage: `Turngraph: ${plural(left.length, 'criterion', 'criteria')} of ${task} ${left.length === 1 ? 'is' : 'are'} not proven.`,
    }
  log.add(sessionId, digest)
  const text = describe(task, left, times + 1)
  return input.takesStopContext
    ? { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: text } }
    : { decision: 'block', reason: text }
}

const describe = (task: string, left: readonly Unproven[], time: number): string =>
  [
    `Turngraph, the memory of ${task}, has these criteria as not proven:`,
    ...unprovenLines(left),
    'The task is done when each of them is proven. A judge or a check records a proof with `turngraph capture TURN.json` (verifications: criterion_id, status, evidence).',
    `If one cannot be met, or if somebody else has to prove it, it is enough to say so and to stop. (${time} of at most ${limit} such reminders in this session; the next one comes only after something has changed.)`,
  ].join('\n')

await answerHook({ dataFolder, project, waitMs: WAIT_MS }, answerStop)
