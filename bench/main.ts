import { Command } from 'commander'
import { benchAnalyses } from './analyses.ts'
import { benchCoach } from './coach.ts'
import { benchElsewhere } from './elsewhere.ts'
import { benchEvents } from './events.ts'
import { benchHooks } from './hooks.ts'
import { benchPage } from './page.ts'
import { benchQueries } from './queries.ts'
import { benchReaders } from './readers.ts'
import { benchRestore } from './restore.ts'
import { benchRuns } from './runs.ts'
import { benchSpecifications } from './specifications.ts'
import { benchReports } from './transcript-reports.ts'
import { benchTranscripts } from './transcripts.ts'
import { benchTurns } from './turns.ts'

// The driver takes a stack trace with every statement: mapped to sources, that alone is 0.1 ms.
process.setSourceMapsEnabled(false)

const STORE = [
  '--store <url>',
  'embedded:FOLDER, embedded:memory, bolt://… (default: embedded in a temporary folder)',
] as const

const program = new Command('bench').description('Speed as ratios to a floor measured in the same run')

program
  .command('turns')
  .description('capture and context, interleaved with RETURN 1 and a one-node write through the same driver')
  .option(...STORE)
  .option('--turns <list>', 'sizes of the graph at which to measure', '1000,20000,100000')
  .option('--samples <n>', 'measurements at each size', '1500')
  .option('--warm-up <n>', 'unmeasured calls before the first size', '3000')
  .option('--http', 'measure over HTTP as well')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/turns.json')
  .action(async (options: Record<string, string | boolean>) => {
    await benchTurns({
      store: typeof options.store === 'string' ? options.store : null,
      sizes: String(options.turns).split(',').map(Number),
      samples: Number(options.samples),
      warmUp: Number(options.warmUp),
      http: options.http === true,
      out: String(options.out),
    })
  })

program
  .command('coach')
  .description('criteria, promises, stall and why, over many worlds and over one long one')
  .option(...STORE)
  .option('--turns <n>', 'size of the graph', '20000')
  .option('--long <n>', 'turns of the long world, each with 50 criteria', '1000')
  .option('--samples <n>', 'measurements of each', '1000')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/coach.json')
  .action(async (options: Record<string, string>) => {
    await benchCoach({
      store: options.store ?? null,
      turns: Number(options.turns),
      long: Number(options.long),
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('runs')
  .description('starting and ending the attempts of turn runs, one after another, over many worlds')
  .option(...STORE)
  .option('--turns <n>', 'turns in the graph before', '20000')
  .option('--samples <n>', 'measurements of each', '1000')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/runs.json')
  .action(async (options: Record<string, string>) => {
    await benchRuns({
      store: options.store ?? null,
      turns: Number(options.turns),
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('specifications')
  .description(
    'contexts and captures of tasks that declare what must hold, and beside one that declares 500 criteria',
  )
  .option(...STORE)
  .option('--turns <n>', 'turns in the graph before', '20000')
  .option('--samples <n>', 'measurements of each', '1000')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/specifications.json')
  .action(async (options: Record<string, string>) => {
    await benchSpecifications({
      store: options.store ?? null,
      turns: Number(options.turns),
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('transcripts')
  .description('reading and importing real transcripts, against JSON.parse of the same files')
  .argument('<folder>', 'real transcripts; they are repeated with new uuids')
  .option(...STORE)
  .option('--mb <list>', 'sizes to measure', '10,100,1000')
  .option('--rounds <n>', 'of each the shortest time of so many, and the most memory', '2')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/transcripts.json')
  .action(async (folder: string, options: Record<string, string>) => {
    await benchTranscripts({
      folder,
      store: options.store ?? null,
      sizesMb: String(options.mb).split(',').map(Number),
      rounds: Number(options.rounds),
      out: String(options.out),
    })
  })

program
  .command('reports')
  .description('each report over transcripts, against counting the same turns')
  .option(...STORE)
  .option('--steps <n>', 'steps in the graph', '1000000')
  .option('--shapes <few|many>', 'whether turns are of few shapes, or most of their own', 'few')
  .option('--project <name>', 'one that was filled before, in that store')
  .option('--samples <n>', 'measurements of each', '5')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/reports.json')
  .action(async (options: Record<string, string>) => {
    await benchReports({
      store: options.store ?? null,
      steps: Number(options.steps),
      shapes: options.shapes === 'many' ? 'many' : 'few',
      project: options.project ?? null,
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('analyses')
  .description('every named analysis and every query of docs/how-to/analyst.md')
  .option(...STORE)
  .option('--turns <n>', 'turns of sessions in the graph', '100000')
  .option('--steps <n>', 'steps of transcripts in the graph', '1000000')
  .option('--project <name>', 'one that was filled before, in that store')
  .option('--samples <n>', 'measurements of each', '3')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/analyses.json')
  .action(async (options: Record<string, string>) => {
    await benchAnalyses({
      store: options.store ?? null,
      turns: Number(options.turns),
      steps: Number(options.steps),
      project: options.project ?? null,
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('elsewhere')
  .description('contexts that ask other sessions of a large project, against those that do not')
  .option(...STORE)
  .option('--turns <list>', 'sizes of the graph at which to measure', '1000,20000,100000')
  .option('--samples <n>', 'measurements of each', '600')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/elsewhere.json')
  .action(async (options: Record<string, string>) => {
    await benchElsewhere({
      store: options.store ?? null,
      sizes: String(options.turns).split(',').map(Number),
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('queries')
  .description('captures while hostile queries fight for the machine, against captures without')
  .option(...STORE)
  .option('--turns <n>', 'turns in the graph before', '5000')
  .option('--samples <n>', 'captures of each', '600')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/queries.json')
  .action(async (options: Record<string, string>) => {
    await benchQueries({
      store: options.store ?? null,
      turns: Number(options.turns),
      samples: Number(options.samples),
      out: String(options.out),
    })
  })

program
  .command('readers')
  .description('captures over HTTP beside eight readers of the same world, against captures alone')
  .option(...STORE)
  .option('--turns <n>', 'turns in the graph before', '2000')
  .option('--samples <n>', 'captures of each', '300')
  .option('--pause <ms>', 'between two contexts of a reader', '250')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/readers.json')
  .action(async (options: Record<string, string>) => {
    await benchReaders({
      store: options.store ?? null,
      turns: Number(options.turns),
      samples: Number(options.samples),
      pauseMs: Number(options.pause),
      out: String(options.out),
    })
  })

program
  .command('events')
  .description('captures beside readers of events, against captures alone; how long an event is on its way')
  .option(...STORE)
  .option('--samples <n>', 'captures of each', '200')
  .option('--readers <n>', 'how many', '200')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/events.json')
  .action(async (options: Record<string, string>) => {
    await benchEvents({
      store: options.store ?? null,
      samples: Number(options.samples),
      readers: Number(options.readers),
      out: String(options.out),
    })
  })

program
  .command('page')
  .description('the page in a browser, over thousands of sessions: first rows, largest paint, frames, memory')
  .option(...STORE)
  .option('--sessions <n>', 'sessions in the store', '10000')
  .option('--attempts <n>', 'attempts of one run', '10000')
  .option('--samples <n>', 'measurements of each view', '5')
  .option('--project <name>', 'one that was filled before, in that store')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/page.json')
  .action(async (options: Record<string, string>) => {
    await benchPage({
      store: options.store ?? null,
      sessions: Number(options.sessions),
      attempts: Number(options.attempts),
      samples: Number(options.samples),
      project: options.project ?? null,
      out: String(options.out),
    })
  })

program
  .command('hooks')
  .description(
    'the hooks of Claude Code from start to end, with the service up, away and silent, against a Node that does nothing',
  )
  .option('--samples <n>', 'measurements of each', '40')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/hooks.json')
  .action(async (options: Record<string, string>) => {
    await benchHooks({ samples: Number(options.samples), out: String(options.out) })
  })

program
  .command('restore')
  .description('turns leaving an embedded graph and coming into a store: turns a second, and memory')
  .option(...STORE)
  .option('--turns <n>', 'how many turns', '20000')
  .option('--out <file>', 'where the figures go as JSON', 'bench/results/restore.json')
  .action(async (options: Record<string, string>) => {
    await benchRestore({
      store: options.store ?? null,
      turns: Number(options.turns),
      out: String(options.out),
    })
  })

await program.parseAsync()
