import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  MAIN_SESSION,
  PROJECT,
  writeHostileSession,
  writeSessions,
} from '../../tools/screenshots/written-sessions.ts'
import { writeTranscripts } from '../../tools/screenshots/written-transcripts.ts'
import { start, useService } from '../integration/http-start.ts'
import { LONG_RUN, writeLongRun } from '../support/large-store.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const PATTERN = 'Grep → Read{2+} → Edit → Bash → Edit → Bash'
const SESSION = `/p/${PROJECT}/w/${MAIN_SESSION}`

const COMPARISON = `/compare?project=${PROJECT}&a=TASK-REFUND&b=${MAIN_SESSION}`

/** Every view, with its address and a check that it is shown. */
const VIEWS: readonly { name: string; address: string; shows: (page: Page) => Promise<void> }[] = [
  {
    name: 'projects',
    address: '/',
    shows: (page) => page.getByRole('link', { name: PROJECT }).first().waitFor(),
  },
  {
    name: 'sessions',
    address: `/p/${PROJECT}`,
    shows: (page) => page.getByRole('table', { name: 'Sessions' }).waitFor(),
  },
  {
    name: 'session',
    address: SESSION,
    shows: (page) => page.getByLabel('Criteria by turn').first().waitFor(),
  },
  {
    name: 'turn',
    address: `${SESSION}/t/3`,
    shows: (page) => page.getByRole('region', { name: 'Context for Coach' }).waitFor(),
  },
  {
    name: 'runs',
    address: `/p/${PROJECT}/runs`,
    shows: (page) => page.getByRole('heading', { name: 'Runs' }).waitFor(),
  },
  {
    name: 'a run',
    address: `/p/${PROJECT}/runs/${LONG_RUN}`,
    shows: (page) => page.getByRole('table', { name: 'Attempts' }).waitFor(),
  },
  {
    name: 'patterns',
    address: `/p/${PROJECT}/patterns?pattern=${encodeURIComponent(PATTERN)}`,
    shows: async (page) => {
      await page.getByText(/patterns; the most frequent of several tools, .+ → /).waitFor()
      await page.getByRole('table', { name: 'Sequences' }).waitFor()
      await page.getByRole('table', { name: 'Errors' }).waitFor()
      await page.getByRole('table', { name: 'Desires' }).waitFor()
      await page.getByRole('table', { name: 'Turns of the pattern' }).getByRole('button').first().click()
      await page.getByRole('table', { name: 'Calls' }).waitFor()
    },
  },
  {
    name: 'a turn with its transcript',
    address: `${SESSION}/t/1`,
    shows: async (page) => {
      await page.getByRole('region', { name: 'Transcripts' }).getByRole('group').first().click()
      await page.getByRole('table', { name: 'Calls' }).waitFor()
    },
  },
  {
    name: 'analyses',
    address: `/p/${PROJECT}/analyses`,
    shows: (page) => page.getByRole('table', { name: 'Analyses' }).waitFor(),
  },
  {
    name: 'an analysis',
    address: `/p/${PROJECT}/analyses/blockers`,
    shows: (page) => page.getByRole('table', { name: 'blockers' }).waitFor(),
  },
  {
    name: 'replay',
    address: `/p/${PROJECT}/analyses/replay`,
    shows: (page) => page.getByRole('table', { name: 'Counted turns' }).waitFor(),
  },
  {
    name: 'compare',
    address: COMPARISON,
    shows: (page) => page.getByRole('table', { name: 'Gains by turn' }).waitFor(),
  },
  {
    name: 'query',
    address: '/query',
    shows: (page) => page.getByRole('textbox', { name: 'Cypher query' }).waitFor(),
  },
  { name: 'docs', address: '/docs', shows: (page) => page.getByRole('heading', { name: 'API' }).waitFor() },
]

describeInBrowser('the views of the page', () => {
  const browser = useBrowser()
  const filled = useService(async ({ graph }) => {
    const client = clientOf(graph)
    await writeSessions(client)
    await writeTranscripts(client)
    await writeLongRun(client, { project: PROJECT, attempts: 120 })
  })

  test.each(VIEWS)(
    '$name has no accessibility problem of level A or AA, light or dark, has a table with the data of each picture, and fits into 360 pixels',
    async (view) => {
      const page = await browser.open(filled(), view.address, { colorScheme: 'light' })
      await view.shows(page)
      // A table has the same data as each picture.
      const alone = await page.locator('svg[role="img"], .decisions').evaluateAll((pictures) =>
        pictures
          .filter((picture) => picture.closest('table, .legend') === null)
          .filter((picture) => {
            const around = picture.closest('section:has(table), div:has(> figure):has(table), main > .answer')
            return around?.querySelector('table') == null
          })
          .map((picture) => picture.getAttribute('aria-label') ?? picture.className),
      )
      expect(alone).toEqual([])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await accessibilityProblems(page), colorScheme).toEqual([])
      }
      await page.setViewportSize({ width: 360, height: 740 })
      const width = () => page.evaluate(() => document.documentElement.scrollWidth)
      await expect.poll(width).toBeLessThanOrEqual(360)
    },
  )

  test('a person who stays signed in can load every view again, and navigate back and forward', async () => {
    const started = filled()
    const page = await browser.open(started, '/', { token: null, mayFail: true })
    await page.getByRole('textbox', { name: 'Token' }).fill(started.token)
    await page.getByRole('checkbox', { name: 'Stay signed in on this browser' }).check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: PROJECT }).first().waitFor()
    // Loading an address is the same as reloading it, so one reload is enough.
    for (const view of VIEWS) {
      await page.goto(`${started.service.url}${view.address}`)
      await view.shows(page)
    }
    await page.reload()
    const [before, last] = VIEWS.slice(-2)
    await last?.shows(page)
    await page.goBack()
    await before?.shows(page)
    await page.goForward()
    await last?.shows(page)
  })

  test.each([
    [`/p/${PROJECT}/patterns?pattern=nope`, 'Turns of the pattern'],
    [`/p/${PROJECT}/runs?status=cancel_requested`, 'Runs'],
  ])('%s shows in words that its table has no rows', async (address, name) => {
    const page = await browser.open(filled(), address)
    const table = page.getByRole('table', { name })
    await table.waitFor()
    expect(await table.locator('tbody tr').count()).toBe(0)
    await page.locator('.table-scroll', { has: table }).getByText('Nothing to list.').waitFor()
  })

  test('a name that is not ASCII is shown as it was written, with the slug that commands need', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    for (const taskId of ['タスク-合計', 'TASK-1'])
      for (const turnNumber of [1, 2]) await client.captureTurnState(aTurn(turnNumber, { taskId }))
    const page = await browser.open(started, `/p/${PROJECT}`)
    await page.getByRole('link', { name: 'タスク-合計' }).click()
    await page.getByRole('heading', { name: 'タスク-合計' }).waitFor()
    await page.getByText(`slug ${encodeURIComponent('タスク-合計')}`).waitFor()
    await page.getByText('The same as a table').click()
    await page.getByRole('link', { name: '2', exact: true }).click()
    await page.getByRole('heading', { name: 'Turn 2 of タスク-合計' }).waitFor()
    await page.goto(`${started.service.url}/compare?project=${PROJECT}`)
    await page.getByRole('option', { name: 'タスク-合計' }).first().waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('合計')
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /^タスク-合計 / })
      .waitFor()
  })

  test('a command that the page offers has the project in quotes if a shell needs them', async () => {
    const started = await start()
    await clientOf(started.graph).captureTurnState(aTurn(1, { project: 'my "shop"' }))
    const page = await browser.open(started, `/p/${encodeURIComponent('my "shop"')}/patterns`)
    await page.getByText(`turngraph import transcripts PATH --project 'my "shop"'`).waitFor()
  })

  test('a number outside of its range is not sent, and the browser explains the range', async () => {
    const page = await browser.open(filled(), `/p/${PROJECT}/analyses/progress`)
    const rows = page.getByRole('spinbutton', { name: 'Rows at most' })
    await rows.fill('0')
    await rows.press('Enter')
    expect(await rows.evaluate((field) => (field as HTMLInputElement).validity.rangeUnderflow)).toBe(true)
    expect(new URL(page.url()).search).toBe('')
    await rows.fill('7')
    await rows.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?limit=7')
  })

  test('a context that is rendered later is labeled as such, next to the feedback that was given', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const session = { featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: 'given', playerSummary: 'Built it' }
    await client.captureTurnState({ ...session, turnNumber: 1, coachDecision: 'feedback' })
    await client.captureTurnState({ ...session, turnNumber: 2, deliveredFeedback: 'Round the total' })
    const page = await browser.open(started, `/p/shop/w/given/t/2`)
    await page.getByRole('heading', { name: 'What turn 2 would be told today' }).waitFor()
    await page
      .getByRole('region', { name: 'Feedback as it was given' })
      .getByText('Round the total')
      .waitFor()
  })

  test('every view shows markup, scripts and very long words of a record as text', async () => {
    const started = await start()
    const world = await writeHostileSession(clientOf(started.graph))
    const session = `/p/${PROJECT}/w/${encodeURIComponent(world)}`
    for (const address of [`/p/${PROJECT}`, session, `${session}/t/2`]) {
      const page = await browser.open(started, address, { viewport: { width: 800, height: 900 } })
      await page.getByText('"><b>x', { exact: false }).first().waitFor({ state: 'attached' })
      expect(await page.locator('#page img, #page script, #page a[href^="javascript" i]').count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800)
    }
  })
})
