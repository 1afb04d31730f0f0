/** Turns what was read of a transcript into the parameters of the statements that write it. */
import { canonicalInstant } from '../core/instants.ts'
import {
  patternKey,
  sessionKey,
  splitSessionId,
  storedName,
  storedPath,
  toolKey,
  transcriptTurnKey,
  worktreeKey,
} from '../core/keys.ts'
import type { Value } from '../graph/port.ts'
import { readWorktree } from '../rules/worktree.ts'
import { classifyFailure } from './failure.ts'
import type { ThreadState } from './thread.ts'
import type { TranscriptTurn } from './turn.ts'

export type StoredTurn = {
  project: string
  /** The file that gives it. */
  fileKey: string
  /** The time of the newest record of that file, as far as it was read. */
  newestMs: number
  key: string
  length: number
  sessionId: string
  turn: TranscriptTurn
}

/**
 * The start of a turn that does not say when it began: an index holds no node that lacks one of its properties, and no
 * `--since` reaches back to this one.
 */
export const NEVER_MS = -8_640_000_000_000_000

export const storedTurn = (
  project: string,
  fileKey: string,
  sessionId: string,
  turn: TranscriptTurn,
): StoredTurn => ({
  project,
  fileKey,
  newestMs: NEVER_MS, // known once the file is read so far
  key: transcriptTurnKey(project, turn.id),
  length: turn.length,
  sessionId: storedName(sessionId),
  turn,
})

export function turnParams({ project, fileKey, key, sessionId, turn }: StoredTurn) {
  const startedAt = instant(turn.startedAt)
  const begunMs = startedAt === null ? NEVER_MS : Date.parse(startedAt)
  const tools = turn.steps.map(({ tool }) => storedName(tool))
  const pattern = turn.pattern?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null
  const keyOfPattern = pattern === null ? null : patternKey(project, pattern)
  const { id, startedAt: _, steps: __, ...counts } = turn
  const [name = ''] = tools
  return {
    key,
    startedAt,
    properties: {
      ...counts,
      project,
      id: storedName(id),
      sessionId,
      fileKey,
      begunMs,
      pattern,
      patternKey: keyOfPattern,
      tools,
    },
    follows:
      keyOfPattern === null
        ? []
        : [{ key: keyOfPattern, pattern, tool: { key: toolKey(project, name), name } }],
    calls: callsByTool(turn, tools, { project, sessionId, begunMs }),
  }
}

/** The steps of a turn by tool: each tool is looked up once. */
function callsByTool(
  { steps }: TranscriptTurn,
  tools: readonly string[],
  { project, sessionId, begunMs }: { project: string; sessionId: string; begunMs: number },
): Value[] {
  const byTool = new Map<string, { steps: Value[]; failed: Value[] }>()
  for (const [sequence, step] of steps.entries()) {
    const tool = tools[sequence] ?? ''
    const own = byTool.get(tool) ?? { steps: [], failed: [] }
    byTool.set(tool, own)
    const agentId = step.agentId === null ? null : storedName(step.agentId)
    // In the order that the statement takes them: their names, a million times, were half of what is sent.
    // A turn that an earlier version left open in a file's state has no groups.
    const group = step.parallelGroup ?? null
    const row = [
      ...[storedName(step.id), sequence, step.status, step.isParallel, step.durationMs, agentId, group],
      storedName(step.response),
    ]
    if (step.status !== 'error') own.steps.push(row)
    else {
      const error = step.error ?? ''
      const more = { error, failure: classifyFailure(tool, error), project, tool, sessionId, begunMs }
      own.failed.push({ row, more })
    }
  }
  return [...byTool].map(([name, own]) => ({
    key: toolKey(project, name),
    name,
    calls: own.steps.length + own.failed.length,
    errors: own.failed.length,
    ...own,
  }))
}

/** A session as `transcripts/write-files` takes it. */
export type SessionParams = {
  key: string
  startedAt: string | null
  endedAt: string | null
  parents: string[]
  properties: { [name: string]: Value }
}

/** @param parentStepId the call that started the agent, where a file beside the transcript names it */
export function sessionParams(
  project: string,
  thread: ThreadState,
  parentStepId: string | null,
): SessionParams {
  const { sessionId, sidechain, startedAt, endedAt, cwd, version } = thread
  const { session, agentId } = splitSessionId(sessionId)
  const worktree = readWorktree(cwd)
  const parent = sidechain && agentId !== null && session !== '' ? session : null
  return {
    key: sessionKey(project, sessionId),
    startedAt: instant(startedAt),
    endedAt: instant(endedAt),
    parents: parent === null ? [] : [sessionKey(project, parent)],
    properties: {
      project,
      id: storedName(sessionId),
      agentId: parent === null || agentId === null ? null : storedName(agentId),
      parentStepId: parentStepId === null ? null : storedName(parentStepId),
      cwd: cwd === null ? null : storedPath(cwd),
      worktreeKey: worktree === null ? null : worktreeKey(project, worktree),
      version: version === null ? null : storedName(version),
      isTranscribed: true,
    },
  }
}

/** The time of the newest record of some threads. */
export const newestRecordMs = (threads: readonly Pick<ThreadState, 'endedAt'>[]): number =>
  threads.reduce((newest, { endedAt }) => {
    const at = instant(endedAt)
    return at === null ? newest : Math.max(newest, Date.parse(at))
  }, NEVER_MS)

const instant = (text: string | null): string | null => (text === null ? null : canonicalInstant(text))
