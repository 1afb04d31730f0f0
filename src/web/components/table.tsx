// Draws a table of records; on a narrow screen, draws a card for each record. A column declares how its cells are drawn.
import type { ComponentChildren } from 'preact'

export type Column<R> = {
  /** Name of the column, with the unit: the cells do not repeat it. */
  head: string
  cell: (record: R) => ComponentChildren
  /** Aligns the cells to the right. */
  isNumber?: boolean
  /** Draws the cells as row headers. */
  isName?: boolean
}

type Props<R> = {
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<R>[]
  records: readonly R[]
  toKey: (record: R) => string
  /** Notice about the records that are not shown; undefined or false if the list is complete. */
  cut?: ComponentChildren
}

export function Table<R>({ label, columns, records, toKey, cut }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable region
    <div class="table-scroll" tabIndex={0}>
      <table class="records cards" aria-label={label}>
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
      {records.length === 0 && <p class="quiet-text">Nothing to list.</p>}
      {cut && <p class="cut">{cut}</p>}
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
    <td class={classFor(column)} data-head={column.head}>
      <div>{shown}</div>
    </td>
  )
}

const classFor = ({ isNumber }: { isNumber?: boolean }): string | undefined =>
  isNumber ? 'number' : undefined
