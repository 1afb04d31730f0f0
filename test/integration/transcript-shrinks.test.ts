import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { graphStore } from '../../src/transcripts/graph-store.ts'
import { importFiles, type TranscriptStore } from '../../src/transcripts/import-files.ts'
import { memory } from '../support/engines.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { brokenTurns, bytesOf, everyTurn, sessionOf, turn } from '../support/transcript-import.ts'

/** Turns of about 100 KB, so that a file takes several reads of 1 MiB. */
const CHUNK = 1024 * 1024
const turns = Array.from({ length: 30 }, (_, i) =>
  turn(`turn-${i}`, ['Grep', 'Read', 'Edit'], { from: 10 * i }).map((record) => ({
    ...record,
    toolUseResult: 'x'.repeat(16_000),
  })),
)
const bytes = bytesOf(...turns)

let folder: string
let file: string
let graph: Graph

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'turngraph-shrinks-'))
  file = path.join(folder, `${sessionOf(1)}.jsonl`)
  writeFileSync(file, bytes)
  graph = await memory.open()
})
afterEach(async () => {
  await graph.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Truncates the file to this size after its first chunk was read. */
function shrinkingTo(size: number): TranscriptStore {
  async function* cut(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      truncateSync(file, size)
      yield chunk
    }
  }
  return storeReading(cut)
}

/** Creates a store that gets other chunks than those of the file. */
function storeReading(change: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>): TranscriptStore {
  const store = graphStore(graph, 5)
  return {
    ...store,
    open: async (sources) =>
      (await store.open(sources)).map((opened) => ({
        ...opened,
        write: (offset, chunks) => opened.write(offset, change(chunks)),
      })),
  }
}

const imported = (store = graphStore(graph, 5)) => importFiles(store, [folder], { project: PROJECT })

const wholeTurns = (size: number): string[] =>
  turns.flatMap((_, i) => (bytesOf(...turns.slice(0, i + 1)).length <= size ? [`turn-${i}`] : []))

const storedTurns = async (): Promise<string[]> =>
  (await everyTurn(clientOf(graph))).map(({ turnId }) => turnId)

test.each([
  ['in the middle of a line that is still to be read', CHUNK + 300_000],
  ['before what was read already', 200_000],
])('a file that shrinks while it is read, %s: every whole line counts, none is bad', async (_, size) => {
  expect(bytes.length).toBeGreaterThan(1.3 * CHUNK)
  const report = await imported(shrinkingTo(size))
  const read = Math.max(size, CHUNK)
  expect(report).toMatchObject({ files: 1, skippedFiles: 0, badLines: 0 })
  expect(report.bytes).toBeLessThanOrEqual(read)
  expect(report.bytes).toBeGreaterThan(read - 20_000) // less than a line is left over
  expect(await storedTurns()).toEqual(expect.arrayContaining(wholeTurns(read)))
  expect(await brokenTurns(graph)).toEqual([])
})

test('bytes that are appended to a truncated file are read exactly once', async () => {
  await imported(shrinkingTo(200_000))
  const before = await storedTurns()
  writeFileSync(file, bytes.subarray(0, 200_000))
  await imported()
  expect(await storedTurns()).toEqual(expect.arrayContaining(before)) // turns that were read before the truncation stay
  appendFileSync(file, bytes.subarray(200_000))
  await imported()
  expect((await storedTurns()).toSorted()).toEqual(turns.map((_, i) => `turn-${i}`).toSorted())
  expect(await brokenTurns(graph)).toEqual([])
})

test('the turns of a file that is emptied during the import stay stored', async () => {
  await imported(shrinkingTo(0))
  expect(await storedTurns()).toEqual(expect.arrayContaining(wholeTurns(CHUNK)))
  const again = await imported()
  expect(again).toMatchObject({ badLines: 0, bytes: 0 })
  expect(await storedTurns()).toEqual(expect.arrayContaining(wholeTurns(CHUNK)))
})

describe('a file that is rewritten in place', () => {
  const few = Array.from({ length: 50 }, (_, i) =>
    turn(`few-${i}`, ['Grep', 'Read', 'Edit'], { from: 10 * i }),
  )
  const many = Array.from({ length: 90 }, (_, i) => turn(`many-${i}`, ['Bash', 'Bash'], { from: 10 * i }))

  /** Imports the file, and fails after all bytes were sent, before the store learns that this was the end. */
  async function importBrokenOff(): Promise<void> {
    async function* brokenOff(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      yield* chunks
      throw new Error('killed')
    }
    await expect(imported(storeReading(brokenOff))).rejects.toThrow('killed')
  }

  test('a rewritten file is imported from the start after an import that failed after its last line', async () => {
    writeFileSync(file, bytesOf(...few))
    await importBrokenOff()
    expect((await storedTurns()).length).toBeGreaterThan(0) // its last line is not committed
    await imported()
    expect(await storedTail()).not.toMatch(/^0:/) // an empty tail would match any file
    writeFileSync(file, bytesOf(...many))
    await imported()
    expect(await storedTurns()).toEqual(expect.arrayContaining(many.map((_, i) => `many-${i}`)))
    expect(await brokenTurns(graph)).toEqual([])
  })
})

const readTail = parseStatement('test/read-tail', 'MATCH (f:TranscriptFile) RETURN f.tail AS tail')

const storedTail = async (): Promise<unknown> => (await graph.read(readTail, {}))[0]?.tail
