/**
 * Determines the topics of a turn, by which other sessions find it: the files that it touched, its failed gates, and the
 * complaints about it (docs/decisions/elsewhere.md). Pure.
 */
import { partsOfKey, topicKey, topicName, turnKey } from '../../core/keys.ts'
import { projectPath } from '../../core/project-paths.ts'
import { type Complaint, issueSignature } from '../../rules/signature.ts'
import type { TurnState } from '../record/record.ts'

/**
 * Number of nodes over which the turns of a topic are spread by their session, so that captures of many sessions do not wait for
 * one lock, and a long session fills only its own slot. V011 and elsewhere/refill-topics compute slots in Cypher by the same
 * rule.
 */
export const SLOTS = 2
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Maximum number of topics of a turn of each kind. Longer names are no file names, and exceed the limit of indexes. */
export const MOST_NAMES = 50
const LONGEST_NAME = 1_000

/** Computes the slot of a session: the sum of the positions of its slug's characters among digits and letters. */
export function slotOfWorld(ofWorld: string): number {
  const [, worldSlug = ''] = partsOfKey(ofWorld)
  return [...worldSlug].reduce((sum, character) => sum + Math.max(0, DIGITS.indexOf(character)), 0) % SLOTS
}

/** Returns the files of a project in their normal spelling, without duplicates. */
export const projectFiles = (paths: readonly string[]): string[] =>
  limitNames(paths.flatMap((path) => projectPath(path) ?? []))

type Gate = { name: string; status: string }

const listFailedGates = (gates: readonly Gate[]): string[] =>
  limitNames(gates.filter(({ status }) => status === 'failed').map(({ name }) => name))

const limitNames = (names: readonly string[]): string[] =>
  [...new Set(names)].filter(({ length }) => length <= LONGEST_NAME).slice(0, MOST_NAMES)

/** Lists the files and failed gates of a turn. The context of the next turn searches by these, its issues and its feature. */
export const listTopicNames = (
  { filesModified }: Pick<Turn, 'filesModified'>,
  gates: readonly Gate[],
): string[] => [
  ...projectFiles(filesModified).map((file) => topicName('file', file)),
  ...listFailedGates(gates).map((gate) => topicName('gate', gate)),
]

type Turn = Pick<TurnState, 'coachDecision' | 'lessonsFromTurn' | 'blockersFound' | 'filesModified'> & {
  completedAt?: string | null | undefined
}

/** Topics of a turn, and its entry in them. */
export type TurnTopics = {
  /** Topics that the turn enters or leaves, in the order of their locks. */
  keys: string[]
  /** Topics that the turn leaves: only the replaced record had them. */
  left: string[]
  /** Topics in which the turn moves back or disappears, compared with the replaced record: they may need older turns. */
  lowered: string[]
  entry: string
  /** End of the entry, which does not depend on its time. */
  turn: string
}

/**
 * Lists the topics of a turn with its entry. Topics of files and gates lead only to lessons and blockers, so a turn without any
 * has none of these. Only approved turns have the topic of their feature.
 *
 * @param ofWorld key of the session
 * @param featureId null to leave out the topic of the feature
 */
export function listTopics(
  ofWorld: string,
  featureId: string | null,
  turnNumber: number,
  { coachDecision, completedAt, lessonsFromTurn, blockersFound, filesModified }: Turn,
  { issues, gates }: { issues: readonly Complaint[]; gates: readonly Gate[] },
): TurnTopics & { slot: number } {
  const [project = ''] = partsOfKey(ofWorld)
  const slot = slotOfWorld(ofWorld)
  const hasLessons = lessonsFromTurn.length > 0 || blockersFound.length > 0
  const names = [
    ...(featureId !== null && coachDecision === 'approved' ? [topicName('feature', featureId)] : []),
    ...(hasLessons ? listTopicNames({ filesModified }, gates) : []),
    ...limitNames(issues.map(issueSignature)).map((signature) => topicName('issue', signature)),
  ]
  return {
    keys: names.map((name) => `${topicKey(project, name)}/${slot}`).sort(), // locks are taken in one order
    left: [],
    lowered: [],
    slot,
    entry: `${sortableInstant(completedAt ?? null)} ${sortableNumber(turnNumber)} ${turnKey(ofWorld, turnNumber)}`,
    turn: ` ${turnKey(ofWorld, turnNumber)}`,
  }
}

/** Writes turn numbers with one length, so that their texts are in the order of the numbers. */
export const sortableNumber = (turnNumber: number): string => String(turnNumber).padStart(7, '0')

/** Computes the topics of a replacement: it leaves the topics that only the replaced record had. */
export function replaceTopics(before: TurnTopics, now: TurnTopics): TurnTopics {
  const left = before.keys.filter((key) => !now.keys.includes(key))
  const lowered = now.entry < before.entry ? before.keys : left
  return { ...now, keys: [...now.keys, ...left].sort(), left, lowered }
}

/** Writes an instant at a fixed length, so that texts sort by time. An absent instant sorts first. */
export function sortableInstant(instant: string | null): string {
  if (instant === null) return ' '.repeat(LONGEST_INSTANT.length)
  const utc = instant.replace('Z', '').slice(0, LONGEST_INSTANT.length)
  return utc + LONGEST_INSTANT.slice(utc.length)
}

const LONGEST_INSTANT = '0000-00-00T00:00:00.000000'

/** Text that only the entries of one session contain, because a key has two slashes. For `''` no entry contains it. */
export const sessionMark = (ofWorld: string): string => ` ${ofWorld === '' ? '/' : ofWorld}/`
