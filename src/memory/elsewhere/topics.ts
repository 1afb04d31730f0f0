/**
 * Says what a turn is about, so that other sessions find it: the files that it touched, the gates that it failed, what was
 * complained of (docs/decisions/elsewhere.md). Pure.
 */
import { partsOfKey, topicKey, topicName, turnKey } from '../../core/keys.ts'
import { projectPath } from '../../core/project-paths.ts'
import { type Complaint, issueSignature } from '../../rules/signature.ts'
import type { TurnState } from '../record/record.ts'

/**
 * The turns about one thing are spread over so many nodes by their session: captures of many sessions do not wait for one lock,
 * and a long session fills its own slot alone. V011 and
 * elsewhere/refill-topics count in Cypher by the same rule.
 */
export const SLOTS = 2
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Of each kind a turn is about so many things at most; longer names are those of no file, and no index takes them. */
export const MOST_NAMES = 50
const LONGEST_NAME = 1_000

/** The slot of a session: the sum of the places that the characters of its slug have among the digits and letters. */
export function slotOfWorld(ofWorld: string): number {
  const [, worldSlug = ''] = partsOfKey(ofWorld)
  return [...worldSlug].reduce((sum, character) => sum + Math.max(0, DIGITS.indexOf(character)), 0) % SLOTS
}

/** The files of a project in one spelling, each once. */
export const projectFiles = (paths: readonly string[]): string[] =>
  limitNames(paths.flatMap((path) => projectPath(path) ?? []))

type Gate = { name: string; status: string }

const listFailedGates = (gates: readonly Gate[]): string[] =>
  limitNames(gates.filter(({ status }) => status === 'failed').map(({ name }) => name))

const limitNames = (names: readonly string[]): string[] =>
  [...new Set(names)].filter(({ length }) => length <= LONGEST_NAME).slice(0, MOST_NAMES)

/** The files and failed gates that a turn is about: what a context that follows it looks for, beside its issues and its feature. */
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

/** The topics of a turn, and how it stands in them. */
export type TurnTopics = {
  /** Those that it enters or leaves, in the order of their locks. */
  keys: string[]
  /** Those among them that it leaves: only the record that it replaces was about them. */
  left: string[]
  /** Those in which it takes a lower place than the record that it replaces, or none: older turns may be due there. */
  lowered: string[]
  entry: string
  /** With which its entry ends, under whatever instant. */
  turn: string
}

/**
 * By which topics a turn is found, and under which entry it stands there. Files and gates lead to lessons and blockers alone: a
 * turn without any is not found by them. Of a feature, approved turns are.
 *
 * @param ofWorld the key of the session
 * @param featureId null: the topic of the feature is left out
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
    entry: `${sortableInstant(completedAt ?? null)} ${String(turnNumber).padStart(7, '0')} ${turnKey(ofWorld, turnNumber)}`,
    turn: ` ${turnKey(ofWorld, turnNumber)}`,
  }
}

/** The topics of a turn that takes the place of another record: it leaves what only that one was about. */
export function replaceTopics(before: TurnTopics, now: TurnTopics): TurnTopics {
  const left = before.keys.filter((key) => !now.keys.includes(key))
  const lowered = now.entry < before.entry ? before.keys : left
  return { ...now, keys: [...now.keys, ...left].sort(), left, lowered }
}

/** Of one length, however many zeros an engine prints, so that texts are in the order of time; without an instant, before all others. */
export function sortableInstant(instant: string | null): string {
  if (instant === null) return ' '.repeat(LONGEST_INSTANT.length)
  const utc = instant.replace('Z', '').slice(0, LONGEST_INSTANT.length)
  return utc + LONGEST_INSTANT.slice(utc.length)
}

const LONGEST_INSTANT = '0000-00-00T00:00:00.000000'

/** What only the entries of one session contain: a key has two slashes. Of no session (`''`) no entry contains it. */
export const sessionMark = (ofWorld: string): string => ` ${ofWorld === '' ? '/' : ofWorld}/`
