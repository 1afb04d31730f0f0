import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import type { Graph } from '../../src/graph/port.ts'
import { PROJECT, writeLargeSession, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { start } from '../integration/http-start.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

/** What each cell says, by its name: two criteria of a task may be known by one label. */
type Cells = ReadonlyMap<string, readonly string[]>

async function readMatrix(page: Page): Promise<Cells> {
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

/** What turns said of criteria, from their records alone: by the words of the criterion, for those that every turn names so. */
async function expectedVerdicts(client: TurngraphClient, project: string, worldSlug: string) {
  const { criteria } = await client.listCriteria({ project, worldSlug })
  return criteria.flatMap(({ criterionId, history = [] }) =>
    history.map(({ turn, status }) => ({ cell: `${criterionId}, turn ${turn}`, status })),
  )
}

async function compare(page: Page, graph: Graph, project: string, worldSlug: string): Promise<number> {
  const cells = await readMatrix(page)
  const expected = await expectedVerdicts(clientOf(graph), project, worldSlug)
  // The last word of a turn on a criterion is what its cell says.
  const last = new Map(expected.map(({ cell, status }) => [cell, status]))
  for (const [cell, status] of last) {
    if (status === 'pending') continue
    expect(cells.get(cell), `${worldSlug}: ${cell}`).toContain(status)
  }
  return last.size
}

const CELL = 24
/** Wider than the screen, and higher than the page lets it be. */
const LAYERED = { turns: 120, criteria: 40 }

describeInBrowser('the matrix of criteria over turns', () => {
  const browser = useBrowser()

  test('of a session of 200 turns and 60 criteria has every cell, and says what the turns said', async () => {
    const started = await start()
    const world = await writeLargeSession(clientOf(started.graph), { turns: 200, criteria: 60 })
    const page = await browser.open(started, `/p/${PROJECT}/w/${world}`)
    const cells = await readMatrix(page)
    expect(cells.size).toBe(200 * 60)
    const statuses = ['verified', 'rejected', 'unknown']
    for (const turn of [1, 100, 200]) {
      for (const criterion of [1, 30, 60]) {
        const name = `AC-${String(criterion).padStart(3, '0')}, turn ${turn}`
        expect(cells.get(name)).toEqual([statuses[(turn * 7 + (criterion - 1) * 3) % 3]])
      }
    }
  })

  test('that is wider than the screen is a layer of its own: Chromium paints no cell anew while it is scrolled', async () => {
    const started = await start()
    const world = await writeLargeSession(clientOf(started.graph), LAYERED)
    const page = await browser.open(started, `/p/${PROJECT}/w/${world}`)
    await page.getByLabel('Criteria by turn', { exact: true }).waitFor()
    const session = await page.context().newCDPSession(page)
    let isLayered = false
    session.on('LayerTree.layerTreeDidChange', ({ layers = [] }) => {
      // The head is a layer, too, as wide as the cells.
      isLayered ||= layers.some(
        ({ width, height }) => width > LAYERED.turns * CELL && height > LAYERED.criteria * CELL,
      )
    })
    await session.send('DOM.enable')
    await session.send('LayerTree.enable')
    await page.evaluate(async () => {
      for (let frame = 0; frame < 20; frame++) {
        document.querySelector('.matrix-scroll')?.scrollBy(-20, 0)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    })
    expect(isLayered).toBe(true)
  })

  test('of a written session says what its turns said', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-TOTALS`)
    expect(await compare(page, started.graph, PROJECT, 'TASK-TOTALS')).toBeGreaterThan(10)
  })

  describeCorpus('over the sessions of the corpus', () => {
    test.each(corpusRepositories())(
      '$name: every cell is what the record of its turn says',
      async ({ name, root }) => {
        const started = await start()
        const worlds = await captureCorpus(started.graph, name, root)
        let compared = 0
        for (const world of worlds) {
          const page = await browser.open(
            started,
            `/p/${encodeURIComponent(name)}/w/${encodeURIComponent(world)}`,
          )
          const { total } = await clientOf(started.graph).listCriteria({ project: name, worldSlug: world })
          if (total > 0) compared += await compare(page, started.graph, name, world)
          await page.context().close()
        }
        expect(compared).toBeGreaterThan(0)
      },
      600_000,
    )
  })
})
