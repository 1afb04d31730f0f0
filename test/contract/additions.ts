import { describe, expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import { warmUp, warmUpRest } from '../../src/operations/warm-up.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { aContext, aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { forgetAll } from './forget.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Verification = NonNullable<TurnToSend['verifications']>[number]
type AddedVerification = NonNullable<OperationInput<'addVerifications'>['verifications']>[number]
type Seen = NonNullable<Verification['observation']>

const TREE = 'a'.repeat(40)

/** An observation of a command that succeeded. */
const anObservation = (more: Partial<Seen> = {}): Seen => ({
  command: ['npm', 'test', '--', '-t', 'half to even'],
  cwd: '.',
  exitCode: 0,
  startedAt: '2026-03-01T10:00:00Z',
  durationMs: 8213,
  outputDigest: `sha256:${'0'.repeat(64)}`,
  tree: TREE,
  ...more,
})

/** Maximum number of verifications that are added to a turn, and of those in one request. */
const [MAX_OF_TURN, MAX_OF_REQUEST] = [2_000, 1_000]

/** Returns the names of the statements that `work` runs. */
async function namesOfStatements(graph: Graph, work: (graph: Graph) => Promise<unknown>) {
  const names = new Set<string>()
  await work({
    ...graph,
    engine: graph.engine,
    read: (statement, ...more) => graph.read(names.add(statement.name) && statement, ...more),
    write: (steps, deadline) => {
      for (const { statement } of steps) names.add(statement.name)
      return graph.write(steps, deadline)
    },
    transact: (steps, deadline) =>
      graph.transact((run) => steps((step) => names.add(step.statement.name) && run(step)), deadline),
  })
  return names
}

/** Observations, and verifications that are added after a turn has ended (contract: evidence.md). */
export function additionsContract(store: StoreUnderTest): void {
  describe('observations', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const task = { featureId: FEATURE, taskId: TASK }
    const verification = (more: Partial<Verification> = {}): Verification => ({
      criterionId: 'AC-1',
      criterionText: 'It rounds',
      status: 'verified',
      ...more,
    })
    const capture = (turnNumber: number, ...verifications: Verification[]) =>
      client().captureTurnState(aTurn(turnNumber, { worldSlug: 'main', verifications }))

    test('the warm-up plans each statement of an addition', async () => {
      await capture(1)
      const warmed = await namesOfStatements(handles.graph, async (graph) => {
        await warmUp(graph)
        await warmUpRest(graph)
      })
      const at = (startedAt: string) => verification({ observation: anObservation({ startedAt }) })
      const add = (graph: Graph, each: Verification) =>
        clientOf(graph).addVerifications({ ...task, worldSlug: 'main', verifications: [each] })
      await add(handles.graph, at('2026-03-02T10:00:00Z'))
      // An observation with an earlier start moves the stored one to a later place.
      const used = await namesOfStatements(handles.graph, (graph) => add(graph, at('2026-03-01T10:00:00Z')))
      expect([...used].filter((name) => name.includes('addition') || name.includes('add-'))).toHaveLength(4)
      expect([...used].filter((name) => !warmed.has(name) && name !== 'worlds/get')).toEqual([])
    })

    test('a turn takes at most 2,000 added verifications, and a repeated one is still answered', async () => {
      await capture(1)
      const add = (...verifications: AddedVerification[]) =>
        client().addVerifications({ ...task, worldSlug: 'main', verifications })
      const said = (i: number) =>
        verification({ source: 'validator', evidence: `Looked at the till ${i} times` })
      for (let first = 0; first < MAX_OF_TURN; first += MAX_OF_REQUEST)
        await add(...Array.from({ length: MAX_OF_REQUEST }, (_, i) => said(first + i)))
      const message = 'turn 1 of main has 2000 added verifications and cannot take 1 more; the limit is 2000'
      await expect(add(said(0), said(MAX_OF_TURN))).rejects.toMatchObject({
        code: 'invalid_request',
        message: `verifications: ${message}.`,
        hint: expect.stringContaining('Capture the next turn'),
        details: { problems: [{ path: 'verifications', message }] },
      })
      expect((await add(said(0))).added).toBe(0)
      await capture(2)
      expect((await add(said(MAX_OF_TURN))).turnNumber).toBe(2)
    }, 120_000)

    test('a captured observation is returned as it was sent, with its defaults and a sentence as evidence', async () => {
      const tests = [{ name: 'rounds half to even', status: 'passed' as const }]
      const turn = await capture(1, verification({ observation: anObservation({ tests }) }))
      const stored = {
        evidence: '`npm test -- -t "half to even"` exited with 0',
        observation: {
          ...anObservation(),
          startedAt: '2026-03-01T10:00:00Z',
          tests: [{ ...tests[0], durationMs: null }],
          ...{
            signal: null,
            outputTail: null,
            dirty: null,
            commit: null,
            runner: null,
            host: null,
            report: null,
          },
        },
      }
      expect(turn.verifications).toMatchObject([stored])
      const read = await client().getTurn({ worldSlug: 'main', turnNumber: 1 })
      expect(read.verifications).toEqual(turn.verifications)
      expect(await client().captureTurnState(read)).toMatchObject({ created: false })
    })

    test('a criterion is known by its observation, and names the files that were seen', async () => {
      await capture(1, verification({ observation: anObservation() }))
      await capture(2, verification({ evidence: 'I looked at it' }))
      const read = async (more: { turn?: number; policy?: 'observed' } = {}) => {
        const { observed, criteria } = await client().listCriteria({ ...task, ...more })
        return [observed, criteria[0]?.basis, criteria[0]?.observedOn]
      }
      const on = { tree: TREE, dirty: null, commit: null, at: '2026-03-01T10:00:00Z' }
      expect(await read({ turn: 1 })).toEqual([1, 'observed', on])
      expect(await read()).toEqual([0, 'judged', undefined])
      expect(await read({ policy: 'observed' })).toEqual([1, 'observed', on])
    })

    test('the end of a long output is stored, with its secrets masked before it is cut', async () => {
      const secret = 'postgres://app:hunter2hunter2@db/app'
      const outputTail = `${'é'.repeat(3000)}${secret}`
      const { redactions, ...turn } = await capture(
        1,
        verification({ observation: anObservation({ outputTail }) }),
      )
      const tail = turn.verifications[0]?.observation?.outputTail ?? ''
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(2048)
      expect(tail).toMatch(/^é+postgres:/)
      expect(tail).not.toContain('hunter2')
      expect(redactions).toBe(1)
    })

    test.each<[string, Partial<Verification>, RegExp]>([
      ['failed, with the word verified', { observation: anObservation({ exitCode: 1 }) }, /exit with 0/],
      ['has no end', { observation: anObservation({ exitCode: null }) }, /exit_code or a signal/],
      [
        'has neither a command nor a report',
        { observation: anObservation({ command: null }) },
        /a command or a report/,
      ],
    ])('an observation that %s is refused', async (_, more, message) => {
      await expect(capture(1, verification(more))).rejects.toThrow(message)
    })
  })

  describe('verifications that are added to a turn', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const worldSlug = 'main'
    const task = { featureId: FEATURE, taskId: TASK, worldSlug }
    const verification = (more: Partial<AddedVerification> = {}): AddedVerification => ({
      criterionId: 'AC-1',
      criterionText: 'It rounds half to even',
      status: 'verified',
      ...more,
    })
    const ran = (at: string, exitCode = 0, more: Partial<AddedVerification> = {}): AddedVerification =>
      verification({
        status: exitCode === 0 ? 'verified' : 'rejected',
        observation: anObservation({ startedAt: `2026-03-01T${at}Z`, exitCode }),
        ...more,
      })
    const capture = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
      client().captureTurnState(
        aTurn(turnNumber, {
          worldSlug,
          verifications: [verification({ status: 'rejected', evidence: 'npm test: 1 of 9 fails' })],
          promises: [{ criterionId: 'AC-1', criterionText: 'It rounds half to even', status: 'complete' }],
          ...more,
        }),
      )
    const add = (
      verifications: AddedVerification[],
      more: { turnNumber?: number; worldSlug?: string } = {},
    ) => client().addVerifications({ ...task, verifications, ...more })
    const statesIn = async (turn?: number, policy: 'sticky' | 'observed' = 'sticky') =>
      (await client().listCriteria({ ...task, policy, ...(turn !== undefined && { turn }) })).criteria.map(
        ({ criterionId, state, verifiedInTurn, basis }) => [criterionId, state, verifiedInTurn, basis],
      )

    test('additions count as of their turn, and its record does not change', async () => {
      const first = await capture(1)
      await capture(2, { verifications: [] })
      const { createdAt, redactions, created, superseded, worldCreated, ...record } = first
      const added = await add([ran('10:00:00')], { turnNumber: 1 })
      expect(added).toMatchObject({ worldSlug, turnNumber: 1, added: 1, redactions: 0 })
      expect(added.verifications).toMatchObject([
        { criterionId: 'AC-1', source: 'command', startedAt: '2026-03-01T10:00:00Z', addedBy: null },
      ])
      expect(await client().getTurn({ worldSlug, turnNumber: 1 })).toMatchObject(record)
      expect((await client().getTurn({ worldSlug, turnNumber: 1 })).verifications).toHaveLength(1)
      expect(await capture(1)).toMatchObject({ created: false })
      expect(await statesIn()).toEqual([['AC-1', 'verified', 1, 'observed']])
      expect(await statesIn(1)).toEqual([['AC-1', 'verified', 1, 'observed']])
      const { criteria } = await client().listCriteria({ ...task, role: 'coach' })
      expect(criteria[0]?.history).toMatchObject([
        { turn: 1, status: 'rejected' },
        { turn: 1, status: 'verified', addedAt: added.verifications[0]?.addedAt },
      ])
      expect(criteria[0]?.history?.[0]).not.toHaveProperty('addedAt')
      const history = await client().getCriterionHistory({ key: criteria[0]?.key ?? '', worldSlug })
      expect(history.items.map(({ addedAt }) => addedAt)).toEqual([
        undefined,
        added.verifications[0]?.addedAt,
      ])
      const context = await client().loadTurnContinuationContext(aContext(3, { worldSlug, role: 'coach' }))
      expect(context.criteria).toMatchObject([{ state: 'verified', basis: 'observed' }])
      expect(context.context).toContain('AC-1: verified (turn 1, observed)')
      expect((await client().explainTurn({ ...task, turn: 1 })).turn).toBe(1)
      expect(await client().getWorld({ worldSlug })).toMatchObject({ verified: 1, currentTurn: 2 })
    })

    test('a request without a turn adds to the newest turn of the newest world of the task', async () => {
      await client().captureTurnState(aTurn(1, { worldSlug: 'older' }))
      await capture(1)
      const { worldSlug: _, ...ofTask } = task
      const added = await client().addVerifications({ ...ofTask, verifications: [verification()] })
      expect(added).toMatchObject({ worldSlug, turnNumber: 1, added: 1 })
      expect(added.verifications[0]?.source).toBe('coach')
    })

    test('a repeat returns the same answer and stores nothing', async () => {
      await capture(1)
      const sent = [ran('10:00:00'), verification({ source: 'person', evidence: 'I tried it' })]
      const { added, ...first } = await add([...sent, ...sent])
      expect(added).toBe(2)
      const counted = await client().listCriteria({ ...task, role: 'coach' })
      const { added: again, ...second } = await add([...sent, ...sent])
      expect(again).toBe(0)
      expect(second).toEqual(first)
      expect(await client().listCriteria({ ...task, role: 'coach' })).toEqual(counted)
      expect((await add([ran('10:00:01')])).added).toBe(1)
    })

    test('additions are ordered by their times, not by their arrival', async () => {
      const sent = [ran('10:00:00'), ran('10:00:00.5', 1), ran('10:00:01'), ran('10:00:02', 1)]
      const seen: unknown[] = []
      for (const order of [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [2, 0, 3, 1],
      ]) {
        const slug = `order-${order.join('')}`
        await capture(1, { worldSlug: slug })
        for (const i of order) await add(sent.slice(i, i + 1), { worldSlug: slug })
        const ofWorld = { ...task, worldSlug: slug }
        const listed = await client().listCriteria({ ...ofWorld, role: 'coach' })
        seen.push(
          listed.criteria.map(({ history = [], state, contested }) => [
            state,
            contested?.turn,
            history.map(({ status }) => status),
          ]),
        )
      }
      const statuses = ['rejected', 'verified', 'rejected', 'verified', 'rejected']
      expect(seen).toEqual(Array(3).fill([['verified', 1, statuses]]))
    })

    test('a time in the future does not place a verification after those that arrive later', async () => {
      await capture(1)
      const sent = ran('10:00:00', 0, {
        observation: anObservation({ startedAt: '9999-01-01T00:00:00Z', exitCode: 0 }),
      })
      const { addedAt, startedAt } = (await add([sent])).verifications[0] ?? {}
      expect(startedAt).toBe(addedAt)
      expect((await add([sent])).added).toBe(0)
      await add([verification({ status: 'rejected', source: 'person', evidence: 'It still rounds up' })])
      const { criteria } = await client().listCriteria({ ...task, role: 'coach' })
      expect(criteria).toMatchObject([{ state: 'verified', contested: { turn: 1 }, refuted: true }])
    })

    test('a failed command contests and refutes an observed proof', async () => {
      await capture(1)
      await add([ran('10:00:00')])
      await add([ran('11:00:00', 1)])
      for (const policy of ['sticky', 'observed'] as const) {
        const { criteria } = await client().listCriteria({ ...task, policy })
        expect(criteria).toMatchObject([{ state: 'verified', contested: { turn: 1 }, refuted: true }])
      }
    })

    test('additions stay with a turn whose record is replaced', async () => {
      await capture(1)
      await add([ran('10:00:00'), ran('09:00:00', 1)])
      const other = [
        verification({ criterionId: 'AC-2', criterionText: 'Every request is logged', status: 'verified' }),
        verification({ status: 'rejected', evidence: 'It fails' }),
      ]
      await capture(1, { verifications: other, onConflict: 'supersede' })
      const record = await client().getTurn({ worldSlug, turnNumber: 1 })
      expect(record.verifications).toHaveLength(2)
      const [older] = (await client().getTurnHistory({ worldSlug, turnNumber: 1 })).items
      expect(older?.verifications).toHaveLength(1)
      const { criteria } = await client().listCriteria({ ...task, role: 'coach' })
      expect(criteria[0]?.history?.map(({ status, source }) => [status, source])).toEqual([
        ['rejected', 'coach'],
        ['rejected', 'command'],
        ['verified', 'command'],
      ])
      expect((await add([ran('10:00:00')])).added).toBe(0)
      expect((await client().examine({})).findings).toEqual([])
    })

    test('additions to a withdrawn turn no longer count, also not for a new record with its number', async () => {
      await capture(1)
      await capture(2)
      await add([ran('10:00:00')])
      await client().rollbackWorld({ worldSlug, toTurn: 1 })
      expect(await statesIn()).toEqual([['AC-1', 'rejected', null, null]])
      await capture(2)
      expect(await statesIn()).toEqual([['AC-1', 'rejected', null, null]])
      expect((await add([ran('10:00:00')])).added).toBe(1)
      expect(await statesIn()).toEqual([['AC-1', 'verified', 2, 'observed']])
      expect((await client().examine({})).findings).toEqual([])
    })

    test('a criterion that no turn named is added to the task, and two that are one are merged', async () => {
      await capture(1, { promises: [] })
      await add([verification({ criterionId: 'AC-9', criterionText: 'A restart loses no order' })])
      expect(await statesIn()).toEqual([
        ['AC-1', 'rejected', null, null],
        ['AC-9', 'verified', 1, 'bare'],
      ])
      await capture(2, {
        verifications: [
          verification({
            criterionId: 'AC-9',
            criterionText: 'A restart loses no order',
            status: 'rejected',
          }),
        ],
      })
      expect((await statesIn()).map(([label]) => label)).toEqual(['AC-1', 'AC-9'])
      expect((await client().examine({})).findings).toEqual([])
    })

    test('an id without a text names the criterion to which a judge of this world gave that id, whatever the source', async () => {
      const other = { criterionId: 'AC-1', criterionText: 'A restart loses no order' }
      await capture(1, { promises: [{ ...other, status: 'complete' }] })
      await add([{ criterionId: 'AC-01', status: 'verified', source: 'person', evidence: 'I rounded 2.5' }])
      expect(await statesIn()).toEqual([['AC-01', 'verified', 1, 'judged']])
      await capture(2, { promises: [] })
      const before = await client().loadTurnContinuationContext(aContext(2, { worldSlug, asOf: 'turn' }))
      expect(before.criteria).toMatchObject([{ state: 'verified', text: 'It rounds half to even' }])
      expect((await client().examine({})).findings).toEqual([])
    })

    test.each<[string, Partial<OperationInput<'addVerifications'>>, string, RegExp]>([
      ['turn', { turnNumber: 7 }, 'not_found', /has no turn 7/],
      ['world', { worldSlug: 'other' }, 'unknown_world', /no world other/],
      ['task', { worldSlug: null, taskId: 'TASK-9' }, 'not_found', /TASK-9/],
      ['task of the world', { taskId: 'TASK-9' }, 'unknown_world', /not of the task/],
    ])('an unknown %s is refused, and nothing is stored', async (_, more, code, message) => {
      await capture(1)
      const adding = client().addVerifications({ ...task, verifications: [verification()], ...more })
      await expect(adding).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
      expect(await statesIn()).toEqual([['AC-1', 'rejected', null, null]])
    })

    test('a context as of an earlier turn has the additions that arrived before the turn was captured', async () => {
      await capture(1)
      await add([ran('10:00:00')])
      await capture(2, { verifications: [] })
      await capture(3, { verifications: [] })
      await add([ran('11:00:00', 1)], { turnNumber: 1 })
      const then = aContext(2, { worldSlug, role: 'coach', asOf: 'turn' })
      const [shown] = (await client().loadTurnContinuationContext(then)).criteria
      expect(shown).toMatchObject({ state: 'verified', basis: 'observed', contested: null })
      expect(shown?.history?.map(({ addedAt }) => addedAt !== undefined)).toEqual([false, true])
      const [now] = (await client().listCriteria({ ...task, turn: 1 })).criteria
      expect(now).toMatchObject({ state: 'verified', contested: { turn: 1 } })
    })

    test('two processes that add the same verification at once store it once, and a simultaneous capture loses nothing', async () => {
      await capture(1)
      const other = clientOf(handles.graph)
      const sent = [0, 1, 2, 3].map((i) => ran(`10:00:0${i}`))
      const answers = await Promise.all([
        ...sent.map((each) => add([each], { turnNumber: 1 })),
        ...sent.map((each) => other.addVerifications({ ...task, turnNumber: 1, verifications: [each] })),
        capture(2),
      ])
      expect(answers.reduce((sum, each) => sum + ('added' in each ? each.added : 0), 0)).toBe(4)
      const { criteria } = await client().listCriteria({ ...task, role: 'coach' })
      expect(criteria[0]?.history?.map(({ turn, status }) => `${turn} ${status}`)).toEqual([
        ...['1 rejected', '1 verified', '1 verified', '1 verified', '1 verified', '2 rejected'],
      ])
      expect((await client().examine({})).findings).toEqual([])
    })

    test('additions are accepted during a turn run, and wake the followers of the world', async () => {
      await capture(1)
      await client().runTurn({ worldSlug })
      const stop = new AbortController()
      const seen: number[] = []
      for await (const event of client().events({ snapshot: true }, { signal: stop.signal })) {
        if (event.type !== 'session') continue
        seen.push(event.verified)
        if (seen.length === 1) expect((await add([ran('10:00:00')])).added).toBe(1)
        if (event.verified === 1) stop.abort()
      }
      expect([seen[0], seen.at(-1)]).toEqual([0, 1])
    })

    test('additions are in an export and in the graph that is restored from it', async () => {
      await capture(1)
      await capture(2)
      await add([ran('10:00:00', 0, { files: ['src/a.ts'] })], { turnNumber: 1 })
      const lines = await exportOf(handles.graph)
      const before = await client().listCriteria({ ...task, role: 'coach' })
      await forgetAll(handles.graph, { worldSlug })
      await restoreLines(handles.graph, lines)
      expect(await client().listCriteria({ ...task, role: 'coach' })).toEqual(before)
      expect(await exportOf(handles.graph)).toEqual(lines)
      expect((await client().getTurn({ worldSlug, turnNumber: 1 })).verifications).toHaveLength(1)
      expect((await client().examine({})).findings).toEqual([])
    })
  })
}
