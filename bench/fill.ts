// Fills a graph with turns like those of real sessions.
import type { TurngraphClient } from '../src/client/client.ts'

export const TURNS_A_WORLD = 10
export const CRITERIA = 8
/** Number of worlds that are filled at the same time. */
const FILL_WIDTH = 16
const COLD_WORLDS = 20

/**
 * Fills the graph up to a number of turns, in worlds of ten. `worlds` and `turns` count the existing ones.
 */
export async function fillTo(
  client: TurngraphClient,
  filled: { worlds: number; turns: number },
  turns: number,
): Promise<void> {
  while (filled.turns < turns) {
    // Writes one world at a time until the server has planned and compiled the statements.
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
