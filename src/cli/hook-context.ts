/**
 * The hook that Claude Code runs at SessionStart if it was installed with `--gate`. Binds a session that starts to the task of
 * its folder. Gives the task's context to an agent that begins, is resumed or forked, or has just lost its context by compaction.
 * Arguments: the data folder, the project if one is named; `--policy=POLICY`.
 */
import { readHookArguments } from './gate-policy.ts'
import { answerHook, type HookAnswer, type HookQuestion } from './hook-answer.ts'
import { listUnproven, unprovenLines } from './hook-criteria.ts'
import { NoAnswer, START_WAIT_MS } from './hook-service.ts'
import { bindSession, type FoundTask, isBoundTo, shownTask } from './hook-task.ts'

/** Not `clear`: a session is cleared to be empty. */
const SOURCES = ['startup', 'resume', 'compact', 'fork']

const { named, policy } = readHookArguments(process.argv.slice(2))
const [dataFolder = '.turngraph', project] = named

async function answerSessionStart({ input, found, ask }: HookQuestion): Promise<HookAnswer | null> {
  const { event, source, sessionId, agentId } = input
  if (event !== 'SessionStart' || agentId !== null || !SOURCES.includes(source ?? '')) return null
  const task = shownTask(found.task)
  // A fork continues the conversation of another session. It gets the context, but the gate does not check it at Stop.
  if (!isBoundTo(bind(found, sessionId), sessionId) && source !== 'fork')
    return source === 'startup' ? { systemMessage: belongsToAnother(task) } : null
  const { as_of_turn: asOfTurn, criteria } = Object(
    await ask('/v1/criteria', { role: 'player', policy }),
  ) as Record<string, unknown>
  if (typeof asOfTurn !== 'number') throw new NoAnswer('its answer comes from another version of Turngraph')
  const turn = asOfTurn + 1
  const { context } = Object(
    await ask('/v1/continuation-context', { role: 'player', policy, current_turn: turn }),
  ) as Record<string, unknown>
  const left = listUnproven(criteria, policy)
  if (typeof context !== 'string' && left.length === 0) return null
  return forAgent(
    [
      `What Turngraph, the memory of ${task}, knows for turn ${turn}. What is proven need not be done again.`,
      ...(left.length === 0 ? [] : ['Not proven:', ...unprovenLines(left)]),
      ...(typeof context === 'string' ? ['', context] : []),
    ].join('\n'),
  )
}

const bind = (found: FoundTask, sessionId: string | null): FoundTask =>
  found.file === null || found.sessionId !== null || sessionId === null
    ? found
    : (bindSession(found.file, sessionId) ?? found)

const belongsToAnother = (task: string): string =>
  `Turngraph: ${task} belongs to another session of this folder, so this one is not asked for its criteria. \`turngraph task set\` gives it to the next session that starts.`

function forAgent(additionalContext: string): HookAnswer {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}

await answerHook({ dataFolder, project, waitMs: START_WAIT_MS }, answerSessionStart, (why) =>
  forAgent(`The memory of this task (Turngraph) is away: ${why}. What was proven before is not known here.`),
)
