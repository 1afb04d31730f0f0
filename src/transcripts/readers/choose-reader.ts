/** Chooses the reader of a transcript: by its stored state, or by its first record. */
import * as z from 'zod'
import { readObjects, type TranscriptRecord, wholeObject } from '../line-records.ts'
import { ReadingCounts } from '../reading-counts.ts'
import { AtifReader, isAtifDocument } from './atif.ts'
import { claudeCodeReader } from './claude-code.ts'
import { CodexReader } from './codex.ts'
import { isCodexRecord } from './codex-session.ts'
import { type LineReader, readerState } from './reader.ts'

/** The part of the stored state of a transcript that names its reader. `agent` is null until a line shows it. */
export const storedReader = z.object({
  agent: z.string().nullable(),
  reader: readerState.nullable(),
})

export function restoreReader({ agent, reader }: z.output<typeof storedReader>): LineReader | null {
  if (agent === null) return null
  if (reader !== null) return 'format' in reader ? new AtifReader(agent) : new CodexReader(reader)
  return claudeCodeReader
}

/** Returns the reader of a transcript that begins with this line; null if the line shows no agent. */
export function recognizeReader(line: Buffer): LineReader | null {
  const record = wholeObject(line) ?? findFirstObject(line)
  if (record === null) return null
  if (isAtifDocument(record)) return new AtifReader()
  return isCodexRecord(record) ? new CodexReader() : claudeCodeReader
}

/** Returns the first object of a line with several, which a later read may get one after the other. */
function findFirstObject(line: Buffer): TranscriptRecord | null {
  let first: TranscriptRecord | null = null
  readObjects(line, 0, line.length, new ReadingCounts(), (object) => {
    first ??= object
  })
  return first
}
