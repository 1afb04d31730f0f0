import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import type { AttemptOutcome, Executor } from '../../src/runs/executor.ts'
import { Executors } from '../../src/runs/executors.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { FEATURE, PROJECT, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type NewWorld = Partial<OperationInput<'createWorld'>>

const MINUTE_MS = 60_000

/** Runs that know their goal: what ends them early, how they pause, and who goes on with them (contract: runs.md). */
export function runGoalsContract(store: StoreUnderTest): void {
  describe('runs that know their goal', () => {
    const handles = useGraph(store)
    let now = Date.UTC(2026, 0, 1)

    /** A service whose attempts end as `play` says, by their number in the run. */
    async function serviceOf(play: (sequence: number) => AttemptOutcome | Promise<AttemptOutcome>) {
      const executor: Executor = async ({ sequence }) => play(sequence)
      const runs = new TurnRuns({
        graph: handles.graph,
        instance: 'tests',
        executors: new Executors({ played: executor }),
        store: new TurnRunStore(handles.graph, { now: () => new Date(now) }),
      })
      const client = inProcessClient({ graph: handles.graph, project: PROJECT, runs })
      const task = { featureId: FEATURE, taskId: TASK, worldSlug: 'w' }
      /** How a run of the world ends. */
      const ended = async (settings: NewWorld, turnCount = 9, maxAttempts = 20) => {
        await client.createWorld({ ...task, executor: 'played', ...settings })
        const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount, maxAttempts })
        await runs.idle()
        return client.getTurnRunStatus({ turnRunId })
      }
      return { runs, client, task, ended }
    }

    const turn = (more: object = {}): AttemptOutcome => ({
      turn: { player_summary: 'Worked', coach_decision: 'feedback', ...more },
    })
    const failed: AttemptOutcome = { failed: 'it broke' }

    test('a run stops where the newest turn is approved', async () => {
      const { client, ended } = await serviceOf((n) => turn(n === 3 ? { coach_decision: 'approved' } : {}))
      const status = await ended({ stopWhen: ['approved'] })
      expect(status).toMatchObject({
        status: 'cancelled',
        cancelReason: 'goal reached: approved in turn 3',
        stopReason: 'approved',
        failureReason: null,
        committedTurnCount: 3,
        attemptCount: 3,
      })
      expect(status.cancelRequestedAt).not.toBeNull()
      expect(status.endedAt).not.toBeNull()
      expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({
        currentTurn: 3,
        activeTurnRunId: null,
        activeAttemptId: null,
      })
    })

    test('without stop_when a run goes on after an approval, until its turns are committed', async () => {
      const { ended } = await serviceOf(() => turn({ coach_decision: 'approved' }))
      const status = await ended({ budget: { tokens: 1 } }, 3)
      expect(status).toMatchObject({ status: 'completed', committedTurnCount: 3, stopReason: null })
    })

    test('a run that commits its last turn is completed, though that turn reaches a goal', async () => {
      const { ended } = await serviceOf((n) => turn(n === 2 ? { coach_decision: 'approved' } : {}))
      const status = await ended({ stopWhen: ['approved'] }, 2)
      expect(status).toMatchObject({ status: 'completed', cancelReason: null, stopReason: null })
    })

    test('a run whose attempts are used up has failed, though a goal was reached before it', async () => {
      const { ended } = await serviceOf(() => failed)
      const status = await ended({ stopWhen: ['budget'], budget: { attemptsFailedInARow: 2 } }, 2, 2)
      expect(status).toMatchObject({ status: 'failed', stopReason: null })
    })

    test('a run stops where all criteria that count are verified', async () => {
      const { ended } = await serviceOf((n) =>
        turn({
          acceptance_criteria_status: {
            'AC-001': 'verified',
            'AC-002': n < 2 ? 'rejected' : 'verified',
          },
        }),
      )
      expect(await ended({ stopWhen: ['all_verified'] })).toMatchObject({
        status: 'cancelled',
        cancelReason: 'goal reached: all 2 criteria verified in turn 2',
        stopReason: 'all_verified',
      })
    })

    test('all verified means all declared criteria but the manual and the retired', async () => {
      const { client, ended } = await serviceOf((n) =>
        turn({
          acceptance_criteria_status: {
            'AC-001': 'verified',
            ...(n >= 3 && { 'AC-002': 'verified' }),
          },
          verifications: [{ criterion_id: 'X', criterion_text: 'It sings, too', status: 'rejected' }],
        }),
      )
      const declare = (...texts: string[]) =>
        client.declareCriteria({
          featureId: FEATURE,
          taskId: TASK,
          criteria: [
            ...texts.map((text, i) => ({ criterionId: `AC-00${i + 1}`, text })),
            { criterionId: 'AC-007', text: 'It looks well', kind: 'manual' as const },
          ],
        })
      await declare('It starts', 'It stops', 'It hums')
      await declare('It starts', 'It stops')
      expect(await ended({ stopWhen: ['all_verified'] })).toMatchObject({
        cancelReason: 'goal reached: all 2 criteria verified in turn 3',
        committedTurnCount: 3,
      })
    })

    test('all verified is not said while a promise was never judged', async () => {
      const { ended } = await serviceOf(() =>
        turn({
          acceptance_criteria_status: { 'AC-001': 'verified' },
          promises: [{ criterion_id: 'AC-002', status: 'complete' }],
        }),
      )
      expect(await ended({ stopWhen: ['all_verified'] }, 3)).toMatchObject({ status: 'completed' })
    })

    test('a run stops where the stall analysis says that it should, in its words', async () => {
      const issue = { severity: 'must_fix', category: 'test', description: 'The same complaint' }
      const { client, ended } = await serviceOf(() =>
        turn({ acceptance_criteria_status: { 'AC-001': 'rejected' }, issues: [issue] }),
      )
      const status = await ended({ stopWhen: ['stalled'] })
      const stall = await client.loadStall({ worldSlug: 'w' })
      expect(stall).toMatchObject({ shouldStop: true })
      expect(stall.reason).toMatch(/^UNRECOVERABLE_STALL: /)
      expect(status).toMatchObject({
        status: 'cancelled',
        cancelReason: `stopped: ${stall.reason}`,
        stopReason: 'stalled',
        committedTurnCount: 3,
      })
    })

    test('of several goals the first in the order of the contract is told', async () => {
      const { ended } = await serviceOf(() =>
        turn({
          coach_decision: 'approved',
          acceptance_criteria_status: { A: 'verified' },
          usage: { tokens: 9 },
        }),
      )
      const stopWhen = ['budget', 'stalled', 'all_verified', 'approved'] as const
      const status = await ended({ stopWhen: [...stopWhen], budget: { tokens: 5 } })
      expect(status).toMatchObject({ stopReason: 'approved', committedTurnCount: 1 })
    })

    test('a budget of minutes is counted from the start of the run', async () => {
      const { ended } = await serviceOf(() => {
        now += 12 * MINUTE_MS
        return turn()
      })
      expect(await ended({ stopWhen: ['budget'], budget: { minutes: 30, tokens: 1 } })).toMatchObject({
        cancelReason: 'stopped: budget of 30 minutes used',
        stopReason: 'budget',
        committedTurnCount: 3,
      })
    })

    test('a budget of failures in a row begins anew with each commit', async () => {
      const { ended } = await serviceOf((n) => (n === 3 ? turn() : failed))
      expect(await ended({ stopWhen: ['budget'], budget: { attemptsFailedInARow: 3 } })).toMatchObject({
        cancelReason: 'stopped: budget of 3 attempts failed in a row used',
        stopReason: 'budget',
        attemptCount: 6,
        failedAttemptCount: 5,
      })
    })

    test('a budget of tokens is the sum of what commits and failures say they used', async () => {
      const { ended } = await serviceOf((n) =>
        n % 2 === 0 ? { ...failed, usedTokens: 50_000 } : turn({ usage: { tokens: 60_000 } }),
      )
      expect(await ended({ stopWhen: ['budget'], budget: { tokens: 200_000 } })).toMatchObject({
        cancelReason: 'stopped: budget of 200000 tokens used',
        stopReason: 'budget',
        attemptCount: 4,
        usedTokens: 220_000,
      })
    })

    test('a budget counts nothing where stop_when does not name it', async () => {
      const { ended } = await serviceOf((n) => (n < 4 ? failed : turn()))
      const status = await ended({ stopWhen: ['approved'], budget: { attemptsFailedInARow: 1 } }, 2)
      expect(status).toMatchObject({ status: 'completed', failedAttemptCount: 3 })
    })

    test('an attempt whose usage is no whole number of tokens has failed, and says why', async () => {
      const { client, ended } = await serviceOf(() => turn({ usage: { tokens: -1 } }))
      const { turnRunId } = await ended({}, 1, 2)
      const { recentAttempts } = await client.getTurnRunStatus({ turnRunId, includeAttempts: true })
      expect(recentAttempts?.[0]?.failureReason).toContain('usage.tokens: must be a whole number')
    })

    test('workers outside reach goals and use up budgets, too', async () => {
      const { runs, client, task } = await serviceOf(() => turn())
      await client.createWorld({ ...task, stopWhen: ['approved', 'budget'], budget: { tokens: 100 } })
      const work = async (turnRunId: string, end: 'commit' | 'fail', tokens: number, more = {}) => {
        let attemptId: string | null = null
        while (attemptId === null)
          ({ activeAttemptId: attemptId } = await client.getTurnRunStatus({ turnRunId }))
        const { fence } = await client.claimAttempt({ attemptId, workerId: 'worker-1' })
        const usage = { tokens }
        if (end === 'fail') await client.failAttempt({ attemptId, fence, reason: 'no', usage })
        else
          await client.commitAttempt({ attemptId, fence, turn: { playerSummary: 'Worked', ...more }, usage })
      }
      const begin = async () => (await client.runTurn({ worldSlug: 'w', turnCount: 9 })).turnRunId ?? ''
      const spent = await begin()
      await work(spent, 'fail', 40)
      await work(spent, 'commit', 60)
      await runs.idle()
      expect(await client.getTurnRunStatus({ turnRunId: spent })).toMatchObject({
        status: 'cancelled',
        stopReason: 'budget',
        usedTokens: 100,
      })
      const approved = await begin()
      await work(approved, 'commit', 1, { coachDecision: 'approved' })
      await runs.idle()
      expect(await client.getTurnRunStatus({ turnRunId: approved })).toMatchObject({
        cancelReason: 'goal reached: approved in turn 2',
        usedTokens: 1,
      })
    })

    test('what is changed of a world counts from the next attempt of a run that is under way', async () => {
      const { client, ended } = await serviceOf(async (n) => {
        if (n === 2) await client.setWorld({ worldSlug: 'w', stopWhen: ['approved'] })
        return turn({ coach_decision: 'approved' })
      })
      expect(await ended({})).toMatchObject({
        cancelReason: 'goal reached: approved in turn 2',
        committedTurnCount: 2,
      })
    })

    test('the caller who cancelled first is told as the reason, and no goal', async () => {
      const { client, ended } = await serviceOf(async () => {
        const { activeTurnRunId } = await client.getWorld({ worldSlug: 'w' })
        await client.cancelTurnRun({ turnRunId: activeTurnRunId ?? '', reason: 'enough' })
        return turn({ coach_decision: 'approved' })
      })
      expect(await ended({ stopWhen: ['approved'] })).toMatchObject({
        status: 'cancelled',
        cancelReason: 'enough',
        stopReason: null,
      })
    })
  })
}
