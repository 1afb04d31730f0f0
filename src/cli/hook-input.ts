/** Runs a hook: reads what Claude Code tells it, and logs why it failed. Builtin modules alone: a hook must be quick. */
import { appendFileSync, existsSync, mkdirSync, readSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { toOneLine } from '../rules/foreign-text.ts'

const MOST_INPUT_BYTES = 1024 * 1024
const MOST_LOG_BYTES = 1024 * 1024

/** The event as Claude Code names it (hooks reference, "Common input fields"); a field of another type counts as absent. */
export type HookInput = {
  event: string | null
  sessionId: string | null
  workingFolder: string | null
  /** Why a session starts: `startup`, `resume`, `clear` or `compact`. */
  source: string | null
  transcript: string | null
  /** Only where the hook runs in or for a subagent. */
  agentId: string | null
  agentTranscript: string | null
  /** Work that goes on and will wake the agent: it pauses, it has not finished. */
  backgroundTasks: number
}

/** @throws SyntaxError where standard input is no JSON */
export function readHookInput(): HookInput {
  const input = Object(JSON.parse(standardInput())) as Record<string, unknown>
  const text = (field: string): string | null => {
    const value = input[field]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const background = input.background_tasks
  return {
    event: text('hook_event_name'),
    sessionId: text('session_id'),
    workingFolder: text('cwd'),
    source: text('source'),
    transcript: text('transcript_path'),
    agentId: text('agent_id'),
    agentTranscript: text('agent_transcript_path'),
    backgroundTasks: Array.isArray(background) ? background.length : 0,
  }
}

/** Bounded: whatever is sent, this ends. */
function standardInput(): string {
  const buffer = Buffer.alloc(MOST_INPUT_BYTES)
  let length = 0
  while (length < buffer.length) {
    const read = readSync(0, buffer, length, buffer.length - length, null)
    if (read === 0) break
    length += read
  }
  return buffer.toString('utf8', 0, length)
}

/** The file that the hooks write to; a full one makes room for the next. */
export function hookLog(dataFolder: string): string {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const log = path.join(dataFolder, 'hook.log')
  if (existsSync(log) && statSync(log).size > MOST_LOG_BYTES) renameSync(log, `${log}.old`)
  return log
}

/** Does the work of a hook, and never fails: an agent must not be stopped by a defect of its memory. */
export async function runHook(dataFolder: string, work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (error) {
    const why = error instanceof SyntaxError ? 'what Claude Code said is no JSON' : String(error)
    try {
      appendFileSync(hookLog(dataFolder), `${new Date().toISOString()} ${toOneLine(why)}\n`, { mode: 0o600 })
    } catch {
      // Nobody can be told: the folder of the log cannot be written.
    }
  }
}
