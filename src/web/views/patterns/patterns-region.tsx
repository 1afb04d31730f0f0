// Draws the patterns of turns as rows with bars. An opened row shows the turns of its pattern.

import { AmountBar } from '../../components/amount-bar.tsx'
import { Table } from '../../components/table.tsx'
import { filterBy } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { CALLS_A_TURN, SESSIONS } from './pattern-columns.tsx'

type Pattern = ItemOf<'listTranscriptPatterns'>
type Props = { patterns: readonly Pattern[]; opened: string | null; isCut: boolean }

export function PatternsRegion({ patterns, opened, isCut }: Props) {
  const most = Math.max(1, ...patterns.map(({ count }) => count))
  return (
    <section aria-label="Patterns of turns">
      <Table
        label="Patterns"
        records={patterns}
        toKey={({ pattern }) => pattern}
        cut={isCut && <>The {patterns.length} most frequent patterns are shown.</>}
        columns={[
          {
            head: 'Pattern',
            isName: true,
            cell: ({ pattern }) => (
              <button
                type="button"
                class="quiet pattern"
                aria-expanded={pattern === opened}
                onClick={() => filterBy({ pattern: pattern === opened ? null : pattern })}
              >
                <bdi>{pattern}</bdi>
              </button>
            ),
          },
          { head: 'Turns', cell: ({ count }) => <AmountBar amount={count} most={most} /> },
          CALLS_A_TURN,
          SESSIONS,
        ]}
      />
    </section>
  )
}
