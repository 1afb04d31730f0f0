import { describe, expect, test } from 'vitest'
import type { OperationInput } from '../../src/operations/table.ts'
import { aContext, aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const TEXTS = {
  'AC-001': 'It rounds half to even everywhere',
  'AC-002': 'It answers unknown paths with 404',
  'AC-003': 'Every request is logged exactly once',
  'AC-004': 'A restart loses no acknowledged order',
} as const
type Label = keyof typeof TEXTS

const claimOf = (label: Label) => `All nine unit tests of ${label} pass on my machine, see the log`
const own = 'I ran it myself: the server answers as it should'

const criterion = (criterionId: Label) => ({ criterionId, criterionText: TEXTS[criterionId] })
const promised = (claims: Partial<Record<Label, string>>): Partial<TurnToSend> => ({
  promises: Object.entries(claims).map(([label, evidence]) => ({
    ...criterion(label as Label),
    status: 'complete' as const,
    evidence,
  })),
})
const judged = (
  verdicts: Partial<Record<Label, string | null>>,
  status: 'verified' | 'rejected' = 'verified',
): Partial<TurnToSend> => ({
  verifications: Object.entries(verdicts).map(([label, evidence]) => ({
    ...criterion(label as Label),
    status,
    evidence,
  })),
})

/** A criterion for each basis of a verification that exists today. */
const OF_EACH = {
  ...promised({ 'AC-001': claimOf('AC-001'), 'AC-002': claimOf('AC-002') }),
  ...judged({
    'AC-001': `Player: ${claimOf('AC-001')}.`,
    'AC-002': claimOf('AC-001'),
    'AC-003': own,
    'AC-004': null,
  }),
}

/** How verified criteria are known (contract: evidence.md, "Basis"). */
export function basisContract(store: StoreUnderTest): void {
  describe('the basis of a verification', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (...turns: TurnToSend[]) => {
      for (const turn of turns) await client().captureTurnState(turn)
    }
    const list = (more: Partial<OperationInput<'listCriteria'>> = {}) =>
      client().listCriteria({ featureId: FEATURE, taskId: TASK, ...more })
    const bases = async (more: Partial<OperationInput<'listCriteria'>> = {}) =>
      Object.fromEntries((await list(more)).criteria.map(({ criterionId, basis }) => [criterionId, basis]))

    test('each answer names the basis of each criterion and counts them', async () => {
      await capture(aTurn(1, OF_EACH))
      const expected = { 'AC-001': 'repeated', 'AC-002': 'misplaced', 'AC-003': 'judged', 'AC-004': 'bare' }
      for (const role of ['player', 'coach'] as const) {
        expect(await bases({ role })).toEqual(expected)
        const { criteria } = await client().loadTurnContinuationContext(aContext(2, { role }))
        expect(criteria.map(({ basis }) => basis)).toEqual(Object.values(expected))
      }
      const counts = { verified: 4, observed: 0, judged: 1, repeated: 1, misplaced: 1, bare: 1 }
      const all = { ...counts, contested: 0, refuted: 0 }
      expect(await list()).toMatchObject({ ...all, total: 4 })
      expect(await client().getWorld({ worldSlug: TASK })).toMatchObject({ ...all, criteria: 4 })
      expect((await client().listWorlds({})).items).toMatchObject([{ ...all, criteria: 4 }])
      expect(await client().explainTurn({ featureId: FEATURE, taskId: TASK })).toMatchObject(all)
    })

    test("the text of the Coach shows the basis of each criterion and the unseen ones, and the Player's text does not change", async () => {
      await capture(aTurn(1, OF_EACH), aTurn(2))
      const text = async (role: 'player' | 'coach') =>
        (await client().loadTurnContinuationContext(aContext(3, { role }))).context ?? ''
      const statusLines = (context: string) => context.split('\n').filter((line) => line.startsWith('  ✓'))
      expect(statusLines(await text('coach'))).toEqual([
        "  ✓ AC-001: verified (turn 1, in the Player's words)",
        "  ✓ AC-002: verified (turn 1, in the Player's words for another criterion)",
        '  ✓ AC-003: verified (turn 1)',
        '  ✓ AC-004: verified (turn 1, without evidence)',
      ])
      expect(await text('coach')).toMatch(/\n\n\*\*Seen by nobody yet\*\*: AC-001, AC-002, AC-004$/)
      expect(statusLines(await text('player'))).toEqual(
        Object.keys(TEXTS).map((label) => `  ✓ ${label}: verified (turn 1)`),
      )
      expect(await text('player')).not.toMatch(/words|evidence|Seen/)
    })

    test('unseen criteria are listed before unjudged ones', async () => {
      const criteria = Object.values(TEXTS).map((text) => ({ text }))
      await client().declareCriteria({ featureId: FEATURE, taskId: TASK, criteria })
      await capture(aTurn(1, judged({ 'AC-001': null, 'AC-002': own })))
      const { context } = await client().loadTurnContinuationContext(aContext(2, { role: 'coach' }))
      expect(context).toMatch(
        /\n\n\*\*Seen by nobody yet\*\*: AC-001\n\n\*\*Not judged so far\*\*: AC-003, AC-004$/,
      )
    })

    test('promises of earlier turns count until newer ones replace them, and later ones do not', async () => {
      await capture(
        aTurn(1, promised({ 'AC-001': claimOf('AC-001'), 'AC-002': claimOf('AC-002') })),
        aTurn(2, promised({ 'AC-001': 'Done now' })),
        aTurn(3, judged({ 'AC-001': 'done now!', 'AC-002': claimOf('AC-002'), 'AC-003': claimOf('AC-003') })),
        aTurn(4, promised({ 'AC-003': claimOf('AC-003') })),
      )
      expect(await bases()).toEqual({ 'AC-001': 'repeated', 'AC-002': 'repeated', 'AC-003': 'judged' })
    })

    test('the newest verification counts, and a rejection leaves no basis', async () => {
      await capture(
        aTurn(1, {
          ...promised({ 'AC-001': claimOf('AC-001') }),
          ...judged({ 'AC-001': claimOf('AC-001') }),
        }),
        aTurn(2, judged({ 'AC-001': own, 'AC-002': own })),
        aTurn(3, judged({ 'AC-002': 'Unknown paths are answered with 500' }, 'rejected')),
      )
      expect(await bases()).toEqual({ 'AC-001': 'judged', 'AC-002': 'judged' })
      expect(await bases({ turn: 1 })).toEqual({ 'AC-001': 'repeated' })
      expect(await bases({ policy: 'evidence' })).toEqual({ 'AC-001': 'judged', 'AC-002': null })
      expect(await list()).toMatchObject({ verified: 2, judged: 2, contested: 1, refuted: 1 })
      await capture(aTurn(4, judged({ 'AC-001': null }, 'rejected')))
      expect(await list()).toMatchObject({ contested: 2, refuted: 1, allVerified: false })
      const refuted = (await list()).criteria.map((each) => [each.criterionId, each.refuted])
      expect(refuted).toEqual([
        ['AC-001', false],
        ['AC-002', true],
      ])
      await capture(aTurn(5, judged({ 'AC-002': own })))
      expect(await list()).toMatchObject({ contested: 1, refuted: 0 })
    })

    test('under the policy observed, nothing counts that was not observed', async () => {
      await capture(aTurn(1, OF_EACH), aTurn(2, judged({ 'AC-001': own }, 'rejected')))
      const { criteria, ...view } = await list({ policy: 'observed' })
      expect(view).toMatchObject({ verified: 0, total: 4, allVerified: false })
      expect(criteria.map(({ state }) => state)).toEqual(['rejected', 'pending', 'pending', 'pending'])
      expect(
        await client().loadStall({ featureId: FEATURE, taskId: TASK, policy: 'observed' }),
      ).toMatchObject({
        verdict: 'no_growth',
      })
    })

    test('unseen-proofs lists the verified criteria that nobody but the Player has seen', async () => {
      const rows = async (worldSlug?: string) =>
        (await client().runAnalysis({ name: 'unseen-proofs', limit: 10, worldSlug })).rows
      await capture(aTurn(1, OF_EACH), aTurn(1, { taskId: 'TASK-2', ...judged({ 'AC-001': null }) }))
      const first = [
        [FEATURE, TASK, TASK, 'AC-001', TEXTS['AC-001'], 'repeated', 1],
        [FEATURE, TASK, TASK, 'AC-002', TEXTS['AC-002'], 'misplaced', 1],
        [FEATURE, TASK, TASK, 'AC-004', TEXTS['AC-004'], 'bare', 1],
      ]
      const second = [FEATURE, 'TASK-2', 'TASK-2', 'AC-001', TEXTS['AC-001'], 'bare', 1]
      expect(await rows()).toEqual([...first, second])
      expect(await rows('TASK-2')).toEqual([second])
      await capture(aTurn(2, { taskId: 'TASK-2', ...judged({ 'AC-001': own }) }))
      expect(await rows()).toEqual(first)
    })

    test('approved-though lists approved sessions with unproven or refuted criteria, or with a failed gate', async () => {
      const approved = { coachDecision: 'approved' } as const
      const session = async (taskId: string, ...turns: Partial<TurnToSend>[]) => {
        const criteria = [{ text: TEXTS['AC-001'] }, { text: TEXTS['AC-002'] }]
        await client().declareCriteria({ featureId: FEATURE, taskId, criteria })
        for (const [i, more] of turns.entries()) await capture(aTurn(i + 1, { taskId, ...more }))
      }
      const both = judged({ 'AC-001': own, 'AC-002': own })
      await session('GOOD', { ...both, ...approved })
      await session('OPEN', { ...both, gates: { tests: 'failed' } })
      await session('GATE', { ...both, ...approved, gates: { lint: 'passed', tests: 'failed' } })
      await session('LEFT', { ...judged({ 'AC-001': own, 'AC-003': own }, 'verified'), ...approved })
      await session('LOST', both, { ...judged({ 'AC-002': 'It answers with 500' }, 'rejected'), ...approved })
      const { rows } = await client().runAnalysis({ name: 'approved-though', limit: 10 })
      expect(rows).toEqual([
        [FEATURE, 'GATE', 'GATE', 1, ['tests'], [], []],
        [FEATURE, 'LEFT', 'LEFT', 1, [], ['AC-002'], []],
        [FEATURE, 'LOST', 'LOST', 2, [], [], ['AC-002']],
      ])
    })

    test('promises of another session of the task do not count', async () => {
      await capture(
        aTurn(1, { worldSlug: 'first', ...promised({ 'AC-001': claimOf('AC-001') }) }),
        aTurn(1, { worldSlug: 'second', ...judged({ 'AC-001': claimOf('AC-001') }) }),
      )
      expect(await bases({ worldSlug: 'second' })).toEqual({ 'AC-001': 'judged' })
    })

    test('turns in any order, and a superseded one, give the same answer as turns in order', async () => {
      const first = aTurn(1, promised({ 'AC-001': claimOf('AC-001'), 'AC-002': claimOf('AC-002') }))
      await capture(aTurn(2, judged({ 'AC-001': claimOf('AC-001'), 'AC-002': claimOf('AC-001') })))
      expect(await bases()).toEqual({ 'AC-001': 'judged', 'AC-002': 'judged' })
      await capture(first)
      expect(await bases()).toEqual({ 'AC-001': 'repeated', 'AC-002': 'misplaced' })
      await client().captureTurnState({
        ...first,
        ...promised({ 'AC-002': claimOf('AC-001') }),
        onConflict: 'supersede',
      })
      expect(await bases()).toEqual({ 'AC-001': 'misplaced', 'AC-002': 'repeated' })
    })
  })
}
