import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { RUN_LIMITS } from '../../src/runs/record.ts'
import { PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { newFolder, SwitchedGraph, start, tokensFile } from '../integration/http-start.ts'
import { startFront } from '../support/front.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const PLACE = { feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'trial', executor: 'simulated' }

/** An executor that commits, fails and commits again, each after a moment. */
function executorsFile(): string {
  const file = path.join(newFolder(), 'executors.json')
  const simulated = { kind: 'simulated', duration_ms: 700, outcomes: ['committed', 'failed', 'committed'] }
  writeFileSync(file, JSON.stringify({ simulated }))
  return file
}

/** Time within which a page that polls would have sent a request. */
const LATER_MS = 1_000

/** Dispatches the event that a browser sends when its tab is hidden or shown. */
const setVisibility = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

/** A turn of TASK-1 in which one criterion was verified. */
const captureRound = (client: TurngraphClient, turnNumber: number, criterionId: string) =>
  client.captureTurnState({
    project: PROJECT,
    featureId: 'FEAT-1',
    taskId: 'TASK-1',
    turnNumber,
    playerSummary: `Round ${turnNumber}`,
    coachDecision: 'feedback',
    verifications: [{ criterionId, criterionText: `It answers ${criterionId}`, status: 'verified' }],
  })

describeInBrowser('a page that stays open', () => {
  const browser = useBrowser()

  test('loads a missing part of the page again only while the page is visible', async () => {
    const started = await start()
    await captureRound(clientOf(started.graph), 1, 'AC-001')
    const page = await browser.open(started, `/p/${PROJECT}`, { mayFail: true })
    let tries = 0
    await page.route(/\/session-view[^/]*\.js$/, (route) => {
      tries++
      return route.abort()
    })
    await page.getByRole('link', { name: 'TASK-1' }).click()
    await page.getByRole('alert').waitFor()
    await setVisibility(page, 'hidden')
    const before = tries
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(tries).toBe(before)
    await page.unroute(/\/session-view[^/]*\.js$/)
    await setVisibility(page, 'visible')
    await page.getByRole('grid', { name: 'Criteria by turn' }).waitFor()
  })

  test('shows a run from its start to its end without being loaded again', async () => {
    const started = await start({ TURNGRAPH_EXECUTORS: executorsFile() })
    await started.call('POST', '/v1/worlds', { body: { ...PLACE, project: PROJECT } })
    const page = await browser.open(started, `/p/${PROJECT}/runs?world=trial`)
    await page.getByText('Start a run').click()
    for (const [field, most] of [
      ['Turns to commit', RUN_LIMITS.turnCount],
      ['Attempts at most', RUN_LIMITS.maxAttempts],
    ] as const) {
      expect(await page.getByRole('spinbutton', { name: field }).getAttribute('max')).toBe(String(most))
    }
    await page.getByRole('spinbutton', { name: 'Turns to commit' }).fill('2')
    await page.getByRole('spinbutton', { name: 'Attempts at most' }).fill('4')
    let loads = 0
    page.on('load', () => loads++)
    await page.getByRole('button', { name: 'Start' }).click()
    const attempts = page.getByRole('table', { name: 'Attempts' })
    await attempts.getByRole('row', { name: 'running' }).first().waitFor()
    await page.getByText('is completed', { exact: false }).first().waitFor()
    expect(await attempts.getByRole('row').count()).toBe(4) // the head, and three attempts
    await attempts.getByText('simulated failure').waitFor()
    expect(loads).toBe(0)
  })

  test('requests the data of a session once when it is opened, and again when its stream restarts', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const capture = (turnNumber: number) => captureRound(client, turnNumber, 'AC-001')
    await capture(1)
    const page = await browser.open(started, `/p/${PROJECT}`)
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      // The query belongs to the request: the session is read first without its tokens, and later with them.
      if (pathname.startsWith('/v1/') && pathname !== '/v1/events') asked.push(pathname + search)
    })
    await page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: 'TASK-1' }).click()
    await page.getByRole('region', { name: 'Issues' }).waitFor()
    await page.waitForTimeout(LATER_MS)
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
    expect(asked.length).toBeGreaterThan(5)

    await setVisibility(page, 'hidden')
    await capture(2)
    await page.waitForTimeout(LATER_MS)
    expect(await page.getByRole('columnheader', { name: 'Turn 2' }).count()).toBe(0) // the tab is hidden
    await setVisibility(page, 'visible')
    await page.getByRole('columnheader', { name: 'Turn 2' }).waitFor()
    await capture(3)
    await page.getByRole('columnheader', { name: 'Turn 3' }).waitFor()
  })

  test('the home page shows new sessions when its tab becomes visible again', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const page = await browser.open(started, '/')
    await page.getByText('Nothing is recorded yet').waitFor()
    for (const taskId of ['TASK-1', 'TASK-2']) {
      await setVisibility(page, 'hidden')
      await client.captureTurnState(aTurn(1, { project: PROJECT, taskId }))
      await setVisibility(page, 'visible')
      await page.getByRole('link', { name: taskId, exact: true }).first().waitFor()
    }
  })

  test('highlights only the cells with new verdicts', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const capture = (turnNumber: number, criterionId: string) => captureRound(client, turnNumber, criterionId)
    await capture(1, 'AC-001')
    await capture(2, 'AC-002')
    const page = await browser.open(started, `/p/${PROJECT}/w/TASK-1`)
    await page.getByRole('region', { name: 'Issues' }).waitFor()
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(globalThis, { seen })
      new MutationObserver((changes) => {
        for (const { target } of changes)
          if (target instanceof HTMLElement && target.classList.contains('lit'))
            seen.push(target.ariaLabel ?? '')
      }).observe(document.body, { attributes: true, attributeFilter: ['class'], subtree: true })
    })
    await capture(3, 'AC-001')
    await expect.poll(() => page.evaluate('globalThis.seen.length'), { timeout: 20_000 }).toBeGreaterThan(0)
    await page.locator('.lit').waitFor({ state: 'detached' })
    expect(await page.evaluate('globalThis.seen')).toEqual(['AC-001, turn 3: verified, without evidence'])
  })

  test('an open cell and an open turn show a promise and a verdict that come later', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const named = { criterionId: 'AC-001', criterionText: 'It answers' }
    const promise = (evidence: string) =>
      client.captureTurnState({
        ...aTurn(1, { project: PROJECT, onConflict: 'supersede' }),
        promises: [{ ...named, status: 'complete', evidence }],
      })
    await promise('Promised first')
    const session = await browser.open(started, `/p/${PROJECT}/w/TASK-1`)
    await session.getByRole('gridcell', { name: 'AC-001, turn 1: promised' }).click()
    const detail = session.getByRole('complementary')
    await detail.getByText('Promised first').waitFor()
    await detail.getByText('This turn did not judge it.').waitFor()
    await client.addVerifications({
      ...{ project: PROJECT, featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1 },
      verifications: [{ ...named, status: 'verified', source: 'person', evidence: 'Seen later' }],
    })
    await detail.getByText('Seen later').first().waitFor()

    const turn = await browser.open(started, `/p/${PROJECT}/w/TASK-1/t/1`)
    const changed = turn.getByRole('region', { name: 'Verdicts that changed' })
    await changed.getByText('Promised first').waitFor()
    await promise('Promised again')
    await changed.getByText('Promised again').waitFor()
    await detail.getByText('Promised again').waitFor()
  })

  test('shows how long ago a session was active, also after hours', async () => {
    const started = await start()
    await clientOf(started.graph).captureTurnState(
      aTurn(1, { project: PROJECT, completedAt: new Date().toISOString() }),
    )
    const page = await browser.open(started, '/docs')
    await page.clock.install()
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Sessions' }).click()
    const activity = page.getByRole('table', { name: 'Sessions' }).locator('time')
    await activity.getByText(/second|minute/).waitFor()
    await page.clock.fastForward('02:00:00')
    await activity.getByText('2 hours ago').waitFor()
  })

  test('keeps the sign-in and typed text while a proxy answers with errors, and shows new data after them', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    await captureRound(client, 1, 'AC-001')
    let status: 200 | 429 | 502 = 200
    const streams: ServerResponse[] = []
    const url = await startFront(started.service.url, {
      withheld: ['origin', 'host'], // the service accepts only its own address
      answer: ({ url: path = '' }, res, passOn) => {
        if (path.startsWith('/v1/events')) streams.push(res)
        if (status === 200 || (status === 429 && path === '/readyz')) return passOn()
        const limited = { error: { code: 'rate_limited', message: 'Too many requests.', hint: null } }
        res.writeHead(status).end(status === 429 ? JSON.stringify(limited) : '<h1>Bad gateway</h1>')
      },
    })
    const page = await browser.open({ service: { url }, token: started.token }, `/p/${PROJECT}/w/TASK-1`, {
      mayFail: true,
    })
    await page.getByRole('gridcell', { name: 'AC-001, turn 1: verified' }).click()
    await page.getByText('Add your own verdict').click()
    const reason = page.getByRole('textbox', { name: 'Reason' })
    await reason.fill('Ran it twice')

    status = 502
    for (const stream of streams) stream.destroy()
    const shown = page.getByRole('status', { name: 'Service' })
    await shown.getByText('store unavailable').waitFor()
    await page.getByRole('button', { name: 'Add verdict' }).click()
    await page.getByText('The service answered 502 without a reason.').waitFor()
    await shown.getByText('store unavailable').waitFor()

    status = 429
    await shown.getByText('ready').waitFor()
    await page.getByText('Too many requests.').first().waitFor()
    expect(await reason.inputValue()).toBe('Ran it twice')

    status = 200
    await captureRound(client, 2, 'AC-002')
    await page.getByRole('columnheader', { name: 'Turn 2' }).waitFor()
    expect(await reason.inputValue()).toBe('Ran it twice')
  })

  test('shows that the service has no store, and shows new data once the store is back', async () => {
    const graph = new SwitchedGraph()
    const started = await start({}, { graph })
    await writeSessions(clientOf(graph))
    const page = await browser.open(started, `/p/${PROJECT}`, { mayFail: true })
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await sessions.getByRole('link', { name: 'TASK-STOCK' }).waitFor()
    const status = page.getByRole('status', { name: 'Service' })
    graph.gate = () => Promise.reject(new Error('away'))
    await status.getByText('store unavailable').waitFor()
    await sessions.getByRole('link', { name: 'TASK-STOCK' }).waitFor() // the loaded data stays
    graph.gate = async () => {}
    await clientOf(graph).captureTurnState({
      project: PROJECT,
      featureId: 'FEAT-NEW',
      taskId: 'TASK-NEW',
      turnNumber: 1,
      playerSummary: 'Came meanwhile',
    })
    await status.getByText('ready').waitFor()
    await sessions.getByRole('link', { name: 'TASK-NEW' }).waitFor()
  })

  test('a page that is opened while the service has no store is signed in, and shows its data later', async () => {
    const graph = new SwitchedGraph()
    const started = await start({}, { graph })
    await writeSessions(clientOf(graph))
    graph.gate = () => Promise.reject(new Error('away'))
    const page = await browser.open(started, `/p/${PROJECT}`, { mayFail: true })
    const status = page.getByRole('status', { name: 'Service' })
    await status.getByText('store unavailable').waitFor()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Token' }).count()).toBe(0)
    graph.gate = async () => {}
    await page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: 'TASK-STOCK' }).waitFor()
  })

  test.each([
    ['read', { starts: 0, queries: 0 }],
    ['write', { starts: 1, queries: 0 }],
    ['analyst', { starts: 0, queries: 1 }],
    ['admin', { starts: 1, queries: 1 }],
  ] as const)('a token of the scope %s is shown %j', async (scope, { starts, queries }) => {
    const token = `${scope}-`.repeat(8)
    const scopes = scope === 'admin' ? ['admin', 'analyst'] : ['read', scope]
    const started = await start({ TURNGRAPH_TOKENS: tokensFile([{ name: scope, token, scopes }]) })
    const page = await browser.open(started, `/p/${PROJECT}/runs`, { token })
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    expect(await page.getByText('Start a run').count()).toBe(starts)
    expect(await page.getByRole('link', { name: 'Query' }).count()).toBe(queries)
  })
})
