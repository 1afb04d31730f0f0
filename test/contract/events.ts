import { describe, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { createTurngraphClient } from '../../src/client/create.ts'
import { turnKey, worldKey } from '../../src/core/keys.ts'
import { ChangeFeed } from '../../src/events/change-feed.ts'
import { graphWith, toStep } from '../../src/graph/port.ts'
import { parseStatement, statement } from '../../src/graph/statements.ts'
import type { EventsRequest, EventWithCursor } from '../../src/operations/events.ts'
import type { OperationOutput } from '../../src/operations/table.ts'
import { simulatedExecutor } from '../../src/runs/simulated-executor.ts'
import { allPages } from '../faults/harness/pages.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { aTurn, clientOf, PROJECT, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Session = EventWithCursor & { type: 'session' }
type Run = EventWithCursor & { type: 'run' }

/** Reads events continuously. All received events are in `seen`. */
function readerOf(client: TurngraphClient, request: EventsRequest = {}) {
  const stop = new AbortController()
  const events = client.events(request, { signal: stop.signal })
  const seen: EventWithCursor[] = []
  const until = async (wanted: (event: EventWithCursor) => boolean): Promise<EventWithCursor> => {
    for (;;) {
      const { value, done } = await events.next()
      if (done) throw new Error('the events ended')
      seen.push(value)
      if (wanted(value)) return value
    }
  }
  return {
    seen,
    session: (worldSlug: string, turn: number) =>
      until((event) => isSession(event) && event.worldSlug === worldSlug && event.currentTurn >= turn),
    until,
    end: async () => {
      stop.abort()
      await events.return()
    },
  }
}

const isSession = (event: EventWithCursor): event is Session => event.type === 'session'
const isRun = (event: EventWithCursor): event is Run => event.type === 'run'

/** The newest event of each session, run and import: a reader keeps the one with the highest version. */
function knownFrom(events: readonly EventWithCursor[]): Map<string, EventWithCursor> {
  const known = new Map<string, EventWithCursor>()
  for (const event of events) {
    const id = isSession(event) ? event.worldSlug : isRun(event) ? event.turnRunId : event.sessionId
    if ((known.get(id)?.version ?? -1) <= event.version) known.set(id, event)
  }
  return known
}

/** A session as the list of worlds shows it, in the form of its event. */
const shownAs = (world: OperationOutput<'listWorlds'>['items'][number]) => ({
  worldSlug: world.worldSlug,
  currentTurn: world.currentTurn,
  decision: world.lastDecision,
  verified: world.verified,
  total: world.criteria,
  verdict: world.verdict,
  activeTurnRunId: world.activeTurnRunId,
  activeAttemptId: world.activeAttemptId,
})

const CANARY = 'canary-0451'
const secretive = {
  coachFeedback: `${CANARY} feedback`,
  coachDecision: 'feedback',
  playerSummary: `${CANARY} summary`,
  blockersFound: [`${CANARY} blocker`],
  lessonsFromTurn: [`${CANARY} lesson`],
  filesModified: [`src/${CANARY}.ts`],
  extra: { note: CANARY },
  verifications: [
    { criterionId: 'AC-1', criterionText: `${CANARY} text`, status: 'verified', evidence: CANARY },
  ],
  promises: [{ criterionId: 'AC-1', status: 'complete', evidence: CANARY }],
  issues: [{ severity: 'blocking', category: 'tests', description: CANARY, suggestion: CANARY }],
} as const

/** Copies a world many times with the same instant, so that only the keys define an order. */
const copyWorlds = parseStatement(
  'test/copy-worlds',
  `// params: $from $copies
MATCH (from:World {key: $from})
UNWIND $copies AS x
CREATE (w:World {key: x.key, slug: x.slug, project: from.project, featureId: from.featureId, taskId: from.taskId})
SET w.taskKey = from.taskKey, w.ordinal = 1, w.executor = from.executor, w.leaseTtlMs = from.leaseTtlMs,
  w.createdAt = from.createdAt, w.lastActivityAt = from.lastActivityAt, w.currentTurn = 0, w.turnCount = 0,
  w.ledgerRev = 0, w.changedAt = timestamp(), w.changedIn = timestamp() / 60000
RETURN count(w) AS copies`,
)

const damageTurn = parseStatement(
  'test/damage',
  "// params: $key\nMATCH (t:Turn {key: $key}) SET t.digest = 'damaged' RETURN t.key AS key",
)

const firstLine = `${JSON.stringify({ type: 'user', uuid: 'u1', timestamp: '2026-01-01T00:00:00Z', message: { role: 'user', content: CANARY } })}\n`

/** Events report changes while they happen (contract: events.md). */
export function eventsContract(store: StoreUnderTest): void {
  describe('events', () => {
    const handles = useGraph(store)
    /** A reader that has received the first turn of TASK, so it receives later changes as they happen. */
    const aReader = async (client: TurngraphClient, request: EventsRequest = {}) => {
      await client.captureTurnState(aTurn(1))
      const reader = readerOf(client, { snapshot: true, ...request })
      await reader.session(TASK, 1)
      return reader
    }

    test('a turn is an event with the state of its session, and each change has a higher version', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const verifications = [
        { criterionId: 'AC-1', criterionText: 'It opens at nine', status: 'verified' as const },
        { criterionId: 'AC-2', criterionText: 'Guests are greeted', status: 'rejected' as const },
      ]
      await client.captureTurnState(aTurn(2, { verifications }))
      expect(await reader.session(TASK, 2)).toMatchObject({
        type: 'session',
        project: PROJECT,
        featureId: 'FEAT-1',
        taskId: TASK,
        decision: 'feedback',
        verified: 1,
        total: 2,
        deletedAt: null,
      })
      await client.declareCriteria({
        featureId: 'FEAT-1',
        taskId: TASK,
        criteria: [{ text: 'It opens at nine' }, { text: 'Guests are greeted' }, { text: 'It closes' }],
      })
      await reader.until((event) => isSession(event) && event.total === 3)
      await client.captureTurnState(aTurn(2, { playerSummary: 'Again', onConflict: 'supersede' }))
      await reader.until((event) => isSession(event) && event.verified === 0)
      await client.deleteWorld({ worldSlug: TASK })
      await reader.until((event) => isSession(event) && event.deletedAt !== null)
      const versions = reader.seen.map(({ version }) => version)
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
      await reader.end()
    })

    test('a forgotten session is sent as deleted, however fast it is gone', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const gone = reader.until((event) => isSession(event) && event.deletedAt !== null)
      expect((await client.forget({ worldSlug: TASK, dryRun: false })).done).toBe(true)
      expect(await gone).toMatchObject({ worldSlug: TASK, featureId: 'FEAT-1', taskId: TASK })
      await reader.end()
    })

    test('a session that is forgotten while an older state of it is read stays deleted for readers', async () => {
      const writes: (() => Promise<unknown>)[] = []
      const interrupted = graphWith(handles.graph, {
        read: async (statement, params, deadline) => {
          const rows = await handles.graph.read(statement, params, deadline)
          if (statement.name === 'worlds/by-keys') await writes.pop()?.()
          return rows
        },
      })
      const client = clientOf(interrupted)
      const reader = await aReader(client)
      writes.push(() => client.forget({ worldSlug: TASK, dryRun: false }))
      await client.captureTurnState(aTurn(2))
      await client.captureTurnState(aTurn(1, { taskId: 'TASK-2' }))
      await reader.session('TASK-2', 1)
      expect(reader.seen.map((event) => isSession(event) && [event.worldSlug, event.deletedAt])).toEqual([
        [TASK, null],
        [TASK, expect.any(String)],
        ['TASK-2', null],
      ])
      await reader.end()
    })

    test('the events of a run have its status, until it has ended', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await client.createWorld({
        featureId: 'FEAT-1',
        taskId: 'TASK-2',
        worldSlug: 'w',
        executor: 'simulated',
      })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 3, maxAttempts: 3 })
      // The order of the two events is not defined.
      const ended = () => reader.seen.filter(isRun).find(({ endedAt }) => endedAt !== null)
      const session = () => reader.seen.filter(isSession).find(({ currentTurn }) => currentTurn === 3)
      await reader.until(() => ended() !== undefined && session() !== undefined)
      const { version, changedAt, cursor, type, project, ...status } = ended() as Run
      expect(status).toEqual(await client.getTurnRunStatus({ turnRunId }))
      expect(session()).toMatchObject({ worldSlug: 'w', activeTurnRunId: null })
      await reader.end()
      await client.close()
    })

    test('the events of a run come from its writes in a client on its own store, without a read of all changes', async () => {
      const { graph: stored } = handles
      const graph = graphWith(stored, {
        read: async (from, params, deadline) => {
          const rows = await stored.read(from, params, deadline)
          if (!from.name.startsWith('events/changes')) return rows
          return rows.map((row) => ({ ...row, worlds: [], runs: [], imports: [] }))
        },
        close: async () => {},
      })
      const trial = simulatedExecutor({ durationMs: 0, outcomes: ['committed'], repeat: true })
      const client = createTurngraphClient({
        store: graph,
        project: PROJECT,
        executors: { simulated: trial },
      })
      const reader = await aReader(client)
      const place = { featureId: 'FEAT-1', taskId: 'TASK-2', worldSlug: 'w' }
      await client.createWorld({ ...place, executor: 'simulated' })
      await client.runTurn({ worldSlug: 'w', turnCount: 1, maxAttempts: 2 })
      await reader.until((event) => isRun(event) && event.status === 'completed')
      await reader.end()
      await client.close()
    })

    test('the event of a transcript import has the number of bytes read', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const { offset } = await client.importTranscript({ sessionId: 's-1' }, bytesOf(firstLine))
      const told = await reader.until(({ type }) => type === 'import')
      expect(told).toMatchObject({ sessionId: 's-1', bytes: offset, project: PROJECT })
      await reader.end()
    })

    test('a write of another process is an event, too', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const other = await handles.open(() => store.beside(handles.graph))
      await clientOf(other).captureTurnState(aTurn(2))
      await reader.session(TASK, 2)
      if (other !== handles.graph) await other.close()
      await reader.end()
    })

    test('a reader that returns with its cursor gets the changes since then, runs included', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await client.captureTurnState(aTurn(2))
      const { cursor } = await reader.session(TASK, 2)
      expect(cursor).toMatch(/^\d+$/)
      await reader.end()
      await client.captureTurnState(aTurn(1, { taskId: 'TASK-3' }))
      await client.captureTurnState(aTurn(2, { taskId: 'TASK-3' }))
      await client.createWorld({ featureId: 'FEAT-1', taskId: 'TASK-2', worldSlug: 'w' })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2, maxAttempts: 3 })
      await client.cancelTurnRun({ turnRunId, abort: true })
      const back = readerOf(client, { cursor })
      await back.until((event) => isRun(event) && event.turnRunId === turnRunId)
      const told = back.seen.filter(isSession).filter(({ worldSlug }) => worldSlug === 'TASK-3')
      expect(told.map(({ currentTurn }) => currentTurn)).toEqual([2])
      await back.end()
      await client.close()
    })

    test('during parallel writes a reader ends with the current state, and never gets an older state after a newer one', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const tasks = Array.from({ length: 8 }, (_, i) => `TASK-1${i}`)
      const writing = Promise.all(
        tasks.map(async (taskId) => {
          for (let turn = 1; turn <= 6; turn++) await client.captureTurnState(aTurn(turn, { taskId }))
        }),
      )
      const waiting = new Set(tasks)
      const reading = reader.until((event) => {
        if (isSession(event) && event.currentTurn === 6) waiting.delete(event.worldSlug)
        return waiting.size === 0
      })
      await Promise.all([writing, reading]) // a write that fails ends the test at once
      for (const task of tasks) {
        const told = reader.seen.filter(isSession).filter(({ worldSlug }) => worldSlug === task)
        const turns = told.map(({ currentTurn }) => currentTurn)
        expect(turns).toEqual(turns.toSorted((a, b) => a - b))
        expect(told.map(({ version }) => version)).toEqual(
          told.map(({ version }) => version).toSorted((a, b) => a - b),
        )
      }
      const held = knownFrom(reader.seen)
      for (const world of await allPages((cursor) => client.listWorlds({ cursor })))
        expect(held.get(world.worldSlug)).toMatchObject(shownAs(world))
      await reader.end()
    })

    test('an event has the version of its state, even if the session changes while it is read', async () => {
      const client = clientOf(handles.graph)
      const writes: (() => Promise<unknown>)[] = []
      const interrupted = graphWith(handles.graph, {
        read: async (statement, params, deadline) => {
          if (statement.name === 'worlds/by-keys') await writes.pop()?.()
          return handles.graph.read(statement, params, deadline)
        },
      })
      const reader = await aReader(clientOf(interrupted))
      writes.push(() => client.captureTurnState(aTurn(3)))
      await client.captureTurnState(aTurn(2))
      const told = await reader.session(TASK, 2)
      const other = readerOf(client, { snapshot: true })
      const now = await other.session(TASK, 3)
      expect([told.version, (told as Session).currentTurn]).toEqual([now.version, 3])
      await other.end()
      await reader.end()
    })

    test('a snapshot contains every session, run and import, and the stream continues after it', async () => {
      const client = clientOf(handles.graph)
      for (let i = 0; i < 60; i++) await client.createWorld({ featureId: 'FEAT-1', taskId: `T${i}` })
      await client.deleteWorld({ worldSlug: 'T7' })
      const { turnRunId: ended = '' } = await client.runTurn({ worldSlug: 'T9', turnCount: 2 })
      await client.cancelTurnRun({ turnRunId: ended, abort: true })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: 'T9', turnCount: 2 })
      await client.importTranscript({ sessionId: 's-1' }, bytesOf(firstLine))
      await client.importTranscript({ sessionId: 's-2', project: 'till' }, bytesOf(firstLine))
      const reader = await aReader(client)
      await client.captureTurnState(aTurn(1, { taskId: 'T59' }))
      await reader.session('T59', 1)
      const held = knownFrom(reader.seen)
      const worlds = await allPages((cursor) => client.listWorlds({ cursor }))
      expect(worlds).toHaveLength(60)
      for (const world of worlds) expect(held.get(world.worldSlug)).toMatchObject(shownAs(world))
      expect(held.get(turnRunId)).toMatchObject({ type: 'run', status: 'running' })
      expect(held.get(ended)).toMatchObject({ type: 'run', status: 'cancelled' })
      expect(held.get('s-1')).toMatchObject({ type: 'import', bytes: firstLine.length })
      expect(held.size).toBe(63)
      await reader.end()
      await client.close()
    })

    test('a restore is reported: sessions, their ended runs, and imports', async () => {
      const elsewhere = await memory.open()
      const source = clientOf(elsewhere)
      await source.createWorld({ featureId: 'FEAT-1', taskId: 'TASK-2', executor: 'simulated' })
      const { turnRunId = '' } = await source.runTurn({ worldSlug: 'TASK-2', turnCount: 2, maxAttempts: 2 })
      const before = readerOf(source, { snapshot: true })
      await before.until((event) => isRun(event) && event.endedAt !== null)
      await before.end()
      await source.importTranscript({ sessionId: 's-1' }, bytesOf(firstLine))
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await restoreLines(handles.graph, await exportOf(elsewhere))
      await source.close()
      await reader.until(() => {
        const known = knownFrom(reader.seen)
        return ['TASK-2', turnRunId, 's-1'].every((id) => known.has(id))
      })
      const known = knownFrom(reader.seen)
      expect(known.get(turnRunId)).toMatchObject({ status: 'completed', committedTurnCount: 2 })
      expect(known.get('TASK-2')).toMatchObject({ currentTurn: 2, activeTurnRunId: null })
      await reader.end()
    })

    test('more changes than one look-up returns are reported once each, also to a reader that returns', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await client.captureTurnState(aTurn(2))
      const { cursor } = await reader.session(TASK, 2)
      const slugs = Array.from({ length: 1_200 }, (_, i) => `copy ${i}`)
      const copies = slugs.map((slug) => ({ slug, key: worldKey(PROJECT, slug) }))
      const params = { from: worldKey(PROJECT, TASK), copies }
      await handles.graph.write([{ statement: copyWorlds, params }])
      for (const each of [reader, readerOf(client, { cursor })]) {
        const missing = new Set(slugs)
        await each.until((event) => {
          if (isSession(event)) missing.delete(event.worldSlug)
          return missing.size === 0
        })
        const told = each.seen.filter(isSession).map(({ worldSlug }) => worldSlug)
        expect(told.filter((slug) => slug !== TASK).sort()).toEqual(slugs.toSorted())
        await each.end()
      }
    })

    test('a reader gets only events of its project, or of one session if it asks for one', async () => {
      const client = clientOf(handles.graph)
      const ours = await aReader(client)
      const one = await aReader(client, { worldSlug: TASK })
      for (const project of ['sho', 'shop2', 'shop/FEAT-1', 'Shop'])
        await client.captureTurnState(aTurn(1, { project, taskId: `${project}-canary` }))
      await client.captureTurnState(aTurn(1, { taskId: 'TASK-2' }))
      await client.captureTurnState(aTurn(2))
      await ours.session(TASK, 2)
      await one.session(TASK, 2)
      expect(new Set(ours.seen.map(({ project }) => project))).toEqual(new Set([PROJECT]))
      expect(new Set(one.seen.filter(isSession).map(({ worldSlug }) => worldSlug))).toEqual(new Set([TASK]))
      await ours.end()
      await one.end()
    })

    test('an event contains no evidence, no feedback and no text of agents', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await client.captureTurnState({ ...aTurn(2), ...structuredClone(secretive) } as never)
      await reader.session(TASK, 2)
      expect(JSON.stringify(reader.seen)).not.toContain(CANARY)
      await reader.end()
    })

    test('a cursor that is too old or invalid is rejected with a clear message', async () => {
      const client = clientOf(handles.graph)
      const first = (cursor: string) => client.events({ cursor }).next()
      await expect(first('1000000000000')).rejects.toMatchObject({
        code: 'cursor_expired',
        hint: expect.stringContaining('snapshot'),
      })
      await expect(first('99999999999999')).rejects.toMatchObject({ code: 'cursor_expired' })
      await expect(first('abc')).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('continuous writes of a process do not delay readers', async () => {
      const feed = new ChangeFeed(handles.graph)
      onTestFinished(() => feed.close())
      const told = feed.read({ project: PROJECT }, 'now', new AbortController().signal)
      await told.next()
      const step = toStep(statement('worlds/set'), { worldKey: worldKey(PROJECT, 'another') })
      const writing = setInterval(() => feed.noteWrite([{ step, rows: [] }]), 1)
      onTestFinished(() => clearInterval(writing))
      await clientOf(handles.graph).captureTurnState(aTurn(1))
      expect((await told.next()).value?.events).toMatchObject([{ worldSlug: TASK, currentTurn: 1 }])
      await told.return(undefined)
    })

    test('own writes are reported at once, and writes of other processes are looked up once a second', async () => {
      let looks = 0
      const counted = graphWith(handles.graph, {
        read: (statement, params, deadline) => {
          if (statement.name.startsWith('events/changes')) looks++
          return handles.graph.read(statement, params, deadline)
        },
      })
      const client = clientOf(counted)
      const reader = await aReader(client)
      const [began, before] = [performance.now(), looks]
      const verifications = [{ criterionId: 'AC-1', status: 'verified' as const }]
      while (performance.now() < began + 3_000) {
        await client.captureTurnState(aTurn(2))
        await reader.session(TASK, 2)
        await client.addVerifications({ featureId: 'FEAT-1', taskId: TASK, verifications })
        await reader.until((event) => isSession(event) && event.verified === 1)
        await client.rollbackWorld({ worldSlug: TASK, toTurn: 1 })
        await reader.until((event) => isSession(event) && event.currentTurn === 1)
      }
      expect(looks - before).toBeLessThanOrEqual((performance.now() - began) / 1_000 + 1)
      expect(reader.seen.filter(isSession).length).toBeGreaterThan(2 * (looks - before)) // not by look-ups
      await client.declareCriteria({ featureId: 'FEAT-1', taskId: TASK, criteria: [{ text: 'It opens' }] })
      await reader.until((event) => isSession(event) && event.total === 1)
      await reader.end()
    })

    test('a session with a damaged record does not block the events of others', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      await client.captureTurnState(aTurn(1, { taskId: 'TASK-2' }))
      await reader.session('TASK-2', 1)
      const key = turnKey(worldKey(PROJECT, TASK), 1)
      expect(await handles.graph.write([{ statement: damageTurn, params: { key } }])).not.toBeNull()
      await client.setWorld({ worldSlug: TASK, budget: { minutes: 5 } })
      await client.captureTurnState(aTurn(2, { taskId: 'TASK-2' }))
      await reader.session('TASK-2', 2)
      await reader.end()
    })

    test('a slow reader gets only the newest state of each session, once', async () => {
      const client = clientOf(handles.graph)
      const reader = await aReader(client)
      const watch = readerOf(client, { snapshot: true })
      for (let turn = 2; turn <= 5; turn++) {
        await client.captureTurnState(aTurn(turn))
        await watch.session(TASK, turn)
      }
      const before = reader.seen.length
      await reader.session(TASK, 5)
      expect(reader.seen.length - before).toBe(1)
      await watch.end()
      await reader.end()
    })
  })
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
