import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import type { Graph } from '../../src/graph/port.ts'
import { allPages } from '../faults/harness/pages.ts'
import { type Started, start } from '../integration/http-start.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { compareMatrix } from './matrix-cells.ts'
import { useBrowser } from './open-page.ts'

/** Moves within the page, as a link does. */
const go = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, address)

/** Counts the rows of a table, which may be in closed details. */
const rowsIn = (page: Page, table: string): Promise<number> =>
  page.locator(`table[aria-label="${table}"] tbody tr`).count()

/** @returns how many cells of its matrix were compared */
async function checkSession(page: Page, graph: Graph, project: string, worldSlug: string): Promise<number> {
  const client = clientOf(graph)
  const of = { project, worldSlug }
  const below = `/p/${encodeURIComponent(project)}/w/${encodeURIComponent(worldSlug)}`
  const { currentTurn } = await client.getWorld(of)
  const { total, verified, contested } = await client.listCriteria(of)
  await go(page, below)
  await page.getByRole('heading', { name: worldSlug, exact: true }).waitFor()
  const proven = total === 0 ? 'No criterion is known' : `${verified} of ${total} proven`
  const contests = contested === 0 ? '' : `, ${contested} contested in (?:turns? [\\d, ]+|\\d+ turns)`
  await page
    .getByText(new RegExp(`${proven}${contests}, turn ${currentTurn}\\b`))
    .first()
    .waitFor()
  await page.getByRole('region', { name: 'Turns', exact: true }).waitFor()
  const { items: turns } = await client.listTurns({ ...of, limit: 500 })
  expect(await rowsIn(page, 'Turns'), worldSlug).toBe(turns.length)
  const { items: issues } = await client.listIssues({ ...of, limit: 500 })
  const open = issues.filter(({ state }) => state === 'open').length
  await page
    .getByRole('region', { name: 'Issues', exact: true })
    .getByText(issues.length === 0 ? 'None was raised.' : `${open} open, ${issues.length - open} gone.`)
    .waitFor()

  const compared = total === 0 ? 0 : await compareMatrix(page, graph, project, worldSlug)

  const newest = turns.find(({ turnNumber }) => turnNumber === currentTurn)
  await go(page, `${below}/t/${currentTurn}`)
  await page.getByRole('heading', { name: `Turn ${currentTurn} of ${worldSlug}` }).waitFor()
  await page.getByRole('heading', { name: `Coach: ${newest?.coachDecision}` }).waitFor()
  if ((newest?.issues.length ?? 0) > 0) expect(await rowsIn(page, 'Issues')).toBe(newest?.issues.length)
  const { tokens } = await client.loadTurnContinuationContext({
    ...of,
    currentTurn,
    role: 'coach',
    asOf: 'turn',
  })
  if (currentTurn > 1 && tokens.used > 0)
    await page
      .getByRole('region', { name: 'Context for Coach' })
      .getByText(`${tokens.used} of ${tokens.budget} tokens.`)
      .waitFor()
  return compared
}

async function checkProject(page: Page, started: Started, project: string): Promise<void> {
  const client = clientOf(started.graph)
  const below = `/p/${encodeURIComponent(project)}`
  const sessions = await allPages((cursor) => client.listWorlds({ project, order: 'last_activity', cursor }))
  await go(page, below)
  const more = page.getByRole('button', { name: 'Show more' })
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
  for (let shown = 50; shown < sessions.length; shown += 50) {
    await page.getByText(`The list is cut after ${shown} sessions.`).waitFor()
    await more.click()
  }
  await more.waitFor({ state: 'detached' })
  expect(await rowsIn(page, 'Sessions')).toBe(sessions.length)

  for (const [section, says] of [
    ['runs', 'No turn run was started in this project yet.'],
    ['patterns', 'No turn of a transcript is recorded here.'],
  ] as const) {
    await go(page, `${below}/${section}`)
    await page.getByText(says, { exact: false }).waitFor()
  }
  const { items: analyses } = await client.listAnalyses({ project })
  await go(page, `${below}/analyses`)
  await page.getByRole('table', { name: 'Analyses' }).waitFor()
  expect(await rowsIn(page, 'Analyses'), 'each analysis, and the replay').toBe(analyses.length + 1)
  for (const { name, question } of analyses) {
    await go(page, `${below}/analyses/${name}`)
    await page.getByRole('heading', { name: question }).waitFor()
    const { rows } = await client.runAnalysis({ project, name, limit: 100 })
    if (rows.length === 0) await page.getByText('Nothing: no record answers this question.').waitFor()
    else await page.getByRole('table', { name, exact: true }).waitFor()
    expect(await rowsIn(page, name), name).toBe(rows.length)
  }
}

/** A run looks at every second session. The seed of the run decides which half. */
const HALF = Number(process.env.TURNGRAPH_TEST_SEED) % 2

describeInBrowser('over the corpus', () => {
  const browser = useBrowser()

  describeCorpus('every view', () => {
    test.each(corpusRepositories())(
      'of $name opens without noise, counts what the service counts, and every cell of a matrix is what the record of its turn says',
      async ({ name, root }) => {
        const started = await start({}, { graph: EmbeddedGraph.open({ folder: null }) })
        const worlds = await captureCorpus(started.graph, name, root)
        const page = await browser.open(started, '/')
        await page.getByRole('link', { name }).first().waitFor()
        await checkProject(page, started, name)
        let compared = 0
        for (const world of worlds.filter((_, i) => i % 2 === HALF))
          compared += await checkSession(page, started.graph, name, world)
        expect(compared).toBeGreaterThan(0)
      },
      600_000,
    )
  })
})
