import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MAIN_SESSION, PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { writeTranscripts } from '../../tools/screenshots/written-transcripts.ts'
import { type Started, start, useService } from '../integration/http-start.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const SESSION = `/p/${PROJECT}/w/${MAIN_SESSION}`

/** Selector of the interactive elements. Tab reaches one cell of a grid. */
const ACTIVE =
  'a[href], button:not([disabled]), input, select, textarea, summary, [tabindex="0"]:not(.cm-content)'

/** Presses Tab until the focus leaves the page or returns to its start. Returns the names of the focused elements. */
async function tabThrough(page: Page): Promise<string[]> {
  const visited: string[] = []
  for (let presses = 0; presses < 400; presses++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const { activeElement: at } = document
      return at === null || at === document.body ? null : (at.getAttribute('data-place') ?? at.tagName)
    })
    if (name === visited.at(-1)) continue // from the day of a date to its month
    if (name === null || visited.includes(name)) break
    visited.push(name)
  }
  return visited
}

/** Numbers the reachable elements in the order of the document, without those in closed details. */
const numberPlaces = (page: Page): Promise<string[]> =>
  page.locator(ACTIVE).evaluateAll((all) =>
    all
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element, i) => {
        const place = `${i}: ${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40)}`
        element.setAttribute('data-place', place)
        return place
      }),
  )

async function fill({ graph }: Started): Promise<void> {
  await writeSessions(clientOf(graph))
  await writeTranscripts(clientOf(graph))
}

describeInBrowser('the page from the keyboard', () => {
  const browser = useBrowser()
  const filled = useService(fill)

  test.each([
    ['/', 'table.records'],
    [`/p/${PROJECT}`, 'table.records'],
    [SESSION, 'section[aria-label="Issues"]'],
    [`${SESSION}/t/3`, 'section[aria-label="Left out"]'],
    [`/p/${PROJECT}/runs`, 'h1'],
    [`/p/${PROJECT}/patterns`, 'section[aria-label="Desires"]'],
    [`/p/${PROJECT}/analyses`, 'table.records'],
    [`/p/${PROJECT}/analyses/blockers`, 'table.records'],
    [`/p/${PROJECT}/analyses/replay`, 'table.records'],
    [`/compare?project=${PROJECT}&a=TASK-REFUND&b=${MAIN_SESSION}`, '.gains table'],
  ])('Tab reaches everything of %s that can be used, in its order', async (address, shown) => {
    const page = await browser.open(filled(), address)
    await page.locator(shown).first().waitFor()
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    const places = await numberPlaces(page)
    expect(places.length).toBeGreaterThan(5)
    expect(await tabThrough(page)).toEqual(places)
  })

  test('the first Tab offers a link to the content, and Enter moves the focus there', async () => {
    const page = await browser.open(filled(), `/p/${PROJECT}`)
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })

  test('arrows move through the matrix, Enter opens a cell, and Escape returns to it', async () => {
    const page = await browser.open(filled(), SESSION)
    const matrix = page.getByRole('grid', { name: 'Criteria by turn' })
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await matrix.getByRole('gridcell', { name: 'AC-001, turn 1: rejected' }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('AC-002, turn 1: rejected')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('AC-002, turn 2: verified')
    await page.keyboard.press('End')
    expect(await focused()).toBe('AC-002, turn 5: verified')
    await page.keyboard.press('Control+Home')
    expect(await focused()).toBe('AC-001, turn 1: rejected')
    await page.keyboard.press('Control+End')
    expect(await focused()).toBe('AC-007, turn 5: promised')
    await page.keyboard.press('ArrowRight')
    expect(await focused(), 'there is nothing to the right').toBe('AC-007, turn 5: promised')
    await page.keyboard.press('Enter')
    const detail = page.getByRole('complementary', { name: 'AC-007, turn 5: promised' })
    await detail.getByText('Added to src/cart/shipping.ts', { exact: false }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await expect.poll(focused).toBe('AC-007, turn 5: promised')
  })

  test('the matrix can be sorted, filtered and moved back in time', async () => {
    const page = await browser.open(filled(), SESSION)
    const matrix = page.getByRole('grid', { name: 'Criteria by turn' })
    const labels = () => matrix.getByRole('rowheader').allTextContents()
    await matrix.getByRole('button', { name: 'State' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await labels())[0]).toBe('AC-007')
    await page.getByRole('checkbox', { name: 'Only what is left' }).focus()
    await page.keyboard.press('Space')
    await expect.poll(labels).toEqual(['AC-007'])
    await page.keyboard.press('Space')
    const slider = page.getByRole('slider', { name: 'As of turn' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('0 of 4 proven, turn 1', { exact: false }).waitFor()
    expect(new URL(page.url()).searchParams.get('turn')).toBe('1')
    await page.keyboard.press('ArrowRight')
    await page.getByText('turn 2', { exact: false }).first().waitFor()
    expect(new URL(page.url()).searchParams.get('turn')).toBe('2')
    await page.getByRole('button', { name: 'Now', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('6 of 7 proven, turn 5', { exact: false }).waitFor()
    expect(new URL(page.url()).searchParams.get('turn')).toBeNull()
  })

  test('a run is started in a form that Enter opens and sends', async () => {
    const started = await start()
    await fill(started)
    await started.call('POST', '/v1/worlds', {
      body: { project: PROJECT, feature_id: 'F', task_id: 'T', world_slug: 'trial' },
    })
    const page = await browser.open(started, `/p/${PROJECT}/runs`)
    await page.getByText('Start a run').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('trial')
    await page.keyboard.press('Tab')
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Attempts' }).waitFor()
    await page.getByText('Cancel this run').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('no longer wanted')
    await page.keyboard.press('Enter')
    await page.getByText('no longer wanted').first().waitFor()
  })

  test('typed text stays in its field while an event of the service renders the view again', async () => {
    const started = await start()
    await fill(started)
    const page = await browser.open(started, `/p/${PROJECT}/analyses/progress`)
    const field = page.getByRole('textbox', { name: 'Session' })
    await field.focus()
    await page.keyboard.type('TASK-')
    await clientOf(started.graph).captureTurnState({
      project: PROJECT,
      featureId: 'FEAT-NEW',
      taskId: 'TASK-NEW',
      turnNumber: 1,
      playerSummary: 'Came meanwhile',
    })
    await page.getByRole('table', { name: 'progress' }).getByText('TASK-NEW').first().waitFor()
    expect(await field.inputValue()).toBe('TASK-')
    await page.keyboard.type('NEW')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.search.includes('world=TASK-NEW'))
  })
})
