import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checksTable } from './findings-table.ts'

test('the documents have every check with its remedy', () => {
  const operations = readFileSync(
    fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)),
    'utf8',
  )
  // The formatter of the documents pads the cells.
  const plain = operations.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---')
  for (const row of checksTable().split('\n')) expect(plain).toContain(row)
})
