import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { COMPUTED_ANALYSES, prepareAnalysis, runAnalysis } from '../../src/analysis/named-analyses.ts'
import { STALL_ANALYSES } from '../../src/analysis/stall-analyses.ts'
import { graphWith, type Params } from '../../src/graph/port.ts'
import { parseStatement, type Statement, statement } from '../../src/graph/statements.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { instant, linesOf } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Columns of the statements that find the candidates of the analyses about proofs and tokens. */
const OF_CANDIDATES: Record<string, string[]> = {
  'unseen-proofs': ['key'],
  'approved-though': ['gates', 'key'],
  'cost-per-proof': ['key', 'verified_in'],
  'cost-after-all-was-proven': ['criteria', 'feature', 'key', 'proven_in', 'task', 'world'],
}

const GREPS = ['Grep', 'Grep', 'Edit']
const READS = ['Read', 'Edit']
/** A query that takes a fifth of a second on the embedded engine, with little memory. */
const SLOW = parseStatement(
  'test/slow',
  'UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN count(*) AS pairs',
)

const paramsOf = ({ params }: Statement) => {
  const all: Params = { project: PROJECT, projectKey: PROJECT, feature: '', task: '', world: '', limit: 100 }
  return Object.fromEntries(Object.entries(all).filter(([name]) => params.includes(name)))
}

/** Analyses that join transcripts and their turns (issue 6). */
export function analysisContract(store: StoreUnderTest): void {
  describe('named analyses', () => {
    const handles = useGraph(store)
    type Narrowed = { limit?: number; featureId?: string; taskId?: string; worldSlug?: string }
    const rows = async (name: string, narrowed: Narrowed = {}) =>
      (await clientOf(handles.graph).runAnalysis({ name, limit: 10, ...narrowed })).rows
    const ask = async (name: string, limit = 10) => {
      const answer = await clientOf(handles.graph).runAnalysis({ name, limit })
      return answer.rows.map((row) => Object.fromEntries(answer.columns.map((column, i) => [column, row[i]])))
    }

    // Turn 1 verifies and is approved. Turns 2 to 4 reject the criterion, with the same failing edit.
    beforeEach(async () => {
      const client = clientOf(handles.graph)
      for (const number of [1, 2, 3, 4]) {
        const [from, session] = [number * 10, sessionOf(number)]
        await client.captureTurnState(
          aTurn(number, {
            coachDecision: number === 1 ? 'approved' : 'feedback',
            startedAt: instant(from),
            completedAt: instant(from + 9),
            filesModified: [`src/${number}.ts`],
            verifications: [
              {
                criterionId: 'AC-1',
                criterionText: 'The lid closes without a sound',
                status: number === 1 ? 'verified' : 'rejected',
                evidence: `seen in turn ${number}`,
              },
            ],
            transcriptSessionIds: [session],
          }),
        )
        const tools = number === 1 ? READS : GREPS
        const errors = number === 1 ? {} : { 2: `File /src/${number}.ts does not match` }
        const before = turn(`early ${number}`, ['Write'], { from: from - 5 })
        const after = turn(`late ${number}`, ['Write'], { from: from + 500 })
        await send(client, session, bytesOf(before, turn(`t${number}`, tools, { from, errors }), after))
      }
    })

    test('four run in parallel and 32 wait, one more is rejected, and an aborted call returns but keeps its place until the engine is done', async () => {
      let [reading, open] = [0, () => {}]
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      onTestFinished(() => open()) // all tests of a process share the queue
      const graph = graphWith(handles.graph, {
        readLong: async (...args) => {
          reading++
          await opened
          return handles.graph.readLong(...args)
        },
      })
      const asked = { project: PROJECT, name: 'criteria-flips', limit: 10 }
      const askTimes = (times: number, signal?: AbortSignal) =>
        Array.from({ length: times }, () => runAnalysis(graph, asked, signal))
      const [whileReading, whileWaiting] = [new AbortController(), new AbortController()]
      const first = askTimes(4, whileReading.signal)
      const waiting = askTimes(31)
      const [leaving] = askTimes(1, whileWaiting.signal)
      await expect(runAnalysis(graph, asked)).rejects.toMatchObject({ code: 'rate_limited' })
      whileReading.abort()
      whileWaiting.abort()
      const givenUp = { code: 'timeout', message: 'The caller gave up on the analysis.' }
      for (const one of [...first, leaving]) await expect(one).rejects.toMatchObject(givenUp)
      await expect(runAnalysis(graph, asked, whileWaiting.signal)).rejects.toMatchObject(givenUp)
      const last = runAnalysis(graph, asked)
      expect(reading).toBe(4)
      open()
      const answers = await Promise.all([...waiting, last])
      expect(answers.map(({ rows }) => rows.length)).toEqual(answers.map(() => 1))
    })

    test('an analysis on the embedded engine keeps its place until the engine is done, even if its callers got an answer', async ({
      skip,
    }) => {
      const { graph } = handles
      skip(graph.engine !== 'embedded', 'Neo4j ends what nobody waits for')
      const seen: string[] = []
      const gone = new AbortController()
      const slow = graphWith(graph, {
        readLong: (_statement, _params, limits) => {
          seen.push('begins')
          const reading = graph.readLong(SLOW, {}, limits).finally(() => seen.push('is done'))
          if (seen.length === 4) gone.abort() // before any of them can be done
          return reading
        },
      })
      const counted = graphWith(graph, {
        readLong: (...args) => {
          seen.push('the next begins')
          return graph.readLong(...args)
        },
      })
      const asked = { project: PROJECT, name: 'criteria-flips', limit: 10 }
      const first = Array.from({ length: 4 }, () => runAnalysis(slow, asked, gone.signal))
      for (const one of first) await expect(one).rejects.toMatchObject({ code: 'timeout' })
      expect(seen).toEqual(['begins', 'begins', 'begins', 'begins'])
      expect((await runAnalysis(counted, asked)).rows).toHaveLength(1)
      expect(seen.indexOf('the next begins')).toBeGreaterThan(seen.indexOf('is done'))
      await expect.poll(() => seen.filter((what) => what === 'is done').length).toBe(4)
    })

    test('tool patterns of rejected and approved turns count only calls during each turn', async () => {
      expect(await ask('tool-patterns-by-decision')).toEqual([
        { pattern: 'Grep{2+} → Edit', approved: 0, rejected: 3, avg_length: 3 },
        { pattern: 'Read → Edit', approved: 1, rejected: 0, avg_length: 2 },
      ])
    })

    test('criteria-flips lists criteria that flipped, with the edits in between', async () => {
      const [flip, ...others] = await ask('criteria-flips')
      expect(others).toEqual([])
      expect(flip).toMatchObject({
        turn: 2,
        criterion: 'AC-1',
        evidence: 'seen in turn 2',
        files_modified: ['src/2.ts'],
      })
      expect(flip?.edits).toEqual([['Edit', 1]]) // of the turn, not of the whole session
    })

    test('criteria-flips reads the verification, not a status map in the same turn', async () => {
      const entry = (criterionId: string, status: 'verified' | 'rejected') => ({ criterionId, status })
      await clientOf(handles.graph).captureTurnState(
        aTurn(1, {
          taskId: 'TASK-2',
          acceptanceCriteriaStatus: { 'AC-7': 'verified' },
          verifications: [entry('AC-7', 'rejected'), entry('AC-8', 'verified')],
        }),
      )
      await clientOf(handles.graph).captureTurnState(
        aTurn(3, { taskId: 'TASK-2', verifications: [entry('AC-8', 'rejected')] }),
      )
      const found = await ask('criteria-flips')
      expect(found.map(({ turn: number, criterion }) => [number, criterion])).toEqual([
        [2, 'AC-1'],
        [3, 'AC-8'],
      ])
    })

    test('the longest turns before a stall', async () => {
      const client = clientOf(handles.graph)
      const place = { taskId: 'TASK-2', worldSlug: 'w-2' }
      const capture = (number: number, more: Partial<TurnToSend> = {}) => {
        const [from, session] = [(number + 1) * 10, sessionOf(number + 1)]
        const times = { startedAt: instant(from), completedAt: instant(from + 9) }
        return client.captureTurnState(
          aTurn(number, { ...place, ...times, transcriptSessionIds: [session], ...more }),
        )
      }
      for (const number of [1, 2]) await capture(number)
      expect(await ask('longest-turns-before-stall'), 'two turns are no stall').toEqual([])
      await capture(3)
      const found = await ask('longest-turns-before-stall')
      expect(
        found.map(({ world, turn: number, session, length, errors }) => [
          world,
          number,
          session,
          length,
          errors,
        ]),
      ).toEqual([1, 2, 3].map((number) => ['w-2', number, sessionOf(number + 1), 3, 1]))
      expect(await ask('longest-turns-before-stall', 1)).toHaveLength(1)
      // Another complaint makes it a plateau, which is no stall.
      await capture(4, { coachFeedback: 'Something else' })
      expect(await ask('stalled-worlds')).toMatchObject([{ world: 'w-2', verdict: 'plateau' }])
      expect(await ask('longest-turns-before-stall')).toEqual([])
    })

    test('turns without a start divide the calls of a session in their worktree by their ends', async () => {
      const client = clientOf(handles.graph)
      const day = 86_400
      const place = { taskId: 'TASK-2', worldSlug: 'w-2' }
      const session = [1, 2, 3].map((i) => turn(`w${i}`, [`Tool${i}`, 'Bash'], { from: day + i * 100 }))
      const worked = session.flat().map((record) => ({ ...record, cwd: '/srv/.guardkit/worktrees/TASK-2' }))
      await send(client, sessionOf(9), linesOf(worked))
      for (const number of [1, 2, 3])
        await client.captureTurnState(
          aTurn(number, {
            ...place,
            completedAt: instant(day + number * 100 + 50),
            coachDecision: 'feedback',
          }),
        )
      const patterns = (await ask('tool-patterns-by-decision')).filter(({ pattern }) =>
        String(pattern).startsWith('Tool'),
      )
      expect(patterns).toEqual(
        [1, 2, 3].map((i) => ({ pattern: `Tool${i} → Bash`, approved: 0, rejected: 1, avg_length: 2 })),
      )
      expect(
        (await ask('longest-turns-before-stall')).map((row) => [row.turn, row.pattern, row.session]),
      ).toEqual([1, 2, 3].map((i) => [i, `Tool${i} → Bash`, sessionOf(9)]))
    })

    test('recurring-errors lists errors of several sessions, with the tasks that they blocked', async () => {
      expect(await ask('recurring-errors')).toEqual([
        {
          failure: 'Edit: File <path> does not match',
          count: 3,
          sessions: 3,
          tasks: [aTurn(1).taskId],
        },
      ])
    })

    test('rows and their lists have one order, whichever transcript was imported first', async () => {
      const client = clientOf(handles.graph)
      const errors = { 0: 'File /src/a.ts does not match' }
      const times = { startedAt: instant(0), completedAt: instant(100) }
      const reports: unknown[][] = []
      for (const [project, order] of [
        ['forth', [0, 1]],
        ['back', [1, 0]],
      ] as const) {
        for (const i of order) {
          const [ofTask, ofStall] = [
            turn(`t${i}`, ['Edit'], { errors }),
            turn(`s${i}`, READS, { errors: i === 0 ? errors : {} }),
          ]
          await send(client, sessionOf(i + 1), linesOf(ofTask), { project })
          await send(client, sessionOf(7), linesOf(ofStall), { project, path: `/projects/${i}/s.jsonl` })
        }
        const capture = (number: number, taskId: string, session: string) =>
          client.captureTurnState(
            aTurn(number, {
              project,
              taskId,
              coachFeedback: 'Same',
              transcriptSessionIds: [session],
              ...times,
            }),
          )
        for (const i of [0, 1]) await capture(1, `TASK-${i}`, sessionOf(i + 1))
        for (const number of [1, 2, 3]) await capture(number, 'TASK-STALLED', sessionOf(7))
        const names = ['recurring-errors', 'longest-turns-before-stall']
        reports.push(
          await Promise.all(
            names.map(async (name) => (await client.runAnalysis({ project, name, limit: 10 })).rows),
          ),
        )
      }
      const [forth, back] = reports
      expect(forth).toMatchObject([{ length: 1 }, { length: 6 }])
      expect(back).toEqual(forth)
    })

    test('last-turn shows what was tried last, and why it failed', async () => {
      expect(await rows('last-turn')).toEqual([
        [FEATURE, TASK, TASK, 4, 'Attempt 4', 'feedback', null, ['AC-1'], []],
      ])
    })

    test('progress shows the turns of a world', async () => {
      expect(await rows('progress', { worldSlug: TASK })).toEqual(
        [1, 2, 3, 4].map((number) => [
          FEATURE,
          TASK,
          TASK,
          number,
          number === 1 ? 'approved' : 'feedback',
          number === 1 ? 1 : 0,
          1,
          number === 1 ? 0 : 1,
        ]),
      )
    })

    test("analyses of verdicts count neither a replaced entry of a status map nor a Player's claim", async () => {
      const place = {
        taskId: 'TASK-8',
        completedAt: '2026-03-01T10:00:00Z',
        gates: { tests: 'failed' } as const,
      }
      const entry = (criterionId: string, status: 'verified' | 'rejected', more: object = {}) => ({
        ...{ criterionId, criterionText: `The text of ${criterionId}`, status, evidence: 'seen in the log' },
        ...more,
      })
      const claim = entry('AC-4', 'rejected', { source: 'player' })
      await clientOf(handles.graph).captureTurnState(
        aTurn(1, {
          ...place,
          coachDecision: 'approved',
          acceptanceCriteriaStatus: { 'AC-1': 'verified', 'AC-2': 'verified', 'AC-3': 'rejected' },
          verifications: [
            entry('AC-1', 'verified'),
            entry('AC-2', 'rejected'),
            entry('AC-3', 'rejected'),
            claim,
          ],
        }),
      )
      const columnsOf = async (name: string, ...columns: string[]) => {
        const { columns: all, rows: found } = await clientOf(handles.graph).runAnalysis({
          name,
          taskId: 'TASK-8',
        })
        return found.map((row) => columns.map((column) => row[all.indexOf(column)]))
      }
      expect(await columnsOf('progress', 'newly_verified', 'verified', 'rejected')).toEqual([[1, 1, 2]])
      expect(await columnsOf('coach-strictness', 'verified', 'rejected')).toEqual([[1, 2]])
      expect(await columnsOf('approved-over-failed-gate', 'verified')).toEqual([[1]])
      expect(await columnsOf('last-turn', 'rejected')).toEqual([[['AC-2', 'AC-3']]])
      expect(await columnsOf('cost-per-proof', 'newly_verified')).toEqual([[1]])
      const corrected = {
        acceptanceCriteriaStatus: { 'AC-1': 'rejected' } as const,
        coachDecision: 'feedback' as const,
      }
      await clientOf(handles.graph).captureTurnState(
        aTurn(2, { ...place, ...corrected, verifications: [entry('AC-1', 'verified')] }),
      )
      expect(await columnsOf('blocking-gates', 'gate', 'turns')).toEqual([['tests', 1]])
    })

    test('turns and hours to an approval', async () => {
      const client = clientOf(handles.graph)
      const other = { taskId: 'TASK-2', worldSlug: 'w-2' }
      await client.captureTurnState(aTurn(1, { ...other, durationSeconds: 3600 }))
      await client.captureTurnState(aTurn(2, { ...other, durationSeconds: 3600, coachDecision: 'approved' }))
      await client.captureTurnState(aTurn(1, { featureId: 'FEAT-2', taskId: 'TASK-3', worldSlug: 'w-3' }))
      expect(await rows('turns-to-approval', { taskId: 'TASK-2' })).toEqual([[FEATURE, 1, 1, 2, 2]])
      const all = await rows('turns-to-approval')
      expect(all.map((row) => row.slice(0, 4))).toEqual([
        [FEATURE, 2, 2, 1.5],
        ['FEAT-2', 1, 0, null],
      ])
    })

    test('hours to an approval are unknown, not zero, if an earlier turn has no duration', async () => {
      const client = clientOf(handles.graph)
      const capture = (number: number, taskId: string, durationSeconds: number | null) =>
        client.captureTurnState(
          aTurn(number, {
            featureId: 'FEAT-2',
            taskId,
            durationSeconds,
            coachDecision: number === 2 ? 'approved' : 'feedback',
          }),
        )
      const hours = () => rows('turns-to-approval', { featureId: 'FEAT-2' })
      for (const number of [1, 2]) await capture(number, 'TASK-2', null)
      expect(await hours(), 'no turn says it').toEqual([['FEAT-2', 1, 1, 2, null]])
      await capture(1, 'TASK-3', 3600)
      await capture(2, 'TASK-3', null)
      expect(await hours(), 'one of two says it').toEqual([['FEAT-2', 2, 2, 2, null]])
      await capture(1, 'TASK-4', 3600)
      await capture(2, 'TASK-4', 7200)
      await capture(3, 'TASK-4', null)
      expect(await hours(), 'of the one world that says it').toEqual([['FEAT-2', 3, 3, 2, 3]])
      await capture(1, 'TASK-5', 0)
      await capture(2, 'TASK-5', 0)
      expect(await hours(), 'no time is a time').toEqual([['FEAT-2', 4, 4, 2, 1.5]])
    })

    test('criteria that are contested, and those that were never verified', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(
        aTurn(5, {
          verifications: [{ criterionId: 'AC-2', criterionText: 'The hinge holds', status: 'rejected' }],
          promises: [{ criterionId: 'AC-3', criterionText: 'It is cheap', status: 'complete' }],
        }),
      )
      expect(await rows('contested-criteria')).toEqual([
        [FEATURE, TASK, 'The lid closes without a sound', 1, 3],
      ])
      expect(await rows('never-verified')).toEqual([
        [FEATURE, TASK, 'It is cheap', 1, 0],
        [FEATURE, TASK, 'The hinge holds', 1, 1],
      ])
    })

    test('specified tasks without a session include a task whose only session was deleted', async () => {
      const client = clientOf(handles.graph)
      const task = { featureId: FEATURE, taskId: 'TASK-NEXT' }
      await client.declareCriteria({ ...task, criteria: [{ text: 'The tax is right' }] })
      const listed = [FEATURE, 'TASK-NEXT', 1, null, expect.any(String)]
      expect(await rows('specified-without-session')).toEqual([listed])
      await client.captureTurnState(aTurn(1, { ...task, worldSlug: 'only', createWorld: true }))
      expect(await rows('specified-without-session')).toEqual([])
      await client.deleteWorld({ worldSlug: 'only' })
      expect(await rows('specified-without-session')).toEqual([listed])
      const next = await client.loadTurnContinuationContext({ ...task, currentTurn: 1, role: 'player' })
      expect(next.context).toContain('The tax is right')
    })

    test('promises that were broken', async () => {
      const client = clientOf(handles.graph)
      const text = 'The hinge holds'
      await client.captureTurnState(
        aTurn(5, {
          promises: [
            { criterionId: 'AC-2', criterionText: text, status: 'complete' },
            { criterionId: 'AC-3', criterionText: 'It is cheap', status: 'complete' },
          ],
          verifications: [
            { criterionId: 'AC-2', criterionText: text, status: 'rejected' },
            { criterionId: 'AC-3', criterionText: 'It is cheap', status: 'verified' },
          ],
        }),
      )
      expect(await rows('broken-promises'), 'without evidence').toEqual([])
      for (const number of [6, 7]) {
        const verification = { criterionId: 'AC-2', criterionText: text, evidence: 'it broke' }
        await client.captureTurnState(
          aTurn(number, { verifications: [{ ...verification, status: 'rejected' }] }),
        )
      }
      expect(await rows('broken-promises')).toEqual([[FEATURE, TASK, TASK, 'AC-2', 5, 6]])
    })

    test('blockers lists the most frequent blockers, and gates that failed although all criteria were verified', async () => {
      const client = clientOf(handles.graph)
      const issue = (severity: string, category: string | null) => ({ severity, category, description: 'x' })
      await client.captureTurnState(
        aTurn(5, {
          issues: [issue('blocking', 'noise'), issue('blocking', 'noise'), issue('blocking', null)],
          gates: { coverage: 'failed', tests: 'passed' },
          acceptanceCriteriaStatus: { 'AC-1': 'verified' },
        }),
      )
      await client.captureTurnState(
        aTurn(6, {
          issues: [issue('blocking', 'noise'), issue('advisory', 'taste')],
          gates: { coverage: 'failed' },
          acceptanceCriteriaStatus: { 'AC-1': 'rejected' },
        }),
      )
      expect(await rows('blockers')).toEqual([
        ['noise', 3, 2, 1],
        ['none', 1, 1, 1],
      ])
      expect(await rows('blocking-gates')).toEqual([['coverage', 1, 1]])
    })

    test('worlds that stall, go back and forth, or are on a plateau', async () => {
      const client = clientOf(handles.graph)
      const capture = (world: string, number: number, more: Partial<TurnToSend>) =>
        client.captureTurnState(aTurn(number, { taskId: `TASK-${world}`, worldSlug: world, ...more }))
      for (const number of [1, 2, 3, 4, 5]) {
        const entry = (criterionId: string, status: 'verified' | 'rejected') => ({ criterionId, status })
        const isOdd = number % 2 === 1
        await capture('same', number, {
          verifications: [entry('AC-1', 'verified'), entry('AC-2', 'rejected')],
        })
        await capture('back', number, { coachFeedback: isOdd ? 'Too slow' : 'Too loud' })
        await capture('flips', number, {
          coachFeedback: `Feedback ${'abcdef'[number]}`,
          verifications: [
            entry('AC-1', isOdd ? 'verified' : 'rejected'),
            entry(`AC-${number + 1}`, 'verified'),
          ],
        })
        if (number < 5) await capture('flat', number, { coachFeedback: `Feedback ${'abcdef'[number]}` })
      }
      expect(await rows('stalled-worlds')).toEqual([
        [FEATURE, 'TASK-same', 'same', 'stalled', true, 1, 5, 1, 1, 2, 0],
        [FEATURE, 'TASK-flat', 'flat', 'plateau', false, 1, 4, null, 0, 0, 0],
        [FEATURE, 'TASK-back', 'back', 'oscillating', false, 1, 5, null, 0, 0, 0],
        [FEATURE, 'TASK-flips', 'flips', 'oscillating', false, 1, 5, 5, 6, 6, 1],
      ])
    })

    test('outcomes of turn runs, and reasons of failed attempts', async () => {
      const client = clientOf(handles.graph)
      await client.createWorld({ featureId: FEATURE, taskId: 'T-1', worldSlug: 'w-1', executor: 'simulated' })
      await client.createWorld({ featureId: FEATURE, taskId: 'T-2', worldSlug: 'w-2' })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w-1', turnCount: 2 })
      await expect
        .poll(async () => (await client.getTurnRunStatus({ turnRunId })).status, { timeout: 20_000 })
        .toBe('completed')
      const { attemptId = '' } = await client.runTurn({ worldSlug: 'w-2' })
      const { fence } = await client.claimAttempt({ attemptId, workerId: 'me' })
      await client.failAttempt({ attemptId, fence, reason: 'no idea' })
      expect(await rows('run-outcomes')).toEqual([['completed', null, 1, 2, 2, 0, 0]])
      expect(await rows('failed-attempts')).toEqual([['external', 'failed', 'no idea', 1, 1]])
    })

    test('evidence counts as copied if it equals a promise except for punctuation or contains one, also of another criterion', async () => {
      const client = clientOf(handles.graph)
      const promised = 'All 14 tests of `retry` pass; the cache is cold.'
      const other = 'The migration of the ledger ran twice, and neither run took the lock'
      const texts = [
        'all 14 tests of retry pass - the cache is cold',
        'all 14 tests of retry pass', // only a part of the promise
        `Seen: ${promised} So be it`,
        'I ran the suite twice, and saw it pass',
        other,
        `${other.toUpperCase()}!`,
      ]
      const places = texts.map((evidence, i) => ({ evidence, criterionId: `AC-10${i}` }))
      const place = { taskId: 'TASK-3' }
      await client.captureTurnState(
        aTurn(1, {
          ...place,
          promises: places.slice(0, 5).map(({ criterionId }, i) => ({
            criterionId,
            status: 'complete',
            evidence: i < 4 ? promised : other,
          })),
          verifications: places.map((said, i) => ({ ...said, status: i === 4 ? 'rejected' : 'verified' })),
        }),
      )
      const again = places.slice(0, 1)
      for (const [turn, source] of [[2, 'player'] as const, [3, 'coach'] as const])
        await client.captureTurnState(
          aTurn(turn, {
            ...place,
            verifications: again.map((said) => ({ ...said, status: 'verified', source })),
          }),
        )
      const found = await ask('evidence-copied')
      expect(
        found.map(({ turn: number, criterion, basis, promised_for, promised_in }) => [
          number,
          criterion,
          basis,
          promised_for,
          promised_in,
        ]),
      ).toEqual([
        [1, 'AC-100', 'repeated', 'AC-100', 1],
        [1, 'AC-102', 'repeated', 'AC-102', 1],
        [1, 'AC-105', 'misplaced', 'AC-104', 1],
        [3, 'AC-100', 'repeated', 'AC-100', 1],
      ])
      expect(await ask('evidence-copied', 2)).toHaveLength(2)
    })

    test('evidence is compared with earlier promises: the newest copied one counts, and the last one of its turn', async () => {
      const client = clientOf(handles.graph)
      const said = 'All 14 tests of retry pass on a cold cache'
      const promise = (evidence: string) => ({ criterionId: 'AC-200', status: 'complete' as const, evidence })
      const judged = (evidence: string): Partial<TurnToSend> => ({
        verifications: [{ criterionId: 'AC-200', status: 'verified', evidence }],
      })
      const turns: Partial<TurnToSend>[] = [
        { promises: [promise(said)] },
        { promises: [promise(`${said}, twice`), promise(said.toUpperCase())], ...judged(said) },
        {
          promises: [promise(`${said}\nand on a warm one`)],
          ...judged('The cache is cold on the machine I ran it on'),
        },
        judged('All 14 tests of retry pass\non a *cold* cache; and on a warm one'),
        { promises: [promise('It was seen to hold by a person')] },
      ]
      await client.captureTurnState(
        aTurn(1, { taskId: 'TASK-7', worldSlug: 'before', ...judged('It was seen to hold by a person') }),
      )
      for (const [i, more] of turns.entries())
        await client.captureTurnState(aTurn(i + 1, { taskId: 'TASK-7', worldSlug: 'newest', ...more }))
      const found = (await ask('evidence-copied')).filter(({ task }) => task === 'TASK-7')
      expect(
        found.map(({ world, turn: number, promised_in, basis }) => [world, number, promised_in, basis]),
      ).toEqual([
        ['newest', 2, 2, 'repeated'],
        ['newest', 4, 3, 'repeated'],
      ])
    })

    test('turns-after-all-was-proven lists turns after the last criterion was proven, with their cause', async () => {
      const client = clientOf(handles.graph)
      const session = async (worldSlug: string, turns: readonly Partial<TurnToSend>[]) => {
        for (const [i, more] of turns.entries())
          await client.captureTurnState(aTurn(i + 1, { taskId: 'TASK-4', worldSlug, ...more }))
      }
      const verified = (...ids: string[]): Partial<TurnToSend> => ({
        verifications: ids.map((criterionId) => ({ criterionId, status: 'verified' })),
      })
      const ofGate = { gates: { tests: 'failed' } } as const
      const blocked = { issues: [{ severity: 'blocking', category: 'style', description: 'a' }] }
      const hour = { durationSeconds: 3600 }
      await session('gate', [
        verified('AC-1'),
        { ...verified('AC-2'), ...ofGate },
        { ...blocked, ...hour },
        hour,
      ])
      await session('none', [verified('AC-1'), {}])
      const refuted: Partial<TurnToSend> = {
        verifications: [{ criterionId: 'AC-1', status: 'rejected', evidence: 'round(2.5) gives 3' }],
      }
      await session('refuted', [verified('AC-1'), refuted, refuted, verified('AC-1')])
      await session('at-once', [{ ...verified('AC-1'), coachDecision: 'approved' }])
      await session('not-all', [
        {
          verifications: [
            ...(verified('AC-1').verifications ?? []),
            { criterionId: 'AC-2', status: 'rejected' },
          ],
        },
        {},
      ])
      const found = async () =>
        (await ask('turns-after-all-was-proven'))
          .filter(({ task }) => task === 'TASK-4')
          .map((row) => Object.values(row).slice(2))
      expect(await found()).toEqual([
        ['refuted', 1, 1, 3, null, [], [], ['AC-1']],
        ['gate', 2, 2, 2, 2, ['tests'], ['style'], []],
        ['none', 1, 1, 1, null, [], [], []],
      ])
      // If a task declares criteria, exactly these count. AC-2 is manual, and AC-3 was never judged.
      const declare = (...kinds: ('code' | 'manual')[]) =>
        client.declareCriteria({
          featureId: FEATURE,
          taskId: 'TASK-5',
          criteria: kinds.map((kind, i) => ({ text: `Declared criterion ${i}`, kind })),
        })
      await declare('code', 'manual')
      for (const number of [1, 2, 3])
        await client.captureTurnState(
          aTurn(number, {
            taskId: 'TASK-5',
            worldSlug: 'declared',
            verifications: [
              {
                criterionId: 'AC-001',
                criterionText: 'Declared criterion 0',
                status: number < 2 ? 'rejected' : 'verified',
              },
              { criterionId: 'AC-9', criterionText: 'Nobody asked for this', status: 'rejected' },
            ],
          }),
        )
      const declared = async () =>
        (await rows('turns-after-all-was-proven', { taskId: 'TASK-5' })).map((row) => row.slice(2, 6))
      expect(await declared()).toEqual([['declared', 1, 2, 1]])
      await declare('code', 'manual', 'code')
      expect(await declared()).toEqual([])
    })

    test('recurring-issues lists issues of several sessions, with the turns that solved them', async () => {
      const client = clientOf(handles.graph)
      const about = (description: string, category = 'tests') => ({
        issues: [{ severity: 'blocking', category, description }],
      })
      const session = async (worldSlug: string, turns: readonly Partial<TurnToSend>[], day: number) => {
        for (const [i, more] of turns.entries())
          await client.captureTurnState(
            aTurn(i + 1, {
              worldSlug,
              taskId: 'TASK-6',
              playerSummary: `${worldSlug} ${i + 1}`,
              completedAt: new Date(Date.UTC(2026, 2, day, i)).toISOString(),
              ...more,
            }),
          )
      }
      const leak = (line: number) => about(`It leaks at line ${line}`)
      await session('one', [leak(3), leak(7), { coachDecision: 'error' }, {}], 1)
      await session('two', [leak(9), { coachDecision: 'approved' }], 2)
      await session('three', [leak(11), { coachDecision: 'deferred' }], 3)
      await session('four', [about('It leaks at line 1', 'style'), about('Only here')], 4)
      const found = await ask('recurring-issues')
      expect(found).toEqual([
        {
          category: 'tests',
          issue: 'It leaks at line 11',
          sessions: 3,
          turns: 4,
          gone: 2,
          got_rid_of_it: ['two turn 2: two 2', 'one turn 4: one 4'],
        },
      ])
      // An issue that was stored without a signature is identified by its words.
      await session('five', [about('ONLY here')], 5)
      await handles.graph.write([
        {
          statement: parseStatement('test/old', 'MATCH (i:Issue) SET i.signature = null'),
          params: {},
        },
      ])
      expect(
        (await ask('recurring-issues')).map(({ issue, sessions, gone }) => [issue, sessions, gone]),
      ).toEqual([['ONLY here', 2, 0]])
      await session('six', [about('only here')], 6)
      expect(
        (await ask('recurring-issues')).map(({ issue, sessions, gone }) => [issue, sessions, gone]),
        'one of them was stored since',
      ).toEqual([['ONLY here', 3, 0]])
    })

    test('approved-over-failed-gate lists the approved turns in which a gate failed, with these gates', async () => {
      const client = clientOf(handles.graph)
      const place = { taskId: 'TASK-8', worldSlug: 'gates' }
      const failed = { tests: 'failed', lint: 'passed', coverage: 'failed' } as const
      await client.captureTurnState(aTurn(1, { ...place, coachDecision: 'feedback', gates: failed }))
      await client.captureTurnState(
        aTurn(2, { ...place, coachDecision: 'approved', gates: { lint: 'passed' } }),
      )
      await client.captureTurnState(
        aTurn(3, {
          ...place,
          coachDecision: 'approved',
          gates: failed,
          acceptanceCriteriaStatus: { 'AC-1': 'verified' },
          issues: [{ severity: 'advisory', description: 'A name could be clearer' }],
        }),
      )
      expect(await rows('approved-over-failed-gate')).toEqual([
        [FEATURE, 'TASK-8', 'gates', 3, ['tests', 'coverage'], 1, 1],
      ])
    })

    test('coach-strictness counts approvals, judged criteria, blocking issues and approvals over failed gates by day', async () => {
      const client = clientOf(handles.graph)
      const capture = (number: number, day: number | null, more: Partial<TurnToSend>) =>
        client.captureTurnState(
          aTurn(number, {
            taskId: 'TASK-8',
            completedAt: day === null ? null : new Date(Date.UTC(2026, 2, day, 23, 59)).toISOString(),
            ...more,
          }),
        )
      const failing = { tests: 'failed', lint: 'failed' } as const
      const blocking = { severity: 'blocking', description: 'It leaks' }
      await capture(1, 1, { coachDecision: 'feedback', gates: failing, issues: [blocking, blocking] })
      await capture(2, 1, { coachDecision: 'approved', gates: failing })
      await capture(3, 1, {
        coachDecision: 'approved',
        acceptanceCriteriaStatus: { a: 'verified', b: 'rejected' },
      })
      await capture(4, 2, { coachDecision: 'error', gates: failing })
      await capture(5, 3, { coachDecision: 'rejected' })
      await capture(6, null, { coachDecision: 'approved' })
      const found = await client.runAnalysis({ name: 'coach-strictness', taskId: 'TASK-8' })
      expect(found.rows).toEqual([
        ['2026-03-03', 1, 0, 0, 0, 0, 0, 0],
        ['2026-03-01', 3, 2, 2 / 3, 1, 1, 2, 1],
        [null, 1, 1, 1, 0, 0, 0, 0],
      ])
    })

    test('an analysis may take longer than a request: it reads whole projects', async () => {
      const given: number[] = []
      const watched = graphWith(handles.graph, {
        readLong: (statement, params, limits) => {
          if (statement.name === 'analysis/evidence-copied') given.push(limits.deadline - performance.now())
          return handles.graph.readLong(statement, params, limits)
        },
      })
      const began = performance.now()
      await clientOf(watched).runAnalysis({ name: 'evidence-copied' })
      const overhead = performance.now() - began
      expect(given[0]).toBeGreaterThan(25_000 - overhead)
      expect(given[0]).toBeLessThanOrEqual(26_000)
    })

    test('the listed Cypher of every analysis gives the same answer as the analysis', async () => {
      const client = clientOf(handles.graph)
      const { items } = await client.listAnalyses({})
      for (const { name, cypher, params } of items) {
        if (COMPUTED_ANALYSES.has(name)) continue // its statement finds worlds, to which TypeScript applies the rule of stalls
        const prepared = prepareAnalysis({ project: PROJECT, name, limit: 50 })
        expect(Object.keys(prepared.params).sort(), name).toEqual(params)
        const answer = await client.queryGraph({ query: cypher, params: prepared.params })
        const { columns, rows: expected } = await client.runAnalysis({ name, limit: 50 })
        expect({ name, columns: answer.columns, rows: answer.rows }).toEqual({
          name,
          columns,
          rows: expected,
        })
      }
    })

    test('desires as of the last import', async () => {
      const client = clientOf(handles.graph)
      const long = ['Grep', 'Read', 'Read', 'Edit', 'Bash', 'Bash', 'Bash']
      for (const number of [5, 6, 7]) {
        await send(
          client,
          sessionOf(number),
          bytesOf(turn(`d${number}`, long, { from: 1000 + 100 * number })),
        )
      }
      await client.refreshDesires({})
      const [desire, ...others] = await rows('desires')
      expect(others).toEqual([])
      expect(desire?.slice(1)).toEqual(['Grep → Read{2+} → Edit → Bash{2+}', 3, 7, 3])
    })

    test('every analysis accepts each of its filters, rejects others, and shows nothing of other projects', async () => {
      const client = clientOf(handles.graph)
      const { items } = await client.listAnalyses({})
      expect(items).toHaveLength(28)
      for (const { name, about } of items) expect(about, name).not.toMatch(/src\/|\.ts\b/)
      const filters = { feature_id: 'featureId', task_id: 'taskId', world_slug: 'worldSlug' } as const
      const other = clientOf(handles.graph, 'other')
      for (const each of [client, other])
        await each.createWorld({ featureId: 'FEAT-Q', taskId: 'TASK-Q', worldSlug: 'quiet' })
      const quiet = { feature_id: 'FEAT-Q', task_id: 'TASK-Q', world_slug: 'quiet' }
      for (const { name, columns, filters: taken } of items) {
        const given = Object.fromEntries(taken.map((filter) => [filters[filter], quiet[filter]]))
        expect(await client.runAnalysis({ name, ...given }), name).toMatchObject({
          columns,
          truncated: false,
        })
        const nothing = name === 'turns-to-approval' ? [['FEAT-Q', 1, 0, null, null]] : []
        if (taken.length > 0) expect(await rows(name, given), name).toEqual(nothing)
        expect((await other.runAnalysis({ name })).rows, name).toEqual(nothing)
        const statementOf = statement(`analysis/${name}`)
        const direct = await handles.graph.read(statementOf, paramsOf(statementOf))
        const expected = STALL_ANALYSES.has(name)
          ? ['contested', 'key', 'last_gain_in']
          : (OF_CANDIDATES[name] ?? [...columns].sort())
        for (const row of direct) expect(Object.keys(row).sort(), name).toEqual(expected)
      }
      await expect(client.runAnalysis({ name: 'recurring-errors', worldSlug: 'w' })).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'world_slug: means nothing to recurring-errors; leave it out',
      })
      await expect(client.runAnalysis({ name: 'nonsense' })).rejects.toMatchObject({ code: 'not_found' })
      expect(await client.runAnalysis({ name: 'progress', limit: 2 })).toMatchObject({ truncated: true })
    })

    test('a misspelled name is rejected, and a task without blockers has no rows', async () => {
      const missing = (message: string) => ({ code: 'not_found', message })
      await expect(clientOf(handles.graph, 'shpo').runAnalysis({ name: 'blockers' })).rejects.toMatchObject(
        missing('There is no project shpo in this graph.'),
      )
      const narrowed = { featureId: FEATURE, taskId: 'TASK-TYPO' }
      await expect(
        clientOf(handles.graph).runAnalysis({ name: 'blockers', ...narrowed }),
      ).rejects.toMatchObject(missing(`No task TASK-TYPO in feature ${FEATURE} of project ${PROJECT}.`))
      expect(await rows('blockers', { featureId: FEATURE, taskId: TASK })).toEqual([])
    })
  })
}
