// Draws the failures that recur in the calls of agents.
import { AmountBar } from '../../components/amount-bar.tsx'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import { useOperation } from '../../service/use-service.ts'
import { LAST_SEEN, SESSIONS } from './pattern-columns.tsx'

const MAX_ERRORS = 50

export function ErrorsRegion({ project, since }: { project: string; since: string | null }) {
  const paths = useOperation('listPaths', { project, limit: MAX_ERRORS, ...(since !== null && { since }) })
  return (
    <Answered of={paths}>
      {({ items }) => {
        const errors = items.filter(({ category }) => category === 'tool-error')
        if (errors.length === 0) return null
        const most = Math.max(...errors.map(({ count }) => count))
        return (
          <section aria-label="Errors">
            <h2>Errors that recur</h2>
            <Table
              label="Errors"
              records={errors}
              toKey={({ pattern }) => pattern}
              cut={items.length === MAX_ERRORS && <>The most frequent are shown.</>}
              columns={[
                {
                  head: 'Tool and error',
                  isName: true,
                  cell: ({ pattern }) => <span class="said">{pattern}</span>,
                },
                { head: 'Calls failed', cell: ({ count }) => <AmountBar amount={count} most={most} /> },
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
