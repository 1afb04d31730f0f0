import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import {
  type AutobuildEvent,
  autobuildExecutor,
  type CoachInput,
  type PlayerInput,
  runAutobuild,
} from '../../src/langchain/index.ts'
import { Executors } from '../../src/runs/executors.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { clientOf, FEATURE, PROJECT, TASK } from '../support/records.ts'
import { roles, scriptedAgents } from '../support/scripted-agents.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** The Player/Coach loop with a memory: contract langchain.md, seed 000. */
export function autobuildContract(store: StoreUnderTest): void {
  describe('the Player/Coach loop', () => {
    const handles = useGraph(store)
    const world = { featureId: FEATURE, taskId: TASK }

    async function played(events: AsyncIterable<AutobuildEvent>): Promise<AutobuildEvent[]> {
      const all: AutobuildEvent[] = []
      for await (const event of events) all.push(event)
      return all
    }
    const end = (events: readonly AutobuildEvent[]) => {
      const last = events.at(-1)
      if (last?.type !== 'finished') throw new Error('it has not finished')
      const { outcome, turn, error } = last
      expect([last.unsaved, last.waiting]).toEqual([null, 0])
      return { outcome, turn, error }
    }

    test('turn N gets the feedback of turn N−1 and all verified criteria, and forgotten promises are recovered', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const events = await played(
        runAutobuild({ client, world, task: 'build it', ...roles(agents), maxTurns: 5 }),
      )
      expect(end(events)).toEqual({ outcome: 'approved', turn: 3, error: null })
      expect(events.map(({ type }) => type)).toEqual([
        'session',
        ...Array.from({ length: 3 }, () => [
          'turn',
          'context',
          'player',
          'context',
          'coach',
          'captured',
        ]).flat(),
        'finished',
      ])
      expect(agents.contextOf('player', 1)).toBeNull()
      const third = agents.contextOf('player', 3)
      expect(third).toContain('**Feedback**: Not met: AC-003')
      expect(third).toContain('✓ AC-001: verified (turn 1)')
      expect(third).toContain('✓ AC-002: verified')
      expect(third).not.toContain('its test passes')
      // The Coach names no focus: it follows from the open issues and the criteria left.
      expect(third).toContain('**Suggested focus for this turn**: AC-003 not met; Criteria left: AC-003\n')
      expect(agents.contextOf('coach', 3)).toContain('**Promises recovered from turn 1**: 3')
      const turns = await client.listTurns({ worldSlug: TASK })
      expect(
        turns.items.map(({ turnNumber, mode, coachDecision }) => [turnNumber, mode, coachDecision]),
      ).toEqual([
        [1, 'fresh_start', 'feedback'],
        [2, 'continuing_work', 'feedback'],
        [3, 'continuing_work', 'approved'],
      ])
      const { items: attempts } = await client.listAttempts({ worldSlug: TASK })
      expect(attempts.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
    })

    test('the criteria of the task are declared before the first turn, and its context lists them', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const criteria = [{ text: 'An unknown host is retried three times' }]
      await played(runAutobuild({ client, world, task: { criteria }, ...roles(agents), maxTurns: 1 }))
      expect(await client.getSpecification(world)).toMatchObject({ version: 1, total: 1 })
      expect(agents.contextOf('player', 1)).toContain('○ AC-001: pending — never judged — An unknown host')
      await played(runAutobuild({ client, world, task: { criteria }, ...roles(agents), maxTurns: 2 }))
      expect(await client.getSpecification(world)).toMatchObject({ version: 1 })
      const misspelt = { criteria: [{ txt: 'An unknown host is retried' }] }
      expect(() => runAutobuild({ client, world, task: misspelt, ...roles(agents), maxTurns: 1 })).toThrow(
        /task\.criteria\[0\]\.text/,
      )
    })

    test.each([
      ['begin a new task', []],
      ['begin a task whose slug another task has', ['FEAT-2']],
    ])('two loops that %s at the same time work in one session, one after the other', async (_, others) => {
      for (const featureId of others) await clientOf(handles.graph).createWorld({ ...world, featureId })
      const players: number[] = []
      const loop = (client: ReturnType<typeof clientOf>) =>
        played(
          runAutobuild({
            client,
            world,
            task: 'build it',
            player: ({ turn }) => {
              players.push(turn)
              return { playerSummary: `Built ${turn}` }
            },
            coach: () => ({ coachDecision: 'approved' }),
            maxTurns: 3,
          }),
        )
      const both = await Promise.all([loop(clientOf(handles.graph)), loop(clientOf(handles.graph))])
      expect(both.map(end)).toEqual([
        { outcome: 'approved', turn: 1, error: null },
        { outcome: 'approved', turn: 1, error: null },
      ])
      expect(players).toEqual([1])
      const { items } = await clientOf(handles.graph).listWorlds({ featureId: world.featureId })
      const slug = others.length === 0 ? TASK : `${world.featureId}.${TASK}`
      expect(items.map(({ worldSlug }) => worldSlug)).toEqual([slug])
    })

    test('the same session without the memory fails', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const events = await played(
        runAutobuild({ client, world, task: 'build it', ...roles(agents), maxTurns: 6, memory: false }),
      )
      expect(end(events)).toEqual({ outcome: 'max_turns', turn: 6, error: null })
      expect(agents.asked.every(({ context }) => context === null)).toBe(true)
    })

    test('the loop continues after the last turn of the world, and does nothing in a finished world', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const loop = (maxTurns: number) =>
        played(runAutobuild({ client, world, task: 'build it', ...roles(agents), maxTurns }))
      expect(end(await loop(1))).toEqual({ outcome: 'max_turns', turn: 1, error: null })
      expect(end(await loop(2))).toEqual({ outcome: 'max_turns', turn: 2, error: null })
      expect(end(await loop(5))).toEqual({ outcome: 'approved', turn: 3, error: null })
      expect(agents.asked.map(({ role, turn }) => `${role} ${turn}`)).toEqual(
        [1, 2, 3].flatMap((turn) => [`player ${turn}`, `coach ${turn}`]),
      )
      expect((await loop(5)).map(({ type }) => type)).toEqual(['session', 'finished'])
    })

    test('a turn whose agent throws, or gives no record, is captured as failed; the next one recovers', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const broken: Record<number, () => unknown> = {
        1: () => {
          throw new Error('the model is overloaded')
        },
        2: () => ({ playerSummary: 7, verifications: [] }),
      }
      const player = (input: PlayerInput) => broken[input.turn]?.() ?? agents.player.invoke(input)
      const coach = (input: CoachInput) => {
        if (input.turn === 3) throw new Error('no verdict')
        return { coachDecision: 'approved' }
      }
      const events = await played(runAutobuild({ client, world, task: null, player, coach, maxTurns: 9 }))
      expect(end(events)).toEqual({ outcome: 'approved', turn: 4, error: null })
      const { items } = await client.listTurns({ worldSlug: TASK })
      expect(
        items.map(({ mode, playerDecision, coachDecision }) => [mode, playerDecision, coachDecision]),
      ).toEqual([
        ['fresh_start', 'failed', 'error'],
        ['recovering_state', 'failed', 'error'],
        ['recovering_state', 'implemented', 'error'],
        ['recovering_state', 'implemented', 'approved'],
      ])
      expect(items[0]?.playerSummary).toBe('The Player failed: the model is overloaded')
      expect(items[1]?.playerSummary).toMatch(
        /^The Player failed: player: playerSummary: .*; verifications: /,
      )
      expect(items[2]).toMatchObject({
        coachFeedback: 'The Coach failed: there is no verdict on this turn.',
        issues: [{ description: 'The Coach failed', details: { error: 'no verdict' } }],
      })
    })

    test('"Approve." is an approval, and an unknown decision is a failure of the Coach', async () => {
      const client = clientOf(handles.graph)
      const said = ['Approvd', 'Approve.']
      const coach = ({ turn }: CoachInput) => ({ coachDecision: said[turn - 1] })
      const player = () => ({ playerSummary: 'Built it' })
      const events = await played(runAutobuild({ client, world, task: null, player, coach, maxTurns: 5 }))
      expect(end(events)).toEqual({ outcome: 'approved', turn: 2, error: null })
      const failed = events.filter(({ type }) => type === 'agent_failed')
      expect(failed).toMatchObject([{ turn: 1, role: 'coach', error: { code: 'invalid_request' } }])
      const { items } = await client.listTurns({ worldSlug: TASK })
      expect(items).toMatchObject([
        {
          coachDecision: 'error',
          issues: [{ details: { error: expect.stringContaining('"Approvd": did you mean "approved"?') } }],
        },
        { coachDecision: 'approved', coachDecisionRaw: 'Approve.' },
      ])
    })

    test('an entry of a list that does not fit is left out and named, and the rest of the answer counts', async () => {
      const client = clientOf(handles.graph)
      const player = () => ({
        playerSummary: 'Built it',
        promises: [
          { criterionId: 'AC-1', status: 'complete', lines: 40 },
          { criterionId: 'AC-2', status: 'mostly' },
        ],
      })
      const failed = { command: ['npm', 'test'], exit_code: 1, started_at: '2026-01-02T00:00:00Z' }
      const coach = () => ({
        coach_decision: 'approved',
        verifications: [
          { criterion_id: 'AC-1', status: 'verified' },
          { criterion_id: 'AC-2', status: 'LGTM' },
          { criterion_id: 'AC-3', status: 'verified', observation: failed },
        ],
        issues: [
          { severity: 'minor', description: '' },
          { severity: 'minor', description: 'Name the sum', file: 'src/sum.ts' },
        ],
        acceptance_criteria_status: { 'AC-4.1': 'done', 'AC-5.1': 'LGTM' },
        extra: { model: 'm' },
      })
      const events = await played(runAutobuild({ client, world, task: null, player, coach, maxTurns: 1 }))
      expect(end(events)).toMatchObject({ outcome: 'approved', turn: 1 })
      const { items } = await client.listTurns({ worldSlug: TASK })
      expect(items).toMatchObject([
        {
          playerDecision: 'unknown',
          coachDecision: 'approved',
          promises: [{ criterionId: 'AC-1', status: 'complete' }],
          verifications: [{ criterionId: 'AC-1', status: 'verified' }],
          acceptanceCriteriaStatus: { 'AC-4.1': 'verified' },
          issues: [{ description: 'Name the sum' }],
          extra: {
            model: 'm',
            player_left_out: [
              expect.stringMatching(/^promises\[0\]\.lines: is not a known field/),
              expect.stringMatching(/^promises\[1\]\.status: "mostly"/),
            ],
            coach_left_out: [
              expect.stringMatching(/^acceptance_criteria_status\.AC-5\.1: "LGTM" is not known/),
              expect.stringMatching(/^verifications\[1\]\.status: "LGTM" is not known/),
              expect.stringMatching(/^issues\[1\]\.file: is not a known field/),
              expect.stringMatching(/^verifications\[1\]\.observation: says verified/),
              expect.stringMatching(/^issues\[0\]\.description: is empty/),
            ],
          },
        },
      ])
    })

    test('a Coach can record that git shows the modified files, and a Player that claims so fails', async () => {
      const client = clientOf(handles.graph)
      const claim = { playerSummary: 'Built it', filesModified: ['src/money.ts'] }
      const player = ({ turn }: PlayerInput) => (turn === 1 ? claim : { ...claim, filesSource: 'git' })
      const coach = () => ({ coachDecision: 'feedback', filesSource: 'git' })
      await played(runAutobuild({ client, world, task: null, player, coach, maxTurns: 2 }))
      const { items } = await client.listTurns({ worldSlug: TASK })
      expect(items).toMatchObject([
        { filesModified: claim.filesModified, filesSource: 'git' },
        { playerDecision: 'failed', filesModified: [], filesSource: null },
      ])
    })

    test('in a perspective reset turn the feedback of the Coach is shown to the Coach, but not to the Player', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      await played(
        runAutobuild({ client, world, task: '', ...roles(agents), maxTurns: 5, perspectiveResetTurns: [2] }),
      )
      expect(agents.contextOf('player', 2)).not.toContain('Not met')
      expect(agents.contextOf('player', 2)).toContain('✓ AC-001: verified')
      expect(agents.contextOf('coach', 2)).toContain('Not met: AC-002, AC-003')
      expect(agents.contextOf('player', 3)).toContain('Not met: AC-003')
    })

    test('an abort releases the turn without a capture, and the next start can take it immediately', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const abort = new AbortController()
      const coach = () => {
        abort.abort(new Error('enough'))
        return new Promise<never>(() => {})
      }
      const aborted = await played(
        runAutobuild({ client, world, task: '', ...roles(agents), coach, maxTurns: 5, signal: abort.signal }),
      )
      expect(end(aborted)).toEqual({ outcome: 'aborted', turn: 0, error: null })
      const [attempt] = (await client.listAttempts({ worldSlug: TASK })).items
      expect(attempt).toMatchObject({ status: 'failed', failureReason: 'aborted by its caller' })
      const again = await played(runAutobuild({ client, world, task: '', ...roles(agents), maxTurns: 5 }))
      expect(end(again)).toEqual({ outcome: 'approved', turn: 3, error: null })
      expect((await client.getTurn({ worldSlug: TASK, turnNumber: 1 })).mode).toBe('recovering_state')
    })

    test('a time-out of the caller ends the session, also if Node collects garbage before it', async () => {
      const client = clientOf(handles.graph)
      const agents = scriptedAgents()
      const coach = () => new Promise<never>(() => {})
      const play = () => {
        const signal = AbortSignal.timeout(2_000)
        return played(runAutobuild({ client, world, task: '', ...roles(agents), coach, maxTurns: 5, signal }))
      }
      const ended = play()
      await collectGarbage()
      expect(end(await ended)).toEqual({ outcome: 'aborted', turn: 0, error: null })
    })

    test('a caller that stops reading events releases the turn', async () => {
      const client = clientOf(handles.graph)
      for await (const event of runAutobuild({
        client,
        world,
        task: '',
        ...roles(scriptedAgents()),
        maxTurns: 5,
      })) {
        if (event.type === 'player') break
      }
      const [attempt] = (await client.listAttempts({ worldSlug: TASK })).items
      expect(attempt).toMatchObject({ status: 'failed', failureReason: 'the loop ended' })
    })

    test('a world with an active turn run of another caller ends the loop with busy', async () => {
      const client = clientOf(handles.graph)
      const other = await client.createWorld({ ...world, worldSlug: 'other', leaseTtlMs: 1_000 })
      await client.runTurn({ worldSlug: other.worldSlug, turnCount: 2 })
      const options = { client, task: '', ...roles(scriptedAgents()), maxTurns: 5 }
      const events = await played(runAutobuild({ ...options, world: { ...world, worldSlug: 'other' } }))
      expect(end(events)).toMatchObject({ outcome: 'error', error: { code: 'busy' } })
    })

    test('a world of another task, and one with another executor, are rejected by name', async () => {
      const client = clientOf(handles.graph)
      await client.createWorld({ featureId: FEATURE, taskId: 'TASK-2', worldSlug: 'theirs' })
      await client.createWorld({ ...world, worldSlug: 'run', executor: 'simulated' })
      const options = { client, task: '', ...roles(scriptedAgents()), maxTurns: 5 }
      for (const worldSlug of ['theirs', 'run']) {
        const events = await played(runAutobuild({ ...options, world: { ...world, worldSlug } }))
        expect(end(events)).toMatchObject({ outcome: 'error', turn: null, error: { code: 'world_conflict' } })
      }
    })

    test('the autobuild executor runs one round per attempt of a turn run, and recovers after a failed attempt', async () => {
      const agents = scriptedAgents()
      const seen: string[] = []
      let tasks = 0
      const executor = autobuildExecutor({
        ...roles(agents),
        task: (worldSlug) => {
          if (tasks++ === 0) throw new Error('no task yet')
          return `of ${worldSlug}`
        },
        onEvent: ({ type, worldSlug }) => seen.push(`${worldSlug} ${type}`),
      })
      const logged: string[] = []
      const runs = new TurnRuns({
        graph: handles.graph,
        instance: 'tests',
        executors: new Executors({ autobuild: executor }),
        log: { info: (_, message) => logged.push(message), warn: (_, message) => logged.push(message) },
      })
      const client = inProcessClient({ graph: handles.graph, project: PROJECT, runs })
      await client.createWorld({ ...world, worldSlug: 'w', executor: 'autobuild' })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 3, maxAttempts: 4 })
      await runs.idle()
      expect((await client.getTurnRunStatus({ turnRunId })).status).toBe('completed')
      const { items } = await client.listTurns({ worldSlug: 'w' })
      expect(items.map(({ mode, coachDecision }) => [mode, coachDecision])).toEqual([
        ['recovering_state', 'feedback'], // the first attempt failed
        ['continuing_work', 'feedback'],
        ['continuing_work', 'approved'],
      ])
      expect(seen.slice(0, 4)).toEqual(['w context', 'w player', 'w context', 'w coach'])
      expect(agents.contextOf('coach', 3)).toContain('**Promises recovered from turn 1**: 3')
      const recovery =
        'No completion_promises in current turn — recovered from player_turn_1.json (3 promises)'
      expect(logged).toEqual([recovery, recovery]) // before turns 2 and 3
    })

    test('each promise recovery of a loop is logged once, for its Coach', async () => {
      const logged: string[] = []
      const client = inProcessClient({
        graph: handles.graph,
        project: PROJECT,
        log: (message) => logged.push(message),
      })
      const agents = scriptedAgents()
      await played(runAutobuild({ client, world, task: 'build it', ...roles(agents), maxTurns: 5 }))
      const recovery =
        'No completion_promises in current turn — recovered from player_turn_1.json (3 promises)'
      expect(logged).toEqual([recovery, recovery]) // before turns 2 and 3
    })
  })
}
