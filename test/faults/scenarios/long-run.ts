import type { TurngraphClient } from '../../../src/client/client.ts'
import { checkHistory } from '../harness/run-history.ts'
import { openRunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld, startRun } from '../harness/run-world.ts'
import { holds, inScope, pause, type Scenario } from '../harness/scenario.ts'

/** Compares times of the first tenth of the run with those of the last tenth. */
const TENTHS = 10
const ASKED = 40
const MAX_SLOWER = 2

/** Makes `rounds` turns in one run on the embedded engine. The last turns and reads must be as fast as the first. */
export const longRun: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds: turns, log } = options
    const store = await openRunStore('embedded', options, later)
    const { client, stop } = await store.startReady()
    const world = await createRunWorld(client, { project: 'long', worldSlug: 'run' }, 'plain')
    const turnRunId = await startRun(client, world, { turnCount: turns, maxAttempts: turns })
    const tenth = Math.floor(turns / TENTHS)
    const latencies: { turn: number; ms: number }[] = []
    for (;;) {
      const began = performance.now()
      const run = await client.getTurnRunStatus({ ...world, turnRunId })
      const turn = run.committedTurnCount
      latencies.push({ turn, ms: performance.now() - began })
      if (run.endedAt !== null) {
        holds(run.status === 'completed' && turn === turns, 'a long run completes', run)
        break
      }
      if (latencies.length % 200 === 0) log(`${turn} turns`)
      await pause(50)
    }
    const latencyOf = (from: number, to: number) =>
      median(latencies.flatMap(({ turn, ms }) => (turn >= from && turn < to ? ms : [])))
    const [early, late] = [latencyOf(1, tenth), latencyOf(turns - tenth, turns)]
    const history = await checkHistory(client, world, [turnRunId])
    const startedAt = history.attempts.map(({ startedAt }) => Date.parse(startedAt)).toReversed()
    const took = (from: number, to: number) => (startedAt[to - 1] ?? 0) - (startedAt[from] ?? 0)
    const tenths = Array.from({ length: TENTHS }, (_, i) => took(i * tenth, (i + 1) * tenth))
    const [firstMs = 0, lastMs = 0] = [tenths[0], tenths.at(-1)]
    const idleMs = await statusMs(client, world, turnRunId)
    await stop()
    const { attempts } = await store.checkShape()
    const figures = {
      turns,
      tenthsMs: tenths.join(' '),
      timeRatio: ratio(lastMs, firstMs),
      statusEarlyMs: rounded(early),
      statusLateMs: rounded(late),
      statusRatio: ratio(late, early),
      statusIdleMs: rounded(idleMs),
      attempts,
    }
    holds(figures.timeRatio < MAX_SLOWER, 'the time per turn does not grow', figures)
    holds(
      figures.statusRatio < MAX_SLOWER,
      'reading a long run takes as long as reading a short one',
      figures,
    )
    return figures
  })

async function statusMs(client: TurngraphClient, world: RunWorld, turnRunId: string): Promise<number> {
  const times: number[] = []
  while (times.length < ASKED) {
    const began = performance.now()
    await client.getTurnRunStatus({ ...world, turnRunId })
    times.push(performance.now() - began)
  }
  return median(times)
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const rounded = (ms: number): number => Math.round(ms * 100) / 100
const ratio = (a: number, b: number): number => rounded(a / b)
