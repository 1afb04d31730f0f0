// Makes and reads the keys of the graph's nodes. No other file knows the form of a key.
import { hash } from 'node:crypto'
import { haveNoSecrets, scrubText } from './scrub/scrub.ts'

/**
 * Every node that is looked up has one synthetic key: the parts of its scope, percent-encoded and joined by
 * `/` (docs/concepts.md, "The graph"). Only `%` and `/` are encoded. This makes the key injective. Names have at
 * most 1 KiB, so a key of four parts stays below the 8,000 bytes of a Neo4j index.
 */
const encodePart = (part: string): string => part.replaceAll('%', '%25').replaceAll('/', '%2F')

const decodePart = (part: string): string => part.replaceAll('%2F', '/').replaceAll('%25', '%')

const join = (...parts: string[]): string => parts.map(encodePart).join('/')

export const projectKey = (project: string): string => join(project)
/** Bounds of the range that contains all keys of one project and no others: `0` follows `/`. */
export const keysOfProject = (project: string): { after: string; below: string } => ({
  after: `${projectKey(project)}/`,
  below: `${projectKey(project)}0`,
})
export const featureKey = (project: string, featureId: string): string => join(project, featureId)
export const taskKey = (project: string, featureId: string, taskId: string): string =>
  join(project, featureId, taskId)

/** A world's slug is unique in its project, so its key does not contain the feature and the task. */
export const worldKey = (project: string, worldSlug: string): string => join(project, worldSlug)

/** Cypher builds the same key (`w.key + '/' + toString(number)`), so the form is plain. */
export const turnKey = (ofWorld: string, turnNumber: number): string => `${ofWorld}/${turnNumber}`

export const worldOfTurn = (key: string): string => key.slice(0, key.lastIndexOf('/'))

/** The key of a superseded record: the key of its turn and its revision. Cypher builds it too (turns/supersede). */
export const supersededKey = (ofTurn: string, revision: number): string => `${ofTurn}~${revision}`

const SUPERSEDED = /^(.*\/\d+)~(\d+)$/s

export const isSupersededKey = (key: string): boolean => SUPERSEDED.test(key)

export const turnOfSuperseded = (key: string): string => SUPERSEDED.exec(key)?.[1] ?? key

/** The key of a turn run or an attempt. It contains the project, so an id of another project finds nothing. */
export const recordKey = (project: string, id: string): string => join(project, id)

export const worldSeqKey = (ofWorld: string, number: number): string => `${ofWorld}/${number}`
export const runSeqKey = (ofRun: string, seq: number): string => `${ofRun}/${seq}`

/** The key of a criterion with a text. It belongs to its task; identical texts are one criterion. */
export const criterionKey = (ofTask: string, words: string): string => `${ofTask}/text:${sha256(words)}`

/** The key of a criterion that is known only by its label. It belongs to its world. */
export const labelOnlyCriterionKey = (ofTask: string, ofWorld: string, label: string): string =>
  `${ofTask}/label:${sha256(`${ofWorld}\n${label}`)}`

/** True if a key has the form of the key of a criterion of the task. `World.state` shortens keys of this form only. */
export const isCriterionKey = (ofTask: string, key: string): boolean =>
  key.startsWith(`${ofTask}/`) && /^(text|label):[0-9a-f]{64}$/.test(key.slice(ofTask.length + 1))

export const specificationKey = (ofTask: string, version: number): string =>
  `${ofTask}/specification:${version}`

export const fileKey = (project: string, path: string): string => join(project, path)

/** The key of an agent, from its name and its model. An empty model is the same as none. */
export const agentKey = (project: string, name: string, model: string | null): string =>
  join(project, name, model ?? '')

/** Returns the task of a criterion; null if the key does not belong to a criterion. */
export function taskOfCriterion(key: string): { project: string; featureId: string; taskId: string } | null {
  const [project, featureId, taskId, own, ...rest] = partsOfKey(key)
  if (project === undefined || featureId === undefined || taskId === undefined) return null
  return own === undefined || rest.length > 0 ? null : { project, featureId, taskId }
}

export const partsOfKey = (key: string): string[] => key.split('/').map(decodePart)

export const projectOfKey = (key: string): string => partsOfKey(key)[0] ?? ''

export const sha256 = (text: string): string => hash('sha256', text)

/** Names of tools, calls and records in the form that Claude Code writes. */
const USUAL_NAME =
  /^(?:[A-Za-z]{1,24}|(?:toolu|msg|req)_[A-Za-z0-9]{20,30}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

/** Names and paths without a secret, such as models, versions and tools. A transcript repeats them in each record. */
const unmasked = new Set<string>()
const MAX_UNMASKED_NAMES = 1_000
const MAX_UNMASKED_NAME_LENGTH = 300

/** Masks secrets in a name or an id of a transcript. Different names stay different. A masked name stays as it is. */
export function maskName(name: string): string {
  if (USUAL_NAME.test(name)) return name
  const masked = maskPath(name)
  return masked === name ? name : `${masked} ${sha256(name).slice(0, 12)}`
}

export function maskPath(path: string): string {
  if (unmasked.has(path)) return path
  const masked = scrubText(path)
  if (masked === path && path.length <= MAX_UNMASKED_NAME_LENGTH) rememberUnmasked(path)
  return masked
}

/** Scans names and paths together, so that masking them one by one later needs no further scans. */
export function scanNames(names: readonly string[]): void {
  const unusual = names.filter((name) => name.length <= MAX_UNMASKED_NAME_LENGTH && !USUAL_NAME.test(name))
  if (haveNoSecrets(unusual)) for (const name of unusual) rememberUnmasked(name)
}

function rememberUnmasked(name: string): void {
  if (unmasked.size >= MAX_UNMASKED_NAMES) unmasked.clear()
  unmasked.add(name)
}

/** Masks a key of a transcript in the same way as an import masks the names in it. The project's part stays. */
export const maskTranscriptKey = (key: string): string =>
  key
    .split('/')
    .map((part, place) => (place === 0 ? part : maskName(part)))
    .join('/')

const MAX_NAME_LENGTH = 256
const MAX_PATH_LENGTH = 4_096

/** Transcripts contain any names and ids. They are masked, storable in both engines, and short enough for an index. */
export const storedName = (text: string): string =>
  USUAL_NAME.test(text) ? text : shorten(maskName(text), MAX_NAME_LENGTH)
export const storedPath = (text: string): string => shorten(maskPath(text), MAX_PATH_LENGTH)

const shorten = (text: string, longest: number): string =>
  text.length <= longest
    ? text.toWellFormed().replaceAll('\0', '\uFFFD')
    : `${shorten(text.slice(0, longest - 65), longest)}…${sha256(text)}`

/** The key of a node that has a unique, already stored name in its project. */
export const transcriptKey = (project: string, own: string): string => join(project, own)

/** The key of a transcript session, from the id in the transcript. */
export const sessionKey = (project: string, sessionId: string): string =>
  transcriptKey(project, storedName(sessionId))
/** The key of the worktree of a task or a feature, from the name of its folder. */
export const worktreeKey = (project: string, worktree: string): string =>
  transcriptKey(project, storedName(worktree))
export const transcriptTurnKey = (project: string, id: string): string =>
  transcriptKey(project, storedName(id))
export const toolKey = (project: string, tool: string): string => transcriptKey(project, storedName(tool))

/** The key contains the path, because two files may contain the same session. */
export const transcriptFileKey = (of: {
  project: string
  sessionId: string
  path?: string | null | undefined
}): string =>
  transcriptKey(of.project, `${storedName(of.sessionId)}${of.path == null ? '' : `@${sha256(of.path)}`}`)

/** The key contains a hash, because a pattern may be longer than an index allows. */
export const patternKey = (project: string, pattern: string): string =>
  transcriptKey(project, sha256(pattern))

/** Splits a session's id: `{session}`, or `{session}/{agent}` for the thread of a subagent. */
export function splitSessionId(id: string): { session: string; agentId: string | null } {
  const slash = id.lastIndexOf('/')
  return slash < 0
    ? { session: id, agentId: null }
    : { session: id.slice(0, slash), agentId: id.slice(slash + 1) }
}
