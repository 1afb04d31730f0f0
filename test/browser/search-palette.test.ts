import { expect, test } from 'vitest'
import { type Started, start, tokensFile, useService } from '../integration/http-start.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

async function writeRecords({ graph }: Started) {
  const client = clientOf(graph)
  const verified = {
    criterionId: 'AC-1',
    criterionText: 'Rounding of the <b>total</b>',
    status: 'verified' as const,
  }
  const issue = { severity: 'blocking', category: 'tests', description: 'The rounding loses a cent' }
  await client.captureTurnState({ ...aTurn(1), worldSlug: 'rounding-1', verifications: [verified] })
  await client.captureTurnState({ ...aTurn(2), worldSlug: 'rounding-1', issues: [issue] })
}

describeInBrowser('the search palette', () => {
  const browser = useBrowser()
  const service = useService(writeRecords)

  test.each([390, 1280])(
    'finds sessions, criteria and issues with the keyboard alone, at %i pixels',
    async (width) => {
      const page = await browser.open(service(), `/p/${PROJECT}`, {
        viewport: { width, height: 800 },
      })
      const link = page.getByRole('link', { name: 'rounding-1' })
      await link.focus()
      const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').length)
      const before = await loaded()
      await page.keyboard.press('Control+k')
      const box = page.getByRole('combobox', { name: `Search sessions, criteria and issues of ${PROJECT}` })
      await box.waitFor()
      expect(await loaded(), 'the palette is loaded when it is first opened').toBeGreaterThan(before)
      await page.keyboard.type('round')
      const options = page.getByRole('option')
      await page.getByText('3 results').waitFor()
      const active = () => box.getAttribute('aria-activedescendant')
      expect(await options.allTextContents()).toEqual([
        expect.stringMatching(/^rounding-1 /),
        'Rounding of the <b>total</b> rounding-1',
        'The rounding loses a cent rounding-1, turn 2',
      ])
      expect(await active()).toBe(await options.nth(0).getAttribute('id'))
      await page.keyboard.press('ArrowUp')
      expect(await active(), 'the list begins again').toBe(await options.nth(2).getAttribute('id'))
      expect(await page.getByRole('option', { selected: true }).count()).toBe(1)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)

      await page.keyboard.press('Escape')
      await box.waitFor({ state: 'detached' })
      expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)

      await page.keyboard.press('Control+k')
      await page.keyboard.type('cent')
      await page.getByText('1 result', { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Turn 2 of rounding-1' }).waitFor()
      await box.waitFor({ state: 'detached' })
    },
  )

  test('Enter opens a result of the typed text, not of the text before it', async () => {
    const page = await browser.open(service(), `/p/${PROJECT}`)
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('cent')
    await page.getByText('1 result', { exact: true }).waitFor()
    await page.getByRole('combobox').fill('rounding')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'rounding-1' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/p/${PROJECT}/w/rounding-1`)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('total')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'AC-1, turn 1: verified' }).waitFor()
  })

  test('shows that there are more results than it lists', async () => {
    const started = await start()
    for (let i = 1; i <= 7; i++)
      await clientOf(started.graph).captureTurnState(aTurn(1, { worldSlug: `rounding-${i}` }))
    const page = await browser.open(started, `/p/${PROJECT}`)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox').fill('rounding')
    await page.getByText('6 results, and more: add a word to find fewer.').waitFor()
  })

  test('opens with its button too, and reports a search without results', async () => {
    const page = await browser.open(service(), '/')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('nowhere')
    await page.getByText('Nothing has these words.').waitFor()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test('a token that may not read has no search', async () => {
    const token = 'p'.repeat(32)
    const started = await start({
      TURNGRAPH_TOKENS: tokensFile([{ name: 'player', token, scopes: ['play'] }]),
    })
    const page = await browser.open(started, '/docs', { token })
    await page.getByRole('heading', { name: 'API' }).waitFor()
    expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0)
  })
})
