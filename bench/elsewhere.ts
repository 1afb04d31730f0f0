/**
 * Measures the cost of knowledge from other sessions, in a project in which thousands of turns share each file,
 * gate and issue. Compares contexts with and without `elsewhere`, and captures of turns with and without lessons.
 */
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { TURNS_A_WORLD, turnOf } from './fill.ts'
import type { Floor } from './floor.ts'
import { type Figures, printFigures, printGrowth, rotated, sampler } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type ElsewhereBench = { store: string | null; turns: number[]; samples: number; out: string }

/** Number of sessions that ask for contexts, in rotation. */
const ASKING = 16
const FILL_WIDTH = 4
const MODULES = 50
const COMPLAINTS = 20

export async function benchElsewhere(bench: ElsewhereBench): Promise<void> {
  await onBenchGraph(bench, async (graph, floor) => {
    const client = inProcessClient({ graph, project: `bench-${Date.now()}` })
    const results: Record<number, Figures> = {}
    let worlds = 0
    for (const size of bench.turns) {
      while (worlds * TURNS_A_WORLD < size)
        await Promise.all(
          Array.from({ length: worlds < FILL_WIDTH ? 1 : FILL_WIDTH }, () => fillWorld(client, worlds++)),
        )
      await sampled(client, floor, `warm${size}`, 300) // unmeasured
      const figures = await sampled(client, floor, `at${size}`, bench.samples)
      results[size] = figures
      printFigures(`${size} turns`, figures)
      const p50 = (name: string) => figures[name]?.p50 ?? 1
      console.log(
        `context, elsewhere known / off: ${(p50('context, known') / p50('context, elsewhere off')).toFixed(2)}`,
      )
    }
    printGrowth(results)
    return { results }
  })
}

/**
 * Makes a turn with lessons: five files of a module, a gate that fails everywhere, and issues of other
 * sessions.
 */
function learningTurn(world: string, index: number, turnNumber: number) {
  const turn = turnOf(world, turnNumber)
  const isLast = turnNumber === TURNS_A_WORLD
  const complaint = (i: number) => ({
    severity: 'blocking',
    category: 'tests',
    description: `Complaint ${'abcdefghijklmnopqrst'[i % COMPLAINTS]}`,
  })
  return {
    ...turn,
    filesModified: [
      'README.md',
      ...[1, 2, 3, 4].map((i) => `src/module${index % MODULES}/file${(turnNumber + i) % 6}.ts`),
    ],
    lessonsFromTurn: [`In turn ${turnNumber} of ${world} the pool had to be closed before the server`],
    blockersFound: turnNumber % 2 === 0 ? [`No network for ${world}`] : [],
    coachDecision: isLast && index % 2 === 0 ? 'approved' : 'feedback',
    issues: isLast ? [] : [complaint(index), complaint(index + turnNumber)],
  }
}

async function fillWorld(client: TurngraphClient, index: number): Promise<void> {
  const turns = index < ASKING ? TURNS_A_WORLD - 1 : TURNS_A_WORLD
  for (let turn = 1; turn <= turns; turn++)
    await client.captureTurnState(learningTurn(`w${index}`, index, turn))
}

async function sampled(
  client: TurngraphClient,
  floor: Floor,
  label: string,
  rounds: number,
): Promise<Figures> {
  const { sample, figures } = sampler()
  for (let round = 0; round < rounds; round++) {
    await sample('floor read', floor.read)
    await sample('floor write', floor.write)
    const asking = `w${round % ASKING}`
    const role = round % 2 === 0 ? ('player' as const) : ('coach' as const)
    const request = {
      featureId: 'FEAT-BENCH',
      taskId: `TASK-${asking}`,
      worldSlug: asking,
      currentTurn: TURNS_A_WORLD,
      role,
    }
    const [turn, world] = [(round % TURNS_A_WORLD) + 1, Math.floor(round / TURNS_A_WORLD)]
    const forms: [string, () => Promise<unknown>][] = [
      ['context', () => client.loadTurnContinuationContext(request)],
      ['context, known', () => client.loadTurnContinuationContext({ ...request, elsewhere: 'known' })],
      ['context, elsewhere off', () => client.loadTurnContinuationContext({ ...request, elsewhere: 'off' })],
      [
        'capture, 5 files with lessons',
        () => client.captureTurnState(learningTurn(`${label}-many-${world}`, world, turn)),
      ],
      ['capture, 3 files', () => client.captureTurnState(turnOf(`${label}-few-${world}`, turn))],
    ]
    // Each form comes first in its turn, because the first one after the floor pays for cold caches.
    for (const [name, work] of rotated(forms, round)) await sample(name, work)
  }
  return figures()
}
