// `npm run screenshots`: makes pictures of the page's views of written sessions, for docs/images.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { renderReport } from '#report'
import { postPageCode } from '../../src/cli/page-address.ts'
import { readSessionReport } from '../../src/cli/report/read-report.ts'
import type { TurngraphClient } from '../../src/client/client.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { startService } from '../../src/http/service.ts'
import { loadConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { Executors } from '../../src/runs/executors.ts'
import { simulatedExecutor } from '../../src/runs/simulated-executor.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { launchBrowser } from '../../test/browser/launch-browser.ts'
import { MAIN_SESSION, PROJECT, writeRun, writeSessions } from './written-sessions.ts'
import { writeTranscripts } from './written-transcripts.ts'

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const SESSION = `/p/${PROJECT}/w/${MAIN_SESSION}`
const QUERY = 'MATCH (f:Feature)-[h:HAS_TASK]->(k:Task)-[s:HAS_WORLD]->(w:World) RETURN f, h, k, s, w'

/** A picture. The address is a path of the service, or a file. */
type Picture = { name: string; address: string; shows: string; prepare?: (page: Page) => Promise<void> }

const PICTURES: readonly Picture[] = [
  { name: 'sessions', address: `/p/${PROJECT}`, shows: 'table.records' },
  { name: 'session', address: SESSION, shows: 'table.matrix' },
  { name: 'turn', address: `${SESSION}/t/4`, shows: 'section[aria-label="Left out"]' },
  { name: 'runs', address: `/p/${PROJECT}/runs`, shows: 'table.records', prepare: openFirstRun },
  {
    name: 'patterns',
    address: `/p/${PROJECT}/patterns`,
    shows: 'section[aria-label="Desires"]',
  },
  { name: 'analysis', address: `/p/${PROJECT}/analyses/progress`, shows: 'table.records' },
  {
    name: 'query',
    address: `/query?query=${encodeURIComponent(QUERY)}`,
    shows: '.editor',
    prepare: runQuery,
  },
]

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 800 } },
} as const

async function openFirstRun(page: Page): Promise<void> {
  await page.locator('table.records tbody a').first().click()
  await page.getByRole('table', { name: 'Attempts' }).waitFor()
}

async function runQuery(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('figure', { name: 'Graph' }).waitFor()
}

const browser = await launchBrowser()
const dataFolder = mkdtempSync(path.join(tmpdir(), 'turngraph-screenshots-'))
const graph = EmbeddedGraph.open({ folder: null })
const config = loadConfig({
  TURNGRAPH_STORE: 'embedded:memory',
  TURNGRAPH_DATA: dataFolder,
  TURNGRAPH_PORT: '0',
})
const service = await startService({ config, graph, log: createLog('silent') })
try {
  const outcomes = ['committed', 'failed', 'committed', 'committed'] as const
  const simulated = simulatedExecutor({ durationMs: 400, outcomes, repeat: true })
  const runs = new TurnRuns({ graph, instance: 'screenshots', executors: new Executors({ simulated }) })
  const client = inProcessClient({ graph, project: PROJECT, runs })
  await writeSessions(client)
  await writeTranscripts(client)
  await writeRun(client)
  const report = await writeReport(client)
  const token = readFileSync(path.join(dataFolder, 'token'), 'utf8').trim()
  mkdirSync(IMAGES, { recursive: true })
  for (const [look, options] of Object.entries(LOOKS)) {
    for (const picture of [...PICTURES, report]) await take(picture, look, options, token)
  }
} finally {
  await browser.close()
  await service.close()
  rmSync(dataFolder, { recursive: true, force: true })
}

/** Writes a report like `turngraph report`. */
async function writeReport(client: TurngraphClient): Promise<Picture> {
  const file = path.join(dataFolder, 'report.html')
  writeFileSync(file, renderReport(await readSessionReport(client, PROJECT, MAIN_SESSION, 'coach')))
  return { name: 'report', address: pathToFileURL(file).href, shows: 'section[aria-label="Evidence"]' }
}

async function take(
  { name, address, shows, prepare }: Picture,
  look: string,
  options: (typeof LOOKS)[keyof typeof LOOKS],
  token: string,
): Promise<void> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce', locale: 'en-GB' })
  const page = await context.newPage()
  const url = new URL(address, service.url)
  if (url.protocol !== 'file:') url.hash = `code=${await postPageCode(url.origin, token)}`
  await page.goto(url.href)
  await page.locator(shows).first().waitFor()
  await prepare?.(page)
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {}) // its stream of events never ends
  await page.screenshot({ path: path.join(IMAGES, `${name}-${look}.png`) })
  await context.close()
}
