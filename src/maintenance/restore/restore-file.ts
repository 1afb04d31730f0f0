/** Restores the file of an export while it streams. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAway, TurngraphError } from '../../core/errors.ts'
import type { ExportRecord, Kind } from '../export/records.ts'
import { type Line, recordsIn } from './lines.ts'
import type { RestoreReport } from './restore.ts'

export type FileRestore = {
  dryRun: boolean
  lines: number
  checked: Partial<Record<Kind, number>>
  /** Created and existing records of each kind. */
  records: RestoreReport
  /** Number of secrets masked in restored records, for exports of programs that mask none. */
  redactions: number
}

export type RestoreFileOptions = {
  name?: string
  /** Checks the file and writes nothing. */
  dryRun?: boolean
  onProgress?: (bytes: number) => void
}

type Restorer = {
  restoreRecords: (input: {
    records: ExportRecord[]
    continuesTask: string | null
  }) => Promise<{ records: RestoreReport; redactions: number }>
}

/** Maximum size of a transaction, in records and in bytes. A longer line has its own transaction. */
const RECORDS_AT_ONCE = 500
const BYTES_AT_ONCE = 768 * 1024
/** Number of records of the first batch: a Neo4j that has just started first plans each statement. */
const RECORDS_AT_FIRST = 10

/**
 * Restores an export while it streams: checks each line, and writes one batch per transaction, in the order of the file. Skips
 * records that already exist, so that repeating a killed restore completes it.
 *
 * @throws `invalid_request` with the line, `restore_conflict`, and errors of the store
 * @example
 * const { records } = await restoreFile(client, createReadStream('backup.jsonl'), { name: 'backup.jsonl' })
 */
export async function restoreFile(
  client: Restorer,
  chunks: AsyncIterable<Buffer>,
  { name = 'the file', dryRun = false, onProgress = () => {} }: RestoreFileOptions = {},
): Promise<FileRestore> {
  const report: FileRestore = { dryRun, lines: 0, checked: {}, records: {}, redactions: 0 }
  const writer = writeInBatches(client, name, report)
  let bytes = 0
  for await (const line of recordsIn(chunks, name)) {
    report.lines++
    bytes += line.bytes
    const { kind } = line.record
    report.checked[kind] = (report.checked[kind] ?? 0) + 1
    if (!dryRun) await writer.add(line)
    onProgress(bytes)
  }
  await writer.flush()
  return report
}

/** Sends batches of lines, one per transaction. Reads and checks the next batch while the current one is written. */
function writeInBatches(client: Restorer, name: string, report: FileRestore) {
  let lines: Line[] = []
  let bytes = 0
  let most = RECORDS_AT_FIRST
  let writing: Promise<void> = Promise.resolve()

  async function next(following: Line | null): Promise<void> {
    await writing
    if (lines.length === 0) return
    writing = write(lines, following)
    writing.catch(() => {}) // the next batch throws it
    lines = []
    bytes = 0
    most = Math.min(2 * most, RECORDS_AT_ONCE)
  }

  /** Writes a batch. After a timeout it retries with half the lines; records that were written despite it already exist. */
  async function write(some: readonly Line[], following: Line | null, tries = TRIES): Promise<void> {
    try {
      const { records, redactions } = await client.restoreRecords({
        records: some.map(({ record }) => record),
        continuesTask: following === null ? null : findCommonTask(some.at(-1), following),
      })
      count(report.records, records)
      report.redactions += redactions
    } catch (error) {
      if (!isAway(error) || tries === 0) throw withLines(error, some, name)
      await sleep(FIRST_PAUSE_MS * 2 ** (TRIES - tries))
      const half = Math.ceil(some.length / 2)
      await write(some.slice(0, half), some[half] ?? following, tries - 1)
      if (half < some.length) await write(some.slice(half), following, tries - 1)
    }
  }

  return {
    async add(line: Line): Promise<void> {
      if (bytes + line.bytes > BYTES_AT_ONCE || lines.length >= most) await next(line)
      lines.push(line)
      bytes += line.bytes
    },
    async flush(): Promise<void> {
      await next(null)
      await writing
    },
  }
}

/** Returns the common task of two lines, which is incomplete between them. */
const findCommonTask = (line: Line | undefined, { task }: Line): string | null =>
  line?.task === task ? task : null

const TRIES = 5
const FIRST_PAUSE_MS = 100

function count(sums: RestoreReport, more: RestoreReport): void {
  for (const [kind, { created, existing }] of Object.entries(more)) {
    const sum = sums[kind as Kind] ?? { created: 0, existing: 0 }
    sums[kind as Kind] = { created: sum.created + created, existing: sum.existing + existing }
  }
}

/** Replaces positions in the batch, which the service reports, with line numbers of the file. */
function withLines(error: unknown, lines: readonly Line[], name: string): unknown {
  if (!(error instanceof TurngraphError)) return error
  const place = placeIn(error.details)
  const line = place === null ? lines[0]?.number : lines[place]?.number
  if (line === undefined) return error
  const at = place === null ? `${name}, in the batch from line ${line} on` : `${name}, line ${line}`
  return new TurngraphError(error.code, `${at}: ${error.message.replace(/^records\[\d+\]: /, '')}`, {
    hint: [error.hint, isAway(error) ? AGAIN : ''].join(' ').trim(),
    details: error.details,
    cause: error,
  })
}

const AGAIN = 'What was restored stays; the same command again goes on from there.'

function placeIn(details: unknown): number | null {
  if (typeof details !== 'object' || details === null) return null
  if ('conflicts' in details && Array.isArray(details.conflicts)) {
    const index: unknown = details.conflicts[0]?.index
    return typeof index === 'number' ? index : null
  }
  if (!('problems' in details) || !Array.isArray(details.problems)) return null
  const [, place] = /^records\[(\d+)\]/.exec(String(details.problems[0]?.path)) ?? []
  return place === undefined ? null : Number(place)
}
