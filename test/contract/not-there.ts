import { describe, expect, test } from 'vitest'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { runAutobuild } from '../../src/langchain/index.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { aContext, aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { roles, scriptedAgents } from '../support/scripted-agents.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Requests for names that do not exist, and the similar names in their answers (contract: turns.md). */
export function notThereContract(store: StoreUnderTest): void {
  describe('a name that does not exist', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const nope = { featureId: FEATURE, taskId: 'TASK-1x' }
    const sentence = 'No task TASK-1x in feature FEAT-1 of project shop. Did you mean TASK-1 or TASK-2?'
    const unknown = { taskKnown: false, near: [TASK, 'TASK-2'], taskMessage: sentence }
    const someTasks = async () => {
      await client().captureTurnState(aTurn(1, { promises: [{ criterionId: 'AC-1', status: 'complete' }] }))
      await client().captureTurnState(aTurn(1, { taskId: 'TASK-2' }))
      await client().captureTurnState(aTurn(1, { project: 'bank', taskId: 'TASK-1y' }))
    }

    test('the reads of a loop answer for an unknown task, with similar names', async () => {
      await someTasks()
      const context = (more: object) =>
        client().loadTurnContinuationContext(aContext(1, { ...nope, ...more }))
      expect(await context({})).toMatchObject({ status: 'first_turn', context: null, ...unknown })
      expect(await context({ currentTurn: 2 })).toMatchObject({ status: 'no_prior_turn', ...unknown })
      expect(await client().recoverPromises({ ...nope, turn: 1 })).toEqual({
        source: 'none',
        items: [],
        ...unknown,
      })
      expect(await client().listCriteria(nope)).toMatchObject({ total: 0, worldSlug: null, ...unknown })
      expect(await client().loadStall(nope)).toMatchObject({ shouldStop: false, ...unknown })
    })

    test('answers for a known task mark it as known, and a context takes no extra statement for this', async () => {
      await someTasks()
      const statements: string[] = []
      const observed = new ObservedGraph(handles.graph, ({ statement }) => statements.push(statement))
      const target = { featureId: FEATURE, taskId: TASK }
      const context = await clientOf(observed).loadTurnContinuationContext(aContext(2))
      expect(context).toMatchObject({ status: 'ok', taskKnown: true })
      expect(context).not.toHaveProperty('near')
      expect(statements).toEqual(['turns/context:newest-world:without-entries'])
      expect(await client().recoverPromises({ ...target, turn: 2 })).toMatchObject({ taskKnown: true })
      expect(await client().listCriteria(target)).toMatchObject({ taskKnown: true })
      expect(await client().loadStall(target)).toMatchObject({ taskKnown: true })
      await client().deleteWorld({ worldSlug: TASK })
      expect(await client().loadTurnContinuationContext(aContext(1))).toMatchObject({ taskKnown: true })
    })

    test('the message distinguishes an unknown feature or project from an unknown task', async () => {
      await someTasks()
      const messageOf = async (names: object) => {
        const { near, taskMessage } = await client().listCriteria({
          featureId: FEATURE,
          taskId: TASK,
          ...names,
        })
        return [near, taskMessage]
      }
      expect(await messageOf({ featureId: 'FEAT-2' })).toEqual([
        [FEATURE],
        'No task TASK-1 in feature FEAT-2 of project shop: there is no such feature. Did you mean FEAT-1?',
      ])
      expect(await messageOf({ project: 'shops' })).toEqual([
        [],
        'No task TASK-1 in feature FEAT-1 of project shops: nothing is stored in that project.',
      ])
    })

    test('every other unknown name is an error with similar names', async () => {
      await someTasks()
      const refused = (call: Promise<unknown>, code: string, near: string[]) =>
        expect(call).rejects.toMatchObject({ code, details: { near } })
      const tasks = [TASK, 'TASK-2']
      await refused(client().explainTurn(nope), 'not_found', tasks)
      await expect(client().explainTurn(nope)).rejects.toMatchObject({ message: sentence })
      await refused(client().explainTurn({ worldSlug: TASK, turn: 7 }), 'not_found', ['1'])
      await refused(client().listIssues(nope), 'not_found', tasks)
      await refused(client().listWorlds(nope), 'not_found', tasks)
      await refused(client().listWorlds({ taskId: 'TASK-1x' }), 'not_found', tasks)
      await refused(client().listWorlds({ featureId: 'feat1' }), 'not_found', [FEATURE])
      await refused(client().runAnalysis({ name: 'last-turns' }), 'not_found', ['last-turn'])
      await refused(client().runAnalysis({ name: 'blockers', taskId: 'TASK-1x' }), 'not_found', tasks)
      await refused(client().getTurn({ worldSlug: TASK, turnNumber: 9 }), 'not_found', ['1'])
      await refused(client().getTurnHistory({ worldSlug: TASK, turnNumber: 9 }), 'not_found', ['1'])
      await refused(client().getCriterionHistory({ key: 'shop/none' }), 'not_found', [])
      await refused(client().exportPage({ project: 'shopp' }), 'not_found', [])
      await refused(client().forget(nope), 'not_found', tasks)
      await refused(client().forget({ featureId: 'feat1', taskId: TASK }), 'not_found', [FEATURE])
      await refused(client().forget({ project: 'shopp', wholeProject: true }), 'not_found', [])
      const ids = { turnRunId: crypto.randomUUID(), attemptId: crypto.randomUUID() }
      await refused(client().getTurnStatus({ attemptId: ids.attemptId }), 'not_found', [])
      await refused(client().getTurnRunStatus({ turnRunId: ids.turnRunId, worldSlug: TASK }), 'not_found', [])
    })

    test('a rejected write with a secret and a mistyped project stores nothing', async () => {
      await someTasks()
      const before = await dumpOf(handles.graph)
      const secret = `with AKIA${'ABCDEFGHIJKLMNOP'} in it`
      const [project, worldSlug] = ['shopp', TASK]
      const verifications = [{ criterionId: 'AC-1', status: 'verified', evidence: secret } as const]
      const added = { project, featureId: FEATURE, taskId: TASK, verifications }
      const runs = new TurnRunStore(handles.graph)
      const attempt = { project, worldSlug, attemptId: crypto.randomUUID() }
      const run = { project, worldSlug, turnRunId: crypto.randomUUID() }
      const capture = { project, worldSlug: 'a b', playerSummary: secret }
      const rejected: [code: string, write: () => Promise<unknown>][] = [
        ['unknown_world', () => client().rollbackWorld({ project, worldSlug, toTurn: 0, reason: secret })],
        ['not_found', () => client().addVerifications(added)],
        ['unknown_world', () => client().addVerifications({ ...added, worldSlug })],
        ['invalid_request', () => client().captureTurnState(aTurn(1, capture))],
        ['unknown_world', () => runs.failAttempt(attempt, 1, secret)],
        [
          'unknown_world',
          () => runs.commitAttempt(attempt, 1, captureRequest.parse(aTurn(1, { playerSummary: secret }))),
        ],
        ['unknown_world', () => runs.failTurnRun(run, 1, secret)],
        ['unknown_world', () => runs.requestTurnRunCancel(run, secret)],
      ]
      for (const [code, write] of rejected)
        await expect(write(), String(write)).rejects.toMatchObject({ code })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('the error of a missing turn in the newest session names that session and the newest one with turns', async () => {
      await client().captureTurnState(aTurn(1))
      const asked = { featureId: FEATURE, taskId: TASK }
      await expect(client().explainTurn({ ...asked, turn: 7 })).rejects.toMatchObject({
        message: 'There is no turn 7 in world TASK-1 of task TASK-1.',
        details: { near: ['1'] },
      })
      await client().createWorld(asked)
      const before = '; the session before it is TASK-1 (world_slug, --world).'
      await expect(client().explainTurn(asked)).rejects.toMatchObject({
        code: 'not_found',
        message: `There is no turn in world TASK-1.2 of task TASK-1 yet${before}`,
      })
      await expect(client().explainTurn({ ...asked, turn: 1 })).rejects.toMatchObject({
        message: `There is no turn 1 in world TASK-1.2 of task TASK-1${before}`,
      })
    })

    test('a session without a transcript is not_found with similar sessions, unless a turn names it', async () => {
      const id = sessionOf(1)
      await send(client(), id, bytesOf(turn('a', ['Read'])))
      await client().captureTurnState(aTurn(1, { transcriptSessionIds: ['not-imported-yet'] }))
      for (const list of ['listTranscriptTurns', 'listTranscriptPatterns'] as const) {
        await expect(client()[list]({ sessionId: `${id}x` }), list).rejects.toMatchObject({
          code: 'not_found',
          message: `There is no transcript of session ${id}x in project shop. Did you mean ${id}?`,
          details: { near: [id] },
        })
        expect(await client()[list]({ sessionId: id, minLength: 9 })).toEqual({ items: [], nextCursor: null })
        expect(await client()[list]({ sessionId: 'not-imported-yet' })).toEqual({
          items: [],
          nextCursor: null,
        })
      }
      await expect(client().listTranscriptSteps({ sessionId: `${id}x`, index: 0 })).rejects.toMatchObject({
        code: 'not_found',
        details: { near: [id] },
      })
    })

    test('every operation answers unknown_world for a world that does not exist, whatever other id it gets', async () => {
      await someTasks()
      const ids = { turnRunId: crypto.randomUUID(), attemptId: crypto.randomUUID() }
      const worldSlug = 'TASK-3'
      const calls: [string, Promise<unknown>][] = [
        ['getWorld', client().getWorld({ worldSlug })],
        ['deleteWorld', client().deleteWorld({ worldSlug })],
        ['listTurns', client().listTurns({ worldSlug })],
        ['getTurn', client().getTurn({ worldSlug, turnNumber: 1 })],
        ['getTurnHistory', client().getTurnHistory({ worldSlug, turnNumber: 1 })],
        ['runTurn', client().runTurn({ worldSlug })],
        ['runTurn of several', client().runTurn({ worldSlug, turnCount: 2 })],
        ['listAttempts', client().listAttempts({ worldSlug })],
        ['listAttempts of a run', client().listAttempts({ worldSlug, turnRunId: ids.turnRunId })],
        ['getTurnStatus', client().getTurnStatus({ worldSlug, attemptId: ids.attemptId })],
        ['getTurnRunStatus', client().getTurnRunStatus({ worldSlug, turnRunId: ids.turnRunId })],
        ['cancelTurnRun', client().cancelTurnRun({ worldSlug, turnRunId: ids.turnRunId })],
        ['context', client().loadTurnContinuationContext({ worldSlug, currentTurn: 1 })],
        ['criteria', client().listCriteria({ worldSlug })],
        ['criteria of a task', client().listCriteria({ worldSlug, featureId: FEATURE, taskId: TASK })],
        ['promises', client().recoverPromises({ worldSlug, turn: 1 })],
        ['stall', client().loadStall({ worldSlug })],
        ['why', client().explainTurn({ worldSlug })],
        ['why of a task', client().explainTurn({ worldSlug, featureId: FEATURE, taskId: TASK })],
        ['analysis', client().runAnalysis({ name: 'last-turn', worldSlug })],
        ['forget', client().forget({ worldSlug })],
      ]
      const seen = await Promise.all(
        calls.map(([name, call]) => call.then(String, ({ code, details }) => [name, code, details?.near])),
      )
      expect(seen).toEqual(calls.map(([name]) => [name, 'unknown_world', [TASK, 'TASK-2']]))
      await expect(client().getWorld({ worldSlug })).rejects.toMatchObject({
        message: 'There is no world TASK-3 in project shop. Did you mean TASK-1 or TASK-2?',
      })
    })

    test('forget accepts the names of existing, deleted and excluded worlds, and a repeated request', async () => {
      await someTasks()
      const nothing = { counts: {}, worlds: [], done: true }
      const before = '2000-01-01T00:00:00Z'
      expect(await client().forget({ worldSlug: TASK, before })).toMatchObject(nothing)
      expect(await client().forget({ featureId: FEATURE, taskId: TASK, before })).toMatchObject(nothing)
      expect(await client().forget({ wholeProject: true, before })).toMatchObject(nothing)
      await client().deleteWorld({ worldSlug: TASK })
      expect(await client().forget({ worldSlug: TASK })).toMatchObject({ worlds: [TASK] })
      // A caller that lost the answer asks again.
      const asked = { worldSlug: TASK, dryRun: false }
      expect(await client().forget(asked)).toMatchObject({ worlds: [TASK], done: true })
      expect(await client().forget(asked)).toMatchObject(nothing)
      await expect(client().forget({ worldSlug: TASK })).rejects.toMatchObject({ code: 'unknown_world' })
    })

    test('the slug of a world is enough to find its task, and a task in the same request must match', async () => {
      await someTasks()
      const worldSlug = TASK
      const named = { worldSlug, featureId: FEATURE, taskId: TASK }
      expect(await client().loadTurnContinuationContext({ worldSlug, currentTurn: 2 })).toEqual(
        await client().loadTurnContinuationContext({ ...named, currentTurn: 2 }),
      )
      expect(await client().listCriteria({ worldSlug })).toEqual(await client().listCriteria(named))
      expect(await client().recoverPromises({ worldSlug, turn: 2 })).toEqual(
        await client().recoverPromises({ ...named, turn: 2 }),
      )
      expect(await client().loadStall({ worldSlug })).toEqual(await client().loadStall(named))
      expect(await client().explainTurn({ worldSlug })).toEqual(await client().explainTurn(named))
      expect(await client().listCriteria({ worldSlug, taskId: TASK })).toMatchObject({ worldSlug })
      for (const other of [{ taskId: 'TASK-2' }, { ...named, taskId: 'TASK-2' }]) {
        await expect(client().listCriteria({ worldSlug, ...other })).rejects.toMatchObject({
          code: 'unknown_world',
          message:
            'World TASK-1 of project shop is of task TASK-1 in feature FEAT-1, not of the task that is named.',
        })
      }
      await expect(client().listCriteria({ featureId: FEATURE })).rejects.toMatchObject({
        code: 'invalid_request',
        details: { problems: [{ path: 'task_id', message: 'is missing' }] },
      })
    })

    test('similar names are only from the requested project', async () => {
      await client().captureTurnState(aTurn(1, { project: 'bank', worldSlug: 'secret-1' }))
      await client().captureTurnState(aTurn(1, { featureId: 'OTHER', taskId: 'OTHER', worldSlug: 'OTHER' }))
      const asked = await client().listCriteria({ featureId: FEATURE, taskId: TASK })
      expect(asked).toMatchObject({ taskKnown: false, near: [] })
      const none = { code: 'unknown_world', details: { near: [] } }
      await expect(client().getWorld({ worldSlug: 'secret-2' })).rejects.toMatchObject(none)
      await expect(client().listWorlds({ taskId: 'TASK-2' })).rejects.toMatchObject({ details: { near: [] } })
      await expect(client().exportPage({ project: 'banks' })).rejects.toMatchObject({ details: { near: [] } })
    })

    test('a loop can start in an empty graph', async () => {
      const agents = scriptedAgents()
      const outcomes: unknown[] = []
      const world = { featureId: FEATURE, taskId: TASK }
      for await (const event of runAutobuild({
        client: client(),
        world,
        task: 'build',
        ...roles(agents),
        maxTurns: 5,
      })) {
        if (event.type === 'finished') outcomes.push([event.outcome, event.turn, event.error])
      }
      expect(outcomes).toEqual([['approved', 3, null]])
    })
  })
}
