// Draws rows of named columns as a table, with their downloads; the first column of amounts has bars.
import type { ComponentChildren } from 'preact'
import { toCsv } from '../../../rules/csv.ts'
import { writeAddress } from '../../address.ts'
import { AmountBar } from '../../components/bar.tsx'
import { Table } from '../../components/table.tsx'
import { nameSession } from '../../session-name.ts'

type Row = readonly unknown[]
type Numbered = { row: Row; number: number }
type Props = {
  label: string
  columns: readonly string[]
  rows: readonly Row[]
  /** Project of the sessions and turns that are linked; null if the rows come from several projects. */
  project: string | null
  /** Maximum number of rows that are drawn. The downloads contain all rows. */
  max?: number
  cut?: ComponentChildren
}

export function RowsTable({ label, columns, rows, project, max = rows.length, cut }: Props) {
  const numeric = columns.map((_, i) => rows.every((row) => row[i] === null || typeof row[i] === 'number'))
  const withBars = columns.findIndex(
    (name, i) => numeric[i] === true && !PLACES.has(name) && rows.every((row) => amountIn(row, i) >= 0),
  )
  const most = Math.max(0, ...rows.map((row) => amountIn(row, withBars)))
  const numbered: readonly Numbered[] = rows.map((row, number) => ({ row, number }))
  return (
    <>
      <Table
        label={label}
        records={numbered.slice(0, max)}
        toKey={({ number }: Numbered) => String(number)}
        cut={rows.length > max ? `The first ${max} of ${rows.length} rows are shown.` : cut}
        columns={columns.map((name, i) => ({
          head: project !== null && name === 'world' ? 'session' : name.replaceAll('_', ' '),
          isNumber: numeric[i] === true && i !== withBars,
          cell: ({ row }: Numbered) => {
            if (i === withBars && row[i] !== null) return <AmountBar amount={amountIn(row, i)} most={most} />
            const href = project === null ? null : linkTo(project, columns, row, name)
            const isDeep = typeof row[i] === 'object' && row[i] !== null
            const text = describeValue(row[i])
            const shown = (
              <span class={isDeep ? 'said clamped' : 'said'}>
                {href !== null && name === 'world' ? nameSession(text) : text}
              </span>
            )
            return href === null ? shown : <a href={href}>{shown}</a>
          },
        }))}
      />
      <Downloads name={label.toLowerCase().replaceAll(' ', '-')} columns={columns} rows={rows} />
    </>
  )
}

/** Columns with numbers that are positions, not amounts. */
const PLACES = new Set([
  'turn',
  'promised_in',
  'rejected_in',
  'since_turn',
  'last_gain_in',
  'verified_in',
  'proven_in',
])

const amountIn = (row: Row, column: number): number => {
  const value = row[column]
  return typeof value === 'number' ? value : 0
}

/** Writes a value of an answer as text for a table. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return value.map(describeValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function linkTo(project: string, columns: readonly string[], row: Row, name: string): string | null {
  if (name !== 'world' && name !== 'turn') return null
  const [world, turn] = [row[columns.indexOf('world')], row[columns.indexOf('turn')]]
  if (typeof world !== 'string') return null
  if (name === 'world') return writeAddress({ view: 'session', project, world })
  return typeof turn === 'number' ? writeAddress({ view: 'turn', project, world, turn }) : null
}

/** Offers all rows as a download in CSV or JSON. */
function Downloads({ name, columns, rows }: Pick<Props, 'columns' | 'rows'> & { name: string }) {
  const asJson = () =>
    JSON.stringify(
      rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null]))),
      null,
      2,
    )
  return (
    <p class="downloads">
      <button type="button" onClick={() => download(`${name}.csv`, 'text/csv', toCsv(columns, rows))}>
        CSV
      </button>{' '}
      <button type="button" onClick={() => download(`${name}.json`, 'application/json', asJson())}>
        JSON
      </button>
    </p>
  )
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
