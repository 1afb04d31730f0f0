/** Declares the reader of one coding agent. The code behind it is the same for all agents. */
import * as z from 'zod'
import type { TranscriptRecord } from '../line-records.ts'
import type { ReadingCounts } from '../reading-counts.ts'
import { codexState } from './codex-state.ts'

/** Plain data with which a reader continues at a later line. */
export const readerState = z.union([z.object({ format: z.literal('atif') }), codexState])
export type ReaderState = z.output<typeof readerState>

/** Reads the lines of one transcript, in their order. Passes on the `user`, `assistant` and `system` records of Claude Code. */
export type LineReader = {
  readonly agent: string
  readLine(
    bytes: Buffer,
    start: number,
    end: number,
    counts: ReadingCounts,
    onRecord: (record: TranscriptRecord) => void,
  ): void
  state(): ReaderState | null
}
