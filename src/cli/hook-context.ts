/**
 * The hook that Claude Code runs at SessionStart, where it was installed with `--gate`: gives the continuation context of
 * the session's task to an agent that begins, is resumed, or has just lost its own context by compaction.
 *
 * Arguments: the data folder, and the project where it is named.
 */
import { answerHook, type HookAnswer, type HookQuestion } from './hook-answer.ts'
import { NoAnswer } from './hook-service.ts'
import { shownTask } from './hook-task.ts'

/** Not `clear`: a session is cleared to be empty. */
const SOURCES = ['startup', 'resume', 'compact']

const [dataFolder = '.turngraph', project] = process.argv.slice(2)

async function answerSessionStart({ input, task, ask }: HookQuestion): Promise<HookAnswer | null> {
  if (input.event !== 'SessionStart' || !SOURCES.includes(input.source ?? '')) return null
  const turn = newestTurnIn(await ask('/v1/criteria', { role: 'player' })) + 1
  const { context } = Object(
    await ask('/v1/continuation-context', { role: 'player', current_turn: turn }),
  ) as { context?: unknown }
  if (typeof context !== 'string') return null
  return forAgent(
    `What Turngraph, the memory of ${shownTask(task)}, knows for turn ${turn}. What is verified need not be done again.\n\n${context}`,
  )
}

function newestTurnIn(criteria: unknown): number {
  const { as_of_turn: turn } = Object(criteria) as { as_of_turn?: unknown }
  if (typeof turn === 'number') return turn
  throw new NoAnswer('its answer is of another version of Turngraph')
}

function forAgent(additionalContext: string): HookAnswer {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}

await answerHook({ dataFolder, project }, answerSessionStart, (why) =>
  forAgent(`The memory of this task (Turngraph) is away: ${why}. What was proven before is not known here.`),
)
