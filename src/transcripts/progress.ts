/** Reads how far transcripts were read, and what the graph holds of them. */
import * as z from 'zod'
import { transcriptFileKey } from '../core/keys.ts'
import { decodeRow, readRows } from '../graph/decode.ts'
import { type Graph, type Run, toStep } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { ERROR_TEXT_RULES } from '../rules/tool-error.ts'
import { optionalNumber, optionalText } from '../rules/values.ts'
import { newestRecordMs } from './statement-params.ts'
import type { TranscriptState } from './transcript.ts'

const progress = statement('transcripts/progress')
const idsOfFile = statement('transcripts/ids-of-file')
const countContents = statement('transcripts/count-contents')

/** Which transcript it is: a session, and the file where one is read. Two files may hold one session. */
export type TranscriptSource = {
  project: string
  /** `{session}`, or `{session}/{agent}` for the file of a subagent. */
  sessionId: string
  path?: string | null | undefined
  inode?: number | null | undefined
  /** The call that started the agent, where a file beside the transcript names it. */
  parentStepId?: string | null | undefined
}

/** How far a transcript was read. */
export const transcriptProgress = z.object({
  offset: z.number().describe('bytes that need not be sent again; 0: all'),
  inode: z.number().nullable(),
  tail: z
    .object({ bytes: z.number(), sha256: z.string() })
    .nullable()
    .describe('of the last bytes before the offset: whether the file is still the same'),
})
export type TranscriptProgress = z.output<typeof transcriptProgress>

/** With what the graph needs to go on from there. */
export type KnownProgress = TranscriptProgress & {
  /** What the graph says: null where it knows nothing of the transcript. */
  stored: number | null
  state: TranscriptState | null
  /** Whether what stood open at its end is written, too. */
  isWhole: boolean
}

export const NOTHING_READ: KnownProgress = {
  offset: 0,
  inode: null,
  tail: null,
  stored: null,
  state: null,
  isWhole: false,
}

const progressRow = z.object({
  key: z.string(),
  file: z.object({
    offset: optionalNumber,
    inode: optionalNumber,
    tail: optionalText,
    state: optionalText,
    isWhole: z.boolean().nullish(),
    rulesVersion: optionalNumber,
  }),
})

/**
 * Where to go on with some transcripts.
 *
 * @throws `store_unavailable`, `timeout`
 */
export async function readProgress(
  graph: Graph,
  sources: readonly TranscriptSource[],
): Promise<KnownProgress[]> {
  const rows = await readRows(graph, progress, { keys: sources.map(transcriptFileKey) }, progressRow)
  const found = new Map(rows.map(({ key, file }) => [key, file]))
  return sources.map((source) => {
    const file = found.get(transcriptFileKey(source))
    if (file === undefined) return NOTHING_READ
    // An earlier version may have stored a person's words. Reading the whole transcript again removes them.
    if (file.rulesVersion !== ERROR_TEXT_RULES) return { ...NOTHING_READ, stored: file.offset }
    const [bytes, hash] = file.tail?.split(':') ?? []
    return {
      offset: file.offset ?? 0,
      inode: file.inode,
      tail: bytes === undefined || hash === undefined ? null : { bytes: Number(bytes), sha256: hash },
      stored: file.offset,
      isWhole: file.isWhole === true,
      state: file.state === null ? null : (JSON.parse(file.state) as TranscriptState),
    }
  })
}

/** The time of the newest record of some files, by their keys. */
export async function readNewestRecords(run: Run, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = (await run(toStep(progress, { keys: [...keys] }))).map((row) =>
    decodeRow(progress, progressRow, row),
  )
  return new Map(
    rows.map(({ key, file: { state } }) => [
      key,
      newestRecordMs((JSON.parse(state ?? 'null') as TranscriptState | null)?.threads ?? []),
    ]),
  )
}

export async function readOneProgress(graph: Graph, source: TranscriptSource): Promise<KnownProgress> {
  const [progress = NOTHING_READ] = await readProgress(graph, [source])
  return progress
}

/** Ids of the turns and calls that a transcript has brought: what comes again is a copy. */
export async function readSeen(
  graph: Graph,
  source: TranscriptSource,
): Promise<{ started: string[]; seen: string[] }> {
  const row = z.object({ turns: z.array(z.string()), calls: z.array(z.string()) })
  const [found] = await readRows(graph, idsOfFile, { key: transcriptFileKey(source) }, row)
  return { started: found?.turns ?? [], seen: found?.calls ?? [] }
}

export const contentsOfTranscripts = z.object({
  sessions: z.number().describe('in the graph now; each subagent is one'),
  turns: z.number().describe('in the graph now'),
  steps: z.number().describe('in the graph now'),
  mergedTurns: z
    .number()
    .describe('copies of turns in several sessions, in the graph now: turns of equal uuid are stored once'),
})
export type TranscriptContents = z.output<typeof contentsOfTranscripts>

/** What the graph holds of some transcripts: each session and each turn once. */
export async function transcriptContents(
  graph: Graph,
  sources: readonly TranscriptSource[],
): Promise<TranscriptContents> {
  const keys = sources.map(transcriptFileKey)
  const [row] = await readRows(graph, countContents, { keys }, contentsOfTranscripts)
  return row ?? { sessions: 0, turns: 0, steps: 0, mergedTurns: 0 }
}
