import { expect, onTestFinished, test } from 'vitest'
import { PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { type ServiceOptions, startServiceProcess, untilReady } from '../faults/harness/service-process.ts'
import { newFolder } from '../integration/http-start.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

async function startProcess(options: ServiceOptions) {
  const started = await startServiceProcess(options)
  onTestFinished(() => started.kill())
  await untilReady(started)
  return started
}

describeInBrowser('a page whose service is killed', () => {
  const browser = useBrowser()

  async function openSessions(dataFolder: string) {
    const killed = await startProcess({ dataFolder })
    await writeSessions(killed.client)
    const asked = { token: null, mayFail: true }
    const page = await browser.open({ service: killed, token: '' }, `/p/${PROJECT}`, asked)
    return { killed, page }
  }

  test('shows that the service is not reachable, keeps its data, and continues once the service is back', async () => {
    const dataFolder = newFolder()
    const { killed, page } = await openSessions(dataFolder)
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await sessions.getByRole('link', { name: 'TASK-STOCK' }).click()
    await page.getByRole('grid', { name: 'Criteria by turn' }).waitFor()
    await page.goBack()
    await sessions.getByRole('link', { name: 'TASK-STOCK' }).waitFor()
    const rows = await sessions.getByRole('row').count()
    let loads = 0
    page.on('load', () => loads++)
    await killed.kill()
    const status = page.getByRole('status', { name: 'Service' })
    await status.getByText('not reachable').waitFor()
    expect(await sessions.getByRole('row').count()).toBe(rows)

    // A view that is opened now shows that the service is away, not an empty list.
    await sessions.getByRole('link', { name: 'TASK-TOTALS' }).click()
    await page.getByRole('alert').getByText('The service does not answer.').first().waitFor()
    await page.goBack()
    await status.getByText('not reachable').waitFor()

    const port = Number(new URL(killed.url).port)
    const again = await startProcess({ dataFolder, port })
    await again.client.captureTurnState({
      project: PROJECT,
      featureId: 'FEAT-NEW',
      taskId: 'TASK-NEW',
      turnNumber: 1,
      playerSummary: 'Came after the restart',
    })
    await status.getByText('ready').waitFor()
    await sessions.getByRole('link', { name: 'TASK-NEW' }).waitFor()
    expect(await sessions.getByRole('row').count()).toBe(rows + 1)
    expect(loads).toBe(0)
  })

  test('shows a view that was first opened while the service was away, once the service is back', async () => {
    const dataFolder = newFolder()
    const { killed, page } = await openSessions(dataFolder)
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    await killed.kill()
    await page.getByRole('link', { name: 'TASK-TOTALS' }).click()
    await page.getByRole('alert').getByText('This part of the page could not be loaded.').waitFor()
    await startProcess({ dataFolder, port: Number(new URL(killed.url).port) })
    await page.getByRole('grid', { name: 'Criteria by turn' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
