// Draws a list of what agents do, the most frequent first, as a table with bars.
import { AmountBar } from '../../components/bar.tsx'
import { Instant } from '../../components/instant.tsx'
import { type Column, Table } from '../../components/table.tsx'

type Props<R> = {
  title: string
  note?: string
  /** Accessible name of the table and its region. */
  label: string
  rows: readonly R[]
  name: { head: string; key: (row: R) => string; cell?: Column<R>['cell'] }
  amount: { head: string; read: (row: R) => number }
  columns: readonly Column<R>[]
  /** Number of rows that the service was asked for. */
  limit: number
}

/** Draws nothing without rows. */
export function Ranking<R>({ title, note, label, rows, name, amount, columns, limit }: Props<R>) {
  if (rows.length === 0) return null
  const most = Math.max(...rows.map(amount.read))
  const bars: Column<R> = {
    head: amount.head,
    cell: (row) => <AmountBar amount={amount.read(row)} most={most} />,
  }
  const named = name.cell ?? ((row: R) => <bdi>{name.key(row)}</bdi>)
  return (
    <section aria-label={label}>
      <h2>{title}</h2>
      {note !== undefined && <p class="quiet-text">{note}</p>}
      <Table
        label={label}
        records={rows.slice(0, limit)}
        toKey={name.key}
        cut={rows.length >= limit && `The ${limit} most frequent are shown.`}
        columns={[{ head: name.head, isName: true, cell: named }, bars, ...columns]}
      />
    </section>
  )
}

export const callsPerTurn = <R,>(read: (row: R) => number): Column<R> => ({
  head: 'Calls a turn, average',
  isNumber: true,
  cell: (row) => read(row).toFixed(1),
})

export const SESSIONS: Column<{ sessions: number }> = {
  head: 'Sessions',
  isNumber: true,
  cell: ({ sessions }) => sessions,
}

export const LAST_SEEN: Column<{ last_seen: string | null }> = {
  head: 'Last seen',
  cell: ({ last_seen: at }) => <Instant at={at} />,
}
