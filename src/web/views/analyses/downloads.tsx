// Offers rows as a download in CSV or JSON.
import { toCsv } from '../../../rules/csv.ts'

type Props = { name: string; columns: readonly string[]; rows: readonly (readonly unknown[])[] }

export function Downloads({ name, columns, rows }: Props) {
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
