// Fills a graph with turns like those of real sessions.
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { type Graph, graphWith, type Step } from '../src/graph/port.ts'

export const TURNS_A_WORLD = 10
export const CRITERIA = 8
/** Number of worlds that are filled at the same time. */
const FILL_WIDTH = 16
const COLD_WORLDS = 20

/** Numbers of existing worlds and turns. */
export type FillCounts = { worlds: number; turns: number }

/** Fills the graph by captures up to a number of turns, in worlds of ten. Updates `filled`. */
export const fillTo = (client: TurngraphClient, filled: FillCounts, turns: number): Promise<void> =>
  fillWorlds(filled, turns, async (world) => {
    for (let turn = 1; turn <= TURNS_A_WORLD; turn++) await client.captureTurnState(turnOf(world, turn))
  })

/**
 * Fills the graph like {@link fillTo}, with half the CPU time: captures one world, and repeats its writes for the others. Only times
 * and random identities differ.
 */
export async function fillByWrites(
  graph: Graph,
  project: string,
  filled: FillCounts,
  turns: number,
): Promise<void> {
  const template = `template-${turns}`
  const writes = await recordWrites(graph, project, template)
  filled.turns += TURNS_A_WORLD
  await fillWorlds(filled, turns, async (world) => {
    for (const steps of writes) await graph.write(renameWorld(steps, template, world))
  })
}

async function fillWorlds(
  filled: FillCounts,
  turns: number,
  fillWorld: (world: string) => Promise<void>,
): Promise<void> {
  while (filled.turns < turns) {
    // Writes one world at a time until the server has planned and compiled the statements.
    const width =
      filled.worlds < COLD_WORLDS
        ? 1
        : Math.min(FILL_WIDTH, Math.ceil((turns - filled.turns) / TURNS_A_WORLD))
    await Promise.all(Array.from({ length: width }, () => fillWorld(`w${filled.worlds++}`)))
    filled.turns += width * TURNS_A_WORLD
  }
}

type Write = readonly [Step, ...Step[]]

async function recordWrites(graph: Graph, project: string, world: string): Promise<Write[]> {
  const writes: Write[] = []
  const recorder = graphWith(graph, {
    write: (steps, deadline) => {
      writes.push(steps)
      return graph.write(steps, deadline)
    },
  })
  const client = inProcessClient({ graph: recorder, project })
  for (let turn = 1; turn <= TURNS_A_WORLD; turn++) await client.captureTurnState(turnOf(world, turn))
  return writes
}

const renameWorld = ([first, ...rest]: Write, from: string, to: string): Write => {
  const rename = ({ statement, params }: Step): Step => ({
    statement,
    params: JSON.parse(JSON.stringify(params).replaceAll(from, to)),
  })
  return [rename(first), ...rest.map(rename)]
}

/** Makes a turn like those of real sessions: eight judged criteria with evidence, promises, two issues. */
export function turnOf(world: string, turnNumber: number, criteria = CRITERIA) {
  const criterion = (i: number) => ({
    criterionId: `AC-${String(i + 1).padStart(3, '0')}`,
    criterionText: `Criterion ${i + 1} of the bench holds for every input that the service accepts`,
  })
  const numbers = Array.from({ length: criteria }, (_, i) => i)
  return {
    featureId: 'FEAT-BENCH',
    taskId: `TASK-${world}`,
    worldSlug: world,
    turnNumber,
    playerSummary: 'Implemented the endpoint, wrote its tests and fixed what the last review named. '.repeat(
      3,
    ),
    playerDecision: 'implemented',
    coachDecision: 'feedback',
    coachFeedback: 'Not all acceptance criteria are met: the error path lacks a test.',
    filesModified: ['src/a.ts', 'src/b.ts', 'test/a.test.ts'],
    verifications: numbers.map((i) => ({
      ...criterion(i),
      status: i < turnNumber ? ('verified' as const) : ('rejected' as const),
      evidence: `tests/test_${i}.py::test_criterion passed in 0.3 s`,
    })),
    promises: numbers.map((i) => ({
      ...criterion(i),
      status: 'complete' as const,
      evidence: 'see the tests',
    })),
    issues: [
      {
        severity: 'must_fix',
        category: 'tests',
        description: 'The error path has no test',
        criterionIds: ['AC-003'],
      },
      { severity: 'minor', description: 'A name could be clearer' },
    ],
    gates: { tests_passed: 'passed' as const, coverage_met: 'failed' as const },
  }
}

/**
 * Makes a turn with eight verifications only: the capture of the trial that set the limits of both engines.
 */
export function turnOfTrial(world: string, turnNumber: number) {
  const { promises, issues, gates, ...turn } = turnOf(world, turnNumber)
  return turn
}
