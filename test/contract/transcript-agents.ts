import { describe, expect, test } from 'vitest'
import { parseStatement } from '../../src/graph/statements.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { brokenTurns, everyTurn, send, sessionOf, startedIn, turn } from '../support/transcript-import.ts'
import { instant, linesOf, result, type Written } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = sessionOf(1)
const AGENT = `${S1}/a1`

const named = (step: string, agentId: string): Written => ({
  ...result(step, {}, { toolUseResult: { agentId } }),
  uuid: `named ${step}`,
  timestamp: instant(90),
})
const parent = linesOf([...turn('p', ['Read', 'Task'], { pending: [1], ends: false }), named('p.1', 'a1')])
const agent = linesOf(
  turn('c', ['Grep', 'Read'], { from: 3 }).map((record) => ({ ...record, isSidechain: true })),
)

const transcribed = parseStatement(
  'test/transcribed',
  'MATCH (t:Turn)-[:TRANSCRIBED_IN]->(s:TranscriptSession) RETURN t.number AS number, s.id AS session',
)

/** Links of subagents to the calls that started them, and of autobuild turns to their transcripts. */
export function transcriptAgentsContract(store: StoreUnderTest): void {
  describe('links of sessions', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const files: Record<string, Buffer> = { [S1]: parent, [AGENT]: agent }

    describe.each([
      ['the parent first', [S1, AGENT]],
      ['the agent first', [AGENT, S1]],
    ])('%s', (_name, order) => {
      test("an agent is linked to the call whose result names it, and the call is one of the parent's", async () => {
        for (const session of order) await send(client(), session, files[session] as Buffer)
        expect(await startedIn(handles.graph)).toEqual([`p.1 → ${AGENT}`])
        expect(await everyTurn(client())).toMatchObject([
          { turnId: 'p', sessionId: S1, kind: 'human', length: 2, tools: ['Read', 'Task'] },
          { turnId: 'c', sessionId: AGENT, kind: 'subagent', length: 2 },
        ])
        for (const session of order) await send(client(), session, files[session] as Buffer, { anew: true })
        expect(await startedIn(handles.graph)).toEqual([`p.1 → ${AGENT}`])
      })

      test('an agent is linked to the call that the request names as its parent', async () => {
        const unnamed = linesOf(turn('p', ['Read', 'Task', 'Task']))
        for (const session of order) {
          const isAgent = session === AGENT
          await send(client(), session, isAgent ? agent : unnamed, isAgent ? { parentStepId: 'p.2' } : {})
        }
        expect(await startedIn(handles.graph)).toEqual([`p.2 → ${AGENT}`])
      })

      test('an agent stays linked to its call while its parent is imported further', async () => {
        const unnamed = turn('p', ['Task', 'Read', 'Edit'])
        const now = { [S1]: linesOf(unnamed.slice(0, 3)), [AGENT]: agent }
        for (const session of order)
          await send(
            client(),
            session,
            now[session] as Buffer,
            session === AGENT ? { parentStepId: 'p.0' } : {},
          )
        await send(client(), S1, linesOf(unnamed))
        expect(await startedIn(handles.graph)).toEqual([`p.0 → ${AGENT}`])
      })
    })

    test('agents in a file of their session are linked too, even if the result came in a later import', async () => {
      const side = turn('c', ['Grep'], { from: 3 }).map((r) => ({ ...r, isSidechain: true, agentId: 'a1' }))
      const file = [...turn('p', ['Read', 'Task'], { pending: [1], ends: false }), ...side]
      await send(client(), S1, linesOf(file))
      expect(await startedIn(handles.graph)).toEqual([])
      await send(client(), S1, linesOf([...file, named('p.1', 'a1')]))
      expect(await startedIn(handles.graph)).toEqual([`p.1 → ${AGENT}`])
      const { items } = await client().listTranscriptTurns({ sessionId: AGENT, minLength: 0 })
      expect(items).toMatchObject([{ turnId: 'c', kind: 'subagent', index: 0 }])
      expect((await client().countTranscripts({ sources: [{ sessionId: S1 }] })).sessions).toBe(2)
      expect(await brokenTurns(handles.graph)).toEqual([])
    })

    test("an agent that another agent started is linked to that agent's call", async () => {
      const inner = `${S1}/a2`
      const outer = linesOf(
        [...turn('c', ['Task'], { pending: [0], ends: false }), named('c.0', 'a2')].map((record) => ({
          ...record,
          isSidechain: true,
        })),
      )
      await send(client(), S1, parent)
      await send(client(), AGENT, outer)
      await send(client(), inner, linesOf(turn('d', ['Read'])))
      expect(await startedIn(handles.graph)).toEqual([`c.0 → ${inner}`, `p.1 → ${AGENT}`])
    })

    test('agent_id of a call comes from the relationship in the graph if the result does not name the agent', async () => {
      const inner = `${S1}/a2`
      const outer = turn('c', ['Grep', 'Task']).map((record) => ({ ...record, isSidechain: true }))
      const innermost = turn('d', ['Read']).map((record) => ({ ...record, isSidechain: true }))
      await send(client(), inner, linesOf(innermost), { parentStepId: 'c.1' })
      await send(client(), AGENT, linesOf(outer), { parentStepId: 'p.1' })
      await send(client(), S1, linesOf(turn('p', ['Read', 'Task'])))
      const agentsOf = async (sessionId: string) =>
        (await client().listTranscriptSteps({ sessionId, index: 0 })).items.map(({ agentId }) => agentId)
      expect(await agentsOf(S1)).toEqual([null, 'a1'])
      expect(await agentsOf(AGENT)).toEqual([null, 'a2'])
      expect(await agentsOf(inner)).toEqual([null])
    })

    test('an agent that only warms up is no session until its first call', async () => {
      const warm = turn('w', [], { ends: false }).map((record) => ({
        ...record,
        isSidechain: true,
        message: { role: 'user', content: 'Warmup' },
      }))
      expect(await send(client(), AGENT, linesOf(warm))).toMatchObject({ sessions: 0, skippedThreads: 1 })
      expect(await everyTurn(client())).toEqual([])
      const woken = [...warm, ...turn('w', ['Read'], { ends: false }).slice(1)]
      expect(await send(client(), AGENT, linesOf(woken))).toMatchObject({ sessions: 1, turns: 1, steps: 1 })
    })

    describe('autobuild turns', () => {
      const links = async () =>
        (await handles.graph.read(transcribed, {}))
          .map(({ number, session }) => `${number} → ${session}`)
          .sort()
      const worked = (cwd: string) => linesOf(turn('t', ['Read'], { from: 60 }).map((r) => ({ ...r, cwd })))
      const at = (second: number) => new Date(Date.UTC(2026, 0, 2) + second * 1000).toISOString()

      test.each(['before', 'after'])('name their sessions, captured %s the import', async (when) => {
        const capture = () => client().captureTurnState(aTurn(1, { transcriptSessionIds: [S1] }))
        if (when === 'before') await capture()
        await send(client(), S1, parent)
        if (when === 'after') await capture()
        await send(client(), S1, parent)
        expect(await links()).toEqual([`1 → ${S1}`])
        expect(await everyTurn(client())).toHaveLength(1)
      })

      /** Captures turns and imports sessions, in the given order. */
      const inOrder = async (order: string, capture: () => Promise<void>, imports: () => Promise<void>) => {
        for (const step of order === 'capture first' ? [capture, imports] : [imports, capture]) await step()
      }

      describe.each(['capture first', 'import first'])('%s', (order) => {
        test('a turn that names no session is linked to those that ran in its worktree at its time', async () => {
          const turns = [
            [1, 0, 50],
            [2, 50, 61],
            [3, 62, 90],
            [4, 100, 200],
          ] as const
          const capture = async () => {
            for (const [number, from, to] of turns)
              await client().captureTurnState(aTurn(number, { startedAt: at(from), completedAt: at(to) }))
          }
          await inOrder(order, capture, async () => {
            await send(client(), S1, worked('/srv/app/.guardkit/worktrees/TASK-1/src'))
            await send(client(), sessionOf(2), worked('/srv/app/.guardkit/worktrees/TASK-10'))
            await send(client(), sessionOf(3), worked('/srv/app'))
            await send(client(), sessionOf(4), worked('/srv/.guardkit/worktrees/TASK-1'), {
              project: `${PROJECT} 2`,
            })
            await send(client(), sessionOf(5), worked('C:\\app\\.guardkit\\worktrees\\FEAT-1'))
          })
          expect(await links()).toEqual([
            `2 → ${S1}`,
            `2 → ${sessionOf(5)}`,
            `3 → ${S1}`,
            `3 → ${sessionOf(5)}`,
          ])
        })

        test('a turn without a start is linked if its end or the end of the turn before it is in the session', async () => {
          const ends = [50, 61, 90, 200]
          const capture = async () => {
            for (const [i, end] of ends.entries())
              await client().captureTurnState(aTurn(i + 1, { startedAt: null, completedAt: at(end) }))
          }
          const imports = async () =>
            void (await send(client(), S1, worked('/srv/.guardkit/worktrees/TASK-1')))
          await inOrder(order, capture, imports)
          expect(await links()).toEqual([`2 → ${S1}`, `3 → ${S1}`])
        })

        test('a turn without a start is linked to a session between the end of the turn before it and its own end', async () => {
          const capture = async () => {
            for (const [number, end] of [
              [1, 59],
              [2, 90],
              [3, 120],
            ] as const)
              await client().captureTurnState(aTurn(number, { startedAt: null, completedAt: at(end) }))
          }
          const imports = async () =>
            void (await send(client(), S1, worked('/srv/.guardkit/worktrees/TASK-1')))
          await inOrder(order, capture, imports)
          expect(await links()).toEqual([`2 → ${S1}`])
        })

        test('a turn that names another session is not linked by its worktree', async () => {
          const capture = async () =>
            void (await client().captureTurnState(
              aTurn(1, { completedAt: at(61), transcriptSessionIds: ['named'] }),
            ))
          const imports = async () =>
            void (await send(client(), S1, worked('/srv/.guardkit/worktrees/TASK-1')))
          await inOrder(order, capture, imports)
          expect(await links()).toEqual(['1 → named'])
        })

        test('late and superseding turns are linked, and so is the turn after a late one', async () => {
          const capture = async () => {
            for (const [number, end] of [
              [1, 10],
              [3, 200],
              [2, 61],
            ] as const)
              await client().captureTurnState(
                aTurn(number, { worldSlug: 'w', startedAt: null, completedAt: at(end) }),
              )
            await client().captureTurnState(
              aTurn(1, { worldSlug: 'w', startedAt: at(60), completedAt: at(61), onConflict: 'supersede' }),
            )
          }
          const imports = async () =>
            void (await send(client(), S1, worked('/srv/.guardkit/worktrees/TASK-1')))
          await inOrder(order, capture, imports)
          expect(await links()).toEqual([`1 → ${S1}`, `2 → ${S1}`, `3 → ${S1}`])
        })
      })
    })
  })
}
