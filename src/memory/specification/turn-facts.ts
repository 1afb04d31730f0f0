/** Reads the facts of the turns of sessions: their files and those of their proofs, their decisions and failed gates. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type ChangedFiles, listChangedFiles } from '../../rules/file-changes.ts'
import { finalKeys } from '../../rules/progress.ts'
import {
  addFiles,
  NO_FILES,
  neverStale,
  type StaleSince,
  staleSince,
  type TouchedFiles,
} from '../../rules/stale.ts'
import {
  COACH_DECISIONS,
  type CoachDecision,
  columns,
  FILES_SOURCES,
  optionalText,
  textList,
} from '../../rules/values.ts'
import type { Snapshot } from '../criteria/snapshot.ts'

const turnFacts = statement('worlds/turn-facts', 'all')
const turnFiles = statement('worlds/turn-facts', 'files')

const criterion = { position: z.number(), key: z.string(), mergedInto: optionalText }

const filesRow = z.object({
  turn: z.number(),
  /** Listed files that git does not show as unchanged. */
  touched: textList,
  promised: z.array(columns({ ...criterion, testFile: optionalText, implementationFiles: textList })),
  verified: z.array(columns({ ...criterion, files: textList })),
})

const turnRow = filesRow.extend({
  key: z.string(),
  coachDecision: z.enum(COACH_DECISIONS),
  /** Number of files that the turn lists as changed. */
  listed: z.number(),
  filesSource: z.enum(FILES_SOURCES).nullable(),
  failedGates: z.array(z.string()),
})

type TurnRow = z.output<typeof turnRow>

export type TurnFacts = {
  /** Ascending. */
  turns: readonly { turn: number; decision: CoachDecision; failedGates: readonly string[] }[]
  changedFiles: ChangedFiles
  touchedSince: StaleSince
}

export const NO_TURN_FACTS: TurnFacts = { turns: [], changedFiles: new Map(), touchedSince: neverStale }

/** @param worlds keys of the sessions, each with the first turn to read */
export async function readTurnFacts(
  graph: Graph,
  worlds: readonly { key: string; since: number }[],
): Promise<Map<string, TurnFacts>> {
  if (worlds.length === 0) return new Map()
  const rows = await readRows(graph, turnFacts, { worlds: [...worlds] }, turnRow)
  return new Map([...groupBy(rows, ({ key }) => key)].map(([key, turns]) => [key, toTurnFacts(turns)]))
}

function toTurnFacts(rows: readonly TurnRow[]): TurnFacts {
  const turns = rows.toSorted((a, b) => a.turn - b.turn)
  const finalKey = finalKeys(turns.flatMap(({ promised, verified }) => [...promised, ...verified]))
  const files = turns.reduce((known, row) => addFiles(known, toTouchedFiles(row), finalKey), NO_FILES)
  return {
    turns: turns.map(({ turn, coachDecision: decision, failedGates }) => ({ turn, decision, failedGates })),
    changedFiles: listChangedFiles(
      turns.map((row) => ({
        ...row,
        files: row.touched,
        // An empty list is also the default of a record. It means that no file changed only if it is from git.
        isKnown: row.listed > 0 || row.filesSource !== null,
      })),
    ),
    touchedSince: staleSince(files),
  }
}

const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position

/** Reads the files that each turn from `since` on touched, and the files of its proofs. The last proof in a turn counts. */
export async function readTouchedFiles(
  graph: Graph,
  { worldKey: key, turn: newest }: Snapshot,
  since: number,
): Promise<TouchedFiles[]> {
  const rows = await readRows(graph, turnFiles, { worlds: [{ key, since }] }, filesRow)
  return rows
    .filter(({ turn }) => turn <= newest)
    .sort((a, b) => a.turn - b.turn)
    .map(toTouchedFiles)
}

const toTouchedFiles = ({ turn, touched, promised, verified }: z.output<typeof filesRow>): TouchedFiles => ({
  turn,
  touched,
  promised: promised.toSorted(byPosition).map(({ key, testFile, implementationFiles }) => ({
    key,
    files: [...(testFile === null ? [] : [testFile]), ...implementationFiles],
  })),
  verified: verified.toSorted(byPosition),
})
