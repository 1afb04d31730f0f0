import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { postPageCode } from '../../src/cli/page-address.ts'
import { PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { newFolder, start, tokensFile } from '../integration/http-start.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

describeInBrowser('a code in the address', () => {
  const browser = useBrowser()

  test('signs in a person who pastes it into the open page, and is removed from the address', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const page = await browser.open(started, `/p/${PROJECT}`, { token: null })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const code = await postPageCode(started.service.url, started.token)
    await page.evaluate((given) => {
      location.hash = `code=${given}`
    }, code)
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    expect(page.url()).toBe(`${started.service.url}/p/${PROJECT}`)
    await page.reload()
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    expect(kept).not.toContain(started.token)
  })

  test('gives a session that ends with the service: a token typed after it stays, if the person wants that', async () => {
    const dataFolder = newFolder()
    const ended = await start({}, { dataFolder })
    const page = await browser.open(ended, '/', { mayFail: true })
    const signedIn = page.getByRole('heading', { name: 'Projects' })
    await signedIn.waitFor()
    await ended.service.close()
    const again = await start({ TURNGRAPH_PORT: new URL(ended.service.url).port }, { dataFolder })
    await page.reload()
    await page.getByRole('textbox', { name: 'Token' }).fill(again.token)
    await page.getByRole('checkbox', { name: 'Stay signed in' }).check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signedIn.waitFor()
    await page.reload()
    await signedIn.waitFor()
  })

  test('gives a session that ends with its token: the open page then asks for a token, and shows the view again', async () => {
    const token = 'r'.repeat(40)
    const file = tokensFile([{ name: 'reader', token, scopes: ['read'] }])
    const started = await start({ TURNGRAPH_TOKENS: file })
    await writeSessions(clientOf(started.graph))
    const page = await browser.open(started, `/p/${PROJECT}`, { token, mayFail: true })
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await sessions.waitFor()
    writeFileSync(file, '[]')
    await expect.poll(async () => (await started.call('GET', '/v1/worlds', { token })).status).toBe(401)
    await page.getByRole('checkbox', { name: 'Not approved' }).check()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('alert').getByText('You are not signed in').waitFor()
    await page.getByRole('textbox', { name: 'Token' }).fill(started.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await sessions.waitFor()
    expect(await page.getByRole('checkbox', { name: 'Not approved' }).isChecked()).toBe(true)
  })

  test('works once: the page then asks for a token and shows how to get another code', async () => {
    const started = await start()
    const code = await postPageCode(started.service.url, started.token)
    for (const [tries, title] of [
      ['first', 'Projects'],
      ['second', 'Sign in'],
    ] as const) {
      const page = await browser.open(started, `/#code=${code}`, { token: null, mayFail: true })
      await page.getByRole('heading', { name: title }).waitFor()
      if (tries === 'second') await page.getByText('turngraph open').first().waitFor()
      expect(page.url()).toBe(`${started.service.url}/`)
    }
  })

  test('typed instead, an unknown token is refused in words for a person', async () => {
    const page = await browser.open(await start(), '/', { token: null, mayFail: true })
    await page.getByRole('textbox', { name: 'Token' }).fill('x'.repeat(40))
    await page.getByRole('button', { name: 'Sign in' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('You are not signed in: this service does not know the token.').waitFor()
    expect(await alert.textContent()).not.toContain('Bearer')
  })

  test.each(['пароль', '😀'])(
    'typed instead, the token %s, which no header can hold, is refused in one sentence',
    async (token) => {
      const started = await start()
      const page = await browser.open(started, '/', { token: null })
      await page.getByRole('textbox', { name: 'Token' }).fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('it holds characters that no token has').waitFor()
      await page.getByRole('textbox', { name: 'Token' }).fill(started.token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
    },
  )
})
