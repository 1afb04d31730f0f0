import neo4j, { type Driver, type ProfiledPlan } from 'neo4j-driver'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { toOnePlan } from '../../src/graph/neo4j-plans.ts'
import { ObservedGraph } from '../../src/graph/observed.ts'
import type { Graph, Params, Row, Step } from '../../src/graph/port.ts'
import type { Statement } from '../../src/graph/statements.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, enginesHere, memory, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { clientOf, type TurnToSend } from '../support/records.ts'
import { send, sessionOf, turn } from '../support/transcript-import.ts'
import { linesOf } from '../support/written-transcript.ts'

/**
 * The cost of the operations of every turn must not grow with the graph. The engine counts the records that each statement
 * touches (PROFILE: rows on the embedded engine, database hits on Neo4j), once in a small graph and once in a larger one.
 */

const TURNS_A_WORLD = 4
/** Number of worlds. Below some hundred turns Neo4j plans scans of whole labels, which is right for so few. */
const SMALL = 100
const LARGE = 200

/** The maximum number of records that one call touched, by statement. */
type Touched = Map<string, number>

/** Profiles the statements of a transaction, and rolls it back. */
type Profile = (steps: readonly Step[]) => Promise<number[]>

/**
 * Counts the records that each statement touches: those of a write right before it runs, in a transaction that is rolled back,
 * and those of the reads at the end, because Neo4j plans each again for the count, which exceeds the deadline of an operation.
 */
class CountingGraph extends ObservedGraph {
  readonly touched: Touched = new Map()
  readonly #graph: Graph
  readonly #profile: Profile
  /** Last call of each statement, when the graph has the most data. Neo4j plans it again for the count. */
  readonly #reads = new Map<string, Step>()

  constructor(graph: Graph, profile: Profile) {
    super(graph, () => {})
    this.#graph = graph
    this.#profile = profile
  }

  override read(statement: Statement, params: Params, deadline?: number): Promise<Row[]> {
    this.#reads.set(statement.name, { statement, params })
    return super.read(statement, params, deadline)
  }

  override async write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null> {
    if (this.#graph.engine === 'embedded') await this.#count(steps)
    return super.write(steps, deadline)
  }

  async countReads(): Promise<Touched> {
    for (const step of this.#reads.values()) await this.#count([step])
    return this.touched
  }

  async #count(steps: readonly Step[]): Promise<void> {
    const counts = await this.#profile(steps)
    steps.forEach(({ statement: { name } }, i) => {
      this.touched.set(name, Math.max(this.touched.get(name) ?? 0, counts[i] ?? 0))
    })
  }
}

/** Grafeo prints each operator with its number of rows. */
const profileOnEmbedded =
  (graph: Graph): Profile =>
  async (steps) => {
    const counts: number[] = []
    await graph.transact(async (run) => {
      for (const { statement, params } of steps) {
        const profiled = { ...statement, text: `PROFILE ${statement.text}` }
        counts.push(rowsIn(await run({ statement: profiled, params })))
      }
      return null
    })
    return counts
  }

const rowsIn = ([row]: readonly Row[]): number =>
  [...String(Object.values(row ?? {})[0]).matchAll(/rows=(\d+)/g)].reduce(
    (sum, [, rows]) => sum + Number(rows),
    0,
  )

const profileOnNeo4j =
  (driver: Driver): Profile =>
  async (steps) => {
    const session = driver.session()
    const transaction = session.beginTransaction()
    try {
      const counts: number[] = []
      for (const { statement, params } of steps) {
        const sent = { p: withIntegers(params) }
        const { summary } = await transaction.run(`PROFILE ${toOnePlan(statement)}`, sent)
        counts.push(summary.profile === false ? 0 : hitsIn(summary.profile))
      }
      return counts
    } finally {
      await transaction.rollback()
      await session.close()
    }
  }

const hitsIn = ({ dbHits, children }: ProfiledPlan): number =>
  Number(dbHits) + children.reduce((sum, child) => sum + hitsIn(child), 0)

const withIntegers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withIntegers)
  if (typeof value === 'number' && Number.isInteger(value)) return neo4j.int(value)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withIntegers(each)]))
}

const criterion = (i: number) => ({
  criterionId: `AC-00${i}`,
  criterionText: `Criterion ${i} holds for every input`,
})

function aTurnOf(task: string, turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend {
  return {
    featureId: 'FEAT-1',
    taskId: task,
    turnNumber,
    playerSummary: `Attempt ${turnNumber}`,
    coachDecision: 'feedback',
    verifications: [1, 2].map((i) => ({
      ...criterion(i),
      status: 'rejected' as const,
      evidence: 'The test fails',
    })),
    promises: turnNumber === 1 ? [1, 2].map((i) => ({ ...criterion(i), status: 'complete' as const })) : [],
    issues: [{ severity: 'blocking', description: 'The error path has no test', criterionIds: ['AC-001'] }],
    ...more,
  }
}

/** Writes worlds to another graph, and restores them from there: single calls would take minutes on Neo4j. */
async function fill(graph: Graph, from: number, to: number): Promise<void> {
  const source = await memory.open()
  const client = clientOf(source)
  for (let i = from; i < to; i++) {
    for (let turn = 1; turn <= TURNS_A_WORLD; turn++)
      await client.captureTurnState(aTurnOf(`FILL-${i}`, turn))
    await transcribe(client, `FILL-${i}`, i)
    const run = await client.runTurn({ worldSlug: `FILL-${i}`, turnCount: 2 })
    if ('turnRunId' in run) await client.cancelTurnRun({ turnRunId: String(run.turnRunId), abort: true })
  }
  await restoreLines(graph, await exportOf(source))
  await source.close()
}

/** A transcript of an agent that worked in the task's worktree: a capture looks for those of its own task. */
async function transcribe(client: TurngraphClient, task: string, number: number): Promise<void> {
  const cwd = `/srv/.guardkit/worktrees/${task}`
  const records = turn(`prompt-${number}`, ['Read']).map((record) => ({ ...record, cwd }))
  await send(client, sessionOf(number), linesOf(records))
}

const labelsOnly = { verifications: [{ criterionId: 'AC-001', status: 'verified' as const }] }

/** Runs all operations of a loop in a turn, in all their forms. */
async function liveThroughTurns(graph: Graph, task: string): Promise<void> {
  const client = clientOf(graph)
  const of = { featureId: 'FEAT-1', taskId: task }
  const roles = ['player', 'coach'] as const
  for (const role of roles) await client.loadTurnContinuationContext({ ...of, currentTurn: 1, role })
  for (let turn = 1; turn <= 3; turn++) {
    await client.captureTurnState(aTurnOf(task, turn, turn === 3 ? labelsOnly : {}))
    await client.captureTurnState(aTurnOf(task, turn, turn === 3 ? labelsOnly : {})) // sent again
    for (const worldSlug of [undefined, task]) {
      for (const role of roles) {
        await client.loadTurnContinuationContext({ ...of, worldSlug, currentTurn: turn + 1, role })
        await client.loadTurnContinuationContext({ ...of, worldSlug, currentTurn: 2, role })
        await client.listCriteria({ ...of, worldSlug, role })
      }
      await client.recoverPromises({ ...of, worldSlug, turn: turn + 1 })
      await client.loadStall({ ...of, worldSlug })
      await client.explainTurn({ ...of, worldSlug })
      await client.listIssues({ ...of, worldSlug })
    }
  }
  await client.captureTurnState(
    aTurnOf(task, 2, { playerSummary: 'Another', worldSlug: task, onConflict: 'supersede' }),
  )
  await client.captureTurnState(aTurnOf(task, 6, { worldSlug: task }))
  await client.captureTurnState(aTurnOf(task, 5, { worldSlug: task, ...labelsOnly })) // came late
  await client.listTurns({ worldSlug: task })
  await client.getTurn({ worldSlug: task, turnNumber: 2 })
  await client.getTurnHistory({ worldSlug: task, turnNumber: 2 })
  await client.listWorlds({ ...of })
  await client.listWorlds({ ...of, order: 'last_activity' })
  await client.listWorlds({ limit: 10 })
  await client.listWorlds({ limit: 10, order: 'last_activity' })
  await client.listWorlds({ limit: 10, order: 'last_activity', search: 'FILL', notApproved: true })
  await client.getWorld({ worldSlug: task })
  await client.createWorld({ ...of, executor: 'external' })
  for (const role of roles)
    await client.loadTurnContinuationContext({ ...of, worldSlug: `${task}.2`, currentTurn: 1, role })
  const run = await client.runTurn({ worldSlug: `${task}.2`, turnCount: 2 })
  if ('turnRunId' in run) await client.getTurnRunStatus({ turnRunId: String(run.turnRunId) })
  await client.listTurnRuns({ worldSlug: `${task}.2` })
  await client.listTurnRuns({ limit: 1 })
}

/**
 * `projects/names` finds names that are similar to an unknown one, and reads at most 1,000. The embedded graph has no ordered
 * index: it finds the worlds of a project and sorts them, at 0.6 microseconds each. Only people call these, not loops.
 */
const GROWS = new Set(['projects/names:tasks'])
const GROWS_ON_EMBEDDED = new Set([
  'worlds/page:of-project:by-slug',
  'worlds/page:of-project:by-activity',
  'runs/page:of-project',
])

for (const engine of enginesHere([memory, neo4jLts])) {
  describeOn(engine, (store) => {
    describe('the cost of a turn', () => {
      const handles = useGraph(store)
      let driver: Driver | null = null
      beforeEach(() => {
        driver = engine === neo4jLts ? neo4j.driver(neo4jUrl('lts')) : null
      })
      afterEach(() => driver?.close())

      test('no statement of a turn touches more records in a larger graph', {
        timeout: 600_000,
      }, async () => {
        const { graph } = handles
        const profile = driver === null ? profileOnEmbedded(graph) : profileOnNeo4j(driver)
        const countTurns = async (task: string, number: number): Promise<Touched> => {
          await transcribe(clientOf(graph), task, number)
          const counting = new CountingGraph(graph, profile)
          await liveThroughTurns(counting, task)
          // A server samples its indexes in the background; plans are those of a server that has.
          await driver?.executeQuery('CALL db.prepareForReplanning(60)')
          return counting.countReads()
        }
        await fill(graph, 0, SMALL)
        const small = await countTurns('TASK-A', 1_000)
        await fill(graph, SMALL, LARGE)
        const large = await countTurns('TASK-B', 1_001)
        const grew = [...large].flatMap(([name, count]) => {
          const before = small.get(name) ?? 0
          const mayGrow = GROWS.has(name) || (driver === null && GROWS_ON_EMBEDDED.has(name))
          return count > before * 1.2 + 5 && !mayGrow ? [`${name}: ${before} to ${count}`] : []
        })
        expect(large.size).toBeGreaterThan(20)
        expect(grew).toEqual([])
      })
    })
  })
}
