// Draws a table of records. A column declares how its cells are drawn.
import type { ComponentChildren } from 'preact'

export type Column<R> = {
  /** Name of the column, with the unit: the cells do not repeat it. */
  head: string
  cell: (record: R) => ComponentChildren
  /** Aligns the cells to the right. */
  isNumber?: boolean
  /** Draws the cells as row headers. */
  isName?: boolean
  /** Hides the column on a narrow screen. */
  isExtra?: boolean
}

type Props<R> = {
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<R>[]
  records: readonly R[]
  toKey: (record: R) => string
  /** Notice about the records that are not shown, if the list is cut. */
  cut?: ComponentChildren
}

export function Table<R>({ label, columns, records, toKey, cut }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable region
    <div class="table-scroll" tabIndex={0}>
      <table class="records" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classFor(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={toKey(record)}>
              {columns.map((column) => (
                <Cell key={column.head} column={column} record={record} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cut !== undefined && <p class="cut">{cut}</p>}
    </div>
  )
}

function Cell<R>({ column, record }: { column: Column<R>; record: R }) {
  const shown = column.cell(record)
  return column.isName ? (
    <th scope="row" class={classFor(column)}>
      {shown}
    </th>
  ) : (
    <td class={classFor(column)}>{shown}</td>
  )
}

const classFor = ({ isNumber, isExtra }: { isNumber?: boolean; isExtra?: boolean }): string | undefined =>
  [isNumber && 'number', isExtra && 'extra'].filter(Boolean).join(' ') || undefined
