import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { findBrowser } from './find-browser.ts'
import { launchBrowser } from './launch-browser.ts'

/** Where a service answers, and what it asks for. */
export type Served = { service: { url: string }; token: string }

export type Opening = {
  /** Default: the token of the service's data folder. Null: none. */
  token?: string | null
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** Whether the console may say that a request failed: browsers log each answer of 4xx and 5xx themselves. */
  mayFail?: boolean
}

/** One browser for a file; each page has a profile of its own. */
export function useBrowser(): { open(started: Served, address: string, opening?: Opening): Promise<Page> } {
  let browser: Browser | null = null
  beforeAll(async () => {
    if (findBrowser() !== null) browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })
  return {
    async open(started, address, { token = started.token, colorScheme, viewport, mayFail = false } = {}) {
      if (browser === null) throw new Error('the browser is not open')
      const options: BrowserContextOptions = {
        ...(colorScheme !== undefined && { colorScheme }),
        viewport: viewport ?? { width: 1280, height: 900 },
      }
      const context = await browser.newContext(options)
      const page = await context.newPage()
      const noise = watchPage(page, started.service.url, mayFail)
      onTestFinished(async () => {
        await context.close()
        expect(noise, 'what the page said in the console, and which other hosts it asked').toEqual([])
      })
      await page.goto(`${started.service.url}${address}${token === null ? '' : `#token=${token}`}`)
      return page
    },
  }
}

const FAILED_REQUEST = /^Failed to load resource/

/** Everything that a page must not do, as it does it. */
function watchPage(page: Page, service: string, mayFail: boolean): string[] {
  const noise: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (mayFail && FAILED_REQUEST.test(message.text())) return
    noise.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => noise.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== service && protocol !== 'data:' && protocol !== 'blob:')
      noise.push(`asked ${request.url()}`)
  })
  return noise
}
