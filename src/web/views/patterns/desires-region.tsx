// Long patterns that recur across sessions: each is worth a better tool.
import { AmountBar } from '../../components/amount-bar.tsx'
import { Answered } from '../../components/answer.tsx'
import { Instant } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import { filterBy } from '../../navigation.ts'
import { useOperation } from '../../service/use-service.ts'

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
              keyOf={({ pattern }) => pattern}
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
                {
                  head: 'Calls a turn, average',
                  isNumber: true,
                  cell: ({ avg_length: length }) => length.toFixed(1),
                },
                { head: 'Sessions', isNumber: true, cell: ({ sessions }) => sessions },
                {
                  head: 'Last seen',
                  isExtra: true,
                  cell: ({ last_seen: at }) => (at === null ? '–' : <Instant at={at} />),
                },
              ]}
            />
          </section>
        )
      }}
    </Answered>
  )
}
