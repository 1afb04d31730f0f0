/** Deletes conversations of a project: transcript sessions with the sessions of their agents. */
import * as z from 'zod'
import { sessionKey, transcriptKey } from '../../core/keys.ts'
import { decodeRow, readPages } from '../../graph/decode.ts'
import { deleteByKeys } from '../../graph/model-statements.ts'
import { type Graph, type Run, toStep } from '../../graph/port.ts'
import { generated, type Statement, statement } from '../../graph/statements.ts'
import { optionalText } from '../../rules/values.ts'
import { refreshDesires } from '../../transcripts/desires.ts'
import { withoutThreads } from '../../transcripts/progress.ts'
import {
  type Counts,
  type DeletePiece,
  deleteAll,
  deleteNodes,
  deleteOwned,
  deleteUnused,
  inOnePiece,
  kindsOwnedBy,
  type Listed,
  type OwnedKind,
  type Progress,
} from './delete-nodes.ts'

const [ofProject, ofSession] = (['project', 'session'] as const).map((of) => ({
  all: statement('forget/conversations', of, 'any-time'),
  old: statement('forget/conversations', of, 'before'),
})) as [ConversationStatements, ConversationStatements]
type ConversationStatements = { all: Statement; old: Statement }
const lockFiles = statement('forget/lock-files')
/** Deletes the positions of files: an import reads such a file from the beginning again. */
const deleteFiles = deleteByKeys('TranscriptFile')
const releaseFiles = statement('forget/release-files')
const lockTurns = statement('forget/lock-transcript-turns')
const reassignTurns = statement('forget/reassign-transcript-turns')
const resetSession = statement('forget/reset-session')
const turns = kindsOwnedBy('TranscriptSession')

/** Labels whose nodes may remain after the last conversation of a project is deleted, each with the path that shows its use. */
const REMAINS = (
  [
    ['TurnPattern', '(x)<-[:FOLLOWS]-()'],
    ['Desire', '(x)-[:SURFACED_FROM]->()'],
    ['Tool', '(x)<-[:CALLED|STARTS_WITH]-()'],
    ['TranscriptFile', '(x)-[:HOLDS]->()'],
  ] as const
).map(
  ([label, use]) =>
    [
      label,
      generated(
        `forget/delete-all-${label}`,
        // An import may begin to use a node at the same time: the second check comes after the lock, as in `deleteEmpty`.
        `// params: $prefix $limit
MATCH (x:${label})
WHERE x.key STARTS WITH $prefix AND NOT EXISTS { MATCH ${use} }
WITH x
LIMIT $limit
SET x.key = x.key
WITH x
WHERE NOT EXISTS { MATCH ${use} }
DETACH DELETE x
RETURN count(*) AS gone`,
      ),
    ] as const,
)

/** A session with the sessions of its agents, which are deleted together. */
type Conversation = { project: string; sessionKeys: string[] }
export type ConversationScope = {
  project: string
  before: string | null
  /** Session to delete with its agents; null for all sessions of the project. */
  sessionId: string | null
}

/** @returns true if nothing is left to delete */
export async function forgetTranscripts(
  graph: Graph,
  of: ConversationScope,
  progress: Progress,
  threshold: number,
): Promise<boolean> {
  for await (const conversation of conversationsToForget(graph, of))
    if (!(await forgetConversation(graph, conversation, progress))) return false
  const { project } = of
  if (of.before !== null || of.sessionId !== null) await refreshDesires(graph, project, threshold)
  else
    for (const [label, deletion] of REMAINS)
      if (!(await deleteAll(graph, deletion, { prefix: transcriptKey(project, '') }, label, progress)))
        return false
  return true
}

const flag = z.boolean().nullable()
const conversationRow = z.object({
  key: z.string(),
  isTranscribed: flag,
  agents: z.array(z.tuple([z.string(), flag])),
})

const CONVERSATIONS_AT_ONCE = 500

/** Yields the conversations to forget. Agents come before their session, because a killed operation finds them through it. */
export async function* conversationsToForget(
  graph: Graph,
  { project, before, sessionId }: ConversationScope,
): AsyncGenerator<Conversation> {
  const [from, params] =
    sessionId === null
      ? [ofProject, { prefix: transcriptKey(project, '') }]
      : [ofSession, { sessionKey: sessionKey(project, sessionId) }]
  const pages =
    before === null
      ? readPages(graph, from.all, params, conversationRow, CONVERSATIONS_AT_ONCE)
      : readPages(graph, from.old, { ...params, before }, conversationRow, CONVERSATIONS_AT_ONCE)
  for await (const page of pages) {
    for (const { key, isTranscribed, agents } of page) {
      if (![isTranscribed, ...agents.map(([, isAgents]) => isAgents)].includes(true)) continue
      yield { project, sessionKeys: [...agents.map(([of]) => of).sort(), key] }
    }
  }
}

/** Deletes the read positions of a conversation's files, then its turns, then its sessions. */
async function forgetConversation(
  graph: Graph,
  conversation: Conversation,
  progress: Progress,
): Promise<boolean> {
  const { sessionKeys } = conversation
  await inOnePiece(graph, progress, (run) => forgetFiles(run, conversation))
  const forgetSome = (...[run, kind, listed]: Parameters<DeletePiece>) =>
    forgetTurns(run, kind, listed, conversation)
  if (!(await deleteOwned(graph, turns, sessionKeys, progress, forgetSome))) return false
  for (const sessionKey of sessionKeys) {
    if (!progress.isTime()) return false
    await inOnePiece(graph, progress, async (run) => {
      await run({ statement: resetSession, params: { sessionKey } })
      return deleteUnused(run, { TranscriptSession: [sessionKey] })
    })
  }
  return true
}

const lockedFile = z.object({ key: z.string(), state: optionalText, sessionKeys: z.array(z.string()) })

/** Deletes the positions of files. A file with other sessions keeps its position, so that an import does not read it again. */
async function forgetFiles(run: Run, { project, sessionKeys }: Conversation): Promise<Counts> {
  const params = { keys: sessionKeys, token: crypto.randomUUID() }
  const locked = (await run({ statement: lockFiles, params })).map((row) =>
    decodeRow(lockFiles, lockedFile, row),
  )
  const isGoing = (key: string) => sessionKeys.includes(key)
  const [own, shared] = [true, false].map((is) =>
    locked.filter((file) => file.sessionKeys.every(isGoing) === is),
  )
  const files = (shared ?? []).map(({ key, state }) => ({
    key,
    state: withoutThreads(state, (id) => isGoing(sessionKey(project, id))),
  }))
  if (files.length > 0) await run(toStep(releaseFiles, { batch: { files }, keys: sessionKeys }))
  const keys = (own ?? []).map(({ key }) => key)
  if (keys.length > 0) await run(toStep(deleteFiles, { keys }))
  return { TranscriptFile: keys.length }
}

const lockedTurn = z.object({
  key: z.string(),
  sessionId: optionalText,
  others: z.array(z.tuple([z.string(), z.string(), z.number()])),
  files: z.array(z.tuple([z.string(), z.string()])),
})
type LockedTurn = z.output<typeof lockedTurn>

/** Deletes turns. Turns that another session also holds are reassigned to that session. */
async function forgetTurns(
  run: Run,
  kind: OwnedKind,
  listed: readonly Listed[],
  { project, sessionKeys }: Conversation,
): Promise<Counts> {
  const params = { keys: listed.map(({ key }) => key), family: sessionKeys, token: crypto.randomUUID() }
  const locked = (await run({ statement: lockTurns, params })).map((row) =>
    decodeRow(lockTurns, lockedTurn, row),
  )
  const [shared, own] = [true, false].map((is) => locked.filter(({ others }) => others.length > 0 === is))
  if (shared?.length) await reassignSharedTurns(run, shared, { project, sessionKeys })
  if (!own?.length) return {}
  const keys = new Set(own.map(({ key }) => key))
  return deleteNodes(
    run,
    kind,
    listed.filter(({ key }) => keys.has(key)),
  )
}

/** Reassigns turns to the first other session by name that holds them, like an import of two sessions with one turn. */
async function reassignSharedTurns(
  run: Run,
  turns: readonly LockedTurn[],
  { project, sessionKeys }: Conversation,
): Promise<void> {
  const reassigned = turns.map(({ key, sessionId, others, files }) => {
    const [heir] = others.toSorted(([, a], [, b]) => (a < b ? -1 : 1))
    // Reassigns only the turns that belong to a deleted session; the others do not change.
    const isOwnerGoing = sessionId === null || sessionKeys.includes(transcriptKey(project, sessionId))
    if (heir === undefined || !isOwnerGoing) return { key, sessionId: null, index: null, fileKey: null }
    const [fileKey = null] = files.flatMap(([of, file]) => (of === heir[0] ? [file] : [])).sort()
    return { key, sessionId: heir[1], index: heir[2], fileKey }
  })
  await run(toStep(reassignTurns, { batch: { turns: reassigned }, family: sessionKeys }))
}
