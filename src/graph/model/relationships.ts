import * as z from 'zod'
import type { Label } from './nodes.ts'
import { count, json, text } from './properties.ts'

/** A relationship of the graph: its type, from where to where it goes, and what it holds. */
export type StoredRelationship = {
  type: string
  from: readonly Label[]
  to: readonly Label[]
  says: string
  properties: z.ZodObject
}

const relationship = (
  type: string,
  from: Label | readonly Label[],
  to: Label | readonly Label[],
  says: string,
  shape: z.ZodRawShape = {},
): StoredRelationship => ({
  type,
  from: [from].flat(),
  to: [to].flat(),
  says,
  properties: z.strictObject(shape),
})

/** A record keeps all that it holds when another takes its place. */
const RECORD = ['Turn', 'SupersededTurn'] as const

/** A type stands twice where it means two things. */
export const relationships: readonly StoredRelationship[] = [
  relationship('HAS_FEATURE', 'Project', 'Feature', 'the features of a project'),
  relationship('HAS_TASK', 'Feature', 'Task', 'the tasks of a feature'),
  relationship('HAS_WORLD', 'Task', 'World', 'the worlds of a task'),
  relationship('HAS_CRITERION', 'Task', 'Criterion', 'the criteria of a task'),
  relationship('HAS_TURN', 'World', 'Turn', 'the turns of a world'),
  relationship('NEXT', 'Turn', 'Turn', 'the next turn of the world'),
  relationship('SUPERSEDES', RECORD, 'SupersededTurn', 'the record whose place it took'),
  relationship('RECORDED', RECORD, 'Verification', 'what it said of criteria'),
  relationship('OF', 'Verification', 'Criterion', 'what was observed'),
  relationship('PROMISED', RECORD, 'Promise', 'what the Player claimed'),
  relationship('TO_MEET', 'Promise', 'Criterion', 'what the claim is of'),
  relationship('RAISED', RECORD, 'Issue', 'what the Coach complained of'),
  relationship('ABOUT', 'Issue', 'Criterion', 'what the complaint names'),
  relationship('PASSED_THROUGH', RECORD, 'Gate', 'the gates of the turn'),
  relationship('TRANSCRIBED_IN', RECORD, 'TranscriptSession', 'the session in which the turn was worked on'),
  relationship('LABELS', 'World', 'Criterion', 'what a label means from that turn on', {
    source: text,
    label: text,
    turn: count,
  }),
  relationship('PROGRESS', 'World', 'Criterion', "where it stands after the world's newest turn: derived", {
    kept: json,
    state: text,
    rejections: count,
  }),
  relationship('HAS_RUN', 'World', 'TurnRun', 'the turn runs of a world'),
  relationship('HAS_ATTEMPT', 'World', 'Attempt', 'all attempts of a world'),
  relationship('HAS_ATTEMPT', 'TurnRun', 'Attempt', 'the attempts of a run'),
  relationship('PRODUCED', 'Attempt', RECORD, 'the record that it committed'),
  relationship('HOLDS', 'TranscriptFile', 'TranscriptSession', 'the sessions of a file'),
  relationship('AGENT_OF', 'TranscriptSession', 'TranscriptSession', 'the session that started the subagent'),
  relationship(
    'HAS_TURN',
    'TranscriptSession',
    'TranscriptTurn',
    'the turns of a session; a fork holds those of another',
    {
      index: count,
    },
  ),
  relationship('HAS_STEP', 'TranscriptTurn', 'Step', 'the calls of a turn'),
  relationship('USED', 'Step', 'Tool', 'the tool that was called'),
  relationship('STARTED', 'Step', 'TranscriptSession', 'the subagent that the call started'),
  relationship('CALLED', 'TranscriptTurn', 'Tool', 'how often the turn called the tool: a sum of its steps', {
    calls: count,
    errors: count,
  }),
  relationship('FOLLOWS', 'TranscriptTurn', 'TurnPattern', 'the shape of the turn'),
  relationship('STARTS_WITH', 'TurnPattern', 'Tool', 'the first tool of the pattern'),
  relationship('SURFACED_FROM', 'Desire', 'TurnPattern', 'the pattern that recurs'),
  relationship('MIGRATED_TO', 'SchemaMigration', 'SchemaMigration', 'the migration after it'),
]
