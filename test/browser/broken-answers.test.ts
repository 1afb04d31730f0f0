import { expect, test } from 'vitest'
import { MAIN_SESSION, PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { type Started, start } from '../integration/http-start.ts'
import { startFront } from '../support/front.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { type Served, useBrowser } from './open-page.ts'

type Asked = { method: string; path: string }

/** Passes requests on to a real service, but cuts the connection in the middle of some of its answers. */
async function startCuttingFront(started: Started, isCut: (asked: Asked) => boolean): Promise<Served> {
  const url = await startFront(started.service.url, {
    withheld: ['origin', 'host'], // the service accepts only its own address
    answer: (_req, _res, passOn) => passOn(),
    deliver: (body, { method = '', url: path = '' }, res) => {
      if (!isCut({ method, path })) return void body.pipe(res)
      body.once('data', (chunk: Buffer) => {
        body.destroy()
        res.write(chunk.subarray(0, chunk.length / 2), () => res.destroy())
      })
    },
  })
  return { service: { url }, token: started.token }
}

const BROKE_OFF = 'The answer of the service broke off.'

describeInBrowser('a page whose service breaks off in the middle of an answer', () => {
  const browser = useBrowser()

  test('a list shows the error in its place, and no part of the answer', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const front = await startCuttingFront(started, ({ path }) => path.startsWith('/v1/worlds?'))
    const page = await browser.open(front, `/p/${PROJECT}`, { mayFail: true })
    await page.getByRole('alert').getByText(BROKE_OFF).waitFor()
    expect(await page.getByRole('row').count()).toBe(0)
  })

  test('a turn shows the errors of its contexts and promises, and does not claim that nothing was left out', async () => {
    const started = await start()
    await writeSessions(clientOf(started.graph))
    const front = await startCuttingFront(started, ({ path }) => /context|promises/.test(path))
    const page = await browser.open(front, `/p/${PROJECT}/w/${MAIN_SESSION}/t/4`, { mayFail: true })
    await page.getByRole('region', { name: 'Context for Coach' }).getByText(BROKE_OFF).waitFor()
    await page.getByRole('region', { name: 'Verdicts that changed' }).getByText(BROKE_OFF).waitFor()
    expect(await page.getByRole('region', { name: 'Left out' }).count()).toBe(0)
  })

  test('a form that starts a run shows the error, and warns that the run may have been started', async () => {
    const started = await start()
    await started.call('POST', '/v1/worlds', {
      body: { project: PROJECT, feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'trial' },
    })
    const front = await startCuttingFront(
      started,
      ({ method, path }) => method === 'POST' && path.includes('/turn-runs'),
    )
    const page = await browser.open(front, `/p/${PROJECT}/runs?world=trial`, { mayFail: true })
    await page.getByText('Start a run').click()
    await page.getByRole('button', { name: 'Start' }).click()
    const alert = page.getByRole('alert').filter({ hasText: BROKE_OFF })
    await alert.getByText('look before you send it again').waitFor()
    expect(await page.getByRole('button', { name: 'Start' }).isEnabled()).toBe(true)
  })
})
