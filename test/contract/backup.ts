import { describe, expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import type { Graph } from '../../src/graph/port.ts'
import type { Finding } from '../../src/maintenance/doctor/finding.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { aTurn, clientOf, PROJECT, type TurnToSend } from '../support/records.ts'
import {
  bytesOf,
  differences,
  everyTurn,
  NO_DIFFERENCES,
  send,
  sessionOf,
  turn,
} from '../support/transcript-import.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const TASKS = ['TASK-A', 'TASK-B']
const TURNS_BEFORE = 4
/** Lines per page: few, so that captures happen between two pages. */
const LINES_A_PAGE = 10

const judged = (taskId: string, turnNumber: number): TurnToSend =>
  aTurn(turnNumber, {
    taskId,
    playerSummary: `Work on ${taskId} in turn ${turnNumber}`,
    verifications: [1, 2, 3].map((i) => ({
      criterionId: `AC-00${i}`,
      criterionText: `Criterion ${i} of ${taskId} holds`,
      status: i === turnNumber % 4 ? ('verified' as const) : ('rejected' as const),
      evidence: `Seen in turn ${turnNumber}`,
    })),
    promises: [
      { criterionId: 'AC-001', criterionText: `Criterion 1 of ${taskId} holds`, status: 'complete' as const },
    ],
    issues: [{ severity: 'blocking', description: `A gap of turn ${turnNumber}`, criterionIds: ['AC-002'] }],
    gates: { tests: 'failed' },
  })

/** Writes turns of several sessions in parallel, in order within each session, until stop() is called. */
class BusySessions {
  readonly acknowledged = new Map(TASKS.map((task) => [task, 0]))
  readonly #stop = new AbortController()
  readonly #changes = new EventTarget()
  readonly #writing: Promise<unknown>

  constructor(client: TurngraphClient) {
    this.#writing = Promise.all(TASKS.map((task) => this.#write(client, task)))
    this.#writing.catch(() => {}) // awaited in next() and stop()
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, turns) => sum + turns, 0)
  }

  /** Resolves at the next acknowledged turn. @throws what a capture failed with */
  async next(): Promise<void> {
    const acknowledged = new Promise((resolve) =>
      this.#changes.addEventListener('acknowledged', resolve, { once: true }),
    )
    await Promise.race([acknowledged, this.#writing])
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#writing
  }

  async #write(client: TurngraphClient, task: string): Promise<void> {
    for (let turn = 1; !this.#stop.signal.aborted; turn++) {
      await client.captureTurnState(judged(task, turn))
      this.acknowledged.set(task, turn)
      this.#changes.dispatchEvent(new Event('acknowledged'))
    }
  }
}

/** A backup of a store in use (contract: cluster.md), which Neo4j Community does not provide. */
export function backupContract(store: StoreUnderTest): void {
  describe('back-up', () => {
    const handles = useGraph(store)

    test('an export during captures contains every turn that was acknowledged before it started, completely', async () => {
      const client = clientOf(handles.graph)
      const sessions = new BusySessions(client)
      while ([...sessions.acknowledged.values()].some((turns) => turns < TURNS_BEFORE)) await sessions.next()
      const before = new Map(sessions.acknowledged)
      const countBefore = sessions.count
      const lines = await exportOf(handles.graph, {
        limit: LINES_A_PAGE,
        afterPage: () => sessions.next(),
      })
      const capturedMeanwhile = sessions.count - countBefore
      await sessions.stop()
      expect(capturedMeanwhile).toBeGreaterThan(TASKS.length)
      const stored = new Map(
        await Promise.all(TASKS.map(async (task) => [task, await turnsOf(client, task)] as const)),
      )

      const restored = await handles.open(() => store.open())
      await restoreLines(restored, lines)
      const restoredClient = clientOf(restored)
      for (const [task, count] of before) {
        const turns = await turnsOf(restoredClient, task)
        expect(turns.length).toBeGreaterThanOrEqual(count)
        expect(turns).toEqual(stored.get(task)?.slice(0, turns.length))
      }
      expect(await findingsOf(restoredClient)).toEqual([])
      await restored.close()
    })
  })
}

/**
 * Runs on one engine only. An export reads the imports since its start like an export since an instant, and `exportContract` runs
 * those statements on every engine.
 */
export function backupRulesContract(store: StoreUnderTest): void {
  describe('back-up', () => {
    const handles = useGraph(store)

    test('an import during an export loses no turn, and the next import after the restore completes the transcripts', async () => {
      const before = bytesOf(
        turn('a', ['Read']),
        turn('b', ['Read', 'Edit'], { from: 10, pending: [1], ends: false }),
      )
      const grown = bytesOf(
        turn('a', ['Read']),
        turn('b', ['Read', 'Edit', 'Bash'], { from: 10 }),
        turn('c', ['Glob'], { from: 20 }),
      )
      const [first, main, last] = [1, 2, 3].map(sessionOf) as [string, string, string]
      const files = [
        { session: main, bytes: grown },
        { session: first, bytes: grown }, // a fork of the main session
        { session: last, bytes: bytesOf(turn('d', ['Task'])) },
      ]
      const importAll = async (graph: Graph, project: string) => {
        for (const { session, bytes } of files) await send(clientOf(graph), session, bytes, { project })
      }
      const exports: string[][] = []
      const projects = Array.from({ length: 8 }, (_, i) => `imported after page ${i + 1}`).flatMap((name) => [
        name,
        `${name}, committed late`,
      ])
      for (const [i, project] of projects.entries()) {
        await send(clientOf(handles.graph), main, before, { project })
        let page = 0
        const afterPage = async () => {
          if (page++ !== Math.floor(i / 2)) return
          await importAll(handles.graph, project)
          if (i % 2 === 1) await handles.graph.write([{ statement: backdateImports, params: { project } }])
        }
        exports.push(await exportOf(handles.graph, { project, limit: 1, afterPage }))
      }
      const source = await handles.open(() => memory.open())
      for (const project of projects) await importAll(source, project)
      const restored = await handles.open(() => store.open())
      const client = clientOf(restored)
      for (const [i, project] of projects.entries()) {
        await restoreLines(restored, exports[i] ?? [])
        expect((await everyTurn(client, project)).map(({ turnId }) => turnId)).toEqual(
          expect.arrayContaining(['a', 'b']),
        )
        await importAll(restored, project)
      }
      expect(await differences(restored, source)).toEqual(NO_DIFFERENCES)
      expect(await findingsOf(client)).toEqual([])
      await Promise.all([restored.close(), source.close()])
    })
  })
}

/** Gives imports the time of an import that began before all others and was committed after them. */
const backdateImports = {
  name: 'test/backdate-imports',
  text: 'MATCH (f:TranscriptFile) WHERE f.project = $project SET f.changedAt = f.changedAt - 5000',
  params: ['project'],
}

async function turnsOf(client: TurngraphClient, worldSlug: string) {
  const { items } = await client.listTurns({ project: PROJECT, worldSlug, limit: 500 })
  return items
}

async function findingsOf(client: TurngraphClient): Promise<Finding[]> {
  const findings: Finding[] = []
  let cursor: string | null = null
  do {
    const answer: Awaited<ReturnType<typeof client.examineGraph>> = await client.examineGraph({ cursor })
    findings.push(...answer.findings)
    cursor = answer.nextCursor
  } while (cursor !== null)
  return findings
}
