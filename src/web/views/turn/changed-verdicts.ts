// Groups the verdicts of a turn by criterion: first those that changed a criterion, then the others. Pure.
import { noteBasis } from '../../../rules/basis.ts'
import { nameCriterion } from '../../criterion-name.ts'
import type { Answered } from '../../service/operations.ts'

type Why = Pick<Answered<'explainTurn'>, 'won' | 'lost' | 'rejected' | 'verdicts'>
export type Claim = Answered<'recoverPromises'>['items'][number]
export type TurnVerdict = NonNullable<Answered<'explainTurn'>['verdicts']>[number]

export type CriterionInTurn = {
  key: string
  label: string
  text: string | null
  /** The criterion after the turn. */
  state: 'verified' | 'rejected' | 'unknown'
  /** The change of its state in words; null without a change. */
  change: string | null
  /** Words for how the proof is known; null without a proof, or if a judge verified it in words of its own. */
  known: string | null
  claims: readonly Claim[]
  judged: readonly TurnVerdict[]
  seen: readonly TurnVerdict[]
}

export function groupVerdicts(
  { won, lost, rejected, verdicts = [] }: Why,
  promises: Pick<Answered<'recoverPromises'>, 'source' | 'items'>,
): { changed: CriterionInTurn[]; others: CriterionInTurn[] } {
  // Promises of an earlier turn are not claims of this turn.
  const claims = promises.source === 'current' ? promises.items : []
  const ofKey = (key: string) => {
    const own = verdicts.filter((verdict) => verdict.key === key && verdict.source !== 'player')
    return {
      claims: claims.filter((claim) => claim.key === key),
      judged: own.filter(({ observed_on }) => observed_on === undefined),
      seen: own.filter(({ observed_on }) => observed_on !== undefined),
    }
  }
  const rejectedKeys = new Set(rejected.map(({ key }) => key))
  const toCriterion = (
    { key, criterion_id, text }: (typeof won)[number],
    state: CriterionInTurn['state'],
    change: string | null,
    known: string | null = null,
  ): CriterionInTurn => ({
    key,
    label: nameCriterion({ key, criterion_id, text }),
    text,
    state,
    change,
    known,
    ...ofKey(key),
  })
  const changed = [
    ...lost.map((one) =>
      rejectedKeys.has(one.key)
        ? toCriterion(one, 'rejected', 'verified before, rejected now')
        : toCriterion(one, 'unknown', 'verified before, left open now'),
    ),
    ...rejected.filter(({ kind }) => kind === 'new').map((one) => toCriterion(one, 'rejected', 'rejected')),
    ...won.map((one) => toCriterion(one, 'verified', 'now verified', noteBasis(one.basis))),
  ]
  const again = rejected
    .filter(({ kind }) => kind === 'again')
    .map((one) => toCriterion(one, 'rejected', 'rejected again'))
  const listed = new Set([...changed, ...again].map(({ key }) => key))
  const others = new Map(
    verdicts
      .filter(({ key, source }) => !listed.has(key) && source !== 'player')
      .map((one) => [one.key, one]),
  )
  return {
    changed,
    others: [
      ...again,
      ...[...others.values()].map(({ status, ...one }) =>
        toCriterion(
          { ...one, text: claims.find(({ key }) => key === one.key)?.criterion_text ?? null, basis: null },
          status === 'verified' || status === 'rejected' ? status : 'unknown',
          null,
        ),
      ),
    ],
  }
}
