/** Adds up replayed sessions, and writes them in words. Pure. Imports no zod, because the page uses it too. */
import { plural } from '../core/plural.ts'
import type { Policy } from './criterion-states.ts'
import type { CountedTurn, ReplayTotals } from './replay.ts'

type Counted = Pick<CountedTurn, 'rule' | 'right' | 'turnsAfter'>
type Replayed = { turns: number; policies: readonly { policy: Policy; counted: readonly Counted[] }[] }

export function sumReplays(sessions: readonly Replayed[], policies: readonly Policy[]): ReplayTotals[] {
  return policies.map((policy) => {
    const counted = sessions.flatMap(
      (session) => session.policies.find((each) => each.policy === policy)?.counted ?? [],
    )
    const stops = counted.filter(({ rule }) => rule === 'stop')
    const [right, wrong] = [stops.filter((stop) => stop.right), stops.filter((stop) => !stop.right)]
    const sumAfter = (of: readonly Counted[]) => of.reduce((sum, { turnsAfter = 0 }) => sum + turnsAfter, 0)
    const turns = sessions.reduce((sum, session) => sum + session.turns, 0)
    return {
      policy,
      sessions: sessions.length,
      turns,
      repeated: turns - sessions.filter((session) => session.turns > 0).length,
      afterAllProven: counted.filter(({ rule }) => rule === 'after_all_proven').length,
      judgedAgain: counted.filter(({ rule }) => rule === 'judged_again').length,
      stops: stops.length,
      rightStops: right.length,
      turnsSaved: sumAfter(right),
      turnsLost: sumAfter(wrong),
    }
  })
}

/** Writes the totals of a policy as one sentence. */
export function describeReplay({
  policy,
  sessions,
  turns,
  repeated,
  afterAllProven,
  judgedAgain,
  stops,
  rightStops,
  turnsSaved,
}: ReplayTotals): string {
  if (turns === 0) return 'No turn has been recorded yet.'
  const detector =
    stops === 0
      ? 'the detector would have ended no session'
      : `the detector would have ended ${plural(stops, 'session')}, ${rightStops} of them without a later approval, which saves ${plural(turnsSaved, 'turn')}`
  return `${plural(sessions, 'session')} repeated ${repeated} of ${plural(turns, 'turn')}: ${afterAllProven} came after everything was proven, ${judgedAgain} judged again what was verified; ${detector} (policy ${policy}).`
}

/** Writes why a turn is counted. */
export function describeCounted({
  provenIn,
  verifiedAgain,
  rejected,
  verdict,
  right,
  turnsAfter = 0,
}: CountedTurn): string {
  if (provenIn !== undefined) return `all proven in turn ${provenIn}`
  if (verdict !== undefined) {
    return `${verdict}, ${right ? 'right' : 'wrong: approved later'}, ${plural(turnsAfter, 'turn')} after it`
  }
  return `${verifiedAgain} verified again, ${rejected} rejected`
}
