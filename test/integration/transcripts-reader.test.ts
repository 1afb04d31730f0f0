import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCompaction } from '../../src/transcripts/content.ts'
import { parseFileName } from '../../src/transcripts/transcript.ts'
import { independently, read, type Sessions, type Told } from '../support/written-transcript.ts'

const root = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))
const present = existsSync(root)

/** The transcript files, also those in folders that are named `….jsonl`. */
const files = present
  ? readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .sort()
  : []

if (!present) console.log(`Left out: real transcripts. There is no ${root}.`)

test.runIf(!present && process.env.REQUIRE_CORPUS === '1')('the transcripts of the corpus are here', () => {
  throw new Error(`REQUIRE_CORPUS=1, but there is no ${root}`)
})

/** Reads a file, without the sessions that an importer skips. */
function readFile(file: string, way: { chunks?: number[]; cuts?: number[] } = {}) {
  const bytes = readFileSync(path.join(root, file))
  const { sessions, badLines, recoveredLines, consumed } = read(bytes, { name: parseFileName(file), ...way })
  return { sessions: withTurns(sessions), badLines, recoveredLines, pendingBytes: bytes.length - consumed }
}

/** Removes sessions without turns: a file of titles is a session for only one of the two programs. */
const withTurns = (sessions: Sessions): Sessions =>
  Object.fromEntries(
    Object.entries(sessions).filter(
      ([id, turns]) => turns.length > 0 && !isCompaction(id.split('/')[1] ?? ''),
    ),
  )

/**
 * The records of three agents of a workflow name a session `UUID#agent-ID`. Their file lies in the folder of the
 * session `UUID`, which started them. This is the only correction of the independent program.
 */
const inTheFoldersSession = (sessions: Sessions): Sessions =>
  Object.fromEntries(Object.entries(sessions).map(([id, turns]) => [id.replace(/#agent-[^/]+/, ''), turns]))

const expected = (file: string) => {
  const { sessions, ...counts } = independently(path.join(root, file))
  return { sessions: withTurns(inTheFoldersSession(sessions)), ...counts }
}

const count = (turns: Told[]) => {
  const steps = turns.flatMap((turn) => turn.steps)
  return {
    turns: turns.length,
    withCalls: turns.filter(({ length }) => length > 0).length,
    steps: steps.length,
    parallel: steps.filter(([, , , isParallel]) => isParallel).length,
    ...Object.fromEntries(
      ['ok', 'error', 'denied', 'interrupted', 'pending'].map((status) => [
        status,
        steps.filter(([, , is]) => is === status).length,
      ]),
    ),
  }
}

describe.skipIf(!present)('real transcripts', () => {
  test('every turn and every step of every file equals that of the independent program', () => {
    const all: Told[] = []
    const met = { files: files.length, sessions: 0, badLines: 0, recoveredLines: 0, pendingBytes: 0 }
    for (const file of files) {
      const { sessions, ...counts } = readFile(file)
      expect({ file, sessions, ...counts }).toEqual({ file, ...expected(file) })
      all.push(...Object.values(sessions).flat())
      met.sessions += Object.keys(sessions).length
      met.badLines += counts.badLines
      met.recoveredLines += counts.recoveredLines
      met.pendingBytes += counts.pendingBytes
    }
    console.log('Real transcripts, all as the independent program reads them:', { ...met, ...count(all) })
    expect(files.length).toBeGreaterThanOrEqual(100)
    expect(all.length).toBeGreaterThan(200)
  })

  test('a transcript that is read in small chunks has the same turns', () => {
    for (const file of files)
      expect({ file, ...readFile(file, { chunks: [4093, 17] }) }).toEqual({ file, ...readFile(file) })
  })

  test('ten transcripts that are read in five stages, cut at any bytes, have the turns of one read', () => {
    const real = files.filter((file) => !file.startsWith('_'))
    const sizes = new Map(real.map((file) => [file, readFileSync(path.join(root, file)).length]))
    const drawn = fc.tuple(
      fc.shuffledSubarray(
        real.filter((file) => (sizes.get(file) ?? 0) > 10_000),
        { minLength: 10, maxLength: 10 },
      ),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
    )
    const stages: string[] = []
    for (const [ten, places] of fc.sample(drawn, { seed: 6, numRuns: 3 })) {
      for (const file of ten) {
        const cuts = Array.from({ length: 4 }, () =>
          Math.floor(places.next().value * (sizes.get(file) ?? 0)),
        ).sort((a, b) => a - b)
        const staged = readFile(file, { cuts })
        expect({ file, cuts, sessions: staged.sessions }).toEqual({
          file,
          cuts,
          sessions: readFile(file).sessions,
        })
        stages.push(file)
      }
    }
    console.log(`${stages.length} readings in five stages, of ${new Set(stages).size} files`)
  })
})
