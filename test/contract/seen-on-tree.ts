import { describe, expect, test } from 'vitest'
import { aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const TREE = 'a'.repeat(40)
const DIGEST = 'b'.repeat(64)
const task = { featureId: FEATURE, taskId: TASK }

const observed = (
  criterionId: string,
  criterionText: string,
  on: { tree: string | null; dirty: string | null },
) => ({
  criterionId,
  criterionText,
  status: 'verified' as const,
  source: 'command' as const,
  observation: { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-11-28T10:00:00Z', ...on },
})

/** Criteria compared with a tree (contract: evidence.md, "On this tree"). */
export function seenOnTreeContract(store: StoreUnderTest): void {
  describe('criteria on a tree', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('each criterion was observed on this tree, on an earlier one, or never', async () => {
      const verifications = [
        observed('AC-001', 'It rounds half to even everywhere', { tree: TREE, dirty: null }),
        observed('AC-002', 'It answers unknown paths with 404', { tree: TREE, dirty: `sha256:${DIGEST}` }),
        observed('AC-003', 'Every request is logged exactly once', { tree: null, dirty: null }),
        {
          criterionId: 'AC-004',
          criterionText: 'A restart loses no acknowledged order',
          status: 'verified' as const,
          evidence: 'I restarted it myself and counted the orders before and after',
        },
      ]
      await client().captureTurnState(aTurn(1, { verifications }))
      const read = async (on: { tree?: string; dirty?: string }) =>
        (await client().listCriteria({ ...task, ...on })).criteria.map(({ seen }) => seen)
      expect(await read({ tree: TREE })).toEqual(['this_tree', 'earlier_tree', 'earlier_tree', 'never'])
      for (const dirty of [DIGEST, `sha256:${DIGEST}`])
        expect(await read({ tree: TREE, dirty })).toEqual([
          'earlier_tree',
          'this_tree',
          'earlier_tree',
          'never',
        ])
      expect(await read({ tree: 'c'.repeat(40) })).toEqual([
        'earlier_tree',
        'earlier_tree',
        'earlier_tree',
        'never',
      ])
      expect(await read({})).toEqual([undefined, undefined, undefined, undefined])
      for (const wrong of [{ dirty: DIGEST }, { tree: TREE, policy: 'sticky' as const }, { tree: 'HEAD' }])
        await expect(client().listCriteria({ ...task, ...wrong })).rejects.toMatchObject({
          code: 'invalid_request',
        })
    })
  })
}
