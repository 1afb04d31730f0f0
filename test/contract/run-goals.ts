import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import type { AttemptOutcome, Executor } from '../../src/runs/executor.ts'
import { Executors } from '../../src/runs/executors.ts'
import type { Attempt, TurnRun } from '../../src/runs/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { FEATURE, PROJECT, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type NewWorld = Partial<OperationInput<'createWorld'>>

const MINUTE_MS = 60_000

/** Goals, pauses and resumption of runs (contract: runs.md, "Runs that know their goal"). */
export function runGoalsContract(store: StoreUnderTest): void {
  describe('runs that know their goal', () => {
    const handles = useGraph(store)
    let now = Date.UTC(2026, 0, 1)

    /** Creates a service whose attempts have the outcomes of `play`, by their number in the run. */
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
      /** Returns the status of a run of the world after its end. */
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

    test('a run stops if the newest turn is approved', async () => {
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

    test('without stop_when a run continues after an approval, until its turns are committed', async () => {
      const { ended } = await serviceOf(() => turn({ coach_decision: 'approved' }))
      const status = await ended({}, 3)
      expect(status).toMatchObject({ status: 'completed', committedTurnCount: 3, stopReason: null })
    })

    test('a run that commits its last turn is completed, even if that turn reaches a goal', async () => {
      const { ended } = await serviceOf((n) => turn(n === 2 ? { coach_decision: 'approved' } : {}))
      const status = await ended({ stopWhen: ['approved'] }, 2)
      expect(status).toMatchObject({ status: 'completed', cancelReason: null, stopReason: null })
    })

    describe('a goal that holds after the last allowed attempt wins over exhausted attempts', () => {
      const cancelled = (stopReason: string, attemptCount: number) => ({
        status: 'cancelled',
        stopReason,
        failureReason: null,
        lastAttemptFailureReason: null,
        attemptCount,
      })

      test('an approval in the last attempt', async () => {
        const { client, ended } = await serviceOf((n) =>
          n === 1 ? failed : turn({ coach_decision: 'approved' }),
        )
        const status = await ended({ stopWhen: ['approved'] }, 2, 2)
        expect(status).toMatchObject({
          ...cancelled('approved', 2),
          cancelReason: 'goal reached: approved in turn 1',
          message:
            'The turn run of world w was cancelled (goal reached: approved in turn 1): 1 of 2 turns committed after 2 attempts (1 failed).',
        })
        expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({ activeTurnRunId: null })
      })

      test('an approval of an earlier session of runs, before attempts that fail', async () => {
        const { client, task, ended } = await serviceOf(() => failed)
        await client.createWorld({ ...task, executor: 'played', stopWhen: ['approved'] })
        await client.captureTurnState({
          ...task,
          turnNumber: 1,
          playerSummary: 'Built it',
          coachDecision: 'approved',
        })
        expect(await ended({}, 1, 2)).toMatchObject(cancelled('approved', 1))
      })

      test('all criteria verified by the last attempt', async () => {
        const { ended } = await serviceOf((n) =>
          n === 1 ? failed : turn({ acceptance_criteria_status: { 'AC-001': 'verified' } }),
        )
        expect(await ended({ stopWhen: ['all_verified'] }, 2, 2)).toMatchObject(cancelled('all_verified', 2))
      })

      test('a budget that the last attempt used up', async () => {
        const { ended } = await serviceOf(() => failed)
        const status = await ended({ stopWhen: ['budget'], budget: { attemptsFailedInARow: 2 } }, 2, 2)
        expect(status).toMatchObject(cancelled('budget', 2))
      })

      test('a stall that the last attempt completed', async () => {
        const complaint = {
          issues: [{ severity: 'blocking', category: 'tests', description: 'No tests were found' }],
        }
        const { ended } = await serviceOf((n) => (n === 1 ? failed : turn(complaint)))
        expect(await ended({ stopWhen: ['stalled'] }, 4, 4)).toMatchObject(cancelled('stalled', 4))
      })

      test('the run has failed if no goal holds', async () => {
        const { ended } = await serviceOf(() => failed)
        expect(await ended({ stopWhen: ['approved', 'stalled'] }, 2, 2)).toMatchObject({
          status: 'failed',
          stopReason: null,
          failureReason: 'max_attempts exhausted before requested turn_count committed',
        })
      })
    })

    test('a run stops if all counting criteria are verified', async () => {
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

    test('all_verified means all declared criteria except manual and retired ones', async () => {
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

    test('a run does not stop at all_verified while a promise was never judged', async () => {
      const { ended } = await serviceOf(() =>
        turn({
          acceptance_criteria_status: { 'AC-001': 'verified' },
          promises: [{ criterion_id: 'AC-002', status: 'complete' }],
        }),
      )
      expect(await ended({ stopWhen: ['all_verified'] }, 3)).toMatchObject({ status: 'completed' })
    })

    test('a run continues while a criterion is contested by a rejection with its own evidence', async () => {
      const judged = (status: string, evidence: string) =>
        turn({ verifications: [{ criterion_id: 'AC-1', criterion_text: 'It is retried', status, evidence }] })
      const open = { criterion_id: 'AC-2', criterion_text: 'Every request is logged', status: 'pending' }
      const { ended } = await serviceOf((n) =>
        n === 1
          ? turn({
              verifications: [
                open,
                { ...open, criterion_id: 'AC-1', criterion_text: 'It is retried', status: 'verified' },
              ],
            })
          : n === 2
            ? turn({
                verifications: [
                  { ...open, status: 'verified' },
                  {
                    criterion_id: 'AC-1',
                    criterion_text: 'It is retried',
                    status: 'rejected',
                    evidence: 'it gave up',
                  },
                ],
              })
            : judged('verified', 'it is retried'),
      )
      expect(await ended({ stopWhen: ['all_verified'] })).toMatchObject({
        stopReason: 'all_verified',
        committedTurnCount: 3,
      })
    })

    test('a run stops if the stall analysis advises it, with its reason', async () => {
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

    test('if several goals are reached, the first one in the order of the contract is named', async () => {
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

    test('each commit resets a budget of failures in a row', async () => {
      const { ended } = await serviceOf((n) => (n === 3 ? turn() : failed))
      expect(await ended({ stopWhen: ['budget'], budget: { attemptsFailedInARow: 3 } })).toMatchObject({
        cancelReason: 'stopped: budget of 3 attempts failed in a row used',
        stopReason: 'budget',
        attemptCount: 6,
        failedAttemptCount: 5,
      })
    })

    test('a budget of tokens is compared with the sum of the usage of commits and failures', async () => {
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

    test('a budget of tokens counts the tokens of turns whose executor reports none', async () => {
      const agents = { player: { output_tokens: 50_000 }, coach: { input_tokens: 10_000 } }
      const { ended } = await serviceOf((n) =>
        turn({ usage: n === 1 ? { tokens: 30_000, ...agents } : { ...agents } }),
      )
      expect(await ended({ stopWhen: ['budget'], budget: { tokens: 150_000 } })).toMatchObject({
        stopReason: 'budget',
        committedTurnCount: 3,
        usedTokens: 30_000,
      })
    })

    test('a budget without stop_when: budget implies it, and the answers show it', async () => {
      const { client, ended } = await serviceOf((n) => (n < 4 ? failed : turn()))
      const status = await ended({ stopWhen: ['approved'], budget: { attemptsFailedInARow: 1 } }, 2)
      expect(status).toMatchObject({ status: 'cancelled', stopReason: 'budget', failedAttemptCount: 1 })
      const shown = { stopWhen: ['approved', 'budget'], budget: { attemptsFailedInARow: 1 } }
      expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject(shown)
      const set = await client.setWorld({ worldSlug: 'w', stopWhen: null, budget: { tokens: 5 } })
      expect(set).toMatchObject({ stopWhen: ['budget'], budget: { tokens: 5 } })
      const none = await client.setWorld({ worldSlug: 'w', budget: null })
      expect([none.stopWhen, none.budget]).toEqual([undefined, undefined])
    })

    test('an attempt whose usage is no whole number of tokens fails with a reason', async () => {
      const { client, ended } = await serviceOf(() => turn({ usage: { tokens: -1 } }))
      const { turnRunId } = await ended({}, 1, 2)
      const { recentAttempts } = await client.getTurnRunStatus({ turnRunId, includeAttempts: true })
      expect(recentAttempts?.[0]?.failureReason).toContain('usage.tokens: must be a whole number')
    })

    test('attempts of external workers count for goals and budgets, too', async () => {
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

    test('changed settings of a world apply from the next attempt of an active run', async () => {
      const { client, ended } = await serviceOf(async (n) => {
        if (n === 2) await client.setWorld({ worldSlug: 'w', stopWhen: ['approved'] })
        return turn({ coach_decision: 'approved' })
      })
      expect(await ended({})).toMatchObject({
        cancelReason: 'goal reached: approved in turn 2',
        committedTurnCount: 2,
      })
    })

    test('the reason of a run is the earlier cancel, not a goal that is reached later', async () => {
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

    test('after a failed attempt a run pauses for the backoff of its world, shows the end of the pause, and can be cancelled', async () => {
      const { runs, client, task } = await serviceOf(() => failed)
      const backoff = { firstMs: 3_600_000, factor: 2, mostMs: 7_200_000 }
      await client.createWorld({ ...task, executor: 'played', backoff })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2, maxAttempts: 9 })
      let at: string | null = null
      while (at === null) ({ nextAttemptAt: at } = await client.getTurnRunStatus({ turnRunId }))
      const ms = Date.parse(at) - now
      expect([ms >= 1_800_000, ms <= 3_600_000]).toEqual([true, true])
      expect(await client.getTurnRunStatus({ turnRunId })).toMatchObject({
        status: 'running',
        attemptCount: 1,
        activeAttemptId: null,
      })
      expect(await client.cancelTurnRun({ turnRunId })).toMatchObject({
        status: 'cancelled',
        nextAttemptAt: null,
        attemptCount: 1,
      })
      await runs.idle()
    })

    test('a run continues after its pause, and a commit causes no pause', async () => {
      const { ended } = await serviceOf((n) => (n % 2 === 1 ? failed : turn()))
      const status = await ended({ backoff: { firstMs: 1, factor: 1, mostMs: 1 } }, 2)
      expect(status).toMatchObject({ status: 'completed', attemptCount: 4, nextAttemptAt: null })
    })

    test('a pause that is longer than the lease does not lose the run', async () => {
      const { ended } = await serviceOf((n) => (n === 1 ? failed : turn()))
      const status = await ended(
        { leaseTtlMs: 1_000, backoff: { firstMs: 3_000, factor: 1, mostMs: 3_000 } },
        1,
      )
      expect(status).toMatchObject({ status: 'completed', attemptCount: 2 })
    })

    test('a budget of minutes ends a run after its pause, before another attempt', async () => {
      const { runs, ended } = await serviceOf(() => failed)
      const pause = runs.store.pauseTurnRun.bind(runs.store)
      runs.store.pauseTurnRun = async (...asked) => {
        const paused = await pause(...asked)
        now += 31 * MINUTE_MS
        return paused
      }
      const backoff = { firstMs: 3_600_000, factor: 1, mostMs: MINUTE_MS }
      const status = await ended({ stopWhen: ['budget'], budget: { minutes: 30 }, backoff })
      expect(status).toMatchObject({ stopReason: 'budget', attemptCount: 1, nextAttemptAt: null })
    })

    describe('resumed runs', () => {
      const LIFE = 'instance-1'
      const world = { project: PROJECT, worldSlug: 'w' }
      const counts = {
        ...world,
        workerId: LIFE,
        requestedTurnCount: 3,
        maxAttempts: 5,
        turnCountSource: 'explicit',
        maxAttemptsSource: 'explicit',
      } as const

      /** Creates a world whose runs are resumed, with a function that restarts the coordinating instance. */
      async function resumed(settings: NewWorld = { resume: 'auto' }) {
        const { client, task } = await serviceOf(() => turn())
        const runs = new TurnRunStore(handles.graph, { now: () => new Date(now) })
        await client.createWorld({ ...task, executor: 'played', ...settings })
        const restart = async (canExecute = (_: string) => true) => {
          const going: TurnRun[] = []
          const coordinate = async (run: TurnRun) => void going.push(run)
          await runs.reconcileRunningAttempts(LIFE, new Set(), {
            workerId: LIFE,
            canExecute,
            coordinate,
          })
          return going
        }
        const begin = (run: TurnRun) => runs.startAttemptForTurnRun(run, LIFE, run.fence ?? 0)
        const record = (attempt: Attempt) =>
          captureRequest.parse({
            featureId: FEATURE,
            taskId: TASK,
            turnNumber: attempt.attemptedTurn,
            playerSummary: 'Worked',
          })
        const commit = async (run: TurnRun, usedTokens = 0) => {
          const attempt = await begin(run)
          await runs.commitAttempt(attempt, attempt.fence ?? 0, record(attempt), { usedTokens })
        }
        const fail = async (run: TurnRun, usedTokens = 0) => {
          const attempt = await begin(run)
          await runs.failAttempt(attempt, attempt.fence ?? 0, 'it broke', usedTokens)
        }
        return { runs, client, restart, begin, commit, fail }
      }

      test('a new run resumes the rest of an interrupted one, if the world allows it', async () => {
        const { runs, client, restart, begin, commit, fail } = await resumed()
        const first = await runs.startTurnRun(counts)
        await commit(first, 7)
        await fail(first, 5)
        await begin(first)
        const [second] = await restart()
        expect(second).toMatchObject({
          status: 'running',
          requestedTurnCount: 2,
          maxAttempts: 2,
          startTurn: 1,
          targetTurn: 3,
          attemptCount: 0,
          resumesRunId: first.turnRunId,
          resumption: 1,
          failedInARow: 1,
          usedTokens: 12,
          leaseOwner: LIFE,
        })
        const turnRunId = second?.turnRunId ?? ''
        expect(await client.getTurnRunStatus({ turnRunId: first.turnRunId })).toMatchObject({
          status: 'interrupted',
          failureReason: 'process restart before turn run completed',
          interruptedAttemptCount: 1,
          resumes: null,
        })
        expect(await client.getTurnRunStatus({ turnRunId })).toMatchObject({
          resumes: { turnRunId: first.turnRunId },
        })
        expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({
          activeTurnRunId: turnRunId,
          activeAttemptId: null,
        })
      })

      test('a run is resumed at most five times, each time with at least as many attempts as remaining turns', async () => {
        const { runs, client, restart, begin } = await resumed()
        const ids = [(await runs.startTurnRun({ ...counts, maxAttempts: 3 })).turnRunId]
        let run: TurnRun | undefined = (await runs.getTurnRunStatus({ ...world, turnRunId: ids[0] ?? '' }))
          .run
        while (run !== undefined) {
          await begin(run)
          ;[run] = await restart()
          if (run !== undefined) ids.push(run.turnRunId)
          if (run !== undefined) expect(run).toMatchObject({ requestedTurnCount: 3, maxAttempts: 3 })
        }
        expect(ids).toHaveLength(6)
        expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({ activeTurnRunId: null })
        expect(await runs.reconcileRunningAttempts(LIFE)).toEqual({ runs: 0, attempts: 0, errors: [] })
      })

      test('a run is not resumed if its world does not allow it, after a cancel, or if too few attempts are left', async () => {
        const never = await resumed({})
        await never.runs.startTurnRun(counts)
        expect(await never.restart()).toEqual([])
        await never.client.setWorld({ worldSlug: 'w', resume: 'auto' })
        const cancelled = await never.runs.startTurnRun(counts)
        await never.begin(cancelled)
        await never.runs.requestTurnRunCancel(cancelled, 'enough')
        expect(await never.restart()).toEqual([])
        const hopeless = await never.runs.startTurnRun({ ...counts, maxAttempts: 3 })
        await never.fail(hopeless)
        expect(await never.restart()).toEqual([])
        expect(await never.client.getWorld({ worldSlug: 'w' })).toMatchObject({ activeTurnRunId: null })
        await never.runs.startTurnRun(counts)
        expect(await never.restart(() => false)).toEqual([])
        expect(await never.client.getWorld({ worldSlug: 'w' })).toMatchObject({ activeTurnRunId: null })
      })

      test('a process that is about to end does not change a run that another one will resume, unless it was cancelled', async () => {
        const { runs, client, restart, begin } = await resumed()
        const first = await runs.startTurnRun(counts)
        await begin(first)
        const before = await dumpOf(handles.graph)
        const found = await runs.reconcileRunningAttempts(LIFE, new Set(), 'later')
        expect(found).toEqual({ runs: 0, attempts: 0, errors: [] })
        expect(await dumpOf(handles.graph)).toEqual(before)
        const [second] = await restart()
        expect(second).toMatchObject({ resumesRunId: first.turnRunId })
        if (second !== undefined) await begin(second)
        await client.cancelTurnRun({ turnRunId: second?.turnRunId ?? '' })
        expect(await runs.reconcileRunningAttempts(LIFE, new Set(), 'later')).toMatchObject({ runs: 1 })
      })

      test('a resumed run keeps the pause and the time of the one before it', async () => {
        const { runs, restart, fail } = await resumed()
        const first = await runs.startTurnRun(counts)
        await fail(first)
        const { nextAttemptAt } = await runs.pauseTurnRun(first, first.fence ?? 0, 40 * MINUTE_MS)
        now += 12 * MINUTE_MS
        const [second] = await restart()
        expect(second).toMatchObject({ nextAttemptAt, earlierMs: 12 * MINUTE_MS })
        now += 3 * MINUTE_MS
        const [third] = await restart()
        expect(third).toMatchObject({ nextAttemptAt, earlierMs: 15 * MINUTE_MS, resumption: 2 })
      })

      test('a run waits for the next start if its service shuts down normally', async () => {
        const { runs, client, restart, begin } = await resumed()
        const first = await runs.startTurnRun(counts)
        const attempt = await begin(first)
        expect(await runs.releaseTurnRun(first, first.fence ?? 0)).toMatchObject({
          status: 'running',
          activeAttemptId: null,
          interruptedAttemptCount: 1,
          endedAt: null,
        })
        expect(await runs.getAttempt(attempt)).toMatchObject({ status: 'interrupted' })
        expect(await restart()).toMatchObject([{ resumesRunId: first.turnRunId, maxAttempts: 4 }])
        await client.setWorld({ worldSlug: 'w', resume: null })
        const { activeTurnRunId } = await client.getWorld({ worldSlug: 'w' })
        const { run } = await runs.getTurnRunStatus({ ...world, turnRunId: activeTurnRunId ?? '' })
        expect(await runs.releaseTurnRun(run, run.fence ?? 0)).toMatchObject({ status: 'interrupted' })
      })

      test('a resumed run ends at a goal that was reached before the restart, without another attempt', async () => {
        const { runs, client, commit } = await resumed({
          resume: 'auto',
          stopWhen: ['budget'],
          budget: { tokens: 9 },
        })
        await commit(await runs.startTurnRun(counts), 9)
        const life = new TurnRuns({
          graph: handles.graph,
          instance: LIFE,
          executors: new Executors({ played: async () => turn() }),
        })
        await life.begin()
        await life.idle()
        const [newest] = (await client.listTurnRuns({})).items
        expect(newest).toMatchObject({ stopReason: 'budget', attemptCount: 0, usedTokens: 9 })
        await life.close()
      })

      test('the time budget of a resumed run includes the earlier runs of its chain', async () => {
        const settings = { resume: 'auto', stopWhen: ['budget'], budget: { minutes: 30 } } as const
        const { runs, client } = await resumed({ ...settings, stopWhen: [...settings.stopWhen] })
        await runs.startTurnRun(counts)
        now += 31 * MINUTE_MS
        const life = new TurnRuns({
          graph: handles.graph,
          instance: LIFE,
          executors: new Executors({ played: async () => turn() }),
          store: runs,
        })
        await life.begin()
        await life.idle()
        const [newest] = (await client.listTurnRuns({})).items
        expect(newest).toMatchObject({
          cancelReason: 'stopped: budget of 30 minutes used',
          attemptCount: 0,
        })
        await life.close()
      })

      test('a restarted service completes the run that it resumes', async () => {
        const { runs, client, begin, commit } = await resumed()
        const first = await runs.startTurnRun(counts)
        await commit(first)
        await begin(first)
        const life = new TurnRuns({
          graph: handles.graph,
          instance: LIFE,
          executors: new Executors({ played: async () => turn() }),
        })
        await life.begin()
        await life.idle()
        const [newest] = (await client.listTurnRuns({})).items
        expect(newest).toMatchObject({
          status: 'completed',
          committedTurnCount: 2,
          resumes: { turnRunId: first.turnRunId },
        })
        expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({ currentTurn: 3 })
        await life.close()
      })
    })
  })
}
