/** Runs a hook that answers Claude Code from the memory of the session's task, and lets the agent go on whatever happens. */
import { type HookInput, hookLog, logHookFailure, readHookInput } from './hook-input.ts'
import { findService, NoAnswer, Questions } from './hook-service.ts'
import { findTask, type NamedTask, TaskNotNamed } from './hook-task.ts'

/** As Claude Code takes it from standard output (hooks reference, "JSON output"). */
export type HookAnswer = {
  /** Of a Stop hook: the agent does not stop, and reads the reason. */
  decision?: 'block'
  reason?: string
  /** What the user is shown. */
  systemMessage?: string
  /** What the agent reads before it begins. */
  hookSpecificOutput?: { hookEventName: 'SessionStart'; additionalContext: string }
}

export type HookQuestion = {
  input: HookInput
  task: NamedTask
  /** Asks a route of the service about the task. */
  ask: (route: string, fields: Readonly<Record<string, string | number>>) => Promise<unknown>
}

/**
 * Prints what `answer` answers to the event on standard input. Nothing names a task: nothing is printed. The memory is
 * away: the user is told, and `whenAway` says what else.
 */
export async function answerHook(
  { dataFolder, project }: { dataFolder: string; project: string | undefined },
  answer: (question: HookQuestion) => Promise<HookAnswer | null>,
  whenAway: (why: string) => HookAnswer = () => ({}),
): Promise<void> {
  try {
    const input = readHookInput()
    print(await answerTo(input))
  } catch (error) {
    logUnexpected(dataFolder, error)
  }

  async function answerTo(input: HookInput): Promise<HookAnswer | null> {
    try {
      const folders = [input.workingFolder, process.env.CLAUDE_PROJECT_DIR]
      const task = findTask(process.env.TURNGRAPH_TASK, folders)
      if (task === null) return null
      const scope = { ...projectFields(project ?? process.env.TURNGRAPH_PROJECT), ...task }
      const questions = new Questions(findService(dataFolder, process.env))
      return await answer({
        input,
        task,
        ask: (route, fields) => questions.ask(route, { ...scope, ...fields }),
      })
    } catch (error) {
      if (error instanceof TaskNotNamed) return { systemMessage: `Turngraph: ${error.message}` }
      if (!(error instanceof NoAnswer)) throw error
      return {
        systemMessage: `Turngraph is away: ${error.message}. The agent goes on without it.`,
        ...whenAway(error.message),
      }
    }
  }
}

const projectFields = (project: string | undefined): { project?: string } =>
  project === undefined || project === '' ? {} : { project }

function print(answer: HookAnswer | null): void {
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`)
}

/** An agent must not be stopped by a defect of its memory. */
function logUnexpected(dataFolder: string, error: unknown): void {
  try {
    logHookFailure(hookLog(dataFolder), error)
  } catch {
    // Nobody can be told: the folder of the log cannot be written.
  }
}
