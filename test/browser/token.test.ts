import { expect, test } from 'vitest'
import { PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { start } from '../integration/http-start.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

describeInBrowser('a token in the address', () => {
  const browser = useBrowser()

  test('lets a person in who pastes it into the open page, and leaves the address', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const page = await browser.open(started, `/p/${PROJECT}`, { token: null })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.evaluate((token) => {
      location.hash = `token=${token}`
    }, started.token)
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    expect(page.url()).toBe(`${started.service.url}/p/${PROJECT}`)
  })

  test('that is no escaped text is refused as any wrong one is: the page asks for another', async () => {
    const started = await start()
    const page = await browser.open(started, '/', { token: '100%', mayFail: true })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('alert').first().waitFor()
    expect(page.url()).toBe(`${started.service.url}/`)
  })

  test.each(['пароль', 'a%0Ab', '😀'])(
    '%s, which no header can hold, is refused in one sentence',
    async (token) => {
      const started = await start()
      const page = await browser.open(started, '/', { token })
      await page.getByRole('alert').getByText('it holds characters that no token has').waitFor()
      await page.getByRole('textbox', { name: 'Token' }).fill(started.token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
    },
  )
})
