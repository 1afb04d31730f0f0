/** Reads the positions of transcripts, and the parts of them in the graph. */
import * as z from 'zod'
import { transcriptFileKey } from '../core/keys.ts'
import { parseJson } from '../core/parse-json.ts'
import { decodeRow, readRows } from '../graph/decode.ts'
import { type Graph, type Run, toStep } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { ERROR_TEXT_RULES } from '../rules/tool-error.ts'
import { optionalNumber, optionalText, textList } from '../rules/values.ts'
import { newestRecords } from './statement-params.ts'
import { type TranscriptState, transcriptState } from './transcript.ts'

const progress = statement('transcripts/progress')
const idsOfFile = statement('transcripts/ids-of-file')
const countContents = statement('transcripts/count-contents')

/** Identifies a transcript by its session, and by its file if there is one: two files may contain the same session. */
export type TranscriptSource = {
  project: string
  /** `{session}`, or `{session}/{agent}` for the file of a subagent. */
  sessionId: string
  path?: string | null | undefined
  inode?: number | null | undefined
  /** The call that started the agent, if a file next to the transcript names it. */
  parentStepId?: string | null | undefined
}

export const transcriptProgress = z.object({
  offset: z.number().describe('bytes that need not be sent again; 0: all'),
  inode: z.number().nullable(),
  tail: z
    .object({ bytes: z.number(), sha256: z.string() })
    .nullable()
    .describe('hash of the last bytes before the offset; shows whether the file is still the same'),
})
export type TranscriptProgress = z.output<typeof transcriptProgress>

/** The position, and the state that the graph needs to continue from it. */
export type KnownProgress = TranscriptProgress & {
  /** The offset in the graph; null if the graph does not know the transcript. */
  stored: number | null
  state: TranscriptState | null
  /** True if the open turns at the end of the transcript are also written. */
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
    state: z.unknown(),
    isWhole: z.boolean().nullish(),
    rulesVersion: optionalNumber,
  }),
})

/** Checks a state without decoding it. Decoding would change the order of its fields, and equal states would differ as texts. */
const isState = (given: unknown): given is TranscriptState => transcriptState.safeParse(given).success

function parseState(stored: unknown): TranscriptState | null {
  const given = parseJson(String(stored))
  return isState(given) ? given : null
}

/** Removes threads from a stored state, so that an import that continues there does not write their open turns. */
export function withoutThreads(
  stored: string | null,
  isRemoved: (sessionId: string) => boolean,
): string | null {
  const state = parseState(stored)
  if (state === null) return stored
  return JSON.stringify({ ...state, threads: state.threads.filter(({ sessionId }) => !isRemoved(sessionId)) })
}

export async function readProgress(
  graph: Graph,
  sources: readonly TranscriptSource[],
): Promise<KnownProgress[]> {
  const rows = await readRows(graph, progress, { keys: sources.map(transcriptFileKey) }, progressRow)
  const found = new Map(rows.map(({ key, file }) => [key, file]))
  return sources.map((source) => {
    const file = found.get(transcriptFileKey(source))
    if (file === undefined) return NOTHING_READ
    const state = parseState(file.state)
    // Reads the whole transcript again: other rules may have stored texts of a person, or the state is damaged.
    if (file.rulesVersion !== ERROR_TEXT_RULES || state === null)
      return { ...NOTHING_READ, stored: file.offset }
    const [bytes, hash] = file.tail?.split(':') ?? []
    return {
      offset: file.offset ?? 0,
      inode: file.inode,
      tail: bytes === undefined || hash === undefined ? null : { bytes: Number(bytes), sha256: hash },
      stored: file.offset,
      isWhole: file.isWhole === true,
      state,
    }
  })
}

export async function readNewestRecords(
  run: Run,
  keys: readonly string[],
): Promise<Map<string, ReadonlyMap<string, number>>> {
  const rows = (await run(toStep(progress, { keys: [...keys] }))).map((row) =>
    decodeRow(progress, progressRow, row),
  )
  return new Map(
    rows.map(({ key, file: { state } }) => [key, newestRecords(parseState(state)?.threads ?? [])]),
  )
}

export async function readOneProgress(graph: Graph, source: TranscriptSource): Promise<KnownProgress> {
  const [progress = NOTHING_READ] = await readProgress(graph, [source])
  return progress
}

/** Returns the ids of the turns and calls that were read from a transcript. A repeated one is a copy. */
export async function readSeen(
  graph: Graph,
  source: TranscriptSource,
): Promise<{ started: string[]; seen: string[] }> {
  const rows = await readRows(graph, idsOfFile, { key: transcriptFileKey(source) }, idsRow)
  return {
    started: rows.map(({ turn }) => turn),
    seen: rows.flatMap(({ callIds, responses }) => callIds.map((id, i) => `${responses[i] ?? ''}\n${id}`)),
  }
}

const idsRow = z.object({ turn: z.string(), callIds: textList, responses: textList })

export const contentsOfTranscripts = z.object({
  sessions: z.number().describe('in the graph now; each subagent is a session'),
  turns: z.number().describe('in the graph now'),
  steps: z.number().describe('in the graph now'),
  mergedTurns: z
    .number()
    .describe('copies of turns in several sessions, in the graph now: turns of equal uuid are stored once'),
})
export type TranscriptContents = z.output<typeof contentsOfTranscripts>

export async function transcriptContents(
  graph: Graph,
  sources: readonly TranscriptSource[],
): Promise<TranscriptContents> {
  const keys = sources.map(transcriptFileKey)
  const [row] = await readRows(graph, countContents, { keys }, contentsOfTranscripts)
  return row ?? { sessions: 0, turns: 0, steps: 0, mergedTurns: 0 }
}
