// Chooses the turn after which a session is shown, and the policy that counts its criteria.
import { Choice } from '../../components/choice.tsx'
import { filterBy } from '../../navigation.ts'

export const POLICIES = ['sticky', 'evidence', 'latest', 'fresh', 'observed'] as const
export type Policy = (typeof POLICIES)[number]

/** Explains when a policy counts a criterion as verified. */
export const POLICY_MEANINGS: Readonly<Record<Policy, string>> = {
  sticky: 'Verified once stays verified; a later rejection contests it.',
  evidence: 'A later rejection with evidence of its own takes a verification back.',
  latest: 'Only the last verdict counts.',
  fresh: 'A verification counts until a file of its proof changes.',
  observed: 'Only what a command or a test report showed counts as verified.',
}

export const readPolicy = (given: string | null): Policy =>
  POLICIES.find((policy) => policy === given) ?? 'sticky'

type AsOfProps = { turn: number; newest: number }

export function AsOf({ turn, newest }: AsOfProps) {
  const lookAt = (at: number) => filterBy({ turn: at >= newest ? null : at })
  return (
    <div class="as-of">
      <label>
        As of turn
        <input
          type="range"
          min={Math.min(1, newest)}
          max={newest}
          value={turn}
          aria-valuetext={turn >= newest ? `${turn}, the newest` : String(turn)}
          onInput={({ currentTarget }) => lookAt(currentTarget.valueAsNumber)}
        />
      </label>
      <output>{turn}</output>
      <button type="button" disabled={turn >= newest} onClick={() => lookAt(newest)}>
        Now
      </button>
    </div>
  )
}

export const PolicyChoice = ({ policy }: { policy: Policy }) => (
  <Choice
    legend="Policy"
    filter="policy"
    chosen={policy}
    usual="sticky"
    options={POLICIES.map((value) => ({ value, text: value, title: POLICY_MEANINGS[value] }))}
  />
)
