/**
 * Measures the cost of specifications: contexts and captures of tasks that declare 20 criteria, against tasks
 * that name the same 20 without a declaration; and tasks of a project with a task that declares 500, against
 * a project without declarations.
 */
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { fillTo, TURNS_A_WORLD, turnOf } from './fill.ts'
import type { Floor } from './floor.ts'
import { type Figures, printFigures, rotated, sampler } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type SpecificationsBench = { store: string | null; turns: number; samples: number; out: string }

/** Number of tasks of each kind. The reads use them in rotation. */
const TASKS = 16
const CRITERIA = 20
const MANY_CRITERIA = 500

export async function benchSpecifications(bench: SpecificationsBench): Promise<void> {
  await onBenchGraph(bench, async (graph, floor) => {
    // Both names have the same length: with keys that are 7 bytes longer, a context on Neo4j takes a fifth
    // more.
    const startedAt = Date.now()
    const clientOf = (name: 'a' | 'b') => inProcessClient({ graph, project: `bench-${startedAt}-${name}` })
    const [client, beside] = [clientOf('a'), clientOf('b')]
    await fillTo(client, { worlds: 0, turns: 0 }, bench.turns)
    await declare(beside, 'many', MANY_CRITERIA)
    for (let i = 0; i < TASKS; i++) {
      await declare(client, `declared${i}`, CRITERIA)
      for (const world of [`declared${i}`, `plain${i}`]) await fillWorld(client, world)
      await fillWorld(beside, `plain${i}`)
    }
    await sampled(client, beside, floor, 'warm', 300) // unmeasured
    const figures = await sampled(client, beside, floor, 'measured', bench.samples)
    printFigures(`${bench.turns} turns`, figures)
    for (const name of ['context', 'capture']) {
      const ratio = (of: string) =>
        ((figures[`${name}${of}`]?.p50 ?? 0) / (figures[name]?.p50 ?? 1)).toFixed(2)
      console.log(
        `${name}: ${CRITERIA} declared / named only ${ratio(DECLARED)}; beside ${MANY_CRITERIA} declared / beside none ${ratio(BESIDE)}`,
      )
    }
    return { turns: bench.turns, figures }
  })
}

const DECLARED = `, ${CRITERIA} declared`
const BESIDE = `, beside ${MANY_CRITERIA} declared`

const declare = (client: TurngraphClient, world: string, criteria: number): Promise<unknown> => {
  const { featureId, taskId, verifications } = turnOf(world, 1, criteria)
  const declared = verifications.map(({ criterionId, criterionText: text }) => ({ criterionId, text }))
  return client.declareCriteria({ featureId, taskId, criteria: declared })
}

async function fillWorld(client: TurngraphClient, world: string): Promise<void> {
  for (let turn = 1; turn <= TURNS_A_WORLD; turn++)
    await client.captureTurnState(turnOf(world, turn, CRITERIA))
}

/**
 * Measures every form once per round, and each order equally often: a form that runs after a larger one pays
 * for cold caches.
 */
async function sampled(
  client: TurngraphClient,
  beside: TurngraphClient,
  floor: Floor,
  label: string,
  rounds: number,
): Promise<Figures> {
  const { sample, figures } = sampler()
  for (let round = 0; round < rounds; round++) {
    await sample('floor read', floor.read)
    await sample('floor write', floor.write)
    const forms: [form: string, world: string, by: TurngraphClient][] = [
      ['', 'plain', client],
      [DECLARED, 'declared', client],
      [BESIDE, 'plain', beside],
    ]
    const inTurn = rotated(forms, round)
    for (const [form, kind, by] of round % 6 < 3 ? inTurn : inTurn.reverse()) {
      const { featureId, taskId, ...turn } = turnOf(
        `${kind}${round % TASKS}`,
        (Math.floor(round / TASKS) % TURNS_A_WORLD) + 1,
        CRITERIA,
      )
      const task = { featureId, taskId }
      const role = round % 2 === 0 ? ('player' as const) : ('coach' as const)
      await sample(`context${form}`, () =>
        by.loadTurnContinuationContext({
          ...task,
          worldSlug: turn.worldSlug,
          currentTurn: TURNS_A_WORLD + 1,
          role,
        }),
      )
      const worldSlug = `${turn.worldSlug}-${label}-${Math.floor(round / TASKS / TURNS_A_WORLD)}`
      await sample(`capture${form}`, () => by.captureTurnState({ ...turn, ...task, worldSlug }))
    }
  }
  return figures()
}
