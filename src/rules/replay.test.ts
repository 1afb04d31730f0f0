import { expect, test, vi } from 'vitest'
import type { LedgerEntry } from './progress.ts'
import { replaySession } from './replay.ts'
import type { SessionRecords, SessionTurn } from './session-steps.ts'

const TURNS = 200

/** A turn whose Coach rejects two criteria, with a complaint that no other turn has. */
function rejectedTurn(turn: number): SessionTurn {
  const entries = ['a', 'b'].map(
    (criterionKey, position): LedgerEntry => ({
      ...{ turn, position, criterionKey, label: criterionKey, text: null, evidence: null },
      ...{ status: 'rejected', source: 'coach', form: 'entry', substantiated: true },
      ...{ observedOn: null, addedAt: null },
    }),
  )
  const signature = `complaint ${turn}`
  const outcome = {
    ...{ turn, decision: 'feedback' as const, signature, blocking: 1, quote: signature },
    ...{ gates: [], failedGates: [], testsFailed: null, causes: [{ signature, identifiers: [] }] },
  }
  return { turn, entries, promised: [], outcome }
}

test('a replay can be paused after each policy, and sorts only the entries of the newest turns', () => {
  const records: SessionRecords = {
    ...{ featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: 'w', specification: null },
    ...{ turns: Array.from({ length: TURNS }, (_, i) => rejectedTurn(i + 1)), criteria: [] },
    ...{ specifiedAfter: [], files: [] },
  }
  const sort = vi.spyOn(Array.prototype, 'toSorted')
  const replay = replaySession(records, ['sticky', 'latest'], 'stalled')
  const pauses: unknown[] = []
  let step = replay.next()
  for (; !step.done; step = replay.next()) pauses.push(step.value)
  const sorted = sort.mock.contexts.map((context) => (context as unknown[]).length)
  sort.mockRestore()
  expect(step.value).toMatchObject({ turns: TURNS, policies: [{ policy: 'sticky' }, { policy: 'latest' }] })
  expect(pauses).toHaveLength(3)
  expect(Math.max(...sorted)).toBe(TURNS) // the turns themselves, once
})
