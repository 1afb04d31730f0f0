/**
 * The hook that Claude Code runs at Stop, where it was installed with `--gate`: tells an agent that wants to stop which
 * criteria of its task are not proven. At most so many times a session: an agent that cannot meet one must be able to end.
 *
 * Arguments: the data folder, how often at most, and the project where it is named.
 */
import { toOneLine } from '../rules/foreign-text.ts'
import { GateLog } from './gate-log.ts'
import { answerHook, type HookAnswer, type HookQuestion } from './hook-answer.ts'
import { NoAnswer } from './hook-service.ts'
import { shownTask } from './hook-task.ts'

const [dataFolder = '.turngraph', limit = '3', project] = process.argv.slice(2)

/**
 * A subagent ends when its own work does, and a session that waits for work in the background has not ended: held up, it
 * could do nothing but ask again (anthropics/claude-code#55754).
 */
async function answerStop({ input, task, ask }: HookQuestion): Promise<HookAnswer | null> {
  const { event, sessionId, agentId, backgroundTasks } = input
  if (event !== 'Stop' || sessionId === null || agentId !== null || backgroundTasks > 0) return null
  const { task_known: isKnown, criteria } = Object(await ask('/v1/criteria', { role: 'player' })) as {
    task_known?: unknown
    criteria?: unknown
  }
  if (isKnown === false) return { systemMessage: `Turngraph knows nothing of ${shownTask(task)}.` }
  const left = unprovenIn(criteria)
  if (left.length === 0) return null
  const log = new GateLog(dataFolder)
  const asked = log.count(sessionId)
  if (asked >= Number(limit))
    return { systemMessage: `Turngraph: ${left.length} criteria of ${shownTask(task)} are not proven.` }
  log.add(sessionId)
  return { decision: 'block', reason: reasonFor(shownTask(task), left, asked + 1) }
}

type Unproven = { id: string; state: string; text: string | null }

/** Those that count, and that an agent can prove: what a person has to look at (`manual`) keeps no agent at work. */
function unprovenIn(criteria: unknown): Unproven[] {
  if (!Array.isArray(criteria)) throw new NoAnswer('its answer is of another version of Turngraph')
  return criteria.flatMap((given: unknown): Unproven[] => {
    const { criterion_id: id, state, text, declared, kind } = Object(given) as Record<string, unknown>
    if (typeof id !== 'string' || typeof state !== 'string' || state === 'verified') return []
    if (declared === false || kind === 'manual') return []
    return [{ id, state, text: typeof text === 'string' ? text : null }]
  })
}

const SHOWN = 20
const SHOWN_CHARACTERS = 300

function reasonFor(task: string, left: readonly Unproven[], asked: number): string {
  const lines = left.slice(0, SHOWN).map(({ id, state, text }) => {
    const what = text === null || text === id ? '' : `: ${cut(text)}`
    return `- ${cut(id)} (${state})${what}`
  })
  if (left.length > SHOWN) lines.push(`- and ${left.length - SHOWN} more`)
  return [
    `Turngraph, the memory of ${task}, has these criteria as not proven:`,
    ...lines,
    `Go on with them. Where one cannot be met, or its proof is somebody else's to give, say so and stop. (${asked} of at most ${limit} such reminders in this session.)`,
  ].join('\n')
}

function cut(text: string): string {
  const line = toOneLine(text)
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`
}

await answerHook({ dataFolder, project }, answerStop)
