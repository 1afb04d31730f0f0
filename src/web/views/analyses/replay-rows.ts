// Reads replayed sessions of the service in the form of the rules, and lists their counted turns. Pure.
import type { Policy } from '../../../rules/criterion-states.ts'
import type { CountedTurn } from '../../../rules/replay.ts'
import type { ReplayedSession } from './use-replay.ts'

type Replayed = {
  world: string
  turns: number
  policies: { policy: Policy; counted: CountedTurn[] }[]
}

export const toReplayed = ({ world_slug: world, turns, policies }: ReplayedSession): Replayed => ({
  world,
  turns,
  policies: policies.map(({ policy, counted }) => ({ policy, counted: counted.map(toCounted) })),
})

const toCounted = ({
  proven_in: provenIn,
  verified_again: verifiedAgain,
  turns_after: turnsAfter,
  ...counted
}: ReplayedSession['policies'][number]['counted'][number]): CountedTurn => ({
  ...counted,
  provenIn,
  verifiedAgain,
  turnsAfter,
})

export type Counted = CountedTurn & { world: string }

/** Lists the turns that a policy counts, by session and turn. */
export const listCounted = (sessions: readonly Replayed[], chosen: Policy): Counted[] =>
  sessions.flatMap(({ world, policies }) =>
    policies
      .filter(({ policy }) => policy === chosen)
      .flatMap(({ counted }) => counted.map((each) => ({ ...each, world }))),
  )
