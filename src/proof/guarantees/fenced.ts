/** Tries that a world has one writer at a time, and that a worker without its lease writes nothing. */
import type { TurngraphClient } from '../../client/client.ts'
import { hasCode } from '../../core/errors.ts'
import { awaitRefusal, type Guarantee, requireThat } from '../guarantee.ts'
import { FEATURE, readTurns } from '../turns.ts'

const ROUNDS = 5
const WORKERS = 8
const WORLD = 'TASK-fenced'

export const fenced: Guarantee = {
  name: 'One writer, fenced',
  promise:
    'At most one attempt is active in a world; fences only rise, and without the right one nothing is written.',
  async run({ client, project }) {
    const world = { project, featureId: FEATURE, taskId: WORLD, worldSlug: WORLD }
    await client.createWorld({ ...world, executor: 'external' })
    const figures = { attempts: 0, 'claims refused': 0, 'commits refused': 0, 'greatest fence': 0 }
    for (let round = 1; round <= ROUNDS; round++) {
      const started = await Promise.allSettled(
        Array.from({ length: WORKERS }, () => client.runTurn({ project, worldSlug: WORLD })),
      )
      const won = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      requireThat(won.length === 1, 'of many starts at once one begins an attempt', { won: won.length })
      for (const each of started) {
        if (each.status === 'rejected')
          requireThat(hasCode(each.reason, 'busy'), 'the others are told that the world is busy', each.reason)
      }
      const attemptId = won[0]?.attemptId ?? ''
      const fence = await claimAtOnce(client, project, attemptId, figures)
      const isGreater = fence > figures['greatest fence']
      requireThat(isGreater, 'a fence is greater than all before it', { fence, ...figures })
      for (const wrong of [fence - 1, fence + 1].filter((each) => each >= 1)) {
        const refused = await commit(client, project, attemptId, wrong, 'A worker without the lease')
        const isRefused = hasCode(refused, 'lease_lost')
        requireThat(isRefused, 'a commit with another fence is refused', { wrong, refused })
        figures['commits refused']++
      }
      const committed = await commit(client, project, attemptId, fence, `Work of round ${round}`)
      requireThat(committed === null, 'the holder of the lease commits', committed)
      figures.attempts++
      figures['greatest fence'] = fence
    }
    const turns = await readTurns(client, project, WORLD)
    const summaries = turns.map(({ playerSummary }) => playerSummary)
    const expected = Array.from({ length: ROUNDS }, (_, i) => `Work of round ${i + 1}`)
    const isEachOnce = String(summaries) === String(expected)
    requireThat(isEachOnce, 'each attempt made one turn, by its lease holder', summaries)
    return figures
  },
}

async function claimAtOnce(
  client: TurngraphClient,
  project: string,
  attemptId: string,
  figures: { 'claims refused': number },
): Promise<number> {
  const claims = await Promise.allSettled(
    Array.from({ length: WORKERS }, (_, i) =>
      client.claimAttempt({ project, attemptId, workerId: `worker-${i}` }),
    ),
  )
  const fences = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value.fence] : []))
  const [fence] = fences
  requireThat(fence !== undefined && fences.length === 1, 'of many claims at once one gets the lease', {
    fences,
  })
  figures['claims refused'] += claims.length - 1
  return fence
}

/** Null where it was taken. */
const commit = (
  client: TurngraphClient,
  project: string,
  attemptId: string,
  fence: number,
  playerSummary: string,
): Promise<unknown> =>
  awaitRefusal(
    client.commitAttempt({ project, attemptId, fence, turn: { playerSummary, coachDecision: 'feedback' } }),
  )
