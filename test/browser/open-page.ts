import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { postPageCode } from '../../src/cli/page-address.ts'
import { findBrowser } from './find-browser.ts'
import { launchBrowser } from './launch-browser.ts'

/** The address and the token of a service. */
export type Served = { service: { url: string }; token: string }

export type Opening = {
  /** Token that the page uses. Default: the token of the service's data folder. Null: no token. */
  token?: string | null
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** Allows failed requests in the console: browsers log each answer with a status of 4xx or 5xx. */
  mayFail?: boolean
}

type Opened = {
  open(started: Served, address: string, opening?: Opening): Promise<Page>
  /** Opens a document on disk, which must not send any request. */
  openFile(file: string, opening?: Omit<Opening, 'token'>): Promise<Page>
}

/** Starts a browser for all tests of a file. Each page has its own profile. */
export function useBrowser(): Opened {
  let browser: Browser | null = null
  beforeAll(async () => {
    if (findBrowser() !== null) browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })
  /** @param mayAsk prefix of the addresses that the page may request */
  const openAt = async (url: string, mayAsk: string, { colorScheme, viewport, mayFail = false }: Opening) => {
    if (browser === null) throw new Error('the browser is not open')
    const options: BrowserContextOptions = {
      ...(colorScheme !== undefined && { colorScheme }),
      viewport: viewport ?? { width: 1280, height: 900 },
    }
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const noise = watchPage(page, mayAsk, mayFail)
    onTestFinished(async () => {
      await context.close()
      expect(noise, 'what the page said in the console, and which other hosts it asked').toEqual([])
    })
    await page.goto(url)
    return page
  }
  return {
    async open(started, address, { token = started.token, ...opening } = {}) {
      const { url } = started.service
      const code = token === null ? '' : `#code=${await postPageCode(url, token)}`
      return openAt(`${url}${address}${code}`, `${url}/`, opening)
    },
    openFile(file, opening = {}) {
      const { href } = pathToFileURL(file)
      return openAt(href, href, opening)
    },
  }
}

const FAILED_REQUEST = /^Failed to load resource/

/** Collects errors, console messages and requests that a page must not cause. */
function watchPage(page: Page, mayAsk: string, mayFail: boolean): string[] {
  const noise: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (mayFail && FAILED_REQUEST.test(message.text())) return
    noise.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => noise.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const isOwn = ['data:', 'blob:', mayAsk].some((own) => request.url().startsWith(own))
    if (!isOwn) noise.push(`asked ${request.url()}`)
  })
  return noise
}
