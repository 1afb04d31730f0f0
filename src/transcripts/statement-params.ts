/** Converts the turns and sessions of a transcript to the parameters of the statements that write them. */
import { groupBy } from '../core/group-by.ts'
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
import { toCallLists } from '../rules/call-lists.ts'
import { eachKind } from '../rules/turn-tokens.ts'
import { readWorktree } from '../rules/worktree.ts'
import { classifyFailure } from './failure.ts'
import type { ThreadState } from './thread.ts'
import type { TranscriptTurn } from './turn.ts'

export type StoredTurn = {
  project: string
  fileKey: string
  /** The time of the newest record of the session in that file, up to the current position. */
  newestMs: number
  key: string
  length: number
  sessionId: string
  turn: TranscriptTurn
}

/** Stored start of a turn without a known start: an index omits nodes without a value. It is earlier than any `--since`. */
export const NEVER_MS = -8_640_000_000_000_000

export const storedTurn = (
  project: string,
  fileKey: string,
  sessionId: string,
  turn: TranscriptTurn,
): StoredTurn => ({
  project,
  fileKey,
  newestMs: NEVER_MS, // known when the part is written
  key: transcriptTurnKey(project, turn.id),
  length: turn.length,
  sessionId: storedName(sessionId),
  turn,
})

/** An earlier record of the turn may have had a usage. */
const NO_USAGE = { models: null, modelTokens: null, ...eachKind(() => null) }

export function turnParams({ project, fileKey, key, sessionId, turn }: StoredTurn) {
  const startedAt = instant(turn.startedAt)
  const begunMs = startedAt === null ? NEVER_MS : Date.parse(startedAt)
  const calls = turn.steps.map(({ id, tool, status, response, durationMs, agentId, parallelGroup }) => ({
    ...{ id: storedName(id), tool: storedName(tool), status, response: storedName(response), durationMs },
    agentId: agentId === null ? null : storedName(agentId),
    parallelGroup,
  }))
  const pattern = turn.pattern?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null
  const keyOfPattern = pattern === null ? null : patternKey(project, pattern)
  const { id, startedAt: _, steps: __, usage, ...counts } = turn
  const [{ tool: name } = { tool: '' }] = calls
  return {
    key,
    startedAt,
    properties: {
      ...counts,
      ...(usage ?? NO_USAGE),
      project,
      id: storedName(id),
      sessionId,
      fileKey,
      begunMs,
      pattern,
      patternKey: keyOfPattern,
      ...toCallLists(calls),
    },
    follows:
      keyOfPattern === null
        ? []
        : [{ key: keyOfPattern, pattern, tool: { key: toolKey(project, name), name } }],
    called: countCalls(project, calls),
    failed: turn.steps.flatMap(({ status, error }, sequence) => {
      const { id = '', tool = '' } = calls[sequence] ?? {}
      const place = { sequence, id, tool, project, sessionId, begunMs }
      return status === 'error'
        ? [{ ...place, error: error ?? '', failure: classifyFailure(tool, error ?? '') }]
        : []
    }),
  }
}

export function countCalls(project: string, calls: readonly { tool: string; status: string }[]) {
  return [...groupBy(calls, ({ tool }) => tool)].map(([name, own]) => ({
    key: toolKey(project, name),
    name,
    calls: own.length,
    errors: own.filter(({ status }) => status === 'error').length,
  }))
}

export type SessionParams = {
  key: string
  startedAt: string | null
  endedAt: string | null
  parents: string[]
  properties: { [name: string]: Value }
}

/** @param parentStepId the call that started the subagent, if a file next to the transcript names it */
export function sessionParams(
  { project, agent }: { project: string; agent: string },
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
      agent: storedName(agent),
      agentId: parent === null || agentId === null ? null : storedName(agentId),
      parentStepId: parentStepId === null ? null : storedName(parentStepId),
      cwd: cwd === null ? null : storedPath(cwd),
      worktreeKey: worktree === null ? null : worktreeKey(project, worktree),
      version: version === null ? null : storedName(version),
      isTranscribed: true,
    },
  }
}

/** Returns the time of the newest record of each session with its subagents, among the threads of a file. */
export function newestRecords(
  threads: readonly Pick<ThreadState, 'sessionId' | 'endedAt'>[],
): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { sessionId, endedAt } of threads) {
    const at = instant(endedAt)
    const { session } = splitSessionId(storedName(sessionId))
    if (at !== null) newest.set(session, Math.max(newest.get(session) ?? NEVER_MS, Date.parse(at)))
  }
  return newest
}

const instant = (text: string | null): string | null => (text === null ? null : canonicalInstant(text))
