// Makes and reads the keys of the graph's nodes: nothing else knows what a key looks like.
import { createHash } from 'node:crypto'
import { scrubText } from './scrub/scrub.ts'

/**
 * Every node that is looked up has one synthetic key: its scope's parts, each percent-encoded, joined
 * by `/` (DESIGN.md, "The graph"). Only `%` and `/` are encoded: that is what makes the key injective,
 * and the names' limit of 1 KiB then keeps a key of four parts below the 8,000 bytes of a Neo4j index.
 */
const encodePart = (part: string): string => part.replaceAll('%', '%25').replaceAll('/', '%2F')

const decodePart = (part: string): string => part.replaceAll('%2F', '/').replaceAll('%25', '%')

const join = (...parts: string[]): string => parts.map(encodePart).join('/')

export const projectKey = (project: string): string => join(project)
/** Between these two stand the keys of all that is a project's, and no other's: `0` follows `/`. */
export const keysOfProject = (project: string): { after: string; below: string } => ({
  after: `${projectKey(project)}/`,
  below: `${projectKey(project)}0`,
})
export const featureKey = (project: string, featureId: string): string => join(project, featureId)
export const taskKey = (project: string, featureId: string, taskId: string): string =>
  join(project, featureId, taskId)

/** A world's slug is unique in its project, so the feature and the task are no part of its key. */
export const worldKey = (project: string, worldSlug: string): string => join(project, worldSlug)

/** Built in Cypher too (`w.key + '/' + toString(number)`), hence the plain form. */
export const turnKey = (ofWorld: string, turnNumber: number): string => `${ofWorld}/${turnNumber}`

/** A record that was superseded keeps the key of its turn, with its revision. Built in Cypher too (turns/supersede). */
export const supersededKey = (ofTurn: string, revision: number): string => `${ofTurn}~${revision}`

const SUPERSEDED = /^(.*\/\d+)~(\d+)$/s

export const isSupersededKey = (key: string): boolean => SUPERSEDED.test(key)

/** The turn's key without a revision. */
export const turnOfSuperseded = (key: string): string => SUPERSEDED.exec(key)?.[1] ?? key

/** Of a turn run or an attempt. Unique in its project: an id of another project finds nothing. */
export const recordKey = (project: string, id: string): string => join(project, id)

export const worldSeqKey = (ofWorld: string, number: number): string => `${ofWorld}/${number}`
export const runSeqKey = (ofRun: string, seq: number): string => `${ofRun}/${seq}`

/** A criterion with a text belongs to its task; identical words are one criterion. */
export const criterionKey = (ofTask: string, words: string): string => `${ofTask}/text:${sha256(words)}`

/** A criterion known by its label alone belongs to its world. */
export const labelOnlyCriterionKey = (ofTask: string, ofWorld: string, label: string): string =>
  `${ofTask}/label:${sha256(`${ofWorld}\n${label}`)}`

/** A version of what a task declares must hold. */
export const specificationKey = (ofTask: string, version: number): string =>
  `${ofTask}/specification:${version}`

export type TopicKind = 'file' | 'gate' | 'issue' | 'feature'

/** What turns are about, as a part of a key. Built in Cypher too, as the key is: turns/context, elsewhere, restore/topics, V011, V012. */
export const topicName = (kind: TopicKind, name: string): string => join(`${kind}:${name}`)

/** Of a topic, without its slot. */
export const topicKey = (project: string, ofTopic: string): string => `${join(project)}/${ofTopic}`

/** Whose criterion it is; null where the key is not a criterion's. */
export function taskOfCriterion(key: string): { project: string; featureId: string; taskId: string } | null {
  const [project, featureId, taskId, own, ...rest] = partsOfKey(key)
  if (project === undefined || featureId === undefined || taskId === undefined) return null
  return own === undefined || rest.length > 0 ? null : { project, featureId, taskId }
}

export const partsOfKey = (key: string): string[] => key.split('/').map(decodePart)

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** Tools, calls and records as Claude Code names them. */
const USUAL_NAME =
  /^(?:[A-Za-z]{1,24}|(?:toolu|msg|req)_[A-Za-z0-9]{20,30}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

/** Masks secrets in a name or an id of a transcript. Two names that differ still do, and a masked one is left alone. */
export function maskName(name: string): string {
  if (USUAL_NAME.test(name)) return name
  const masked = scrubText(name)
  return masked === name ? name : `${masked} ${sha256(name).slice(0, 12)}`
}

/** Masks a key of a transcript as an import masks the names in it. The project's part stays. */
export const maskTranscriptKey = (key: string): string =>
  key
    .split('/')
    .map((part, place) => (place === 0 ? part : maskName(part)))
    .join('/')

const LONGEST_NAME = 256
const LONGEST_PATH = 4_096

/** Names and ids of transcripts are other people's: masked, what both engines can keep, no longer than an index takes. */
export const storedName = (text: string): string => shorten(maskName(text), LONGEST_NAME)
export const storedPath = (text: string): string => shorten(scrubText(text), LONGEST_PATH)

const shorten = (text: string, longest: number): string =>
  text.length <= longest
    ? text.toWellFormed().replaceAll('\0', '\uFFFD')
    : `${shorten(text.slice(0, longest - 65), longest)}…${sha256(text)}`

/** What belongs to a project and has one name there, which is stored already. */
export const transcriptKey = (project: string, own: string): string => join(project, own)

/** By the name or the id that the transcript gives. */
export const sessionKey = (project: string, sessionId: string): string =>
  transcriptKey(project, storedName(sessionId))
/** Of the worktree of a task or a feature, by the name of its folder. */
export const worktreeKey = (project: string, worktree: string): string =>
  transcriptKey(project, storedName(worktree))
export const transcriptTurnKey = (project: string, id: string): string =>
  transcriptKey(project, storedName(id))
export const toolKey = (project: string, tool: string): string => transcriptKey(project, storedName(tool))

/** Two files may hold one session. */
export const transcriptFileKey = (of: {
  project: string
  sessionId: string
  path?: string | null | undefined
}): string =>
  transcriptKey(of.project, `${storedName(of.sessionId)}${of.path == null ? '' : `@${sha256(of.path)}`}`)

/** Patterns may be longer than an index takes. */
export const patternKey = (project: string, pattern: string): string =>
  transcriptKey(project, sha256(pattern))

export const toolUseKey = (of: { project: string; tool: string; period: number; length: number }): string =>
  `${toolKey(of.project, of.tool)}/${of.period}/${of.length}`

/** What a session's id says: `{session}`, or `{session}/{agent}` for the thread of a subagent. */
export function splitSessionId(id: string): { session: string; agentId: string | null } {
  const slash = id.lastIndexOf('/')
  return slash < 0
    ? { session: id, agentId: null }
    : { session: id.slice(0, slash), agentId: id.slice(slash + 1) }
}
