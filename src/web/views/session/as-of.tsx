// Chooses the turn after which a session is shown, and the policy that counts its criteria.
import { filterBy } from '../../navigation.ts'

export const POLICIES = ['sticky', 'evidence', 'latest'] as const
export type Policy = (typeof POLICIES)[number]

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

export function PolicyChoice({ policy }: { policy: Policy }) {
  return (
    <fieldset class="choice-line">
      <legend>Policy</legend>
      {POLICIES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === policy}
          onClick={() => filterBy({ policy: each === 'sticky' ? null : each })}
        >
          {each}
        </button>
      ))}
    </fieldset>
  )
}
