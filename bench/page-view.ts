/** Opens a view of the page in a separate browser, several times, and measures it. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/browser/launch-browser.ts'
import { median } from './latency.ts'

export type ViewToLookAt = {
  name: string
  address: string
  /** Selector of the rows. */
  rows: string
  /** Selector of the element that is scrolled from one end to the other, or null. */
  scrolls: string | null
}

/** The maximum of all samples, or the median for times of loading. */
export type ViewFigures = {
  rowsMs: number
  paintMs: number
  /** Null if the view does not scroll. */
  frameMs: number | null
  /** The same figure while the page was idle, right before. */
  idleFrameMs: number | null
  heapMb: number
  /** Private memory of the tab's process; null if the system does not report it. */
  memoryMb: number | null
  nodes: number
}

const PROBE = fileURLToPath(new URL('./page-probe.mjs', import.meta.url))

/** Pause after the first rows, because later content may be larger. */
const SETTLE_MS = 1_500

export async function lookAt(url: string, view: ViewToLookAt, samples: number): Promise<ViewFigures> {
  const all: ViewFigures[] = []
  for (let i = 0; i < samples; i++) {
    const browser = await launchBrowser()
    try {
      all.push(await measure(browser, url, view))
    } finally {
      await browser.close()
    }
  }
  const most = (read: (one: ViewFigures) => number | null) =>
    all.reduce<number | null>((max, one) => largerOf(max, read(one)), null)
  return {
    rowsMs: median(all.map(({ rowsMs }) => rowsMs)),
    paintMs: median(all.map(({ paintMs }) => paintMs)),
    frameMs: most(({ frameMs }) => frameMs),
    idleFrameMs: most(({ idleFrameMs }) => idleFrameMs),
    heapMb: most(({ heapMb }) => heapMb) ?? 0,
    memoryMb: most(({ memoryMb }) => memoryMb),
    nodes: most(({ nodes }) => nodes) ?? 0,
  }
}

const largerOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

async function measure(browser: Browser, url: string, view: ViewToLookAt): Promise<ViewFigures> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.addInitScript({ path: PROBE })
  await page.goto(url + view.address)
  const rowsMs = await probe(page, 'firstRows', view.rows)
  await page.waitForTimeout(SETTLE_MS)
  const paintMs = await probe(page, 'largestPaint')
  const idleFrameMs = view.scrolls === null ? null : await probe(page, 'longestIdleFrame')
  const frameMs = view.scrolls === null ? null : await probe(page, 'longestFrame', view.scrolls)
  const nodes = await page.locator('*').count()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  const memoryMb = await tabMemory(browser)
  return { rowsMs, paintMs, frameMs, idleFrameMs, nodes, heapMb: Math.round(heap / 2 ** 20), memoryMb }
}

/** Calls a function that `page-probe.mjs` has added to the page. */
const probe = async (page: Page, what: string, selector = ''): Promise<number> =>
  Number(await page.evaluate(`probe.${what}(${JSON.stringify(selector)})`))

/** Returns the memory of the largest tab process of the browser, which also keeps a spare one. */
async function tabMemory(browser: Browser): Promise<number | null> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const sizes = processInfo.filter(({ type }) => type === 'renderer').flatMap(({ id }) => privateMb(id) ?? [])
  return sizes.length === 0 ? null : Math.max(...sizes)
}

/** Returns the memory that a process does not share with others. */
function privateMb(pid: number): number | null {
  const file = `/proc/${pid}/smaps_rollup`
  if (!existsSync(file)) return null
  const kilobytes = [...readFileSync(file, 'utf8').matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)]
  return Math.round(kilobytes.reduce((sum, [, kb]) => sum + Number(kb), 0) / 1024)
}
