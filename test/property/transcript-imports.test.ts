import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memory } from '../support/engines.ts'
import { clientOf } from '../support/records.ts'
import {
  brokenTurns,
  differences,
  everyTurn,
  NO_DIFFERENCES,
  send,
  stepsOf,
  withoutTokens,
} from '../support/transcript-import.ts'
import { independentlyOf, SESSION } from '../support/written-transcript.ts'
import { cases } from './cases.ts'
import { anyFile, anyPlaces, cutsOf } from './transcript-arbitraries.ts'

const RUNS = cases(10)
const anyChunk = fc.integer({ min: 1, max: 4096 })

test('an import of any transcript in up to five stages leaves the graph of one import, which equals the independent program', {
  timeout: 300_000,
}, async () => {
  const met = { turns: 0, steps: 0 }
  await fc.assert(
    fc.asyncProperty(anyFile, anyPlaces, anyChunk, async (text, places, chunk) => {
      const bytes = Buffer.from(text)
      const [staged, whole] = [await memory.open(), await memory.open()]
      try {
        for (const to of [...cutsOf(places, bytes.length), bytes.length])
          await send(clientOf(staged), SESSION, bytes, { to, chunk })
        await send(clientOf(whole), SESSION, bytes)
        expect(await differences(staged, whole)).toEqual(NO_DIFFERENCES)
        expect(await brokenTurns(staged)).toEqual([])
        const { sessions } = independentlyOf(bytes)
        const told = Object.entries(sessions).flatMap(([sessionId, turns]) =>
          turns.map(({ id, index, kind, status, length, pattern, errors, parallelSteps, durationMs }) => ({
            ...{
              turnId: id,
              sessionId,
              index,
              kind,
              status,
              length,
              pattern,
              errors,
              parallelSteps,
              durationMs,
            },
          })),
        )
        const stored = (await everyTurn(clientOf(staged))).map(withoutTokens)
        const byId = (a: { turnId: string }, b: { turnId: string }) => (a.turnId < b.turnId ? -1 : 1)
        expect(stored.map(({ tools: _tools, startedAt: _startedAt, ...turn }) => turn).sort(byId)).toEqual(
          told.sort(byId),
        )
        for (const { id, steps } of Object.values(sessions).flat()) {
          expect(await stepsOf(staged, id)).toEqual(
            steps.map(([step, tool, status]) => `${step} ${tool} ${status}`),
          )
          met.steps += steps.length
        }
        met.turns += told.length
      } finally {
        await Promise.all([staged.close(), whole.close()])
      }
    }),
    { numRuns: RUNS },
  )
  console.log(`${RUNS} transcripts imported in stages:`, met)
})
