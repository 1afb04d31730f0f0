import { expect, test } from 'vitest'
import { PROJECT, writeLargeSession, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { start, useService } from '../integration/http-start.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { compareMatrix, readMatrix } from './matrix-cells.ts'
import { useBrowser } from './open-page.ts'

const CELL = 24
/** A size that is wider than the screen and higher than the page allows. */
const LARGE = { turns: 200, criteria: 60 }

describeInBrowser('the matrix of criteria over turns', () => {
  const browser = useBrowser()
  let world = ''
  const service = useService(async ({ graph }) => {
    world = await writeLargeSession(clientOf(graph), LARGE)
  })

  test('of a session of 200 turns and 60 criteria has every cell with the verdict of its turn', async () => {
    const page = await browser.open(service(), `/p/${PROJECT}/w/${world}`)
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

  test('that is wider than the screen has its own layer, so that Chromium repaints no cell on scrolling', async () => {
    const page = await browser.open(service(), `/p/${PROJECT}/w/${world}`)
    await page.getByLabel('Criteria by turn', { exact: true }).waitFor()
    const session = await page.context().newCDPSession(page)
    let isLayered = false
    session.on('LayerTree.layerTreeDidChange', ({ layers = [] }) => {
      // The head is a layer, too, as wide as the cells.
      isLayered ||= layers.some(
        ({ width, height }) => width > LARGE.turns * CELL && height > LARGE.criteria * CELL,
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

  test('of a written session shows the verdicts of its turns', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-TOTALS`)
    expect(await compareMatrix(page, started.graph, PROJECT, 'TASK-TOTALS')).toBeGreaterThan(10)
  })
})
