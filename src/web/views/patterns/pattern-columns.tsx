// Declares the columns that tables of patterns, desires and errors have in common.
import { Instant } from '../../components/instant.tsx'
import type { Column } from '../../components/table.tsx'

export const CALLS_A_TURN: Column<{ avg_length: number }> = {
  head: 'Calls a turn, average',
  isNumber: true,
  cell: ({ avg_length: length }) => length.toFixed(1),
}

export const SESSIONS: Column<{ sessions: number }> = {
  head: 'Sessions',
  isNumber: true,
  cell: ({ sessions }) => sessions,
}

export const LAST_SEEN: Column<{ last_seen: string | null }> = {
  head: 'Last seen',
  cell: ({ last_seen: at }) => <Instant at={at} />,
}
