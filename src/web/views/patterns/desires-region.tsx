// Draws the long patterns that recur across sessions: each is worth a better tool.
import { AmountBar } from '../../components/amount-bar.tsx'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import { filterBy } from '../../navigation.ts'
import { useOperation } from '../../service/use-service.ts'
import { CALLS_A_TURN, LAST_SEEN, SESSIONS } from './pattern-columns.tsx'

export function DesiresRegion({ project }: { project: string }) {
  const desires = useOperation('listDesires', { project, limit: 50 })
  return (
    <Answered of={desires}>
      {({ items }) => {
        if (items.length === 0) return null
        const most = Math.max(...items.map(({ count }) => count))
        return (
          <section aria-label="Desires">
            <h2>Worth a better tool</h2>
            <Table
              label="Desires"
              records={items}
              toKey={({ pattern }) => pattern}
              columns={[
                {
                  head: 'Pattern',
                  isName: true,
                  cell: ({ pattern }) => (
                    <button type="button" class="quiet pattern" onClick={() => filterBy({ pattern })}>
                      <bdi>{pattern}</bdi>
                    </button>
                  ),
                },
                { head: 'Turns', cell: ({ count }) => <AmountBar amount={count} most={most} /> },
                CALLS_A_TURN,
                SESSIONS,
                LAST_SEEN,
              ]}
            />
          </section>
        )
      }}
    </Answered>
  )
}
