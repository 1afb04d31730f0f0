// Sets one seed for all random cases of a run, and prints it. `TURNGRAPH_TEST_SEED` repeats a run.
import { randomInt } from 'node:crypto'

export default function setup(): void {
  if (process.env.TURNGRAPH_TEST_SEED !== undefined) return
  process.env.TURNGRAPH_TEST_SEED = String(randomInt(2 ** 31))
  console.log(`Seed of the random cases: ${process.env.TURNGRAPH_TEST_SEED} (TURNGRAPH_TEST_SEED)`)
}
