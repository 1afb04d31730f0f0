import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calls,
  independentlyOf,
  linesOf,
  outline,
  placed,
  type Reading,
  read,
  result,
  SESSION,
  type Sessions,
  says,
  user,
} from '../support/written-transcript.ts'
import { cases } from './cases.ts'
import { anyChunks, anyFile, anyGarbage, anyPlaces, anyTranscript, cutsOf } from './transcript-arbitraries.ts'

const RUNS = cases(60)

/** The result of a read, without the number of times that it emitted a turn. */
const said = ({ sessions, badLines, recoveredLines, consumed, transcript }: Reading) => ({
  sessions,
  badLines,
  recoveredLines,
  consumed,
  skipped: transcript.skipped,
})

/** Removes sessions without turns: the two programs differ on whether an empty thread is a session. */
const withTurns = (sessions: Sessions): Sessions =>
  Object.fromEntries(Object.entries(sessions).filter(([, turns]) => turns.length > 0))

describe('any transcript', () => {
  test('the reader and the independent program read the same turns', () => {
    const met = { turns: 0, steps: 0 }
    fc.assert(
      fc.property(anyFile, (text) => {
        const bytes = Buffer.from(text)
        const { sessions, badLines, recoveredLines, consumed } = read(bytes)
        const independent = independentlyOf(bytes)
        expect(withTurns(sessions)).toEqual(withTurns(independent.sessions))
        expect({ badLines, recoveredLines, pendingBytes: bytes.length - consumed }).toEqual({
          badLines: independent.badLines,
          recoveredLines: independent.recoveredLines,
          pendingBytes: independent.pendingBytes,
        })
        const turns = Object.values(sessions).flat()
        met.turns += turns.length
        met.steps += turns.reduce((sum, { length }) => sum + length, 0)
      }),
      { numRuns: RUNS },
    )
    console.log(`${RUNS} transcripts as the independent program reads them:`, met)
  })

  test('any transcript is the same in chunks of any size', () => {
    fc.assert(
      fc.property(anyFile, anyChunks, (text, chunks) => {
        const bytes = Buffer.from(text)
        expect(said(read(bytes, { chunks }))).toEqual(said(read(bytes)))
      }),
      { numRuns: RUNS },
    )
  })

  test('a transcript that is cut at any bytes and read in up to five stages has the same turns', () => {
    fc.assert(
      fc.property(anyFile, anyPlaces, anyChunks, (text, places, chunks) => {
        const bytes = Buffer.from(text)
        const whole = read(bytes)
        const staged = read(bytes, { chunks, cuts: cutsOf(places, bytes.length) })
        expect(staged.sessions).toEqual(whole.sessions)
        expect(staged.consumed).toBe(whole.consumed)
        expect(staged.transcript.state()).toEqual(whole.transcript.state())
      }),
      { numRuns: RUNS },
    )
  })

  test('an import that is killed after any byte continues, and has the same turns in the end', () => {
    fc.assert(
      fc.property(anyFile, anyPlaces, anyChunks, (text, places, chunks) => {
        const bytes = Buffer.from(text)
        const killed = read(bytes, { chunks, cuts: cutsOf(places, bytes.length), isKilled: true })
        expect(said(killed)).toEqual(said(read(bytes)))
      }),
      { numRuns: RUNS },
    )
  })

  test('the stored tail equals the last bytes that were read', () => {
    fc.assert(
      fc.property(anyFile, anyChunks, (text, chunks) => {
        const bytes = Buffer.from(text)
        const { transcript, consumed } = read(bytes, { chunks })
        const { tail } = transcript
        expect(bytes.subarray(consumed - tail.length, consumed).equals(tail)).toBe(true)
        expect(tail.length > 0).toBe(consumed > 0)
      }),
      { numRuns: cases(10) },
    )
  })

  test('a second read without new bytes changes nothing', () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const bytes = Buffer.from(text)
        const twice = read(bytes, { cuts: [bytes.length, bytes.length] })
        expect(said(twice)).toEqual(said(read(bytes)))
      }),
      { numRuns: cases(10) },
    )
  })
})

describe('garbage', () => {
  test('between the lines loses no good one, and is counted', () => {
    fc.assert(
      fc.property(
        anyTranscript(30),
        fc.array(fc.tuple(fc.nat(), anyGarbage), { maxLength: 8 }),
        (records, garbage) => {
          const lines: Buffer[] = records.map((record) => Buffer.from(JSON.stringify(record)))
          const clean = read(Buffer.concat(lines.map(withNewline)))
          for (const [at, line] of garbage) lines.splice(at % (lines.length + 1), 0, line)
          const bytes = Buffer.concat(lines.map(withNewline))
          const dirty = read(bytes)
          const { badLines, recoveredLines } = independentlyOf(bytes)
          expect(dirty.sessions).toEqual(clean.sessions)
          expect(dirty.consumed).toBe(bytes.length)
          expect([dirty.badLines, dirty.recoveredLines]).toEqual([badLines, recoveredLines])
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('garbage of any bytes anywhere in a file never throws, and has the same result in any chunks', () => {
    const overwriting = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 60 })
    fc.assert(
      fc.property(anyFile, overwriting, anyChunks, (text, places, chunks) => {
        const bytes = Buffer.from(text)
        for (const [at, byte] of places) if (bytes.length > 0) bytes[at % bytes.length] = byte
        expect(said(read(bytes, { chunks }))).toEqual(said(read(bytes)))
      }),
      { numRuns: RUNS },
    )
  })

  test('alone makes no turn', () => {
    fc.assert(
      fc.property(fc.array(anyGarbage), (lines) => {
        expect(read(Buffer.concat(lines.map(withNewline))).sessions).toEqual({})
      }),
      { numRuns: RUNS },
    )
  })
})

const withNewline = (line: Buffer): Buffer => Buffer.concat([line, Buffer.from('\n')])

test('an import of a file that ends at any byte continues there next time', () => {
  const bytes = linesOf(
    placed([
      user('Wärme \u{1f600}'),
      calls(['Task t', 'Read a'], { id: 'msg_1' }),
      { ...user('Look'), isSidechain: true, agentId: 'one' },
      { ...calls('Grep g'), isSidechain: true, agentId: 'one' },
      { type: 'progress', data: {} },
      user('<command-name>/x'),
      result('a'),
      says('Done', { stop_reason: 'end_turn' }),
      result('t'),
      user('Next'),
    ]),
  )
  const whole = read(bytes)
  expect(outline(whole)).toEqual({
    [SESSION]: ['r0 human complete: Task → Read', 'r5 command complete', 'r9 human open'],
    [`${SESSION}/one`]: ['r2 subagent open: Grep'],
  })
  for (let cut = 0; cut <= bytes.length; cut++)
    expect(said(read(bytes, { cuts: [cut] }))).toEqual(said(whole))
})

describe('large input', () => {
  const MB = 1024 * 1024
  const before = linesOf(placed([user('Go'), calls('Read a')]))
  const after = linesOf([{ ...user('Next'), uuid: 'next' }])
  const outlineOf = (...parts: Buffer[]) => {
    const reading = read(Buffer.concat([before, ...parts, after]))
    return { turns: outline(reading)[SESSION], bad: reading.badLines, recovered: reading.recoveredLines }
  }
  const good = { turns: ['r0 human complete: Read', 'next human open'], bad: 0, recovered: 0 }
  const nuls = Buffer.alloc(100 * 1024)
  const newline = Buffer.from('\n')

  test('100 KB of NULs before a line, after it, and as a line', () => {
    expect(outlineOf(nuls)).toEqual(good)
    expect(outlineOf(nuls, newline)).toEqual(good)
    expect(outlineOf(linesOf(placed([result('a')])).subarray(0, -1), nuls, newline)).toEqual(good)
    const behind = read(Buffer.concat([before, nuls]))
    expect([behind.consumed, outline(behind)[SESSION]]).toEqual([before.length, ['r0 human open: Read']])
  })

  test('100 KB of NULs inside a line invalidate only that line', () => {
    expect(outlineOf(Buffer.from('{"type":"user","uuid":"x"'), nuls, Buffer.from('}'), newline)).toEqual({
      ...good,
      bad: 1,
    })
  })

  test('a line of 8 MB: a record, a skipped record, and text', () => {
    const words = 'so be it '.repeat((8 * MB) / 9)
    expect(outlineOf(linesOf(placed([result('a', { content: words })])))).toEqual(good)
    expect(outlineOf(linesOf([{ type: 'progress', data: words }]))).toEqual(good)
    expect(outlineOf(Buffer.from(words), newline)).toEqual({ ...good, bad: 1 })
    expect(outlineOf(Buffer.from(`{"type":"user","message":"${words}`), newline)).toEqual({ ...good, bad: 1 })
  })

  test('a line of 8 MB that is written in two parts', () => {
    const bytes = Buffer.concat([
      before,
      linesOf(placed([result('a', { content: 'x'.repeat(8 * MB) })])),
      after,
    ])
    const staged = read(bytes, { cuts: [4 * MB] })
    expect(said(staged)).toEqual(said(read(bytes)))
    expect(staged.sessions[SESSION]?.[0]?.steps).toEqual([['a', 'Read', 'ok', false, null]])
  })

  test('a million objects in one line', () => {
    const objects = Buffer.from('{"type":"progress"}'.repeat(1_000_000))
    expect(outlineOf(objects, linesOf(placed([result('a')])))).toEqual({ ...good, recovered: 1 })
  })
})
