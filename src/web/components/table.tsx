// Draws a table of records. Its columns are declared once, and say how each cell is shown.
import type { ComponentChildren } from 'preact'

export type Column<R> = {
  /** Its name; with the unit, which stands nowhere else. */
  head: string
  cell: (record: R) => ComponentChildren
  /** Numbers stand below each other by their last digit. */
  isNumber?: boolean
  /** Its cells name their rows. */
  isName?: boolean
  /** On a narrow screen it is left out. */
  isExtra?: boolean
}

type Props<R> = {
  /** The name by which it is found. */
  label: string
  columns: readonly Column<R>[]
  records: readonly R[]
  toKey: (record: R) => string
  /** What is not shown, where the list is cut. */
  cut?: ComponentChildren
}

export function Table<R>({ label, columns, records, toKey, cut }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too
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
