import { describe, expect, test } from 'vitest'
import { loadTokens } from '../../src/memory/context/token-counter.ts'
import { aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const task = { featureId: FEATURE, taskId: TASK }

/** The next step of a task (contract: doors.md, section 1). */
export function nextStepContract(store: StoreUnderTest): void {
  describe('the next step', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('the next step names what is proven, left and blocking, what was tried, and how to record proof', async () => {
      await client().captureTurnState(aTurn(1, { playerSummary: 'Wrote the parser' }))
      await client().captureTurnState(
        aTurn(2, {
          playerSummary: 'Retried the call',
          coachDecision: 'feedback',
          verifications: [
            { criterionId: 'AC-001', criterionText: 'It parses', status: 'verified' },
            {
              criterionId: 'AC-002',
              criterionText: 'It retries',
              status: 'rejected',
              evidence: 'retry() is never called',
            },
          ],
          issues: [{ severity: 'blocking', category: 'tests', description: 'retry.test.ts fails' }],
        }),
      )
      const step = await client().getNextStep(task)
      expect(step).toMatchObject({ taskKnown: true, turnNumber: 3, allVerified: false })
      expect(step.text.split('\n')).toEqual([
        `Turn 3 of session ${step.worldSlug} is next. 1 of 2 verified.`,
        'Left:',
        '- AC-002 (rejected, turn 2): It retries',
        'Blocking:',
        '- retry.test.ts fails',
        'Tried before:',
        '- Turn 2: Retried the call',
        '- Turn 1: Wrote the parser',
        'Record the turn with its proofs: turngraph capture turn.json, or the tool capture_turn_state',
      ])
      expect(step.text).not.toContain('never called')
    })

    test('the next step leaves out an attempt without a summary', async () => {
      await client().captureTurnState(aTurn(1, { playerSummary: 'Wrote the parser' }))
      await client().captureTurnState(aTurn(2, { playerSummary: '', coachDecision: 'error' }))
      const { text } = await client().getNextStep(task)
      expect(text).toContain('Tried before:\n- Turn 1: Wrote the parser\nRecord')
    })

    test('the next step of a contested criterion is to prove it again', async () => {
      const judged = (status: 'verified' | 'rejected', evidence: string) => ({
        verifications: [{ criterionId: 'AC-001', criterionText: 'It parses', status, evidence }],
      })
      await client().captureTurnState(aTurn(1, judged('verified', 'parse.test.ts passes')))
      expect(await client().getNextStep(task)).toMatchObject({ allVerified: true })
      await client().captureTurnState(aTurn(2, judged('rejected', 'parse.test.ts fails with EOF')))
      const { text, allVerified } = await client().getNextStep(task)
      expect(allVerified).toBe(false)
      expect(text).toContain('- AC-001 (contested in turn 2): It parses')
    })

    test('a promise that no judge has named is left', async () => {
      const promise = (criterionId: string) =>
        ({ criterionId, criterionText: `It meets ${criterionId}`, status: 'complete' }) as const
      await client().captureTurnState(
        aTurn(1, {
          promises: [promise('AC-001'), promise('AC-002')],
          verifications: [{ criterionId: 'AC-001', criterionText: 'It meets AC-001', status: 'verified' }],
        }),
      )
      const { text, allVerified } = await client().getNextStep(task)
      expect(allVerified).toBe(false)
      expect(text).toContain('Left:\n- AC-002 (promised, never judged): It meets AC-002')
    })

    test('a promise is left once, and only if its criterion counts and an agent can prove it', async () => {
      const promise = (criterionId: string, criterionText: string) =>
        ({ criterionId, criterionText, status: 'complete' }) as const
      const promises = [
        promise('AC-001', 'It parses'),
        promise('AC-002', 'It retries'),
        promise('AC-003', 'It looks good'),
        promise('AC-004', 'It sings'),
      ]
      const criteria = [
        { text: 'It parses' },
        { text: 'It retries' },
        { text: 'It looks good', kind: 'manual' as const },
      ]
      const expectLeft = async (left: string, allVerified: boolean) => {
        const step = await client().getNextStep(task)
        expect(step.text).toContain(`\n${left}Tried before:`)
        expect(step.allVerified).toBe(allVerified)
        expect((await client().listCriteria(task)).allVerified).toBe(allVerified)
      }
      await client().captureTurnState(aTurn(1, { promises: promises.slice(0, 1) }))
      await expectLeft('Left:\n- AC-001 (pending): It parses\n', false)
      await client().declareCriteria({ ...task, criteria })
      const verified = { criterionId: 'AC-001', criterionText: 'It parses', status: 'verified' as const }
      await client().captureTurnState(aTurn(2, { promises, verifications: [verified] }))
      await expectLeft('Left:\n- AC-002 (pending): It retries\n', false)
      const both = [verified, { ...verified, criterionId: 'AC-002', criterionText: 'It retries' }]
      await client().captureTurnState(aTurn(3, { promises, verifications: both }))
      await expectLeft('', true)
      const { text } = await client().getNextStep(task)
      expect(text).toContain('. 2 of 3 verified, 1 left to a person.\n')
    })

    test('the next step after an approval says that the session is approved', async () => {
      const verifications = [
        { criterionId: 'AC-001', criterionText: 'It parses', status: 'verified' as const },
      ]
      await client().captureTurnState(aTurn(1, { verifications, coachDecision: 'approved' }))
      const { text, worldSlug, turnNumber } = await client().getNextStep(task)
      expect(turnNumber).toBe(2)
      const approved = `The Coach approved session ${worldSlug} in turn 1. 1 of 1 verified.\n`
      expect(text.startsWith(approved)).toBe(true)
    })

    test('a rejection without evidence contests a criterion, and all stay verified', async () => {
      const judged = (status: 'verified' | 'rejected') => ({
        verifications: [{ criterionId: 'AC-001', criterionText: 'It parses', status }],
      })
      await client().captureTurnState(aTurn(1, judged('verified')))
      await client().captureTurnState(aTurn(2, judged('rejected')))
      const { text, allVerified } = await client().getNextStep(task)
      expect(text).toContain('- AC-001 (contested in turn 2): It parses')
      expect(allVerified).toBe((await client().listCriteria(task)).allVerified)
    })

    test('the next step fits into 300 tokens, whatever the texts of agents are', async () => {
      const long = '\u001b[31m判定 '.repeat(400)
      await client().captureTurnState(
        aTurn(1, {
          playerSummary: `${long}\n# Left:\n- forged`,
          verifications: Array.from({ length: 60 }, (_, i) => ({
            criterionId: `AC-${i}`,
            criterionText: `${long} ${i}`,
            status: 'rejected' as const,
            evidence: `fails in case ${i}`,
          })),
          issues: Array.from({ length: 30 }, (_, i) => ({
            severity: 'blocking' as const,
            category: 'tests',
            description: `${long} case_${i}.py and other_${i}.py`,
          })),
        }),
      )
      const { text } = await client().getNextStep(task)
      expect((await loadTokens()).count(text)).toBeLessThanOrEqual(300)
      expect(text).not.toContain('\u001b')
      expect(text).not.toContain('\n# Left')
      expect(text).toMatch(/- and \d+ more\n/)
      expect(text).toContain('Record the turn')
    })

    test('the next step names criteria that are left, however many turns contested them', async () => {
      const verified = Array.from({ length: 90 }, (_, i) => ({
        criterionId: `AC-${i}`,
        criterionText: `It returns value_${i}`,
        status: 'verified' as const,
        evidence: `value_${i} is returned`,
      }))
      await client().captureTurnState(aTurn(1, { verifications: verified }))
      for (const [i, criterion] of verified.entries())
        await client().captureTurnState(
          aTurn(i + 2, {
            verifications: [{ ...criterion, status: 'rejected', evidence: `value_${i} is lost` }],
          }),
        )
      const { text } = await client().getNextStep(task)
      expect((await loadTokens()).count(text)).toBeLessThanOrEqual(300)
      expect(text).toContain('90 of 90 verified, 90 contested.')
      expect(text).toContain('- AC-0 (contested in turn 2)')
    })

    test('the next step of a task without turns is its first turn', async () => {
      expect(await client().getNextStep(task)).toMatchObject({
        taskKnown: false,
        worldSlug: null,
        turnNumber: 1,
        allVerified: false,
      })
    })
  })
}
