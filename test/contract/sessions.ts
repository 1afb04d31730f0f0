import { describe, expect, test } from 'vitest'
import type { OperationInput, OperationOutput } from '../../src/operations/table.ts'
import { allPages } from '../faults/harness/pages.ts'
import { aTurn, clientOf, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Session = OperationOutput<'listWorlds'>['items'][number]
type Decision = NonNullable<TurnToSend['coachDecision']>

/** The list of sessions for people. */
export function sessionsContract(store: StoreUnderTest): void {
  describe('sessions', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const list = (asked: Omit<OperationInput<'listWorlds'>, 'project'> = {}): Promise<Session[]> =>
      allPages((cursor) => client().listWorlds({ order: 'last_activity', ...asked, cursor }))
    const slugs = async (asked: Parameters<typeof list>[0] = {}) =>
      (await list(asked)).map(({ worldSlug }) => worldSlug)

    /** Captures a session whose turns have these decisions, at its own minute. */
    const play = async (task: string, decisions: readonly Decision[], more: Partial<TurnToSend> = {}) => {
      for (const [i, coachDecision] of decisions.entries()) {
        await client().captureTurnState(aTurn(i + 1, { taskId: task, coachDecision, ...more }))
      }
    }
    const complaint = { issues: [{ severity: 'blocking' as const, description: 'The build is broken' }] }
    const judged = {
      verifications: [
        { criterionId: 'AC-1', criterionText: 'The build passes', status: 'rejected' as const },
      ],
    }

    test('a session lists the outcome of each turn, and has the same counts of proven criteria as its list', async () => {
      await client().captureTurnState(
        aTurn(1, {
          verifications: [
            { criterionId: 'AC-1', criterionText: 'Reads the file', status: 'verified' },
            { criterionId: 'AC-2', criterionText: 'Writes the file', status: 'rejected' },
          ],
        }),
      )
      await client().captureTurnState(aTurn(2, { coachDecision: 'error' }))
      await client().captureTurnState(aTurn(4, { coachDecision: 'approved' }))
      const [session] = await list()
      expect(session).toMatchObject({
        worldSlug: 'TASK-1',
        currentTurn: 4,
        decisions: [
          { turn: 1, decision: 'feedback' },
          { turn: 2, decision: 'error' },
          { turn: 4, decision: 'approved' },
        ],
        leaseOwners: [],
        tokens: null,
        lastActivity: '2026-01-01T00:04:00Z',
      })
      const { total, verified } = await client().listCriteria({ worldSlug: 'TASK-1' })
      expect([session?.criteria, session?.verified]).toEqual([total, verified])
      const { verdict } = await client().loadStall({ worldSlug: 'TASK-1' })
      expect(session?.verdict).toBe(verdict)
    })

    test('a long session shows its newest turns', async () => {
      await play('LONG', Array<Decision>(60).fill('feedback'))
      const [session] = await list()
      expect(session?.decisions.map(({ turn }) => turn)).toEqual(Array.from({ length: 48 }, (_, i) => i + 13))
    })

    test('sessions are listed by last activity, newest first, across pages and without duplicates', async () => {
      for (let i = 1; i <= 7; i++) {
        const completedAt = new Date(Date.UTC(2026, 0, 1 + (i % 3))).toISOString()
        await play(`T-${i}`, ['feedback'], { completedAt })
      }
      const expected = ['T-2', 'T-5', 'T-1', 'T-4', 'T-7', 'T-3', 'T-6']
      expect(await slugs()).toEqual(expected)
      expect(await slugs({ limit: 1 })).toEqual(expected)
      expect(await slugs({ limit: 2, notApproved: true })).toEqual(expected)
      expect((await client().listWorlds({ order: 'last_activity', limit: 7 })).nextCursor).toBeNull()
      expect(
        (await client().listWorlds({ order: 'last_activity', limit: 7, notApproved: true })).nextCursor,
      ).toBeNull()
    })

    test('a search covers feature, task and world, and ignores case', async () => {
      await play('Alpha', ['feedback'], { featureId: 'FEAT-LOGIN' })
      await play('Beta', ['feedback'], { worldSlug: 'login-again' })
      await play('Gamma', ['feedback'])
      expect((await slugs({ search: 'LogIn' })).toSorted()).toEqual(['Alpha', 'login-again'])
      expect(await slugs({ search: 'gAMM' })).toEqual(['Gamma'])
      expect(await slugs({ search: 'gamma.*' })).toEqual([])
      expect(await slugs({ featureId: 'FEAT-LOGIN' })).toEqual(['Alpha'])
    })

    test('filters select running, unapproved, and stalled or oscillating sessions', async () => {
      await play('approved', ['feedback', 'approved'])
      await play('going', ['feedback'])
      await play('stalled', ['feedback', 'feedback', 'feedback'], { ...complaint, ...judged })
      expect((await client().loadStall({ worldSlug: 'stalled' })).verdict).toBe('stalled')
      await client().runTurn({ worldSlug: 'going' })
      expect(await slugs({ running: true })).toEqual(['going'])
      expect((await slugs({ notApproved: true })).toSorted()).toEqual(['going', 'stalled'])
      expect(await slugs({ stalledOrOscillating: true })).toEqual(['stalled'])
      expect(await slugs({ stalledOrOscillating: true, running: true })).toEqual([])
    })

    test('the holder of a session is the worker that claimed its attempt', async () => {
      await client().createWorld({ featureId: 'FEAT-1', taskId: 'TASK-1' })
      const { attemptId = '' } = await client().runTurn({ worldSlug: 'TASK-1' })
      expect((await list())[0]).toMatchObject({ activeAttemptId: attemptId, leaseOwners: [], decisions: [] })
      await client().claimAttempt({ attemptId, workerId: 'worker-7', withContinuation: false })
      expect((await list())[0]).toMatchObject({ activeAttemptId: attemptId, leaseOwners: ['worker-7'] })
      const { lease } = await client().getTurnStatus({ attemptId, workerId: 'worker-7' })
      expect(lease).toMatchObject({ owner: 'worker-7', fence: expect.any(Number) })
    })

    test('a deleted session and those of another project are not listed', async () => {
      await play('mine', ['feedback'])
      await play('gone', ['feedback'])
      await play('other', ['feedback'], { project: 'another' })
      await client().deleteWorld({ worldSlug: 'gone' })
      expect(await slugs()).toEqual(['mine'])
    })
  })
}
