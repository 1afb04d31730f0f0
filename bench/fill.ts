// Fills a graph with turns as real sessions have them.
import type { TurngraphClient } from '../src/client/client.ts'

export const TURNS_A_WORLD = 10
export const CRITERIA = 8
/** Filling writes this many worlds at a time. */
const FILL_WIDTH = 16
const COLD_WORLDS = 20

/** Fills the graph up to so many turns, in worlds of ten; `worlds` and `turns` say how far it is. */
export async function fillTo(
  client: TurngraphClient,
  filled: { worlds: number; turns: number },
  turns: number,
): Promise<void> {
  while (filled.turns < turns) {
    // One at a time until the server has planned and compiled what it will run.
    const width =
      filled.worlds < COLD_WORLDS
        ? 1
        : Math.min(FILL_WIDTH, Math.ceil((turns - filled.turns) / TURNS_A_WORLD))
    await Promise.all(Array.from({ length: width }, () => fillWorld(client, filled.worlds++)))
    filled.turns += width * TURNS_A_WORLD
  }
}

async function fillWorld(client: TurngraphClient, world: number): Promise<void> {
  for (let turn = 1; turn <= TURNS_A_WORLD; turn++) await client.captureTurnState(turnOf(`w${world}`, turn))
}

/** A turn as real sessions have them: eight criteria judged with evidence, promises, two issues. */
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

/** Eight verifications and nothing else: the capture of the trial that set the bars of both engines. */
export function turnOfTrial(world: string, turnNumber: number) {
  const { promises, issues, gates, ...turn } = turnOf(world, turnNumber)
  return turn
}
