import { post } from '../harness/post.ts'
import { checkHistory } from '../harness/run-history.ts'
import { openRunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded, warmRuns } from '../harness/run-world.ts'
import { same } from '../harness/same.ts'
import { holds, inScope, type Scenario, until } from '../harness/scenario.ts'
import type { ServiceProcess } from '../harness/service-process.ts'

const LEASE_MS = 2_000

/**
 * An outside worker is silent for longer than its lease: only its attempt is interrupted, and the run
 * continues with another worker. Later requests of the first worker get 409 `lease_lost` and do not change
 * the graph.
 */
export const lateWorker: Scenario = (options) =>
  inScope(async (later) => {
    const store = await openRunStore('Neo4j', options, later)
    const services = [await store.replica(), await store.replica()] as const
    const project = `late-${options.seed}-${Date.now()}`
    await warmRuns(services[0].client, project)
    const figures = { rounds: options.rounds, refused: 0, fences: 0 }
    for (let round = 1; round <= options.rounds; round++) {
      const [one, other] = round % 2 === 0 ? services : services.toReversed()
      const world = { project, worldSlug: `world-${round}` }
      await createRunWorld(one.client, world, 'external', { leaseTtlMs: LEASE_MS })
      const run = await startRun(one.client, world, { turnCount: 1, maxAttempts: 2 })
      const late = await claimNext(one, world, 'late', null)
      const quick = await claimNext(other, world, 'quick', late.attemptId)
      holds(quick.fence > late.fence, 'fences rise', { late, quick })
      const { status } = await send(other, 'commit', quick, WORK)
      holds(status === 200, 'the worker in time commits', { quick, status })
      const ended = await untilRunEnded(one.client, world, run)
      holds(ended.status === 'completed', 'a lost worker does not end its run', ended)

      const before = await store.dump()
      for (const [what, body] of [
        ['commit', WORK],
        ['heartbeat', {}],
        ['fail', { reason: 'gave up' }],
      ] as const) {
        const answer = await send(one, what, late, body)
        const refused = answer.status === 409 && answer.body.error.code === 'lease_lost'
        holds(refused, `a late ${what} is 409 lease_lost`, { late, answer })
        figures.refused++
      }
      same(await store.dump(), before, 'a late worker changes nothing')
      const { attempts } = await checkHistory(other.client, world)
      holds(
        attempts[1]?.failureReason === 'attempt lease expired',
        'an expired lease is the reason',
        attempts[1],
      )
      figures.fences = quick.fence
    }
    await store.checkShape()
    return figures
  })

type Claim = { project: string; attemptId: string; fence: number }

const WORK = { turn: { player_summary: 'Worked', coach_decision: 'feedback' } }

/** Claims the active attempt when it is no longer `after`. */
async function claimNext(
  { client }: ServiceProcess,
  world: RunWorld,
  workerId: string,
  after: string | null,
): Promise<Claim> {
  const attemptId = await until('another attempt is active', 15_000, async () => {
    const { activeAttemptId } = await client.getWorld(world)
    return activeAttemptId !== after && activeAttemptId
  })
  const { fence } = await client.claimAttempt({ project: world.project, attemptId, workerId })
  return { project: world.project, attemptId, fence }
}

const send = (
  { url }: ServiceProcess,
  what: 'commit' | 'heartbeat' | 'fail',
  { project, attemptId, fence }: Claim,
  body: object,
) => post(`${url}/v1/attempts/${attemptId}/${what}?project=${project}`, { ...body, fence })
