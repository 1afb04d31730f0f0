import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'

/** Paths of Chromium on Debian, Ubuntu, Fedora and macOS. */
const USUAL_PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Finds the browser named by TURNGRAPH_BROWSER, or one in a usual place. Returns null if there is no browser. */
export const findBrowser = (): string | null =>
  process.env.TURNGRAPH_BROWSER ?? USUAL_PLACES.find((place) => existsSync(place)) ?? null

const NO_BROWSER =
  'there is no browser: `apt-get install --no-install-recommends chromium-headless-shell`, or name one in TURNGRAPH_BROWSER'

/** Declares a suite in a real browser. Without a browser it is skipped, or fails if REQUIRE_BROWSER=1. */
export function describeInBrowser(name: string, suite: () => void): void {
  const isThere = findBrowser() !== null
  if (!isThere && process.env.REQUIRE_BROWSER === '1') {
    test(`${name}: a browser is here`, () => {
      throw new Error(`REQUIRE_BROWSER=1, but ${NO_BROWSER}`)
    })
    return
  }
  if (!isThere) console.log(`Left out: ${name}. There ${NO_BROWSER.slice('there '.length)}.`)
  describe.skipIf(!isThere)(name, suite)
}
