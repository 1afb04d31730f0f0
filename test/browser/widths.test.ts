import { expect, test } from 'vitest'
import { MAIN_SESSION, PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { start } from '../integration/http-start.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const WIDTHS = [360, 390, 480, 600, 641, 700, 721, 785, 840, 861, 901, 1001, 1200, 1600]

const SESSION = `/p/${PROJECT}/w/${MAIN_SESSION}`
/** Addresses of views, each with the label of a region or table that is present once the view is loaded. */
const VIEWS = [
  ['/', 'Finished tasks'],
  [`/p/${PROJECT}`, 'Sessions'],
  [SESSION, 'Criteria by turn'],
  [`${SESSION}/t/3`, 'Issues'],
] as const

describeInBrowser('the layout', () => {
  const browser = useBrowser()

  test('no view is wider than the window, breaks a link or the text of a choice into two lines, or cuts a matrix of few turns', async () => {
    const started = await start({ TURNGRAPH_PROJECT: PROJECT, TURNGRAPH_AUTH: 'off' })
    await writeSessions(clientOf(started.graph))
    for (const [address, name] of VIEWS) {
      const page = await browser.open(started, address, { token: null })
      await page.getByLabel(name, { exact: true }).first().waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate(() => ({
          beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          broken: [...document.querySelectorAll('.page-head li a, .page-head .brand, .choice-line *')]
            .filter((link) => {
              const words = document.createRange()
              words.selectNodeContents(link)
              return new Set([...words.getClientRects()].map(({ top }) => top)).size > 1
            })
            .map(({ textContent }) => textContent),
          cut: [...document.querySelectorAll('.matrix-scroll:has(.few-turns)')].map(
            ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
          ),
        }))
        expect({ address, width, ...found }).toEqual({
          ...{ address, width, beyond: 0, broken: [] },
          cut: found.cut.map(() => 0),
        })
      }
    }
  })

  test('no word of an outcome is broken next to a very long name', async () => {
    const started = await start()
    const criterion = { criterionId: 'AC-1', criterionText: 'It works', status: 'rejected' as const }
    const names = {
      project: PROJECT,
      featureId: 'F'.repeat(200),
      taskId: 'T'.repeat(200),
      worldSlug: 'W'.repeat(200),
    }
    const turn = aTurn(1, { ...names, coachDecision: 'approved', verifications: [criterion] })
    await clientOf(started.graph).captureTurnState(turn)
    const page = await browser.open(started, `/p/${PROJECT}`)
    const outcome = page.getByRole('cell', { name: 'approved with gaps' }).locator('bdi')
    const lines = await outcome.evaluate((element) => {
      const word = document.createRange()
      word.setStart(element.firstChild as Node, 0)
      word.setEnd(element.firstChild as Node, 'approved'.length)
      return word.getClientRects().length
    })
    expect(lines).toBe(1)
  })
})
