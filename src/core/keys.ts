import { createHash } from 'node:crypto'

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

/** A criterion with a text belongs to its task; identical words are one criterion. */
export const criterionKey = (ofTask: string, words: string): string => `${ofTask}/text:${sha256(words)}`

/** A criterion known by its label alone belongs to its world. */
export const labelOnlyCriterionKey = (ofTask: string, ofWorld: string, label: string): string =>
  `${ofTask}/label:${sha256(`${ofWorld}\n${label}`)}`

/** What belongs to a project and has one name there: a transcript's session, turn, tool or pattern. */
export const transcriptKey = (project: string, own: string): string => join(project, own)

/** Whose criterion it is; null where the key is none of a criterion. */
export function taskOfCriterion(key: string): { project: string; featureId: string; taskId: string } | null {
  const [project, featureId, taskId, own, ...rest] = key.split('/').map(decodePart)
  if (project === undefined || featureId === undefined || taskId === undefined) return null
  return own === undefined || rest.length > 0 ? null : { project, featureId, taskId }
}

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
