/**
 * Measures the page in a real browser over a large store, against the limits of the contract (web.md,
 * "Quality").
 */
import { inProcessClient } from '../src/client/in-process.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { loadConfig } from '../src/platform/config.ts'
import { withService } from '../test/faults/harness/service-process.ts'
import { writeLongRun, writeManySessions } from '../test/support/large-store.ts'
import { writeLargeSession } from '../tools/screenshots/written-sessions.ts'
import { inFolder, storeSetting, writeFigures } from './bench-folder.ts'
import { lookAt, type ViewFigures, type ViewToLookAt } from './page-view.ts'

type PageBench = {
  store: string | null
  sessions: number
  attempts: number
  samples: number
  /** An already filled project. */
  project: string | null
  out: string
}

const LARGE = { turns: 200, criteria: 60 }

/** Limits of each view. */
const BARS = { rowsMs: 1_000, paintMs: 1_000, frameMs: 50, memoryMb: 200 } as const

export const benchPage = (bench: PageBench): Promise<void> =>
  inFolder(async (folder) => {
    const { store, sessions, attempts, samples, out } = bench
    const environment = storeSetting(store)
    const project = bench.project ?? `bench-page-${Date.now()}`
    const run = bench.project === null ? await fill(bench, project, { folder, environment }) : null
    await withService({ dataFolder: folder, environment }, async ({ url }) => {
      const figures: Record<string, ViewFigures> = {}
      for (const view of viewsOf(project, run)) {
        const seen = await lookAt(url, view, samples)
        print(view.name, seen)
        figures[view.name] = seen
      }
      const what = { store: store?.split(':')[0] ?? 'embedded', sessions, attempts, large: LARGE, bars: BARS }
      writeFigures(out, { ...what, figures })
    })
  })

type Place = { folder: string; environment: Record<string, string> }

/** Fills the store and returns the id of the run. */
async function fill({ sessions, attempts }: PageBench, project: string, place: Place): Promise<string> {
  const { store } = loadConfig({
    ...process.env,
    ...place.environment,
    TURNGRAPH_DATA: place.folder,
    TURNGRAPH_SYNC: 'off',
  })
  const graph = await openGraph(store)
  const client = inProcessClient({ graph, project })
  const began = performance.now()
  try {
    await migrate(graph)
    await writeManySessions(client, { project, sessions })
    await writeLargeSession(client, { ...LARGE, project })
    const run = await writeLongRun(client, { project, attempts })
    console.log(
      `${project}: ${sessions} sessions, one of ${LARGE.turns} turns and ${LARGE.criteria} criteria, a run of ${attempts} attempts, written in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
    )
    return run
  } finally {
    await client.close()
  }
}

function viewsOf(project: string, run: string | null): ViewToLookAt[] {
  const below = `/p/${encodeURIComponent(project)}`
  const sessions = 'table[aria-label="Sessions"] tbody tr'
  const matrix = '[aria-label="Criteria by turn"] tbody tr'
  const attempts = 'table[aria-label="Attempts"] tbody tr'
  const size = `${LARGE.turns}x${LARGE.criteria}`
  return [
    { name: 'sessions', address: below, rows: sessions, scrolls: null },
    {
      name: 'sessions that stall',
      address: `${below}?stalled_or_oscillating=true`,
      rows: sessions,
      scrolls: null,
    },
    { name: 'one session', address: `${below}/w/SESSION-00003`, rows: matrix, scrolls: null },
    {
      name: `a session of ${size}`,
      address: `${below}/w/LARGE-${size}`,
      rows: matrix,
      scrolls: '.matrix-scroll',
    },
    ...(run === null
      ? []
      : [{ name: 'a long run', address: `${below}/runs/${run}`, rows: attempts, scrolls: null }]),
  ]
}

function print(name: string, figures: ViewFigures): void {
  const { rowsMs, paintMs, frameMs, idleFrameMs, heapMb, memoryMb, nodes } = figures
  const against = (value: number | null, bar: number, unit: string) =>
    value === null ? '–' : `${Math.round(value)} ${unit} (bar ${bar}${value > bar ? ', MISSED' : ''})`
  console.log(`\n${name}, ${nodes} elements`)
  console.log(`  first rows after    ${against(rowsMs, BARS.rowsMs, 'ms')}`)
  console.log(`  largest paint after ${against(paintMs, BARS.paintMs, 'ms')}`)
  if (frameMs !== null && idleFrameMs !== null)
    console.log(
      `  longest frame       ${against(frameMs, BARS.frameMs, 'ms')}, while nothing moved ${Math.round(idleFrameMs)} ms`,
    )
  console.log(`  memory of the tab   ${against(memoryMb, BARS.memoryMb, 'MB')}, of it scripts ${heapMb} MB`)
}
