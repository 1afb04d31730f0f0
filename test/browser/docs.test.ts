import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/http/openapi.ts'
import { callsIn, type OpenApi } from '../../src/web/views/docs/open-api.ts'
import { start } from '../integration/http-start.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

describeInBrowser('the view of the API', () => {
  const browser = useBrowser()

  test('shows every call of the document without a token, and every parameter of one that is opened', async () => {
    const calls = callsIn(openApiDocument() as unknown as OpenApi)
    const page = await browser.open(await start(), '/docs', { token: null, mayFail: true })
    await page.getByRole('heading', { name: 'API' }).waitFor()
    const shown = await page.locator('details.call').evaluateAll((all) => all.map(({ id }) => id))
    expect(shown.toSorted()).toEqual(calls.map(({ operationId }) => operationId).toSorted())
    await page.locator('#listCriteria summary').click()
    const names = page.getByRole('table', { name: 'Parameters of listCriteria' }).getByRole('rowheader')
    await names.first().waitFor()
    const parameters = calls.find(({ operationId }) => operationId === 'listCriteria')?.parameters ?? []
    expect(await names.allTextContents()).toEqual(parameters.map(({ name }) => name))
  })

  test('a call is tried with the token that is there, and the answer of the service is shown', async () => {
    const started = await start()
    await started.call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'trial' } })
    const page = await browser.open(started, '/docs', { mayFail: true })
    await page.getByRole('searchbox', { name: 'Search calls' }).fill('getWorld')
    await page.locator('#getWorld summary').click()
    const form = page.getByRole('form', { name: 'Try getWorld' })
    await form.getByRole('textbox', { name: 'world_slug' }).fill('trial')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('region', { name: 'Answer' }).getByText('"world_slug": "trial"').waitFor()
    await form.getByRole('textbox', { name: 'world_slug' }).fill('nothing')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('alert').getByText('There is no world nothing').waitFor()
  })
})
