import { expect, test } from 'vitest'
import { PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { start, tokensFile, useService } from '../integration/http-start.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const QUERY = 'MATCH (w:World)-[:HAS_TURN]->(t:Turn) RETURN w, t ORDER BY w.slug, t.number LIMIT 5'

describeInBrowser('the query view', () => {
  const browser = useBrowser()
  const filled = useService(({ graph }) => writeSessions(clientOf(graph)))

  test('a query in the address is filled in, and runs only on request', async () => {
    const page = await browser.open(filled(), `/query?query=${encodeURIComponent(QUERY)}`)
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/cypher')) asked++
    })
    const box = page.getByRole('textbox', { name: 'Cypher query' })
    await box.waitFor()
    await page.waitForFunction(() => document.querySelector('.editor textarea') === null) // CodeMirror is loaded
    expect(await box.textContent()).toContain('MATCH (w:World)')
    expect(asked).toBe(0)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('table', { name: 'Result' }).waitFor()
    expect(asked).toBe(1)
  })

  test('Ctrl-Enter runs the query in the editor, and a rejection shows the message of the service', async () => {
    const page = await browser.open(filled(), '/query', { mayFail: true })
    await page.waitForFunction(() => document.querySelector('.editor > div')?.shadowRoot != null)
    const box = page.getByRole('textbox', { name: 'Cypher query' })
    await box.click()
    await page.keyboard.insertText('CREATE (n:World)')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('which does not read this graph', { exact: false }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('RETURN 6 * 7 AS answer')
    await page.keyboard.press('Control+Enter')
    expect(
      await page.getByRole('table', { name: 'Result' }).getByRole('cell').first().textContent(),
    ).toContain('42')
  })

  test('a query that is typed while the editor loads stays, and the typing continues in the editor', async () => {
    const page = await browser.open(filled(), '/')
    let deliver = () => {}
    const isDelivered = new Promise<void>((resolve) => {
      deliver = resolve
    })
    await page.route(/\/code-mirror[^/]*\.js$/, async (route) => {
      await isDelivered
      await route.continue()
    })
    await page.getByRole('link', { name: 'Query' }).click()
    await page.locator('.editor textarea').click()
    await page.keyboard.type('RETURN 6 * ')
    deliver()
    await page.waitForFunction(() => document.querySelector('.editor textarea') === null)
    await page.keyboard.type('7 AS answer')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('table', { name: 'Result' }).getByRole('cell', { name: '42' }).waitFor()
  })

  test('the project of the previous view stays in the examples, after a query, and in the links to other views', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    await clientOf(started.graph).captureTurnState(aTurn(1, { project: 'another' }))
    const page = await browser.open(started, `/p/${PROJECT}`)
    await page.getByRole('link', { name: 'Query' }).click()
    await page.getByText('Examples').click()
    await page.getByRole('button', { name: 'How far is each task?' }).click()
    expect(await page.getByRole('textbox', { name: 'Parameters' }).inputValue()).toBe(
      `{"project":"${PROJECT}"}`,
    )
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('table', { name: 'Result' }).waitFor()
    await page.getByRole('link', { name: 'API' }).click()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('heading', { name: PROJECT }).waitFor()
  })

  test('a name that the graph does not have is named below the query, with similar names', async () => {
    const page = await browser.open(filled(), '/query?query=MATCH+(t:Trun)+RETURN+t')
    await page.waitForFunction(() => document.querySelector('.editor > div')?.shadowRoot != null)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByRole('status')
      .getByText('relationship type or property Trun. Near names: Turn.')
      .waitFor()
  })

  test('a node opens its neighbors, also with the keyboard', async () => {
    const page = await browser.open(filled(), '/query')
    await page.waitForFunction(() => document.querySelector('.editor > div')?.shadowRoot != null)
    await page.getByRole('textbox', { name: 'Cypher query' }).click()
    await page.keyboard.insertText("MATCH (w:World {slug: 'TASK-LOGIN'}) RETURN w")
    await page.keyboard.press('Control+Enter')
    const world = page.getByRole('button', { name: 'World TASK-LOGIN' })
    await world.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Turn Turn 2' }).waitFor()
    await page.getByRole('table', { name: 'Properties of World' }).waitFor()
  })

  test('the examples of the documents can be filled in and run', async () => {
    const page = await browser.open(filled(), '/query')
    await page.waitForFunction(() => document.querySelector('.editor > div')?.shadowRoot != null)
    await page.getByText('Examples').click()
    await page.getByRole('button', { name: 'How far is each task?' }).click()
    const params = page.getByRole('textbox', { name: 'Parameters' })
    await params.fill('{"project": "shop"}')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('table', { name: 'Result' }).getByText('TASK-LOGIN').first().waitFor()
  })

  test('a token without the scope of analysts sees no free query', async () => {
    const file = tokensFile([{ name: 'reader', token: 'r'.repeat(32), scopes: ['read'] }])
    const started = await start({ TURNGRAPH_TOKENS: file })
    const page = await browser.open(started, '/query', { token: 'r'.repeat(32) })
    await page.getByText('for tokens of the scope').waitFor()
    expect(await page.getByRole('textbox', { name: 'Cypher query' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Query' }).count()).toBe(0)
  })
})
