import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/** No sandbox, because tests run as root in containers. The other flags stop requests of the browser itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === null) throw new Error('There is no browser: name one in TURNGRAPH_BROWSER.')
  return chromium.launch({ executablePath, args: FLAGS })
}
