import type { Kind } from '../export/records.ts'
import { writeAttempts, writeRuns } from './runs.ts'
import { writeCriteria, writeFeatures, writeProjects, writeTasks } from './scope.ts'
import { writeDesires, writeFiles, writeSessions, writeTranscriptTurns } from './transcripts.ts'
import { writeSuperseded, writeTurns } from './turns.ts'
import type { Given, Restored, Work } from './work.ts'
import { writeStandings, writeWorlds } from './worlds.ts'

type Writer<K extends Kind> = (work: Work, given: readonly Given<K>[]) => Promise<Restored>

/** Each reads what stands, compares, and writes what is new. */
export const writers: { [K in Kind]: Writer<K> } = {
  project: writeProjects,
  feature: writeFeatures,
  task: writeTasks,
  criterion: writeCriteria,
  world: writeWorlds,
  turn: writeTurns,
  superseded_turn: writeSuperseded,
  attempt: writeAttempts,
  turn_run: writeRuns,
  standing: writeStandings,
  transcript_session: writeSessions,
  transcript_turn: writeTranscriptTurns,
  transcript_file: writeFiles,
  desire: writeDesires,
}
