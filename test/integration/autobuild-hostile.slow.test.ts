import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { createTurngraphClient, type HttpTurngraphOptions } from '../../src/client/create.ts'
import {
  type AutobuildEvent,
  type AutobuildOptions,
  type CoachInput,
  type PlayerInput,
  runAutobuild,
} from '../../src/langchain/index.ts'
import { type Fate, flakyProxy } from './flaky-proxy.ts'
import { newFolder, start } from './http-start.ts'

/** Networks that lose answers, hang, and recover at the worst moment. */

const world = { featureId: 'F', taskId: 'T', worldSlug: 'w', leaseTtlMs: 1_000 }
const player = ({ turn }: PlayerInput) => ({ playerSummary: `mine ${turn}` })
const coach = ({ turn }: CoachInput) => ({ coachDecision: turn === 3 ? 'approved' : 'feedback' })

function clientOf(options: HttpTurngraphOptions): TurngraphClient {
  const client = createTurngraphClient({ retries: 0, log: () => {}, ...options })
  onTestFinished(() => client.close())
  return client
}

async function service(fateOf: (request: { method: string; url: string }) => Fate | Promise<Fate>) {
  const { service: direct, token } = await start()
  const url = await flakyProxy(direct.url, fateOf)
  return { url, token, direct: clientOf({ url: direct.url, token }) }
}

async function played(options: Partial<AutobuildOptions> & { client: TurngraphClient }) {
  const events: AutobuildEvent[] = []
  for await (const event of runAutobuild({ world, task: '', player, coach, maxTurns: 5, ...options })) {
    events.push(event)
  }
  const last = events.at(-1)
  if (last?.type !== 'finished') throw new Error('it has not finished')
  return { events, last }
}

const stored = async (client: TurngraphClient, worldSlug = 'w') =>
  (await client.listTurns({ worldSlug })).items.map(({ playerSummary }) => playerSummary)

const attemptsIn = async (client: TurngraphClient) =>
  (await client.listAttempts({ worldSlug: 'w' })).items.map(
    ({ attemptedTurn, status }) => `${attemptedTurn} ${status}`,
  )

const limited: Fate = {
  status: 429,
  body: {
    error: { code: 'rate_limited', message: 'Too many.', hint: null, details: null, request_id: null },
  },
}

describe('a network at its worst', () => {
  test('the loop waits if the service rejects calls for their rate, whichever calls these are', async () => {
    const asked = new Set<string>()
    const { url, token, direct } = await service(({ method, url: path }) => {
      const call = `${method} ${path.replace(/[0-9a-f-]{36}/, 'ID')}`
      if (asked.has(call)) return undefined
      asked.add(call)
      return limited
    })
    const { last } = await played({
      client: clientOf({ url, token }),
      world: { ...world, leaseTtlMs: 60_000 },
      maxTurns: 2,
    })
    expect(last).toMatchObject({ outcome: 'max_turns', turn: 2, error: null })
    expect(await stored(direct)).toEqual(['mine 1', 'mine 2'])
    expect([...asked]).toEqual(
      expect.arrayContaining([expect.stringContaining('role=coach'), expect.stringContaining('stall')]),
    )
  })

  test('a Player works on if calls are rejected for their rate, and its half of the turn is returned at the end', async () => {
    let isLost = false
    let isLimited = false
    const { url, token } = await service(({ url: path }) => {
      if (isLost && path.endsWith('/heartbeat')) {
        isLimited = true
        const error = { code: 'lease_lost', message: 'gone', hint: null, details: null, request_id: null }
        return { status: 409, body: { error } }
      }
      return isLimited ? limited : undefined
    })
    const { events, last } = await played({
      client: clientOf({ url, token }),
      patienceMs: 0,
      player: async (input) => {
        isLost = true
        await expect.poll(() => isLimited, { timeout: 10_000 }).toBe(true)
        await sleep(500) // for the claim that follows the lost lease
        return player(input)
      },
    })
    expect(events.map(({ type }) => type)).toContain('player')
    expect(last).toMatchObject({ outcome: 'error', turn: 0, error: { code: 'rate_limited' } })
    expect(last.unsaved).toMatchObject({ playerSummary: 'mine 1', mode: 'fresh_start' })
  })

  test('no turn is written over one that another caller wrote during the outage', async () => {
    let away = false
    const { url, token, direct } = await service(() => (away ? 'refuse' : undefined))
    const client = clientOf({ url, token, spool: newFolder() })
    const { last } = await played({
      client,
      player: async (input) => {
        if (input.turn === 2) away = true
        if (input.turn === 3) {
          await expect
            .poll(
              async () => {
                const { attemptId = '' } = await direct.runTurn({ worldSlug: 'w' })
                const { fence } = await direct.claimAttempt({ attemptId, workerId: 'other' })
                await direct.commitAttempt({ attemptId, fence, turn: { playerSummary: 'theirs 2' } })
                return true
              },
              { timeout: 20_000 },
            )
            .toBe(true)
          away = false
          await sleep(3_000) // the spool sends automatically, and is rejected
        }
        return player(input)
      },
    })
    expect(last).toMatchObject({ outcome: 'error', error: { code: 'turn_conflict' } })
    expect(last.unsaved).toMatchObject({ playerSummary: 'mine 3' })
    expect(await stored(direct)).toEqual(['mine 1', 'theirs 2'])
  })

  test('a stored commit whose answer was lost is not reported as a lost lease', async () => {
    let until = 0
    let dropped = false
    const { url, token, direct } = await service(({ url: path }) => {
      if (!path.endsWith('/commit')) return undefined
      if (!dropped) {
        dropped = true
        until = performance.now() + 1_500 // heartbeats come in between
        return 'lose the answer'
      }
      return performance.now() < until ? 'refuse' : undefined
    })
    const { last } = await played({ client: clientOf({ url, token }) })
    expect(last).toMatchObject({ outcome: 'approved', turn: 3, error: null })
    expect(await stored(direct)).toEqual(['mine 1', 'mine 2', 'mine 3'])
    expect(await attemptsIn(direct)).toEqual(['3 committed', '2 committed', '1 committed'])
  })

  test('if the service rejects a record, the loop captures, reports and remembers the failure', async () => {
    let isRejected = false
    const { url, token, direct } = await service(({ url: path }) => {
      if (isRejected || !path.endsWith('/commit')) return undefined
      isRejected = true
      const error = { code: 'too_large', message: 'Too long.', hint: null, details: null, request_id: null }
      return { status: 413, body: { error } }
    })
    const { events, last } = await played({ client: clientOf({ url, token }), maxTurns: 2 })
    expect(last).toMatchObject({ outcome: 'max_turns', turn: 2, unsaved: null })
    const captured = events.filter(({ type }) => type === 'captured')
    const failure = 'The Player failed: Too long.'
    expect(captured).toMatchObject([
      { stored: true, record: { playerSummary: failure, coachDecision: 'error' } },
      { stored: true, record: { playerSummary: 'mine 2', mode: 'recovering_state' } },
    ])
    expect(await stored(direct)).toEqual([failure, 'mine 2'])
  })

  test('if the spool is full, the record is returned, and no failure is captured in its place', async () => {
    let away = false
    const { url, token } = await service(() => (away ? 'refuse' : undefined))
    const client = clientOf({ url, token, spool: { folder: newFolder(), maxBytes: 6_000 } })
    const { last } = await played({
      client,
      player: ({ turn }) => {
        away = true
        return { playerSummary: `mine ${turn}${' and more'.repeat(turn === 2 ? 1_000 : 0)}` }
      },
    })
    expect(last).toMatchObject({ outcome: 'error', turn: 1, error: { code: 'too_large' }, waiting: 1 })
    expect(last.unsaved).toMatchObject({ playerSummary: expect.stringMatching(/^mine 2 and more/) })
  })

  test('a turn that is taken again while the loop ends is released, and no renewal continues after the loop', async () => {
    let phase: 'working' | 'lost' | 'over' = 'working'
    let beats = 0
    const { url, token, direct } = await service(async ({ url: path }) => {
      if (path.endsWith('/heartbeat')) {
        if (phase === 'over') beats++
        if (phase !== 'lost') return undefined
        return {
          status: 409,
          body: {
            error: { code: 'lease_lost', message: 'gone', hint: null, details: null, request_id: null },
          },
        }
      }
      if (phase === 'lost' && path.endsWith('/claim')) await sleep(1_000)
      return undefined
    })
    const abort = new AbortController()
    const { last } = await played({
      client: clientOf({ url, token, workerId: 'me' }),
      signal: abort.signal,
      player: () => {
        phase = 'lost'
        setTimeout(() => abort.abort(), 700)
        return new Promise(() => {})
      },
    })
    phase = 'over'
    expect(last.outcome).toBe('aborted')
    await sleep(1_500)
    expect(beats).toBe(0)
    expect(await attemptsIn(direct)).not.toContain('1 running')
  })

  test('an own attempt whose claim was never answered does not block the loop', async () => {
    let lost = false
    const { url, token, direct } = await service(({ url: path }) => {
      if (lost || !path.endsWith('/claim')) return undefined
      lost = true
      return 'lose the answer'
    })
    const client = clientOf({ url, token, spool: newFolder() })
    const { last } = await played({ client, patienceMs: 500, world: { ...world, leaseTtlMs: 60_000 } })
    expect(last).toMatchObject({ outcome: 'approved', turn: 3 })
    expect(await stored(direct)).toEqual(['mine 1', 'mine 2', 'mine 3'])
  })

  test('if an attempt ended before its claim, the loop starts another one', async () => {
    let refusals = 0
    const { url, token, direct } = await service(({ url: path }) => {
      if (!path.endsWith('/claim') || refusals++ % 2 === 1) return undefined
      const error = {
        code: 'lease_lost',
        message: 'Attempt is interrupted.',
        hint: null,
        details: null,
        request_id: null,
      }
      return { status: 409, body: { error } }
    })
    const { last } = await played({ client: clientOf({ url, token }) })
    expect(last).toMatchObject({ outcome: 'approved', turn: 3, error: null })
    expect(await stored(direct)).toEqual(['mine 1', 'mine 2', 'mine 3'])
  })

  test('verified criteria stay in the context, however many turns the service is away', async () => {
    let away = false
    const { url, token, direct } = await service(() => (away ? 'refuse' : undefined))
    const ids = Array.from({ length: 8 }, (_, i) => `AC-${i + 1}`)
    const built = (context: string | null) => ids.find((id) => !context?.includes(`✓ ${id}: verified`))
    const { last } = await played({
      client: clientOf({ url, token, spool: newFolder() }),
      maxTurns: 12,
      player: ({ context, turn }) => {
        if (turn === 2) away = true
        if (turn === 7) away = false
        return { playerSummary: `Built ${built(context)}` }
      },
      coach: ({ context, player: report }) => {
        const id = (report as { playerSummary: string }).playerSummary.slice('Built '.length)
        const left = ids.filter((other) => other !== id && !context?.includes(`✓ ${other}: verified`))
        return {
          coachDecision: left.length === 0 ? 'approved' : 'feedback',
          acceptanceCriteriaStatus: { [id]: 'verified' },
        }
      },
    })
    expect(last).toMatchObject({ outcome: 'approved', turn: 8 })
    expect(await stored(direct)).toEqual(ids.map((id) => `Built ${id}`))
  })

  test('a perspective reset and the budget of contexts also apply while the service is away', async () => {
    let away = false
    const { url, token } = await service(() => (away ? 'refuse' : undefined))
    const seen: (string | null)[] = []
    await played({
      client: clientOf({ url, token, spool: newFolder() }),
      perspectiveResetTurns: [4],
      maxTurns: 4,
      tokenBudget: 300,
      player: ({ context, turn }) => {
        seen.push(context)
        if (turn === 3) away = true
        return { playerSummary: `mine ${turn}. ${'It was long. '.repeat(300)}` }
      },
      coach: ({ turn }) => ({
        coachDecision: 'feedback',
        coachFeedback: `SECRET ${turn}`,
        issues: [{ severity: 'blocking', description: `ISSUE ${turn}` }],
      }),
    })
    const [, , third, fourth] = seen
    expect(third).toContain('SECRET 2')
    expect(fourth).toContain('**Memory unavailable**')
    expect(fourth).toContain('mine 3')
    expect(fourth).not.toMatch(/SECRET|ISSUE/)
    expect((fourth?.length ?? 0) / 3).toBeLessThan(400)
  })

  test('a service that hangs does not delay an abort', async () => {
    let hangs = false
    let asked: string[] = []
    const { url, token } = await service(({ url: path }) => {
      asked.push(path)
      return hangs ? 'hang' : undefined
    })
    const abort = new AbortController()
    const client = clientOf({ url, token, timeoutMs: 600_000, retries: 3 })
    const { last } = await played({
      client,
      signal: abort.signal,
      player: (input) => {
        hangs = true
        setTimeout(() => {
          asked = []
          abort.abort()
        }, 200)
        return player(input)
      },
    })
    expect(last.outcome).toBe('aborted')
    expect(asked, 'one try to give the turn back').toEqual([expect.stringMatching(/\/fail$/)])
  })

  test('two loops of one client do not enter the same world', async () => {
    const { url, token, direct } = await service(() => undefined)
    const client = clientOf({ url, token })
    const first = played({ client, player: (input) => sleep(300).then(() => player(input)) })
    await expect
      .poll(() =>
        direct.getWorld({ worldSlug: 'w' }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await sleep(100)
    const second = await played({ client })
    expect(second.last).toMatchObject({ outcome: 'error', error: { code: 'busy' } })
    expect((await first).last).toMatchObject({ outcome: 'approved', turn: 3 })
    expect((await played({ client })).last.outcome, 'it may be entered again').toBe('approved')
  })
})

describe('mistakes', () => {
  const { url } = { url: 'http://127.0.0.1:1' }
  const client = createTurngraphClient({ url, retries: 0 })
  const options = { client, world: { featureId: 'F', taskId: 'T' }, task: '', player, coach, maxTurns: 3 }

  test.each([
    ['options', undefined],
    ['client', { ...options, client: {} }],
    ['player', { ...options, player: 'claude' }],
    ['maxTurns', { ...options, maxTurns: 0 }],
    ['maxTurns', { ...options, maxTurns: Number.NaN }],
    ['world.featureId', { ...options, world: { taskId: 'T' } }],
    ['world.slug', { ...options, world: { ...options.world, slug: 'mine' } }],
    ['token_budget', { ...options, token_budget: 500 }],
    ['signal', { ...options, signal: new AbortController() }],
    ['config', { ...options, config: 'x' }],
  ])('of the loop: %s', (field, given) => {
    expect(() => runAutobuild(given as never)).toThrow(field)
    expect(() => runAutobuild(given as never)).toThrow(
      expect.objectContaining({ name: 'TurngraphError', code: 'invalid_request' }),
    )
  })

  test.each([
    [undefined],
    [{}],
    [{ url: 'nowhere' }],
    [{ url, retries: -1 }],
    [{ url, timeout: 5 }],
    [{ url, spool: 3 }],
    [{ url, spool: {} }],
    [{ store: 3 }],
    [{ store: 'embedded:memory', url }],
  ])('of the client: %j', (given) => {
    expect(() => createTurngraphClient(given as never)).toThrow(
      expect.objectContaining({ name: 'TurngraphError', code: 'invalid_request' }),
    )
  })

  test('every form of a closed client reports that it is closed, not that the service is away', async () => {
    for (const closed of [
      createTurngraphClient({ url }),
      createTurngraphClient({ url, spool: newFolder() }),
      createTurngraphClient({ store: 'embedded:memory' }),
    ]) {
      await closed.close()
      await expect(closed.getWorld({ worldSlug: 'w' })).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'The client is closed.',
      })
      const { last } = await played({ client: closed })
      expect(last).toMatchObject({ outcome: 'error', error: { code: 'invalid_request' } })
    }
  })

  test('any value that agents throw or return is captured', async () => {
    const own = createTurngraphClient({ store: 'embedded:memory' })
    onTestFinished(() => own.close())
    const cyclic: Record<string, unknown> = { playerSummary: 'x' }
    cyclic.extra = cyclic
    const many = (who: string) => Array.from({ length: 600 }, (_, i) => `${who} ${i}`)
    const outputs: (() => unknown)[] = [
      () => {
        throw new Error('binary \0 out')
      },
      () => {
        throw Object.create(null)
      },
      () => {
        throw Object.assign(new Error('x'), { message: { deep: true } })
      },
      () => 'Done!',
      () => undefined,
      () => cyclic,
      () => ({ playerSummary: 'x', extra: { dump: 'y'.repeat(2 ** 20) } }),
      () => ({ playerSummary: 'a\0b' }),
      () => ({ playerSummary: 'fine', lessonsFromTurn: many('player') }),
    ]
    const { events, last } = await played({
      client: own,
      maxTurns: outputs.length,
      stopOnStall: false,
      player: ({ turn }) => outputs[turn - 1]?.(),
      coach: () => ({ coachDecision: 'feedback', lessonsFromTurn: many('coach') }),
    })
    expect(last).toMatchObject({ outcome: 'max_turns', turn: outputs.length, error: null })
    const failed = events.filter(({ type }) => type === 'agent_failed')
    expect(failed).toHaveLength(outputs.length - 1)
    const { items } = await own.listTurns({ worldSlug: 'w' })
    expect(items.map(({ playerSummary }) => playerSummary.slice(0, 60))).toEqual([
      'The Player failed: binary \u{FFFD} out',
      'The Player failed: it threw what has no text',
      'The Player failed: [object Object]',
      expect.stringMatching(/^The Player failed: player: the output must be an object/),
      expect.stringMatching(/^The Player failed: player: the output must be an object/),
      expect.stringMatching(/^The Player failed: player: the output must be plain data/),
      expect.stringMatching(/^The Player failed: player: the output is larger than 480 KiB/),
      expect.stringMatching(/^The Player failed: player: playerSummary: holds a NUL/),
      'fine',
    ])
    expect(items.at(-1)?.lessonsFromTurn).toHaveLength(1_000)
  })
})
