/** Declares each kind of relationship: its type, both ends, its properties, and the end that owns the other. */
import * as z from 'zod'
import { CRITERION_KINDS } from '../../rules/values.ts'
import type { Label } from './nodes.ts'
import { count, flag, oneOf, text, texts } from './properties.ts'

/** A kind of relationship in the graph: its type, the labels of both ends, and its properties. */
export type StoredRelationship = {
  type: string
  from: readonly Label[]
  to: readonly Label[]
  meaning: string
  properties: z.ZodObject
  /** The end that owns the other one. An owned node must have an owner. Null: a link without ownership. */
  owner: 'from' | 'to' | null
  /** True if each owner must have at least one such relationship. */
  isRequired: boolean
  /** True if it replaces the required ones: a task may declare its criteria before its first world. */
  suffices: boolean
  /** Names of properties if the owned nodes are ordered parts: `by` is their place from 0, `count` is their number in the owner. */
  parts: { by: string; count: string } | null
}

type How = Partial<Pick<StoredRelationship, 'owner' | 'isRequired' | 'suffices' | 'parts'>>

const relationship = (
  type: string,
  from: Label | readonly Label[],
  to: Label | readonly Label[],
  meaning: string,
  shape: z.ZodRawShape = {},
  how: How = {},
): StoredRelationship => ({
  type,
  from: [from].flat(),
  to: [to].flat(),
  meaning,
  properties: z.strictObject(shape),
  owner: null,
  isRequired: false,
  suffices: false,
  parts: null,
  ...how,
})

/** Declares that the first node owns the second one. */
const owns = (
  type: string,
  from: Label | readonly Label[],
  to: Label,
  meaning: string,
  how: How = {},
): StoredRelationship => relationship(type, from, to, meaning, {}, { owner: 'from', ...how })

const inPlace = (count: string): How => ({ parts: { by: 'position', count } })

/** A superseded record keeps all of its relationships. */
const RECORD = ['Turn', 'SupersededTurn'] as const

/** All kinds of relationships. A type that has two meanings has two rows. */
export const relationships: readonly StoredRelationship[] = [
  owns('HAS_FEATURE', 'Project', 'Feature', 'the features of a project', { isRequired: true }),
  owns('HAS_TASK', 'Feature', 'Task', 'the tasks of a feature', { isRequired: true }),
  owns('HAS_WORLD', 'Task', 'World', 'the worlds of a task', { isRequired: true }),
  owns('HAS_CRITERION', 'Task', 'Criterion', 'the criteria of a task'),
  owns('SPECIFIED_BY', 'Task', 'Specification', 'the specification versions of the task', {
    suffices: true,
  }),
  relationship('LISTS', 'Specification', 'Criterion', 'a criterion that it declares, with its wording', {
    position: count.describe('place in the list, from 0'),
    label: text.describe('label of the criterion in this version'),
    text: text.describe('text of the criterion in this version'),
    kind: oneOf(CRITERION_KINDS).describe('what proves it'),
    command: texts.describe('program and arguments whose exit proves it').optional(),
    rewordedIn: count.describe('newest version that changed its text').optional(),
    tests: texts.describe('names of tests that prove it; * is any text').optional(),
  }),
  relationship('RETIRES', 'Specification', 'Criterion', 'a criterion that only an earlier version declared', {
    version: count.describe('version that no longer lists it'),
  }),
  owns('HAS_TURN', 'World', 'Turn', 'the turns of a world'),
  relationship('NEXT', 'Turn', 'Turn', 'the next turn of the world'),
  owns(
    'SUPERSEDES',
    [...RECORD, 'World'],
    'SupersededTurn',
    'the record that it replaced; of a world: the newest record of a withdrawn turn',
  ),
  owns('RECORDED', RECORD, 'Verification', 'its verifications of criteria', inPlace('verificationCount')),
  relationship('OF', 'Verification', 'Criterion', 'the observed criterion'),
  owns('PROMISED', RECORD, 'Promise', 'what the Player claimed', inPlace('promiseCount')),
  relationship('TO_MEET', 'Promise', 'Criterion', 'the criterion of the claim'),
  owns('RAISED', RECORD, 'Issue', 'the issues that the Coach raised', inPlace('issueCount')),
  relationship('ABOUT', 'Issue', 'Criterion', 'a criterion that the issue names'),
  owns('PASSED_THROUGH', RECORD, 'Gate', 'the gates of the turn', inPlace('gateCount')),
  owns('TOUCHED', RECORD, 'File', 'the first 50 files that the turn changed'),
  relationship(
    'JUDGED',
    'Agent',
    RECORD,
    'the agent judged the turn, or a criterion in it; at most 50 for a record',
    {},
    { owner: 'to' },
  ),
  relationship('PLAYED', 'Agent', RECORD, 'the agent played the turn', {}, { owner: 'to' }),
  relationship('TRANSCRIBED_IN', RECORD, 'TranscriptSession', 'the session in which the turn was worked on'),
  relationship('PROGRESS', 'World', 'Criterion', "its state after the world's newest turn (derived)", {
    state: text.describe('status under the policy sticky'),
    rejections: count.describe('number of rejections by judges'),
    basis: text.describe('how its newest verification is known').optional(),
    verifiedInTurn: count.describe('turn since which it is verified').optional(),
    lastVerifiedTurn: count.describe('turn of its newest verification').optional(),
    observedAt: text.describe('time of the observation that proves the criterion').optional(),
    contestedInTurn: count.describe('newest turn that rejected it after it was verified').optional(),
    judged: flag.describe('whether a judge has named it'),
  }),
  owns('HAS_RUN', 'World', 'TurnRun', 'the turn runs of a world'),
  owns('HAS_ATTEMPT', 'World', 'Attempt', 'all attempts of a world'),
  relationship('HAS_ATTEMPT', 'TurnRun', 'Attempt', 'the attempts of a run'),
  relationship('PRODUCED', 'Attempt', RECORD, 'the record that it committed'),
  relationship('HOLDS', 'TranscriptFile', 'TranscriptSession', 'the sessions of a file'),
  relationship('AGENT_OF', 'TranscriptSession', 'TranscriptSession', 'the session that started the subagent'),
  relationship(
    'HAS_TURN',
    'TranscriptSession',
    'TranscriptTurn',
    'the turns of a session; a fork shares turns of another session',
    { index: count.describe('place of the turn in this session, from 0') },
    { owner: 'from' },
  ),
  owns('HAS_FAILED_CALL', 'TranscriptTurn', 'FailedCall', 'the failed calls of a turn', {
    parts: { by: 'sequence', count: 'errors' },
  }),
  relationship(
    'STARTED',
    'TranscriptTurn',
    'TranscriptSession',
    'the subagent that a call of the turn started',
    {
      sequence: count.describe('place of the call in the turn, from 0'),
    },
  ),
  relationship('CALLED', 'TranscriptTurn', 'Tool', 'how often the turn called the tool: a sum of its calls', {
    calls: count.describe('number of calls'),
    errors: count.describe('number of calls that failed'),
  }),
  owns('FOLLOWS', 'TranscriptTurn', 'TurnPattern', 'the pattern of the turn'),
  relationship('STARTS_WITH', 'TurnPattern', 'Tool', 'the first tool of the pattern'),
  relationship('SURFACED_FROM', 'Desire', 'TurnPattern', 'the pattern that recurs', {}, { owner: 'to' }),
  relationship('MIGRATED_TO', 'SchemaMigration', 'SchemaMigration', 'the migration after it'),
]

export function relationshipProperties(type: string): z.ZodObject {
  const found = relationships.find((row) => row.type === type)
  if (found === undefined) throw new Error(`there is no relationship ${type}`)
  return found.properties
}

/** A relationship that makes one of `owners` own nodes of the kind `of`; it may lead in either direction. */
export type Ownership = StoredRelationship & { of: Label; owners: readonly Label[] }

const ownerships = (): Ownership[] =>
  relationships.flatMap((row) => {
    const [of] = row.owner === 'from' ? row.to : row.from
    if (row.owner === null || of === undefined) return []
    return [{ ...row, of, owners: row.owner === 'from' ? row.from : row.to }]
  })

/** Finds the ownerships of the nodes of a label; empty for a root such as a project or a transcript. */
export const findOwners = (label: Label): Ownership[] => ownerships().filter(({ of }) => of === label)

export const listOwnerLabels = (label: Label): Label[] => [
  ...new Set(findOwners(label).flatMap(({ owners }) => owners)),
]

/** Finds the ownerships in which nodes of a label are the owner. */
export const ownedBy = (label: Label): Ownership[] =>
  ownerships().filter(({ owners }) => owners.includes(label))
