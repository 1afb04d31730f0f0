import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/http/openapi.ts'
import { start } from '../integration/http-start.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

describeInBrowser('the view of the API', () => {
  const browser = useBrowser()

  test('shows every call of the document without a token, with its scope and its fields', async () => {
    const { paths } = openApiDocument() as { paths: Record<string, Record<string, unknown>> }
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const page = await browser.open(await start(), '/docs', { token: null })
    const table = page.getByRole('table', { name: 'Calls' })
    await table.waitFor()
    const names = await table.getByRole('rowheader').allTextContents()
    expect(names.toSorted()).toEqual(calls.toSorted())
    expect(await table.getByRole('row', { name: 'GET /v1/criteria What is proven' }).textContent()).toMatch(
      /read.*policy, role/,
    )
    const capture = await table.getByRole('row', { name: 'POST /v1/turns Store a turn' }).textContent()
    expect(capture).toMatch(/write.*player_summary/)
  })

  test('offers the document for a viewer or a generator of clients', async () => {
    const page = await browser.open(await start(), '/docs', { token: null })
    const link = page.getByRole('link', { name: 'openapi.json' })
    expect(await link.getAttribute('href')).toBe('/openapi.json')
  })
})
