// Reads the matrix of the page, and compares it with the turns of the session.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import type { Graph } from '../../src/graph/port.ts'
import { clientOf } from '../support/records.ts'

/** The texts of the cells by their name: two criteria of a task can have one label. */
type Cells = ReadonlyMap<string, readonly string[]>

export async function readMatrix(page: Page): Promise<Cells> {
  const matrix = page.getByLabel('Criteria by turn', { exact: true })
  await matrix.waitFor()
  const names = await matrix
    .locator('[aria-label*=", turn "]')
    .evaluateAll((all) => all.map((cell) => cell.getAttribute('aria-label') ?? ''))
  const cells = new Map<string, string[]>()
  for (const name of names) {
    const [, cell, says] = /^(.*, turn \d+): (.*)$/s.exec(name) ?? []
    if (cell !== undefined && says !== undefined)
      cells.set(cell, [...(cells.get(cell) ?? []), says.split(',')[0] ?? ''])
  }
  return cells
}

/** Derives the verdict of each cell from the histories of the criteria. */
async function expectedVerdicts(client: TurngraphClient, project: string, worldSlug: string) {
  const { criteria } = await client.listCriteria({ project, worldSlug })
  return criteria.flatMap(({ criterionId, history = [] }) =>
    history.map(({ turn, status }) => ({ cell: `${criterionId}, turn ${turn}`, status })),
  )
}

/** @returns how many cells were compared */
export async function compareMatrix(
  page: Page,
  graph: Graph,
  project: string,
  worldSlug: string,
): Promise<number> {
  const cells = await readMatrix(page)
  const expected = await expectedVerdicts(clientOf(graph), project, worldSlug)
  // A cell shows the last verdict of its turn on the criterion.
  const last = new Map(expected.map(({ cell, status }) => [cell, status]))
  for (const [cell, status] of last) {
    if (status === 'pending') continue
    expect(cells.get(cell), `${worldSlug}: ${cell}`).toContain(status)
  }
  return last.size
}
