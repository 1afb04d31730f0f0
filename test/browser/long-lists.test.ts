import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PROJECT } from '../../tools/screenshots/written-sessions.ts'
import { start, useService } from '../integration/http-start.ts'
import { LONG_RUN, writeLongRun, writeManySessions } from '../support/large-store.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const elementsIn = (page: Page): Promise<number> => page.locator('*').count()

/** Collects the requests whose path matches. */
function countCalls(page: Page, path: RegExp): URL[] {
  const calls: URL[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (path.test(url.pathname)) calls.push(url)
  })
  return calls
}

describeInBrowser('long lists', () => {
  const browser = useBrowser()
  const withSessions = useService(({ graph }) =>
    writeManySessions(clientOf(graph), { project: PROJECT, sessions: 120 }),
  )

  test('sessions are loaded in pages, and the list shows where it is cut and loads more on request', async () => {
    const page = await browser.open(withSessions(), `/p/${PROJECT}`)
    const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr')
    const cut = page.getByText('The list is cut after')
    await cut.getByText('50 sessions').waitFor()
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('The list is cut after 100 sessions').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await cut.waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(120)
  })

  test('a step back in the history returns to the earlier position in a list', async () => {
    const page = await browser.open(withSessions(), `/p/${PROJECT}`)
    const row = page.getByRole('link', { name: 'SESSION-00045' })
    await row.scrollIntoViewIfNeeded()
    const y = await page.evaluate(() => scrollY)
    expect(y).toBeGreaterThan(300)
    await row.click()
    await page.getByRole('region', { name: 'Turns', exact: true }).waitFor()
    await page.goBack()
    await row.waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(y)
  })

  test('the home page shows where it cuts its projects and their sessions', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    await writeManySessions(client, { project: 'p00', sessions: 51 })
    for (let n = 1; n <= 20; n++)
      await client.captureTurnState(aTurn(1, { project: `p${String(n).padStart(2, '0')}` }))
    const page = await browser.open(started, '/')
    await page.getByText('they have the first 20 of 21 projects').waitFor()
    await page.getByText('only the latest 50 of each project are listed').waitFor()
    await page.getByText('No listed session is running.').waitFor()
  })

  test('a filter finds stalled sessions on all pages, and shows no others', async () => {
    const page = await browser.open(withSessions(), `/p/${PROJECT}`)
    await page.getByRole('checkbox', { name: 'Stalled or oscillating' }).check()
    await page.getByText('20 sessions: 20 stalled.').waitFor()
    const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr')
    expect(await rows.filter({ hasText: 'stalled' }).count()).toBe(20)
  })

  test('a run of 1,000 attempts shows a page of them, of bounded size, and every attempt can be reached', async () => {
    const started = await start({ TURNGRAPH_AUTH: 'off' }) // a token would not outlive the reload
    await writeLongRun(clientOf(started.graph), { project: PROJECT, attempts: 1_000 })
    const page = await browser.open(started, `/p/${PROJECT}/runs/${LONG_RUN}`, { token: null })
    const calls = countCalls(page, /\/attempts$/)
    const rows = page.getByRole('table', { name: 'Attempts' }).locator('tbody tr')
    await page.getByText('Attempts 901 to 1000 of 1000 are shown.').waitFor()
    expect(await rows.count()).toBe(100)
    expect(await elementsIn(page)).toBeLessThan(3_000)
    await page.getByRole('link', { name: 'Earlier ones' }).click()
    await page.getByText('Attempts 801 to 900 of 1000 are shown.').waitFor()
    await page.reload()
    await page.getByText('Attempts 801 to 900 of 1000 are shown.').waitFor()
    expect(await rows.count()).toBe(100)
    await page.getByRole('spinbutton', { name: 'Up to attempt' }).fill('42')
    await page.keyboard.press('Enter')
    await page.getByText('Attempts 1 to 42 of 1000 are shown.').waitFor()
    expect(await page.getByRole('link', { name: 'Earlier ones' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Later ones' }).click()
    await page.getByText('Attempts 43 to 142 of 1000 are shown.').waitFor()
    await page.getByRole('link', { name: 'The newest' }).click()
    await page.getByText('Attempts 901 to 1000 of 1000 are shown.').waitFor()
    for (const url of calls) expect(url.searchParams.get('limit')).toBe('100')
  })

  test('a run of few attempts shows where up_to cuts it, and ignores an invalid up_to', async () => {
    const started = await start({ TURNGRAPH_AUTH: 'off' })
    await writeLongRun(clientOf(started.graph), { project: PROJECT, attempts: 12 })
    const run = `/p/${PROJECT}/runs/${LONG_RUN}`
    const page = await browser.open(started, `${run}?up_to=5`, { token: null })
    const rows = page.getByRole('table', { name: 'Attempts' }).locator('tbody tr')
    await page.getByText('Attempts 1 to 5 of 12 are shown.').waitFor()
    expect(await rows.count()).toBe(5)
    for (const none of ['0', '-5', 'abc']) {
      await page.goto(`${started.service.url}${run}?up_to=${none}`)
      await rows.first().waitFor()
      expect(await rows.count(), none).toBe(12)
      expect(await page.getByText('are shown.').count(), none).toBe(0)
    }
  })

  test('attempts over many days have visible bars, and each shows the length of the pause before it', async () => {
    const started = await start()
    await writeLongRun(clientOf(started.graph), { project: PROJECT, attempts: 120 })
    const page = await browser.open(started, `/p/${PROJECT}/runs/${LONG_RUN}`)
    const bars = page.getByRole('table', { name: 'Attempts' }).locator('svg.attempt-bar')
    await bars.first().waitFor()
    // Forty attempts a day: the first of a day comes after a night.
    const first = page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: '81', exact: true }) })
    expect(await first.getByRole('img').first().getAttribute('aria-label')).toContain('after a pause of')
    const widths = await bars.evaluateAll((all) =>
      all.map((bar) => bar.querySelector('[class^="attempt-"]')?.getBoundingClientRect().width ?? 0),
    )
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(1)
    // 100 bars share a line of some 300 pixels: together they take more than half of it.
    const line = (await bars.first().boundingBox())?.width ?? 0
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeGreaterThan(line / 2)
  })
})
