import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { createTurngraphClient, type HttpTurngraphOptions } from '../../src/client/create.ts'
import {
  type AutobuildEvent,
  type CoachInput,
  type PlayerInput,
  runAutobuild,
} from '../../src/langchain/index.ts'
import { roles, scriptedAgents } from '../support/scripted-agents.ts'
import { restartable } from './http-restart.ts'
import { newFolder } from './http-start.ts'

const task = { featureId: 'FEAT-1', taskId: 'TASK-1' }
const world = { ...task, worldSlug: 'w', leaseTtlMs: 1_000 }

function clientOf(options: HttpTurngraphOptions): TurngraphClient {
  const client = createTurngraphClient({ retries: 0, log: () => {}, ...options })
  onTestFinished(() => client.close())
  return client
}

async function played(events: AsyncIterable<AutobuildEvent>): Promise<AutobuildEvent[]> {
  const all: AutobuildEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const contextsOf = (events: readonly AutobuildEvent[]) =>
  events
    .filter((event) => event.type === 'context')
    .map(({ turn, role, status }) => `${turn} ${role} ${status}`)

const storedOf = (events: readonly AutobuildEvent[]) =>
  events.filter((event) => event.type === 'captured').map(({ turn, stored }) => [turn, stored])

const end = (events: readonly AutobuildEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'finished' ? last : null
}

/** Runs `work` before the agent of that turn does its own. */
function justBefore<I extends { turn: number }>(
  agent: { invoke: (input: I) => Promise<unknown> },
  turn: number,
  work: () => Promise<unknown>,
) {
  return async (input: I) => {
    if (input.turn === turn) await work()
    return agent.invoke(input)
  }
}

describe('the loop, while the service is away', () => {
  test('it continues with known data, reports this, and stores everything once and in order', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    const agents = scriptedAgents()
    const player = justBefore<PlayerInput>(agents.player, 2, service.down)
    const coach = justBefore<CoachInput>(agents.coach, 3, async () => {
      await sleep(1_200) // longer than the lease that turn 2 was held under
      await service.up()
    })
    const events = await played(runAutobuild({ client, world, task: '', player, coach, maxTurns: 6 }))
    expect(end(events)).toMatchObject({ outcome: 'approved', turn: 3, error: null })
    expect(contextsOf(events)).toEqual([
      '1 player first_turn',
      '1 coach first_turn',
      '2 player ok',
      '2 coach last_known',
      '3 player last_known',
      '3 coach last_known',
    ])
    expect(storedOf(events)).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ])
    const third = agents.contextOf('player', 3)
    expect(third).toContain('**Memory unavailable** (store_unavailable). This is turn 3.')
    expect(third).toContain('**Feedback**: Not met: AC-003')
    expect(third).toContain('✓ AC-001: verified')
    expect(third).not.toContain('its test passes')
    const { items } = await client.listTurns({ worldSlug: 'w' })
    expect(items.map(({ turnNumber, coachDecision }) => [turnNumber, coachDecision])).toEqual([
      [1, 'feedback'],
      [2, 'feedback'],
      [3, 'approved'],
    ])
    for (const { turnNumber } of items) {
      const history = await client.getTurnHistory({ worldSlug: 'w', turnNumber })
      expect(history.items, 'no turn was written twice').toEqual([])
    }
  })

  test('without a spool no turn starts, and finished work waits for the service', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token })
    const agents = scriptedAgents()
    const coach = justBefore<CoachInput>(agents.coach, 1, async () => {
      await service.down()
      setTimeout(() => void service.up(), 1_500)
    })
    const events = await played(
      runAutobuild({ ...roles(agents), client, world, task: '', coach, maxTurns: 6 }),
    )
    expect(end(events)).toMatchObject({ outcome: 'approved', turn: 3, error: null })
    expect(storedOf(events).every(([, stored]) => stored)).toBe(true)
  })

  test('a lease that expired during the outage is taken again, if no other caller has the turn', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    const agents = scriptedAgents()
    const player = justBefore<PlayerInput>(agents.player, 2, async () => {
      await service.down()
      await sleep(2_200) // the lease, and its grace
      await service.up()
      await sleep(2_500) // for the sweep that ends the attempt, and the renewal that learns of it
    })
    const events = await played(
      runAutobuild({ ...roles(agents), client, world, task: '', player, maxTurns: 6 }),
    )
    expect(end(events)).toMatchObject({ outcome: 'approved', turn: 3, error: null })
    const { items: attempts } = await client.listAttempts({ worldSlug: 'w' })
    expect(attempts.map(({ attemptedTurn, status }) => [attemptedTurn, status])).toEqual([
      [3, 'committed'],
      [2, 'committed'],
      [2, 'interrupted'],
      [1, 'committed'],
    ])
  })

  test('if another caller has taken over a turn, the loop ends and writes nothing', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token })
    const other = clientOf({ url: service.url, token: service.token })
    const agents = scriptedAgents()
    const player = justBefore<PlayerInput>(agents.player, 2, async () => {
      await service.down()
      await sleep(2_200) // the lease, and its grace
      await service.up()
      await expect
        .poll(
          () =>
            other
              .runTurn({ worldSlug: 'w' })
              .then(({ attemptId = '' }) => other.claimAttempt({ attemptId, workerId: 'other' }))
              .then(
                () => true,
                () => false,
              ),
          { timeout: 10_000 },
        )
        .toBe(true)
      await sleep(60_000)
    })
    const events = await played(
      runAutobuild({ ...roles(agents), client, world, task: '', player, maxTurns: 6 }),
    )
    expect(end(events)).toMatchObject({ outcome: 'error', turn: 1, error: { code: 'lease_lost' } })
    expect((await other.getWorld({ worldSlug: 'w' })).currentTurn).toBe(1)
  })

  test('a loop that starts while the service is away reports a missing context, not an empty one', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token })
    const agents = scriptedAgents()
    await played(runAutobuild({ ...roles(agents), client, world, task: '', maxTurns: 2 }))
    await service.down()
    const again = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    const events: AutobuildEvent[] = []
    for await (const event of runAutobuild({
      ...roles(agents),
      client: again,
      world,
      task: '',
      maxTurns: 6,
    })) {
      events.push(event)
      if (event.type === 'waiting') await service.up()
    }
    expect(events[0]).toMatchObject({ type: 'context', status: 'dark', continuation: null })
    const [dark] = events
    expect(dark?.type === 'context' && dark.context).toMatch(
      /^\*\*Memory unavailable\*\* \(store_unavailable\)\. What was tried .* do not take this for a first turn/,
    )
    expect(events[1]?.type).toBe('waiting')
    expect(end(events)).toMatchObject({ outcome: 'approved', turn: 3 })
    expect(agents.asked.filter(({ context }) => context === null).map(({ turn }) => turn)).toEqual([1, 1])
  })

  test('a spool with turns of the session gives the next turn: the loop continues without the service', async () => {
    const service = await restartable()
    const folder = newFolder()
    const agents = scriptedAgents()
    const first = clientOf({ url: service.url, token: service.token, spool: folder })
    const coach = justBefore<CoachInput>(agents.coach, 2, service.down)
    await played(runAutobuild({ ...roles(agents), client: first, world, task: '', coach, maxTurns: 2 }))
    await first.close()
    const second = clientOf({ url: service.url, token: service.token, spool: folder })
    const backFor = justBefore<CoachInput>(agents.coach, 3, service.up)
    const events = await played(
      runAutobuild({ ...roles(agents), client: second, world: task, task: '', coach: backFor, maxTurns: 6 }),
    )
    expect(contextsOf(events)[0]).toBe('3 player dark')
    expect(agents.contextOf('player', 3)).toContain('## Previous Turn Summary (Turn 2)')
    expect(agents.contextOf('player', 3)).toContain('do not take this for a first turn')
    const { items } = await second.listTurns({ worldSlug: 'w' })
    expect(items.map(({ turnNumber }) => turnNumber).slice(0, 3)).toEqual([1, 2, 3])
    expect(end(events)?.outcome).toBe('approved')
  })

  test('a turn that was refused before the start does not keep the loop from starting without the service', async () => {
    const service = await restartable()
    const client = clientOf({ url: service.url, token: service.token, spool: newFolder() })
    const turn = (turnNumber: number, playerSummary: string) =>
      ({ ...task, worldSlug: 'w', project: 'default', turnNumber, playerSummary }) as const
    await service.down()
    await expect(client.captureTurnState(turn(1, 'mine'))).rejects.toMatchObject({
      details: { spooled: true },
    })
    await service.up()
    await clientOf({ url: service.url, token: service.token }).captureTurnState(turn(1, 'theirs'))
    expect(await (await client.spool())?.replay()).toMatchObject({ refused: 1, waiting: 0 })
    await service.down()
    await expect(client.captureTurnState(turn(2, 'mine'))).rejects.toMatchObject({
      details: { spooled: true },
    })
    const agents = scriptedAgents()
    const coach = justBefore<CoachInput>(agents.coach, 3, service.up)
    const events = await played(
      runAutobuild({ ...roles(agents), client, world: task, task: '', coach, maxTurns: 3 }),
    )
    expect(events[0]).toEqual({ type: 'session', worldSlug: 'w', currentTurn: 2 })
    expect(end(events)).toMatchObject({ outcome: 'max_turns', turn: 3, error: null })
    expect((await client.listTurns({ worldSlug: 'w' })).items).toHaveLength(3)
  })

  test('the same program continues the turn after a kill, and another one waits for the lease', async () => {
    const service = await restartable()
    const folder = newFolder()
    const first = clientOf({ url: service.url, token: service.token, spool: folder })
    await first.createWorld({ ...world, leaseTtlMs: 4_000 })
    const claim = async (client: TurngraphClient) => {
      const { attemptId = '' } = await client.runTurn({ worldSlug: 'w' })
      await client.claimAttempt({ attemptId, workerId: await client.workerId() })
      return attemptId
    }
    const attemptId = await claim(first)
    await first.close()
    const same = clientOf({ url: service.url, token: service.token, spool: folder })
    const agents = scriptedAgents()
    const taken = await played(runAutobuild({ ...roles(agents), client: same, world, task: '', maxTurns: 1 }))
    expect(taken.find(({ type }) => type === 'turn')).toMatchObject({ turn: 1, attemptId })
    expect(taken.some(({ type }) => type === 'waiting')).toBe(false)
    expect((await same.getTurn({ worldSlug: 'w', turnNumber: 1 })).mode).toBe('recovering_state')

    await claim(same)
    const other = clientOf({ url: service.url, token: service.token })
    const waited = await played(
      runAutobuild({ ...roles(agents), client: other, world, task: '', maxTurns: 2 }),
    )
    expect(waited.map(({ type }) => type).slice(0, 3)).toEqual(['session', 'waiting', 'turn'])
    expect(end(waited)).toMatchObject({ outcome: 'max_turns', turn: 2 })
    expect((await other.getTurn({ worldSlug: 'w', turnNumber: 2 })).mode).toBe('recovering_state')
  })
})
