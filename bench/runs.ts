/**
 * Measures the steps of a coordinator as ratios to a one-node write: start an attempt, end it (with a small
 * turn, with a turn like those of real sessions, without a turn), and read the run.
 */
import { inProcessClient } from '../src/client/in-process.ts'
import { captureRequest } from '../src/memory/record/record.ts'
import type { TurnRun } from '../src/runs/record.ts'
import { TurnRunStore } from '../src/runs/turn-run-store.ts'
import { fillTo, turnOf } from './fill.ts'
import { printFigures, sampler } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type RunsBench = { store: string | null; turns: number; samples: number; out: string }

const PROJECT = `bench-runs-${Date.now()}`
const WARM_UP = 300
const OWNER = 'bench'

export async function benchRuns(bench: RunsBench): Promise<void> {
  await onBenchGraph(bench, async (graph, floor) => {
    const client = inProcessClient({ graph, project: PROJECT })
    await fillTo(client, { worlds: 0, turns: 0 }, bench.turns)
    const store = new TurnRunStore(graph)
    const count = bench.samples + WARM_UP
    const startRun = async (worldSlug: string): Promise<TurnRun> => {
      const scope = { featureId: 'FEAT-BENCH', taskId: `TASK-${worldSlug}`, worldSlug }
      await client.createWorld(scope)
      return store.startTurnRun({
        project: PROJECT,
        worldSlug,
        workerId: OWNER,
        requestedTurnCount: count,
        maxAttempts: count,
        turnCountSource: 'explicit',
        maxAttemptsSource: 'explicit',
      })
    }
    const kinds = {
      'a small turn': (worldSlug: string) =>
        captureRequest.parse({
          featureId: 'FEAT-BENCH',
          taskId: `TASK-${worldSlug}`,
          turnNumber: 1,
          playerSummary: 'Simulated turn',
        }),
      'a real turn': (worldSlug: string, turn: number) => captureRequest.parse(turnOf(worldSlug, turn)),
    }
    const runs = Object.fromEntries(
      await Promise.all(
        [...Object.keys(kinds), 'none'].map(async (kind) => [kind, await startRun(`run, ${kind}`)]),
      ),
    ) as Record<string, TurnRun>
    const round = async ({ sample }: ReturnType<typeof sampler>) => {
      await sample('floor read', floor.read)
      await sample('floor write', floor.write)
      for (const [kind, run] of Object.entries(runs)) {
        const started = await sample('start_attempt', () =>
          store.startAttemptForTurnRun(run, OWNER, run.fence ?? 0),
        )
        const claimed = await sample('claim', () => store.claimAttempt(started, OWNER))
        const { fence, attemptedTurn: turnNumber } = claimed
        if (kind === 'none') await sample('fail', () => store.failAttempt(claimed, fence ?? 0, 'it broke'))
        else {
          const record = kinds[kind as keyof typeof kinds](run.worldSlug, turnNumber)
          await sample(`commit ${kind}`, () =>
            store.commitAttempt(claimed, fence ?? 0, { ...record, turnNumber }),
          )
        }
        await sample('finish', () => store.finishTurnRunAttempt(run, claimed.attemptId))
        await sample('status', () => store.getTurnRunStatus(run))
      }
    }
    const unmeasured = sampler()
    for (let i = 0; i < WARM_UP; i++) await round(unmeasured)
    const measured = sampler()
    for (let i = 0; i < bench.samples; i++) await round(measured)
    const figures = measured.figures()
    printFigures(`${bench.turns} turns, runs of ${count}`, figures)
    return { turns: bench.turns, figures }
  })
}
