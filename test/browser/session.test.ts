import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  MAIN_SESSION,
  PROJECT,
  writeLargeSession,
  writeSessions,
} from '../../tools/screenshots/written-sessions.ts'
import { type Started, start, tokensFile, useService } from '../integration/http-start.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const SESSION = `/p/${PROJECT}/w/${MAIN_SESSION}`

const filled = async (environment: Record<string, string> = {}): Promise<Started> => {
  const started = await start(environment)
  await writeSessions(clientOf(started.graph))
  return started
}

/** The session with a verification of turn 5 by a command. */
async function filledWithObservation(): Promise<Started> {
  const started = await filled()
  await clientOf(started.graph).addVerifications({
    ...{ project: PROJECT, featureId: 'FEAT-CHECKOUT', taskId: MAIN_SESSION, worldSlug: MAIN_SESSION },
    turnNumber: 5,
    verifications: [
      {
        ...{ criterionId: 'AC-002', status: 'verified' },
        criterionText: 'A discount code lowers the total once, and never below zero',
        observation: { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-05-04T09:00:00Z' },
      },
    ],
  })
  return started
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Criteria by turn' })

const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)

describeInBrowser('the page of a session', () => {
  const browser = useBrowser()
  let large = ''
  const service = useService(async ({ graph }) => {
    await writeSessions(clientOf(graph))
    large = await writeLargeSession(clientOf(graph), { turns: 40, criteria: 60 })
  })

  test('a click on a row opens its newest verdict below the matrix, and the address keeps it', async () => {
    const page = await browser.open(service(), SESSION)
    await grid(page).getByText('Shipping is free from 50 € on, after discounts').click()
    const detail = page.getByRole('complementary', { name: 'AC-003, turn 3: verified' })
    await detail.getByText('Verdicts of turn 3').waitFor()
    expect(new URL(page.url()).searchParams.get('cell')).toMatch(/^3:/)
    const [matrix, below] = [await grid(page).boundingBox(), await detail.boundingBox()]
    expect(below?.y).toBeGreaterThanOrEqual((matrix?.y ?? 0) + (matrix?.height ?? 0))
    await detail.getByRole('button', { name: 'Close' }).click()
    await detail.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('cell')).toBeNull()
  })

  test('an address with an open cell shows its details', async () => {
    const client = clientOf(service().graph)
    const { criteria } = await client.listCriteria({ project: PROJECT, worldSlug: MAIN_SESSION })
    const key = criteria.find(({ criterionId }) => criterionId === 'AC-001')?.key ?? ''
    const page = await browser.open(service(), `${SESSION}?cell=${encodeURIComponent(`1:${key}`)}`)
    await page.getByRole('complementary', { name: 'AC-001, turn 1: rejected' }).waitFor()
  })

  test('a session without criteria, or with nothing left, has links to its turns above the matrix', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const proven = { criterionId: 'AC-1', criterionText: 'It works', status: 'verified' as const }
    await client.captureTurnState(aTurn(1, { worldSlug: 'bare' }))
    await client.captureTurnState(aTurn(1, { worldSlug: 'proven', verifications: [proven] }))
    for (const [world, text] of [
      ['bare', 'No turn has named a criterion yet.'],
      ['proven?left=1', 'Nothing is left'],
    ]) {
      const page = await browser.open(started, `/p/${PROJECT}/w/${world}`)
      await page.getByText(text ?? '').waitFor()
      await grid(page).getByRole('link', { name: 'Turn 1' }).click()
      await page.getByRole('heading', { name: /^Turn 1 of / }).waitFor()
    }
  })

  test('an address with a turn that does not exist shows the newest state of the session', async () => {
    const page = await browser.open(service(), `${SESSION}?turn=99`, { mayFail: true })
    await page.getByRole('region', { name: 'Issues' }).waitFor()
    await page.locator('.standing', { hasText: 'turn 5' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.locator('.outdated').count()).toBe(0)
  })

  test.each([
    ['/w/unknown', `There is no world unknown in project ${PROJECT}. All sessions`, ''],
    [`/w/${'x'.repeat(300)}`, 'There is nothing at this address. All sessions', ''],
    [`/w/${MAIN_SESSION}/t/99`, `World ${MAIN_SESSION} has no turn 99. Its session`, `/w/${MAIN_SESSION}`],
    ['/runs/nope', 'There is nothing at this address. All runs', '/runs'],
    ['/runs/5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a98', 'There is no such turn run here. All runs', '/runs'],
  ])('an unknown address shows one sentence with a link back: %s', async (path, sentence, back) => {
    const below = `/p/${PROJECT}`
    const page = await browser.open(service(), below + path, { mayFail: true })
    const alert = page.getByRole('alert')
    await alert.getByRole('link').waitFor()
    expect(await alert.textContent()).toBe(sentence)
    expect(await alert.getByRole('link').getAttribute('href')).toBe(below + back)
  })

  test('a mark explains itself on focus and on hover, and Escape hides the explanation', async () => {
    const page = await browser.open(service(), SESSION)
    const meaning = page.getByRole('tooltip').filter({ hasText: "only repeats the Player's promise" })
    const mark = page.getByRole('button', { name: "Player's words" })
    await mark.waitFor()
    expect(await meaning.count()).toBe(0)
    await mark.hover()
    await meaning.waitFor()
    await page.mouse.move(0, 0)
    await meaning.waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await mark.focus()
    await meaning.waitFor()
    await page.keyboard.press('Escape')
    await meaning.waitFor({ state: 'detached' })
  })

  test('texts of criteria show inline code and emphasis as elements, and wrap', async () => {
    const started = await start()
    await clientOf(started.graph).captureTurnState({
      ...{ project: PROJECT, featureId: 'F', taskId: 'T', worldSlug: 'w', turnNumber: 1, playerSummary: 'x' },
      verifications: [
        { criterionId: 'AC-1', criterionText: '`npm test` passes **twice** <b>now</b>', status: 'rejected' },
      ],
    })
    const page = await browser.open(started, `/p/${PROJECT}/w/w`)
    await grid(page).locator('code').getByText('npm test').waitFor()
    expect(await grid(page).locator('strong').allTextContents()).toEqual(['twice'])
    expect(await grid(page).locator('b').count()).toBe(0)
    await grid(page).getByText('<b>now</b>', { exact: false }).waitFor()
  })

  test.each([390, 768, 1280, 1600])(
    'nothing is wider than a screen of %i pixels, with open details and 60 × 40 cells, and axe finds no violation',
    async (width) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.open(service(), SESSION, { colorScheme, viewport: { width, height: 900 } })
        await grid(page).getByRole('gridcell', { name: 'AC-002, turn 4: rejected' }).click()
        await page.getByRole('complementary').getByText('History').waitFor()
        expect(await widthOf(page)).toBeLessThanOrEqual(width)
        expect(await accessibilityProblems(page), colorScheme).toEqual([])
      }
      const page = await browser.open(service(), `/p/${PROJECT}/w/${large}`, {
        viewport: { width, height: 900 },
      })
      await grid(page).getByRole('gridcell', { name: 'AC-060, turn 40:' }).waitFor({ state: 'attached' })
      expect(await widthOf(page)).toBeLessThanOrEqual(width)
    },
  )

  test('a turn shows claimed and seen side by side for each verdict that changed', async () => {
    const page = await browser.open(await filledWithObservation(), `${SESSION}/t/5`)
    const changed = page.getByRole('region', { name: 'Verdicts that changed' })
    const article = changed.getByRole('article').filter({ hasText: 'AC-002' })
    await article.getByText('now verified').waitFor()
    await article.getByText('Added to src/cart/discount.ts', { exact: false }).waitFor()
    await article.getByText('npm test', { exact: false }).waitFor()
    await article.getByText('verified by a command', { exact: false }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('a token with the scope observe or write gets a form for a verdict, and one with analyst does not', async () => {
    const tokenOf = (scope: string) => `${scope}-`.repeat(8)
    const scopes = ['observe', 'write', 'analyst']
    const tokens = tokensFile(
      scopes.map((scope) => ({ name: scope, token: tokenOf(scope), scopes: ['read', scope] })),
    )
    const started = await filled({ TURNGRAPH_TOKENS: tokens })
    const forms: Record<string, number> = {}
    for (const scope of scopes) {
      const page = await browser.open(started, SESSION, { token: tokenOf(scope) })
      await grid(page).getByRole('gridcell', { name: 'AC-007, turn 5: promised' }).click()
      const detail = page.getByRole('complementary')
      await detail.getByText('History').waitFor()
      forms[scope] = await detail.getByText('Add your own verdict').count()
    }
    expect(forms).toEqual({ observe: 1, write: 1, analyst: 0 })
  })

  test('a person adds a verdict with a reason, which counts and is shown without a reload', async () => {
    const token = 'observe-'.repeat(8)
    const tokens = tokensFile([{ name: 'anna', token, scopes: ['read', 'observe'] }])
    const started = await filled({ TURNGRAPH_TOKENS: tokens })
    const page = await browser.open(started, SESSION, { token })
    await grid(page).getByRole('gridcell', { name: 'AC-007, turn 5: promised' }).click()
    const detail = page.getByRole('complementary')
    await detail.getByText('Add your own verdict').click()
    await detail.getByRole('radio', { name: 'It holds' }).check()
    await detail.getByRole('textbox', { name: 'Reason' }).fill('I ran 1,000 random carts <b>twice</b>')
    expect(await accessibilityProblems(page)).toEqual([])
    await detail.getByRole('button', { name: 'Add verdict' }).click()
    await grid(page).getByRole('gridcell', { name: 'AC-007, turn 5: verified' }).waitFor()
    await page.getByText('I ran 1,000 random carts <b>twice</b>').first().waitFor()
    const { items } = await clientOf(started.graph).getCriterionHistory({
      project: PROJECT,
      worldSlug: MAIN_SESSION,
      key:
        (
          await clientOf(started.graph).listCriteria({ project: PROJECT, worldSlug: MAIN_SESSION })
        ).criteria.find(({ criterionId }) => criterionId === 'AC-007')?.key ?? '',
    })
    expect(items.at(-1)).toMatchObject({ turn: 5, status: 'verified', source: 'person' })
  })

  test('turn numbers without a record are neither linked nor shown as errors', async () => {
    const started = await start()
    for (const turn of [1, 2, 5])
      await clientOf(started.graph).captureTurnState(
        aTurn(turn, { coachFeedback: `Wanted after turn ${turn}` }),
      )
    const below = `/p/${PROJECT}/w/TASK-1`
    const page = await browser.open(started, `${below}/t/5`)
    const beside = page.getByRole('navigation', { name: 'Turns beside this one' })
    await beside.getByRole('link', { name: '← Turn 2' }).waitFor()
    await page.getByRole('checkbox', { name: 'Show what differs from turn 2' }).check()
    await page.getByRole('region', { name: 'Context for Player' }).locator('ins').first().waitFor()
    await beside.getByRole('link', { name: '← Turn 2' }).click()
    await beside.getByRole('link', { name: 'Turn 5 →' }).waitFor()
    await beside.getByRole('link', { name: 'TASK-1' }).click()
    const slider = page.getByRole('slider', { name: 'As of turn' })
    await slider.fill('3')
    await page.getByText('turn 3, the Coach last asked for: “\u2068Wanted after turn 2\u2069”').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('long texts of a turn scroll in their own regions, and the keyboard reaches them', async () => {
    const started = await start()
    const long = 'A long sentence about the state of things. '.repeat(1_400)
    const named = { criterionId: 'AC-001', criterionText: 'It answers' }
    const issues = [{ severity: 'blocking' as const, description: long, suggestion: long }]
    await clientOf(started.graph).captureTurnState({
      ...aTurn(1, { playerSummary: long, coachFeedback: long, whatToTryNext: long, issues }),
      promises: [{ ...named, status: 'complete', evidence: long }],
      verifications: [{ ...named, status: 'verified', evidence: `As seen: ${long}` }],
    })
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-1/t/1`)
    await page.getByRole('group', { name: 'Long text' }).nth(6).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6_000)
  })

  test('a context that leaves out many parts counts them, and lists them on request', async () => {
    const started = await start()
    const verifications = Array.from({ length: 200 }, (_, i) => ({
      criterionId: `AC-${i}`,
      criterionText: `Part ${i} answers each request within the time that its page names`,
      status: 'rejected' as const,
    }))
    for (const turn of [1, 2]) await clientOf(started.graph).captureTurnState(aTurn(turn, { verifications }))
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-1/t/2`)
    const left = page.getByRole('region', { name: 'Left out' })
    await left.getByText(/^\d{3} parts$/).waitFor()
    expect(await left.getByRole('row').count()).toBe(0)
    await left.getByText(/^\d{3} parts$/).click()
    expect(await left.getByRole('row').count()).toBeGreaterThan(200)
  })

  test('a deleted session is named in one sentence with a link back', async () => {
    const started = await start()
    await clientOf(started.graph).captureTurnState(aTurn(1))
    await clientOf(started.graph).deleteWorld({ worldSlug: 'TASK-1' })
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-1`, { mayFail: true })
    await page.getByRole('alert').getByRole('link').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('World TASK-1 was deleted. All sessions')
  })
})
