import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { renderReport } from '#report'
import { readProjectReport, readSessionReport } from '../../src/cli/report/read-report.ts'
import type { TurngraphClient } from '../../src/client/client.ts'
import {
  MAIN_SESSION,
  PROJECT,
  writeHostileSession,
  writeLargeSession,
  writeSessions,
} from '../../tools/screenshots/written-sessions.ts'
import { type Started, start } from '../integration/http-start.ts'
import { clientOf } from '../support/records.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

/** Writes a report to a file, which is deleted after the test. */
function saved(html: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'report.html')
  writeFileSync(file, html)
  return file
}

const sessionReport = async (client: TurngraphClient, world: string) =>
  saved(renderReport(await readSessionReport(client, PROJECT, world, 'coach')))

/** Reads the texts of the cells, with the label of the row and the turn. */
const readCells = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Criteria by turn' }).evaluateAll((tables) =>
    tables
      .flatMap((table) => [...table.querySelectorAll('tbody tr')])
      .flatMap((row) => {
        const label = row.querySelector('th')?.textContent ?? ''
        const names = [...row.querySelectorAll('[aria-label]')].map(
          (cell) => cell.getAttribute('aria-label') ?? '',
        )
        return names.map((name) => `${label} | ${/, turn (\d+: [\w ]+)[^:]*$/.exec(name)?.[1]}`)
      }),
  )

/** The text of a cell is the first of these that applies. */
const SAID = [
  ['verified_in', 'verified'],
  ['rejected_in', 'rejected'],
  ['unknown_in', 'unknown'],
  ['unfinished_in', 'unfinished'],
  ['promised_in', 'promised'],
] as const

type ByTurn = { key: string } & Record<(typeof SAID)[number][0], number[]>
type Named = { criterion_id: string; text: string | null; key: string }

/** Derives the same texts from the answers of the service: the matrix of keys, and the labels of the criteria. */
async function expectedCells(started: Started, world: string): Promise<string[]> {
  const query = new URLSearchParams({ project: PROJECT })
  const matrix = await started.call(
    'GET',
    `/v1/worlds/${encodeURIComponent(world)}/criteria-by-turn?${query}`,
  )
  query.set('world_slug', world)
  const { body } = await started.call('GET', `/v1/criteria?${query}`)
  const turns: number[] = matrix.body.turns
  const byTurn: ByTurn[] = matrix.body.criteria
  const shown: Named[] = [...body.criteria, ...body.promised_not_judged]
  return shown.flatMap(({ criterion_id, text, key }) => {
    const said = byTurn.find((one) => one.key === key)
    return turns.map((turn) => {
      const [, word] = SAID.find(([field]) => said?.[field].includes(turn)) ?? [null, 'not judged']
      return `${criterion_id === '' ? text : criterion_id} | ${turn}: ${word}`
    })
  })
}

describeInBrowser('a report, opened from a disk', () => {
  const browser = useBrowser()

  test('a click on a cell opens its evidence, and a click on a turn of the matrix opens its record', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const page = await browser.openFile(await sessionReport(clientOf(started.graph), MAIN_SESSION))
    const evidence = page.getByText('The test passes with an empty cart only').first()
    expect(await evidence.isVisible()).toBe(false)
    await page.getByRole('cell', { name: 'AC-001, turn 1: rejected' }).getByRole('link').click()
    await page.locator(':target').getByText('The test passes with an empty cart only').waitFor()
    await page.getByRole('columnheader', { name: 'Turn 3', exact: true }).getByRole('link').click()
    await page
      .locator(':target')
      .getByText('Free shipping after discounts; orders freeze their prices')
      .waitFor()
  })

  test('has no accessibility problem of level A or AA, light or dark, collapsed or expanded', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const client = clientOf(started.graph)
    const ofProject = renderReport(await readProjectReport(client, PROJECT, 'player'))
    for (const file of [await sessionReport(client, MAIN_SESSION), saved(ofProject)]) {
      const page = await browser.openFile(file, { colorScheme: 'light' })
      expect(await accessibilityProblems(page), 'light, folded').toEqual([])
      await page.evaluate(() => {
        for (const folded of document.querySelectorAll('details')) folded.open = true
      })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await accessibilityProblems(page), `${colorScheme}, open`).toEqual([])
      }
    }
  })

  test('fits a screen of 360 pixels, and paper, on which everything is expanded', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const file = await sessionReport(clientOf(started.graph), MAIN_SESSION)
    const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)
    const viewport = { width: 360, height: 740 }
    const paper = await browser.openFile(file, { viewport, colorScheme: 'dark' })
    expect(await width(paper)).toBeLessThanOrEqual(360)
    const cell = paper.getByRole('cell', { name: 'AC-001, turn 1: rejected' })
    expect(await cell.evaluate((shown) => getComputedStyle(shown, '::after').content)).toBe('"1"')
    await paper.setViewportSize({ width: 720, height: 1000 })
    await paper.emulateMedia({ media: 'print' })
    expect(await width(paper)).toBeLessThanOrEqual(720)
    expect(await paper.getByText('The test passes with an empty cart only').first().isVisible()).toBe(true)
    const ground = await paper.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).toBe('rgb(255, 255, 255)')
  })

  test('shows markup, scripts and very long words of a record as text', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const world = await writeHostileSession(client)
    const files = [
      await sessionReport(client, world),
      saved(renderReport(await readProjectReport(client, PROJECT, 'coach'))),
    ]
    for (const file of files) {
      const page = await browser.openFile(file, { viewport: { width: 800, height: 900 } })
      await page.getByText('"><b>x', { exact: false }).first().waitFor({ state: 'attached' })
      expect(await page.locator('img, script, b, a:not([href^="#"])').count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800)
    }
  })

  test('of a session of 200 turns has every cell, and fits on paper', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const world = await writeLargeSession(client, { turns: 200, criteria: 12 })
    const page = await browser.openFile(await sessionReport(client, world))
    const cells = await readCells(page)
    expect(cells).toHaveLength(200 * 12)
    expect(cells.toSorted()).toEqual((await expectedCells(started, world)).toSorted())
    await page.setViewportSize({ width: 720, height: 1000 })
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720)
  })
})
