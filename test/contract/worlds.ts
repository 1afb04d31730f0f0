import { describe, expect, test } from 'vitest'
import { nodes } from '../../src/graph/model/nodes.ts'
import { createWorld } from '../../src/memory/worlds/worlds.ts'
import { countsOf } from '../support/graph-dump.ts'
import {
  aContext,
  aTurn,
  captureSteadily,
  clientOf,
  FEATURE,
  PROJECT,
  TASK,
  type TurnToSend,
} from '../support/records.ts'
import { rolledBack } from '../support/rolled-back.ts'
import { findingsOf, plant } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Some of the properties that a list of worlds reads. */
const SHOWN = [
  'taskId',
  'executor',
  'leaseTtlMs',
  'resume',
  'createdAt',
  'turnCount',
  'state',
  'hasProofFiles',
]

/**
 * Worlds with a damaged node. Runs on one engine only: `worldsContract` and `doctorContract` run the same statements on every
 * engine.
 */
export function damagedWorldsContract(store: StoreUnderTest): void {
  describe('a damaged world', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test.each([
      ['a text that is no state', "'{'"],
      ['a state without its progress', "'[[],1]'"],
      ['a state that is not a text', '7'],
      ['the state of another turn', 'null'],
    ])(
      'with %s, a world is listed as damaged with the remedy, and the others as they are',
      async (_, text) => {
        const { graph } = handles
        await captureSteadily(graph, aTurn(1, { worldSlug: 'whole' }))
        await captureSteadily(graph, aTurn(1, { taskId: 'TASK-2', worldSlug: 'damaged' }))
        await plant(graph, `MATCH (w:World {slug: 'damaged'}) SET w.state = ${text}`)
        const { items } = await client().listWorlds({})
        expect(items.map(({ worldSlug, currentTurn, outcome }) => [worldSlug, currentTurn, outcome])).toEqual(
          [
            ['damaged', 1, 'damaged: run `turngraph doctor --repair`'],
            ['whole', 1, expect.stringMatching(/^(running|abandoned)$/)],
          ],
        )
        const error = {
          message:
            text === 'null'
              ? 'The graph repeatedly answered with half of a commit.'
              : 'The stored data of world damaged is damaged.',
          hint: expect.stringContaining('`turngraph doctor --repair`'),
        }
        const place = { taskId: 'TASK-2', worldSlug: 'damaged' }
        await expect(client().loadTurnContinuationContext(aContext(2, place))).rejects.toMatchObject(error)
        await expect(client().getWorld({ worldSlug: 'damaged' })).rejects.toMatchObject(error)
        await expect(client().captureTurnState(aTurn(2, place))).rejects.toMatchObject(error)
        await findingsOf(graph, null, { repair: true })
        expect(await client().getWorld({ worldSlug: 'damaged' })).toMatchObject({
          outcome: items[1]?.outcome,
        })
      },
    )

    test('a value of an undeclared type damages only its own world, in each list and order', async () => {
      const { graph } = handles
      for (const place of [
        { worldSlug: 'whole' },
        { worldSlug: 'before', taskId: 'TASK-2' },
        { worldSlug: 'damaged', taskId: 'TASK-2' },
      ])
        await captureSteadily(graph, aTurn(1, place))
      const damaged = 'damaged: run `turngraph doctor --repair`'
      const sentence = 'The stored data of damaged is damaged: run `turngraph doctor --repair`.'
      for (const [name, property] of Object.entries(nodes.World.properties.shape)) {
        // Lists find and order worlds by these values.
        if (['key', 'project', 'slug', 'deletedAt', 'lastActivityAt'].includes(name)) continue
        const fault = property.safeParse(7).success ? "'x'" : '7'
        const { lists, attention, step } = await rolledBack(graph, async (held) => {
          await plant(held, `MATCH (w:World {slug: 'damaged'}) SET w.${name} = ${fault}`)
          const lists = []
          for (const filter of [{}, { order: 'last_activity' as const }, { search: 'e' }])
            lists.push((await clientOf(held).listWorlds(filter)).items)
          expect((await clientOf(held).listWorlds({ running: true })).items).toEqual([])
          const step = await clientOf(held)
            .getNextStep({ worldSlug: 'damaged' })
            .catch((error: unknown) => error)
          return { lists, attention: (await clientOf(held).listAttention({})).items, step }
        })
        const outcomes = lists.map((items) =>
          Object.fromEntries(items.map(({ worldSlug, outcome }) => [worldSlug, outcome])),
        )
        const [{ damaged: outcome } = {}] = outcomes
        if (SHOWN.includes(name)) {
          expect(outcome, name).toBe(damaged)
          expect(step, name).toMatchObject({ hint: expect.stringContaining('`turngraph doctor') })
        }
        const usual = { whole: 'abandoned', before: 'abandoned' }
        for (const found of outcomes) expect(found, name).toEqual({ ...usual, damaged: outcome })
        expect(attention.flatMap(({ worldSlug, reason }) => (worldSlug === 'whole' ? [reason] : []))).toEqual(
          ['abandoned'],
        )
        expect(attention.filter(({ reason }) => reason === 'damaged')).toMatchObject(
          outcome === damaged
            ? [{ worldSlug: 'damaged', turn: name === 'currentTurn' ? 0 : 1, sentence }]
            : [],
        )
      }
    })
  })
}

/** Worlds: the default world of a capture, the slugs, and deleted worlds. */
export function worldsContract(store: StoreUnderTest): void {
  describe('worlds', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const task = { featureId: FEATURE, taskId: TASK }

    test.each([
      ['TASK-SKEL-004', 'TASK-SKEL-004'],
      ['a.b_c-D9', 'a.b_c-D9'],
      ['a/b c%é\u{1f600}', 'a%2Fb%20c%25%C3%A9%F0%9F%98%80'],
      ['..', '..'],
      ['täsk', 't%C3%A4sk'],
    ])('the first world of task %s is called %s', async (taskId, worldSlug) => {
      expect(await client().captureTurnState(aTurn(1, { taskId }))).toMatchObject({ worldSlug, taskId })
      const shown = await client().loadTurnContinuationContext(aContext(2, { taskId, worldSlug }))
      expect(shown).toMatchObject({ status: 'ok', worldSlug, previousTurn: 1 })
    })

    test('further worlds of a task are numbered', async () => {
      const slugs = []
      for (let i = 0; i < 3; i++) slugs.push((await client().createWorld(task)).worldSlug)
      expect(slugs).toEqual(['TASK-1', 'TASK-1.2', 'TASK-1.3'])
    })

    test('if another task has the slug, the feature is its prefix', async () => {
      const first = await client().captureTurnState(aTurn(1))
      const second = await client().captureTurnState(aTurn(1, { featureId: 'FEAT 2' }))
      const third = await client().createWorld({ featureId: 'FEAT 2', taskId: TASK })
      const again = await client().captureTurnState(
        aTurn(2, { featureId: 'FEAT 2', worldSlug: second.worldSlug }),
      )
      expect([first, second, third, again].map(({ worldSlug }) => worldSlug)).toEqual([
        'TASK-1',
        'FEAT%202.TASK-1',
        'TASK-1.2',
        'FEAT%202.TASK-1',
      ])
    })

    test('a world of another task is rejected, and no node of the requested task stays', async () => {
      await client().createWorld({ ...task, worldSlug: 'one' })
      const before = await countsOf(handles.graph)
      const other = { featureId: 'FEAT-9', taskId: 'TASK-9', worldSlug: 'one' }
      for (const declared of [{}, { criteria: [{ text: 'The build is green' }] }])
        await expect(client().createWorld({ ...other, ...declared })).rejects.toMatchObject({
          code: 'world_conflict',
          details: { fields: ['task_id'] },
        })
      expect(await countsOf(handles.graph)).toEqual(before)
    })

    test('a capture skips a default slug that a deleted world of the task has', async () => {
      const named = { featureId: FEATURE, taskId: TASK, worldSlug: `${TASK}.2` }
      await client().createWorld(named)
      await client().deleteWorld({ worldSlug: named.worldSlug })
      const { worldSlug } = await client().captureTurnState(aTurn(1))
      expect(worldSlug).toBe(`${TASK}.3`)
    })

    test('tasks of one name that are captured in parallel get their own worlds', async () => {
      const features = ['A', 'B', 'C', 'D']
      const turns = await Promise.all(
        features.map((featureId) => client().captureTurnState(aTurn(1, { featureId }))),
      )
      expect(turns.map(({ featureId }) => featureId)).toEqual(features)
      expect(new Set(turns.map(({ worldSlug }) => worldSlug)).size).toBe(4)
      for (const { featureId, worldSlug } of turns) {
        expect(await client().getWorld({ worldSlug })).toMatchObject({ featureId, currentTurn: 1 })
      }
    })

    test('a capture is stored in the newest world: by its latest completed turn, then by its creation', async () => {
      const capture = async (turn: Parameters<typeof aTurn>[1]) =>
        (await client().captureTurnState(aTurn(9, turn))).worldSlug
      await client().captureTurnState(aTurn(1, { worldSlug: 'early', completedAt: '2026-01-01T00:00:00Z' }))
      await client().captureTurnState(aTurn(1, { worldSlug: 'late', completedAt: '2026-05-01T00:00:00Z' }))
      await client().captureTurnState(aTurn(1, { worldSlug: 'middle', completedAt: '2026-03-01T00:00:00Z' }))
      expect(await capture({ completedAt: '2026-01-02T00:00:00Z' })).toBe('late')
      const shown = await client().loadTurnContinuationContext(aContext(2))
      expect(shown.worldSlug).toBe('late')
      await client().captureTurnState(aTurn(2, { worldSlug: 'middle', completedAt: '2026-04-01T00:00:00Z' }))
      const newest = async () => (await client().loadTurnContinuationContext(aContext(2))).worldSlug
      const replace = (worldSlug: string, turn: number, completedAt: string) =>
        client().captureTurnState(aTurn(turn, { worldSlug, completedAt, onConflict: 'supersede' }))
      await replace('late', 1, '2026-02-01T00:00:00Z')
      expect(await newest()).toBe('middle')
      await client().captureTurnState(aTurn(10, { worldSlug: 'early', completedAt: '2026-06-01T00:00:00Z' }))
      expect(await newest()).toBe('early')
      await replace('early', 10, '2026-01-03T00:00:00Z')
      expect(await newest()).toBe('middle')
      await client().captureTurnState(aTurn(5, { worldSlug: 'late', completedAt: '2026-07-01T00:00:00Z' }))
      expect(await newest()).toBe('late')
      const { worldSlug } = await client().createWorld(task)
      const fresh = await client().loadTurnContinuationContext(aContext(2))
      expect(fresh).toMatchObject({ status: 'no_prior_turn', worldSlug })
    })

    test('the world that was written last is the newest one, even if the clock was set back', async () => {
      const { completedAt: _, ...stamped } = aTurn(1)
      const write = async (clock: string, turn: Partial<TurnToSend>) => {
        const now = `2026-03-01T${clock}:00Z`
        const answered = await captureSteadily(handles.graph, { ...stamped, ...turn }, now)
        const { worldSlug, turnNumber } = answered
        expect((await client().getTurn({ worldSlug, turnNumber })).completedAt).toBe(answered.completedAt)
        return answered
      }
      const newest = async () => (await client().loadTurnContinuationContext(aContext(99))).worldSlug
      expect(await write('12:00', { worldSlug: 'first' })).toMatchObject({
        completedAt: '2026-03-01T12:00:00Z',
      })
      await write('11:00', { worldSlug: 'second' })
      expect(await newest()).toBe('second')
      await write('10:59', { worldSlug: 'first', turnNumber: 3 })
      expect(await newest()).toBe('first')
      await createWorld(
        handles.graph,
        { ...task, project: PROJECT, worldSlug: 'third' },
        { now: '2026-03-01T10:00:00Z' },
      )
      expect(await newest()).toBe('third')
      await write('09:00', { worldSlug: 'second', playerSummary: 'Another', onConflict: 'supersede' })
      expect(await newest()).toBe('second')
      await write('08:00', { worldSlug: 'first', turnNumber: 2 }) // came late
      expect(await newest()).toBe('first')
      expect(await write('07:00', { turnNumber: 4 })).toMatchObject({ worldSlug: 'first' })
      expect(await newest()).toBe('first')
      // An imported old session has its own completion time.
      await write('13:00', { worldSlug: 'old', completedAt: '2025-01-01T00:00:00Z' })
      expect(await newest()).toBe('first')
    })

    test('the time of a clock that does not run backwards is stored unchanged', async () => {
      const { completedAt: _, ...stamped } = aTurn(1)
      const instants = ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00.001Z']
      for (const [i, now] of instants.entries()) {
        const { completedAt } = await captureSteadily(handles.graph, { ...stamped, worldSlug: `w${i}` }, now)
        const { createdAt } = await client().getWorld({ worldSlug: `w${i}` })
        expect([completedAt, createdAt]).toEqual([now, now])
      }
    })

    test('a deleted world rejects reads and writes, and is never a default', async () => {
      const { worldSlug } = await client().captureTurnState(aTurn(1))
      const deleted = await client().deleteWorld({ worldSlug })
      expect(deleted.deletedAt).not.toBeNull()
      const gone = { code: 'world_deleted' }
      await expect(client().getWorld({ worldSlug })).rejects.toMatchObject(gone)
      await expect(client().listTurns({ worldSlug })).rejects.toMatchObject(gone)
      await expect(client().getTurn({ worldSlug, turnNumber: 1 })).rejects.toMatchObject(gone)
      await expect(client().getTurnHistory({ worldSlug, turnNumber: 1 })).rejects.toMatchObject(gone)
      await expect(client().captureTurnState(aTurn(2, { worldSlug }))).rejects.toMatchObject(gone)
      await expect(client().captureTurnState(aTurn(1, { worldSlug }))).rejects.toMatchObject(gone)
      await expect(client().createWorld({ ...task, worldSlug })).rejects.toMatchObject(gone)
      const named = client().loadTurnContinuationContext(aContext(2, { worldSlug }))
      await expect(named).rejects.toMatchObject(gone)
      expect(await client().loadTurnContinuationContext(aContext(2))).toMatchObject({
        status: 'no_prior_turn',
      })
      expect(await client().listWorlds({})).toEqual({ items: [], nextCursor: null })
      expect(await client().captureTurnState(aTurn(1))).toMatchObject({
        created: true,
        worldSlug: 'TASK-1.2',
      })
      expect((await client().listWorlds({})).items.map((world) => world.worldSlug)).toEqual(['TASK-1.2'])
    })

    test('the projects of the graph are listed by name, a page at a time', async () => {
      for (const project of ['b', 'a', 'ä', 'b/c']) await client().captureTurnState(aTurn(1, { project }))
      const first = await client().listProjects({ limit: 3 })
      expect(first.items).toEqual([{ project: 'a' }, { project: 'b' }, { project: 'b/c' }])
      const next = await client().listProjects({ limit: 3, cursor: first.nextCursor })
      expect(next).toEqual({ items: [{ project: 'ä' }], nextCursor: null })
    })

    test('a second delete is world_deleted, and a missing world is unknown', async () => {
      const { worldSlug } = await client().createWorld(task)
      expect(await client().deleteWorld({ worldSlug })).toMatchObject({ worldSlug })
      const unknown = { code: 'unknown_world' }
      await expect(client().deleteWorld({ worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      await expect(client().getWorld({ worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      await expect(client().listTurns({ worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      await expect(client().getTurn({ worldSlug: 'nowhere', turnNumber: 1 })).rejects.toMatchObject(unknown)
      await expect(client().deleteWorld({ worldSlug })).rejects.toMatchObject({ code: 'world_deleted' })
    })

    test('a world of another task rejects turns and shows none', async () => {
      await client().captureTurnState(aTurn(1, { worldSlug: 'mine', playerSummary: 'a secret of TASK-1' }))
      const other = { taskId: 'TASK-2', worldSlug: 'mine' }
      const conflict = { code: 'world_conflict' }
      await expect(client().captureTurnState(aTurn(2, other))).rejects.toMatchObject(conflict)
      await expect(client().captureTurnState(aTurn(1, other))).rejects.toMatchObject(conflict)
      await expect(client().createWorld({ ...task, ...other })).rejects.toMatchObject(conflict)
      const shown = client().loadTurnContinuationContext(aContext(2, other))
      await expect(shown).rejects.toMatchObject({ code: 'unknown_world' })
      expect(await countsOf(handles.graph)).toMatchObject({ World: 1, Turn: 1, HAS_WORLD: 1 })
    })

    describe('a capture that would fork a session', () => {
      const unknown = (near: string[]) => ({ code: 'unknown_world', details: { near } })

      test('an unknown world_slug is rejected above turn 1 if the task has a world, with similar names', async () => {
        expect(await client().captureTurnState(aTurn(1))).toMatchObject({ worldCreated: true, created: true })
        expect(await client().captureTurnState(aTurn(1))).toMatchObject({
          worldCreated: false,
          created: false,
        })
        const misspelled = client().captureTurnState(aTurn(2, { worldSlug: 'TASK-11' }))
        await expect(misspelled).rejects.toMatchObject(unknown([TASK]))
        await expect(client().captureTurnState(aTurn(2, { worldSlug: 'zz' }))).rejects.toMatchObject(
          unknown([]),
        )
        expect(await countsOf(handles.graph)).toMatchObject({ World: 1, Turn: 1 })
        const next = await client().captureTurnState(aTurn(2, { worldSlug: TASK }))
        expect([next.worldCreated, next.warnings]).toEqual([false, undefined])
      })

      test('an unknown world_slug is created at turn 1, for a task without a world, and with create_world: true', async () => {
        const made = { worldCreated: true }
        const late = aTurn(5, { worldSlug: 'late' })
        expect(await client().captureTurnState(late)).toMatchObject(made)
        expect(await client().captureTurnState(aTurn(1, { worldSlug: 'again' }))).toMatchObject(made)
        const forced = aTurn(3, { worldSlug: 'forced', createWorld: true })
        expect(await client().captureTurnState(forced)).toMatchObject(made)
        const { createWorld: _, ...repeated } = forced
        expect(await client().captureTurnState(repeated)).toMatchObject({
          created: false,
          worldCreated: false,
        })
      })

      test('a task of another feature is created with a warning, and rejected above turn 1', async () => {
        await client().captureTurnState(aTurn(1, { featureId: 'FH', taskId: 'TH' }))
        await client().captureTurnState(aTurn(1, { project: 'other', featureId: 'FX', taskId: 'TH' }))
        const misnamed = { featureId: 'F0', taskId: 'TH' }
        await expect(client().captureTurnState(aTurn(2, misnamed))).rejects.toMatchObject(unknown(['FH']))
        expect(await countsOf(handles.graph)).toMatchObject({ World: 2, Turn: 2 })
        const warned = { worldCreated: true, warnings: ['task TH exists in feature FH too'] }
        expect(await client().captureTurnState(aTurn(1, misnamed))).toMatchObject(warned)
        const next = await client().captureTurnState(aTurn(2, misnamed))
        expect([next.worldCreated, next.warnings]).toEqual([false, undefined])
        const forced = aTurn(2, { featureId: 'F9', taskId: 'TH', createWorld: true })
        expect(await client().captureTurnState(forced)).toMatchObject({
          worldCreated: true,
          warnings: ['task TH exists in feature F0 too', 'task TH exists in feature FH too'],
        })
      })

      test('a new world_slug has the characters of a default slug, at most 256', async () => {
        for (const worldSlug of ['a b', 'a/b', 'ä', 'a?']) {
          const refused = { code: 'invalid_request', message: expect.stringContaining('world_slug') }
          await expect(client().createWorld({ ...task, worldSlug })).rejects.toMatchObject(refused)
          await expect(client().captureTurnState(aTurn(1, { worldSlug }))).rejects.toMatchObject(refused)
        }
        expect(await countsOf(handles.graph)).toEqual({})
        const worldSlug = `~%20.${'x'.repeat(251)}`
        expect(await client().createWorld({ ...task, worldSlug })).toMatchObject({ created: true })
        expect(await client().captureTurnState(aTurn(1, { worldSlug }))).toMatchObject({
          worldCreated: false,
        })
      })
    })

    test('a repeat with the same idempotency key returns the world of the first call', async () => {
      const asked = { ...task, idempotencyKey: 'key-1' }
      const first = await client().createWorld(asked)
      expect(await client().createWorld(asked)).toMatchObject({ created: false, worldSlug: first.worldSlug })
      expect(await client().createWorld(task)).toMatchObject({
        created: true,
        worldSlug: `${first.worldSlug}.2`,
      })
      await expect(client().createWorld({ ...task, idempotencyKey: 'a b' })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('a world shows the settings of its runs, and setWorld changes only the given ones', async () => {
      const world = { worldSlug: 'w' }
      const settings = {
        stopWhen: ['budget' as const, 'approved' as const],
        budget: { minutes: 30, tokens: 200_000 },
        backoff: { firstMs: 500, factor: 1.5, mostMs: 9_000 },
        resume: 'auto' as const,
      }
      const made = await client().createWorld({ ...task, ...world, ...settings })
      const shown = { ...settings, stopWhen: ['approved', 'budget'] }
      expect(made).toMatchObject(shown)
      expect(await client().getWorld(world)).toMatchObject(shown)
      expect((await client().listWorlds({})).items).toMatchObject([shown])
      const changed = await client().setWorld({ ...world, budget: { tokens: null, attemptsFailedInARow: 3 } })
      expect(changed).toMatchObject({ ...shown, budget: { minutes: 30, attemptsFailedInARow: 3 } })
      expect(changed.budget).not.toHaveProperty('tokens')
      const none = { stopWhen: null, budget: null, backoff: null, resume: null }
      const bare = await client().setWorld({ ...world, ...none })
      for (const name of Object.keys(none)) expect(bare).not.toHaveProperty(name)
      expect(await client().setWorld(world)).toEqual(bare)
      await expect(client().setWorld({ worldSlug: 'nope' })).rejects.toMatchObject({ code: 'unknown_world' })
      await client().deleteWorld(world)
      await expect(client().setWorld(world)).rejects.toMatchObject({ code: 'world_deleted' })
    })

    test('a world that exists with other settings of its runs is a conflict', async () => {
      const world = { ...task, worldSlug: 'w' }
      const settings = { stopWhen: ['approved' as const], budget: { tokens: 5 } }
      await client().createWorld({ ...world, ...settings })
      expect(await client().createWorld({ ...world, ...settings })).toMatchObject({ created: false })
      expect(await client().createWorld({ ...world, budget: null })).toMatchObject({ created: false })
      const other = client().createWorld({
        ...world,
        stopWhen: ['stalled'],
        budget: { tokens: 6 },
        resume: 'auto',
      })
      await expect(other).rejects.toMatchObject({
        code: 'world_conflict',
        details: { fields: ['stop_when', 'budget', 'resume'] },
      })
    })

    test('creating an existing world returns it, if the request matches', async () => {
      const made = await client().createWorld({
        ...task,
        worldSlug: 'w',
        executor: 'simulated',
        leaseTtlMs: 5_000,
      })
      expect(made).toEqual({
        created: true,
        worldSlug: 'w',
        project: PROJECT,
        ...task,
        currentTurn: 0,
        executor: 'simulated',
        leaseTtlMs: 5_000,
        activeTurnRunId: null,
        activeAttemptId: null,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        deletedAt: null,
      })
      const agreeing = [{}, { executor: 'simulated' }, { leaseTtlMs: 5_000 }]
      for (const more of agreeing) {
        expect(await client().createWorld({ ...task, worldSlug: 'w', ...more })).toEqual({
          ...made,
          created: false,
        })
      }
      for (const more of [{ executor: 'other' }, { leaseTtlMs: 6_000 }, { featureId: 'FEAT-9' }]) {
        const conflict = client().createWorld({ ...task, worldSlug: 'w', ...more })
        await expect(conflict).rejects.toMatchObject({ code: 'world_conflict' })
      }
    })

    test('a repeat with the same idempotency key returns the same world', async () => {
      const first = await client().createWorld(task, { idempotencyKey: 'once' })
      const other = await client().createWorld(task, { idempotencyKey: 'twice' })
      expect(other.worldSlug).not.toBe(first.worldSlug)
      expect(await client().createWorld(task, { idempotencyKey: 'once' })).toEqual({
        ...first,
        created: false,
      })
      expect(await client().createWorld(task, { idempotencyKey: 'twice' })).toEqual({
        ...other,
        created: false,
      })
      expect(await countsOf(handles.graph)).toMatchObject({ World: 2 })
    })

    test('worlds that are created in parallel get distinct slugs', async () => {
      const worlds = await Promise.all(Array.from({ length: 6 }, () => client().createWorld(task)))
      expect(worlds.map(({ worldSlug }) => worldSlug).sort()).toEqual([
        'TASK-1',
        'TASK-1.2',
        'TASK-1.3',
        'TASK-1.4',
        'TASK-1.5',
        'TASK-1.6',
      ])
    })

    test('lists are filtered, in the order of their slugs, and in pages', async () => {
      const names = ['b', 'B', 'a', '~1', 'a.2', 'a%2F1']
      for (const worldSlug of names) await client().createWorld({ ...task, worldSlug })
      await client().createWorld({ featureId: FEATURE, taskId: 'TASK-2', worldSlug: 'other-task' })
      await client().createWorld({ featureId: 'FEAT-2', taskId: TASK, worldSlug: 'other-feature' })
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<ReturnType<typeof client>['listWorlds']>> = await client().listWorlds({
          ...task,
          limit: 2,
          cursor,
        })
        seen.push(...page.items.map(({ worldSlug }) => worldSlug))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(seen).toEqual(['B', 'a', 'a%2F1', 'a.2', 'b', '~1'])
      const slugs = async (filter: object) =>
        (await client().listWorlds(filter)).items.map((w) => w.worldSlug)
      expect(await slugs({ featureId: FEATURE })).toHaveLength(7)
      expect(await slugs({ featureId: 'FEAT-2' })).toEqual(['other-feature'])
      expect(await slugs({})).toHaveLength(8)
      expect(await slugs({ project: 'nobody' })).toEqual([])
    })

    test('a world shows its last decision, its counts of proven criteria, its verdict and its last activity', async () => {
      const judged = (turn: number, status: 'verified' | 'rejected', completedAt: string) =>
        client().captureTurnState(
          aTurn(turn, {
            coachDecision: 'feedback',
            completedAt,
            acceptanceCriteriaStatus: { 'AC-001': 'verified', 'AC-002': status },
            promises: [],
            issues: [],
            coachFeedback: 'The error path has no test',
          }),
        )
      const { createdAt } = await client().createWorld({ ...task, worldSlug: TASK })
      expect(await client().getWorld({ worldSlug: TASK })).toMatchObject({
        lastDecision: null,
        verified: 0,
        criteria: 0,
        verdict: 'insufficient_data',
        lastActivity: createdAt,
      })
      for (let turn = 1; turn <= 5; turn++) await judged(turn, 'rejected', `2026-03-0${turn}T10:00:00Z`)
      const stalled = {
        worldSlug: TASK,
        currentTurn: 5,
        lastDecision: 'feedback',
        verified: 1,
        criteria: 2,
        verdict: 'stalled',
        lastActivity: '2026-03-05T10:00:00Z',
      }
      expect(await client().getWorld({ worldSlug: TASK })).toMatchObject(stalled)
      expect((await client().listWorlds({})).items).toMatchObject([stalled])
      expect(await client().loadStall({ ...task })).toMatchObject({ verdict: 'stalled' })
      await client().captureTurnState(
        aTurn(6, { coachDecision: 'error', completedAt: '2026-03-06T10:00:00Z', promises: [], issues: [] }),
      )
      await client().captureTurnState(
        aTurn(7, {
          coachDecision: 'approved',
          completedAt: '2026-03-04T10:00:00Z', // a wrong clock: this is no newer activity
          acceptanceCriteriaStatus: { 'AC-002': 'verified' },
          promises: [],
          issues: [],
        }),
      )
      expect((await client().listWorlds({})).items).toMatchObject([
        {
          lastDecision: 'approved',
          verified: 2,
          criteria: 2,
          verdict: 'finished',
          lastActivity: '2026-03-06T10:00:00Z',
        },
      ])
    })

    test('the verdict of a world with many verdicts per turn equals its stall analysis', async () => {
      const sources = ['coach', 'validator', 'gate', 'command'] as const
      for (let turn = 1; turn <= 6; turn++) {
        const verifications = sources.map((source) => ({
          criterionId: 'AC-001',
          status: [2, 3, 6].includes(turn) ? ('verified' as const) : ('rejected' as const),
          source,
        }))
        const more = { coachDecision: 'feedback', coachFeedback: `Reason ${'abcdef'[turn - 1]}` } as const
        await client().captureTurnState(
          aTurn(turn, { ...more, verifications, acceptanceCriteriaStatus: {}, promises: [], issues: [] }),
        )
      }
      const { verdict } = await client().loadStall({ ...task })
      expect(verdict).toBe('oscillating')
      expect((await client().listWorlds({})).items).toMatchObject([{ verdict }])
      expect(await client().getWorld({ worldSlug: TASK })).toMatchObject({ verdict })
    })

    test('with order last_activity, worlds are listed by it, newest first and in pages', async () => {
      const captured = (worldSlug: string, day: number) =>
        client().captureTurnState(aTurn(1, { worldSlug, completedAt: `2026-03-0${day}T10:00:00.123456Z` }))
      for (const [worldSlug, day] of [
        ['b', 1],
        ['d', 3],
        ['a', 3],
        ['c', 2],
      ] as const)
        await captured(worldSlug, day)
      await client().createWorld({ ...task, worldSlug: 'new' }) // now: after all of them
      const slugs: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<ReturnType<typeof client>['listWorlds']>> = await client().listWorlds({
          order: 'last_activity',
          limit: 2,
          cursor,
        })
        slugs.push(...page.items.map(({ worldSlug }) => worldSlug))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(slugs).toEqual(['new', 'a', 'd', 'c', 'b'])
      const bySlug = await client().listWorlds({})
      expect(bySlug.items.map(({ worldSlug }) => worldSlug)).toEqual(['a', 'b', 'c', 'd', 'new'])
      const foreign = client().listWorlds({
        order: 'last_activity',
        cursor: (await client().listWorlds({ limit: 1 })).nextCursor,
      })
      await expect(foreign).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('turns are listed ascending, in pages', async () => {
      for (const n of [3, 1, 10, 2, 7]) await client().captureTurnState(aTurn(n))
      const first = await client().listTurns({ worldSlug: TASK, limit: 3 })
      const rest = await client().listTurns({ worldSlug: TASK, limit: 3, cursor: first.nextCursor })
      expect([...first.items, ...rest.items].map(({ turnNumber }) => turnNumber)).toEqual([1, 2, 3, 7, 10])
      expect(rest.nextCursor).toBeNull()
      const absent = client().getTurn({ worldSlug: TASK, turnNumber: 4 })
      await expect(absent).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
