/** Runs a hook: reads the event from Claude Code and logs failures. Builtin modules only, because a hook must be quick. */
import path from 'node:path'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { appendLine, fill, openToAppend } from './hook-files.ts'

const MAX_INPUT_BYTES = 1024 * 1024
const MAX_LOG_BYTES = 1024 * 1024
const MAX_ID_LENGTH = 256

/** The event in the words of Claude Code (hooks reference, "Common input fields"). A field of another type counts as absent. */
export type HookInput = {
  event: string | null
  sessionId: string | null
  workingFolder: string | null
  /** Reason of the start of a session: `startup`, `resume`, `clear`, `compact` or `fork`. */
  source: string | null
  transcript: string | null
  /** Present only if the hook runs in or for a subagent. */
  agentId: string | null
  agentTranscript: string | null
  /** Number of background tasks and scheduled jobs that will wake the agent: it pauses and has not finished. */
  pendingWork: number
  /** True if a Stop hook may answer with `additionalContext`. Versions of Claude Code that send `prompt_id` (2.1.196) accept it. */
  takesStopContext: boolean
}

export type Hook = {
  input: HookInput
  log: (text: string) => void
}

/** @throws SyntaxError if standard input is not JSON */
function readHookInput(): HookInput {
  const buffer = Buffer.alloc(MAX_INPUT_BYTES)
  const input = Object(JSON.parse(buffer.toString('utf8', 0, fill(buffer, 0)))) as Record<string, unknown>
  const text = (field: string): string | null => {
    const value = input[field]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const count = (field: string): number => {
    const value = input[field]
    return Array.isArray(value) ? value.length : 0
  }
  const id = text('session_id')
  return {
    event: text('hook_event_name'),
    sessionId: id !== null && id.length <= MAX_ID_LENGTH ? id : null,
    workingFolder: text('cwd'),
    source: text('source'),
    transcript: text('transcript_path'),
    agentId: text('agent_id'),
    agentTranscript: text('agent_transcript_path'),
    pendingWork: count('background_tasks') + count('session_crons'),
    takesStopContext: text('prompt_id') !== null,
  }
}

export function openHookLog(dataFolder: string): number {
  makeDataFolder(dataFolder)
  return openToAppend(path.join(dataFolder, 'hook.log'), MAX_LOG_BYTES)
}

export const linePrefix = (sessionId: string | null): string =>
  `${new Date().toISOString()} ${sessionId === null ? '-' : toOneLine(sessionId)} `

/** Does the work of a hook, and never fails: a defect of the memory must not stop an agent. */
export async function runHook(dataFolder: string, work: (hook: Hook) => Promise<void> | void): Promise<void> {
  let sessionId: string | null = null
  const log = (text: string): void => {
    try {
      makeDataFolder(dataFolder)
      appendLine(
        path.join(dataFolder, 'hook.log'),
        MAX_LOG_BYTES,
        `${linePrefix(sessionId)}${toOneLine(text)}`,
      )
    } catch {
      // The log cannot be written, so the error cannot be reported.
    }
  }
  try {
    const input = readHookInput()
    sessionId = input.sessionId
    await work({ input, log })
  } catch (error) {
    log(error instanceof SyntaxError ? 'the input from Claude Code is not JSON' : String(error))
  }
}
