import { describe, expect, test } from 'vitest'
import { aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const RETRY = 'An unknown host is retried three times'
const SUITE = 'The whole suite passes on two cores'
const DOCS = 'The how-to reads well to a newcomer'
const LOG = 'No request is logged twice by any handler'

type Entry = NonNullable<TurnToSend['verifications']>[number]
const verdict = (
  criterionText: string,
  status: 'verified' | 'rejected',
  more: Partial<Entry> = {},
): Entry => ({
  criterionId: `AC-${criterionText.length}`,
  criterionText,
  status,
  ...more,
})

/** The analyses of what is proven of what a task declares (contract: specification.md). */
export function proofsContract(store: StoreUnderTest): void {
  describe('what is proven of what must hold', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    type Narrowed = { featureId?: string; taskId?: string; worldSlug?: string }
    const rows = async (name: string, narrowed: Narrowed = {}) => {
      const answer = await client().runAnalysis({ name, limit: 1_000, ...narrowed })
      expect(answer.truncated).toBe(false)
      return answer.rows
    }
    const declare = (taskId: string, ...criteria: { text: string; kind?: 'manual' }[]) =>
      client().declareCriteria({ featureId: FEATURE, taskId, criteria })

    test('unproven lists what the newest specification declares and no session verified, by session, also of a task without any', async () => {
      await declare(TASK, { text: LOG }, { text: SUITE })
      await declare(TASK, { text: RETRY }, { text: SUITE }, { text: DOCS, kind: 'manual' })
      await client().captureTurnState(
        aTurn(1, {
          worldSlug: 'first',
          verifications: [verdict(RETRY, 'verified'), verdict(SUITE, 'rejected')],
          promises: [{ criterionId: 'AC-003', criterionText: DOCS, status: 'complete' }],
        }),
      )
      await client().captureTurnState(
        aTurn(1, {
          worldSlug: 'second',
          verifications: [RETRY, SUITE, DOCS].map((text) => verdict(text, 'verified')),
        }),
      )
      await declare('TASK-2', { text: LOG })
      await client().captureTurnState(
        aTurn(1, { taskId: 'TASK-3', verifications: [verdict(LOG, 'rejected')] }),
      )
      const first = [
        [FEATURE, TASK, 'first', 'AC-002', SUITE, 'code', 'rejected', true],
        [FEATURE, TASK, 'first', 'AC-003', DOCS, 'manual', 'pending', false],
      ]
      const unbegun = [[FEATURE, 'TASK-2', null, 'AC-001', LOG, 'code', 'pending', false]]
      expect(await rows('unproven')).toEqual([...first, ...unbegun])
      expect(await rows('unproven', { worldSlug: 'first' })).toEqual(first)
      expect(await rows('unproven', { worldSlug: 'second' })).toEqual([])
      expect(await rows('unproven', { featureId: FEATURE, taskId: 'TASK-2' })).toEqual(unbegun)
      await clientOf(handles.graph, 'other').declareCriteria({
        featureId: FEATURE,
        taskId: TASK,
        criteria: [{ text: LOG }],
      })
      expect(await rows('unproven')).toEqual([...first, ...unbegun])
      await client().deleteWorld({ worldSlug: 'first' })
      expect(await rows('unproven')).toEqual(unbegun)
    })
  })
}
