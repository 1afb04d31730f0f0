// Draws the totals of a replay: one row per fact, one column per policy. The head of a column chooses its policy.
import type { Policy } from '../../../rules/criterion-states.ts'
import type { ReplayTotals } from '../../../rules/replay.ts'
import { filterBy } from '../../navigation.ts'

type Props = { totals: readonly ReplayTotals[]; chosen: Policy }
type Amount = Exclude<keyof ReplayTotals, 'policy'>

const FACTS: readonly [amount: Amount, name: string][] = [
  ['sessions', 'Sessions'],
  ['turns', 'Turns'],
  ['repeated', 'Turns after the first'],
  ['afterAllProven', 'Turns after everything was proven'],
  ['judgedAgain', 'Turns that judged again what was verified'],
  ['stops', 'Sessions that would have ended'],
  ['rightStops', 'of them, never approved later'],
  ['turnsSaved', 'Turns saved'],
  ['turnsLost', 'Turns lost: the session was approved later'],
]

export function ReplayTable({ totals, chosen }: Props) {
  return (
    <div class="table-scroll">
      <table class="records replay" aria-label="Replay by policy">
        <thead>
          <tr>
            <th scope="col">Policy</th>
            {totals.map(({ policy }) => (
              <th key={policy} scope="col" class="number">
                <button
                  type="button"
                  class="quiet"
                  aria-pressed={policy === chosen}
                  onClick={() => filterBy({ policy })}
                >
                  {policy}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FACTS.map(([amount, name]) => (
            <tr key={amount}>
              <th scope="row">{name}</th>
              {totals.map((total) => (
                <td key={total.policy} class={total.policy === chosen ? 'number chosen' : 'number'}>
                  {total[amount]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
