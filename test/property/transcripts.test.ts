import fc from 'fast-check'
import { expect, test } from 'vitest'
import { independentlyOf, read } from '../support/written-transcript.ts'
import { fileOf, separator, separatorOrNone } from './transcript-arbitraries.ts'

test('oracle', () => {
  fc.assert(
    fc.property(fileOf(separator), (text) => {
      const bytes = Buffer.from(text)
      const got = read(bytes)
      const want = independentlyOf(bytes)
      for (const s of Object.keys(got.sessions)) if (got.sessions[s]!.length === 0) delete got.sessions[s]
      for (const s of Object.keys(want.sessions)) if (want.sessions[s]!.length === 0) delete want.sessions[s]
      expect(got.sessions).toEqual(want.sessions)
    }),
    { numRuns: +(process.env.RUNS ?? 2000) },
  )
})

test('stages', () => {
  fc.assert(
    fc.property(fileOf(separatorOrNone), fc.array(fc.nat(), { maxLength: 4 }), (text, at) => {
      const bytes = Buffer.from(text)
      const cuts = at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b)
      const whole = read(bytes)
      const staged = read(bytes, { cuts })
      expect(staged.sessions).toEqual(whole.sessions)
      expect(staged.consumed).toEqual(whole.consumed)
    }),
    { numRuns: +(process.env.RUNS ?? 2000) },
  )
})
