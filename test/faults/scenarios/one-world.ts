import { post } from '../harness/post.ts'
import { Random } from '../harness/random.ts'
import { checkHistory } from '../harness/run-history.ts'
import { openRunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld } from '../harness/run-world.ts'
import { holds, inScope, type Scenario, until } from '../harness/scenario.ts'
import type { Exchange } from '../harness/send.ts'
import type { ServiceProcess } from '../harness/service-process.ts'

const PROCESSES = 8

/**
 * Eight services start runs and single attempts in one world at once, and claim the started ones. Exactly one
 * of them wins each time, fences only rise, and the losers learn who has won.
 */
export const oneWorld: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const store = await openRunStore('Neo4j', options, later)
    const services: ServiceProcess[] = []
    while (services.length < PROCESSES) services.push(await store.replica())
    const first = services[0] as ServiceProcess
    const world = { project: `one-world-${seed}-${Date.now()}`, worldSlug: 'contended' }
    await createRunWorld(first.client, world, 'external')
    const figures = { rounds, runs: 0, attempts: 0, busy: 0, leaseLost: 0, greatestFence: 0, slowestMs: 0 }
    for (let round = 1; round <= rounds; round++) {
      const { winner, busy, slowestMs } = await startAtOnce(services, world, random)
      figures[winner.turnRunId === null ? 'attempts' : 'runs']++
      const active = await until('an attempt is active', 15_000, async () => {
        const { activeTurnRunId, activeAttemptId } = await first.client.getWorld(world)
        holds(activeTurnRunId === winner.turnRunId, 'the winner has the world', { activeTurnRunId, winner })
        return activeAttemptId
      })
      holds(winner.attemptId === null || winner.attemptId === active, 'the winner has the attempt', winner)
      const claim = await claimAtOnce(services, world, { ...winner, attemptId: active })
      holds(claim.fence > figures.greatestFence, 'fences strictly rise', { claim, figures })
      figures.greatestFence = claim.fence
      figures.busy += busy + claim.busy
      figures.slowestMs = Math.max(figures.slowestMs, slowestMs, claim.slowestMs)
      figures.leaseLost += await commitAtOnce(services, world, active, claim)
      if (round % 20 === 0) log(`round ${round}: ${JSON.stringify(figures)}`)
    }
    const { turns } = await checkHistory(first.client, world)
    holds(turns === rounds, 'every round made one turn', { turns, rounds })
    await store.checkShape()
    return figures
  })

type Winner = { turnRunId: string | null; attemptId: string | null }

async function startAtOnce(services: readonly ServiceProcess[], world: RunWorld, random: Random) {
  const path = `/v1/worlds/${world.worldSlug}/turn-runs`
  const bodies = services.map(() => (random.fraction() < 0.5 ? {} : { turn_count: 1, max_attempts: 3 }))
  const answers = await Promise.all(
    services.map(({ url }, i) => post(`${url}${path}`, { ...bodies[i], project: world.project })),
  )
  const [won, ...others] = answers.filter(({ status }) => status === 201)
  holds(won !== undefined && others.length === 0, 'one of them starts', answers)
  const winner: Winner = { turnRunId: won.body.turn_run_id ?? null, attemptId: won.body.attempt_id ?? null }
  const losers = answers.filter((answer) => answer !== won)
  for (const loser of losers) {
    const details = busyDetails(loser)
    holds(details.turn_run_id === winner.turnRunId, 'a loser gets the id of the winning run', {
      winner,
      loser,
    })
    // An attempt of the run may have started since then; the single attempt is known.
    const named = winner.attemptId ?? details.attempt_id
    holds(details.attempt_id === named && named !== null, 'a loser gets the id of the attempt', {
      winner,
      loser,
    })
  }
  return { winner, busy: losers.length, slowestMs: slowest(answers) }
}

async function claimAtOnce(services: readonly ServiceProcess[], world: RunWorld, winner: Winner) {
  const { attemptId, turnRunId } = winner
  const answers = await Promise.all(
    services.map(({ url }, i) =>
      post(`${url}/v1/attempts/${attemptId}/claim`, { worker_id: `worker-${i}`, project: world.project }),
    ),
  )
  const [claimed, ...others] = answers.filter(({ status }) => status === 200)
  holds(claimed !== undefined && others.length === 0, 'one of them claims', answers)
  const losers = answers.filter((answer) => answer !== claimed)
  for (const loser of losers) {
    const { attempt_id, turn_run_id } = busyDetails(loser)
    holds(attempt_id === attemptId, 'a loser gets the id of the attempt', { winner, loser })
    holds(turn_run_id === turnRunId, 'a loser gets the id of the run', { winner, loser })
  }
  return { fence: claimed.body.fence as number, busy: losers.length, slowestMs: slowest(answers) }
}

/** The winner commits together with others, whose fence belongs to an earlier attempt or was never issued. */
async function commitAtOnce(
  services: readonly ServiceProcess[],
  world: RunWorld,
  attemptId: string,
  { fence }: { fence: number },
): Promise<number> {
  const fences = services.map((_, i) => (i % 2 === 0 && i < fence ? fence - i : fence + i))
  const answers = await Promise.all(
    services.map(({ url }, i) =>
      post(`${url}/v1/attempts/${attemptId}/commit`, {
        project: world.project,
        fence: fences[i],
        turn: { player_summary: `Work of ${attemptId}`, coach_decision: 'feedback' },
      }),
    ),
  )
  const [own, ...strangers] = answers
  holds(own?.status === 200 && own.body.status === 'committed', 'the winner commits', answers)
  for (const stranger of strangers) {
    const refused = stranger.status === 409 && stranger.body.error.code === 'lease_lost'
    holds(refused, 'a wrong fence commits no turn', stranger)
  }
  return strangers.length
}

function busyDetails(answer: Exchange): { attempt_id: string | null; turn_run_id: string | null } {
  const busy = answer.status === 409 && answer.body.error.code === 'busy'
  holds(busy, 'a loser is 409 busy', answer)
  return answer.body.error.details
}

const slowest = (answers: readonly Exchange[]): number => Math.round(Math.max(...answers.map(({ ms }) => ms)))
