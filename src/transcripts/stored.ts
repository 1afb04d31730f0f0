import type { Params, Value } from '../graph/port.ts'
import { canonicalInstant } from '../instant.ts'
import { sha256, transcriptKey } from '../keys.ts'
import { failureOf } from './failure.ts'
import type { ThreadState } from './thread.ts'
import type { TranscriptTurn } from './turn.ts'

/** What of a transcript goes into the graph, as parameters of its statements. */

const LONGEST_NAME = 256
const LONGEST_PATH = 4_096

/** Names and ids are other people's: what both engines can keep, and no longer than an index takes. */
export const nameFrom = (text: string): string => kept(text, LONGEST_NAME)
export const pathFrom = (text: string): string => kept(text, LONGEST_PATH)

const kept = (text: string, longest: number): string =>
  text.length <= longest
    ? text.toWellFormed().replaceAll('\0', '\uFFFD')
    : `${kept(text.slice(0, longest - 65), longest)}…${sha256(text)}`

export const sessionKey = (project: string, sessionId: string): string =>
  transcriptKey(project, nameFrom(sessionId))

const turnKeyOf = (project: string, id: string): string => transcriptKey(project, nameFrom(id))
const toolKey = (project: string, tool: string): string => transcriptKey(project, nameFrom(tool))

/** Patterns may be longer than an index takes. */
export const patternKey = (project: string, pattern: string): string =>
  transcriptKey(project, sha256(pattern))

export type StoredTurn = {
  project: string
  /** The file that gives it. */
  fileKey: string
  key: string
  length: number
  sessionId: string
  turn: TranscriptTurn
}

export const storedTurn = (
  project: string,
  fileKey: string,
  sessionId: string,
  turn: TranscriptTurn,
): StoredTurn => ({
  project,
  fileKey,
  key: turnKeyOf(project, turn.id),
  length: turn.length,
  sessionId: nameFrom(sessionId),
  turn,
})

/** @param messages the scrubbed form of each error */
export function turnParams(
  { project, fileKey, key, sessionId, turn }: StoredTurn,
  messages: ReadonlyMap<string, string>,
): { [name: string]: Value } {
  const startedAt = instant(turn.startedAt)
  const startedMs = startedAt === null ? null : Date.parse(startedAt)
  const tools = turn.steps.map(({ tool }) => nameFrom(tool))
  const pattern = turn.pattern === null ? null : turn.pattern.toWellFormed().replaceAll('\0', '\uFFFD')
  const rows = turn.steps.map((step, sequence) => {
    const common = {
      id: nameFrom(step.id),
      sequence,
      status: step.status,
      isParallel: step.isParallel,
      durationMs: step.durationMs,
      agentId: step.agentId === null ? null : nameFrom(step.agentId),
    }
    const tool = toolKey(project, step.tool)
    if (step.status !== 'error') return { tool, properties: common, failed: false }
    const error = messages.get(step.error ?? '') ?? ''
    const failure = failureOf(error)
    return {
      tool,
      properties: { ...common, error, failure, project, tool: nameFrom(step.tool), sessionId, startedMs },
      failed: true,
    }
  })
  return {
    key,
    startedAt,
    properties: {
      project,
      id: nameFrom(turn.id),
      sessionId,
      fileKey,
      index: turn.index,
      kind: turn.kind,
      status: turn.status,
      startedMs,
      durationMs: turn.durationMs,
      durationSource: turn.durationSource,
      length: turn.length,
      pattern,
      tools,
      errors: turn.errors,
      parallelSteps: turn.parallelSteps,
    },
    follows: pattern === null ? [] : [followed(project, pattern, tools[0] ?? '')],
    calls: callsOf(project, turn),
    steps: rows.filter(({ failed }) => !failed).map(({ tool, properties }) => ({ tool, properties })),
    failed: rows.filter(({ failed }) => failed).map(({ tool, properties }) => ({ tool, properties })),
  }
}

const followed = (project: string, pattern: string, first: string): Value => ({
  key: patternKey(project, pattern),
  pattern,
  tool: { key: toolKey(project, first), name: first },
})

function callsOf(project: string, { steps }: TranscriptTurn): Value[] {
  const calls = new Map<string, { calls: number; errors: number }>()
  for (const { tool, status } of steps) {
    const name = nameFrom(tool)
    const found = calls.get(name) ?? { calls: 0, errors: 0 }
    calls.set(name, { calls: found.calls + 1, errors: found.errors + (status === 'error' ? 1 : 0) })
  }
  return [...calls].map(([name, counts]) => ({ key: toolKey(project, name), name, ...counts }))
}

/** @param parentStepId the call that started the agent, where a file beside the transcript names it */
export function sessionParams(
  project: string,
  thread: ThreadState,
  parentStepId: string | null,
): { [name: string]: Value } {
  const { sessionId, sidechain, startedAt, endedAt, cwd, version } = thread
  const slash = sessionId.lastIndexOf('/')
  const parent = sidechain && slash > 0 ? sessionId.slice(0, slash) : null
  return {
    key: sessionKey(project, sessionId),
    startedAt: instant(startedAt),
    endedAt: instant(endedAt),
    parents: parent === null ? [] : [sessionKey(project, parent)],
    properties: {
      project,
      id: nameFrom(sessionId),
      agentId: parent === null ? null : nameFrom(sessionId.slice(slash + 1)),
      parentStepId: parentStepId === null ? null : nameFrom(parentStepId),
      cwd: cwd === null ? null : pathFrom(cwd),
      version: version === null ? null : nameFrom(version),
      isTranscribed: true,
    },
  }
}

export const heldParams = ({ project, key, sessionId, turn }: StoredTurn): Params => ({
  session: sessionKey(project, sessionId),
  turn: key,
  index: turn.index,
})

const instant = (text: string | null): string | null => (text === null ? null : canonicalInstant(text))
