// Runs one measurement: `npm run bench -- NAME`.
import { Command, Option } from 'commander'
import { benchAnalyses } from './analyses.ts'
import { benchCoach } from './coach.ts'
import { benchElsewhere } from './elsewhere.ts'
import { benchEvents } from './events.ts'
import { benchHealth } from './health.ts'
import { benchHooks } from './hooks.ts'
import { benchPage } from './page.ts'
import { benchQueries } from './queries.ts'
import { benchReaders } from './readers.ts'
import { benchRestore } from './restore.ts'
import { benchRuns } from './runs.ts'
import { benchSearch } from './search.ts'
import { benchSpecifications } from './specifications.ts'
import { benchReports } from './transcript-reports.ts'
import { benchTranscripts } from './transcripts.ts'
import { benchTurns } from './turns.ts'

// The driver takes a stack trace for every statement, and mapping it to the sources would take 0.1 ms.
process.setSourceMapsEnabled(false)

const program = new Command('bench').description('Speed as ratios to a floor measured in the same run')

/** A measurement, with the options that all measurements share. Each option has the name of an input field. */
class Bench extends Command {
  static add(name: string, description: string): Bench {
    const bench = new Bench(name).description(description)
    program.addCommand(bench)
    return bench.option('--out <file>', 'file for the figures as JSON', `bench/results/${name}.json`)
  }

  onStore(): this {
    const option = new Option('--store <url>', 'embedded:FOLDER, embedded:memory, bolt://…')
    return this.addOption(option.default(null, 'embedded, in a temporary folder'))
  }

  ofProject(): this {
    const option = new Option('--project <name>', 'an already filled project in that store')
    return this.addOption(option.default(null, 'one that it fills'))
  }

  count(flags: string, says: string, usual: number): this {
    return this.addOption(new Option(flags, says).argParser(Number).default(usual))
  }

  counts(flags: string, says: string, usual: number[]): this {
    const parse = (list: string) => list.split(',').map(Number)
    return this.addOption(new Option(flags, says).argParser(parse).default(usual, usual.join()))
  }
}

Bench.add(
  'turns',
  'capture and context, interleaved with RETURN 1 and a one-node write through the same driver',
)
  .onStore()
  .counts('--turns <list>', 'sizes of the graph at which to measure', [1_000, 100_000])
  .count('--samples <n>', 'rounds of twelve calls at each size', 300)
  .count('--warm-up <n>', 'unmeasured rounds before the first size', 250)
  .option('--http', 'also measure over HTTP', false)
  .action(benchTurns)

Bench.add('coach', 'criteria, promises, stall and why, over many worlds and over one long one')
  .onStore()
  .count('--turns <n>', 'size of the graph', 20_000)
  .count('--long <n>', 'turns of the long world, each with 50 criteria', 1_000)
  .count('--samples <n>', 'measurements of each', 1_000)
  .action(benchCoach)

Bench.add('runs', 'starting and ending the attempts of turn runs, one after another, over many worlds')
  .onStore()
  .count('--turns <n>', 'turns in the graph before', 20_000)
  .count('--samples <n>', 'measurements of each', 1_000)
  .action(benchRuns)

Bench.add(
  'specifications',
  'contexts and captures of tasks with declared criteria, also next to a task that declares 500 criteria',
)
  .onStore()
  .count('--turns <n>', 'turns in the graph before', 20_000)
  .count('--samples <n>', 'measurements of each', 1_000)
  .action(benchSpecifications)

Bench.add('transcripts', 'reading and importing real transcripts, against JSON.parse of the same files')
  .argument('<folder>', 'real transcripts; they are repeated with new uuids')
  .onStore()
  .counts('--mb <list>', 'sizes to measure', [10, 100, 1_000])
  .count('--rounds <n>', 'number of rounds; the shortest time and the peak memory count', 2)
  .action((folder: string, options: Omit<Parameters<typeof benchTranscripts>[0], 'folder'>) =>
    benchTranscripts({ folder, ...options }),
  )

Bench.add('reports', 'each report over transcripts, against counting the same turns')
  .onStore()
  .ofProject()
  .count('--steps <n>', 'steps in the graph', 1_000_000)
  .addOption(
    new Option('--shapes <few|many>', 'whether turns share few patterns, or most have a unique one')
      .choices(['few', 'many'])
      .default('few'),
  )
  .count('--samples <n>', 'measurements of each', 5)
  .action(benchReports)

Bench.add('analyses', 'every named analysis and every query of docs/how-to/analyst.md')
  .onStore()
  .ofProject()
  .count('--turns <n>', 'turns of sessions in the graph', 100_000)
  .count('--steps <n>', 'steps of transcripts in the graph', 1_000_000)
  .count('--samples <n>', 'measurements of each', 3)
  .action(benchAnalyses)

Bench.add(
  'elsewhere',
  'contexts with knowledge of other sessions in a large project, against contexts without it',
)
  .onStore()
  .counts('--turns <list>', 'sizes of the graph at which to measure', [1_000, 20_000, 100_000])
  .count('--samples <n>', 'measurements of each', 600)
  .action(benchElsewhere)

Bench.add(
  'search',
  'searches in a large project, and captures with its index in memory, against captures without one',
)
  .onStore()
  .counts('--turns <list>', 'turns in the graph before', [1_000, 100_000])
  .count('--samples <n>', 'measurements of each', 200)
  .action(benchSearch)

Bench.add('queries', 'captures during hostile queries, against captures without them')
  .onStore()
  .count('--turns <n>', 'turns in the graph before', 5_000)
  .count('--samples <n>', 'captures of each', 600)
  .action(benchQueries)

Bench.add(
  'readers',
  'captures over HTTP during eight readers of the same world, against captures without readers',
)
  .onStore()
  .count('--turns <n>', 'turns in the graph before', 2_000)
  .count('--samples <n>', 'captures of each', 300)
  .count('--pause <ms>', 'milliseconds between two contexts of a reader', 250)
  .action(benchReaders)

Bench.add(
  'events',
  'captures during readers of events, against captures without readers; the delay of an event',
)
  .onStore()
  .count('--samples <n>', 'captures of each', 200)
  .count('--readers <n>', 'number of readers', 200)
  .action(benchEvents)

Bench.add(
  'page',
  'the page in a browser, over thousands of sessions: first rows, largest paint, frames, memory',
)
  .onStore()
  .ofProject()
  .count('--sessions <n>', 'sessions in the store', 10_000)
  .count('--attempts <n>', 'attempts of one run', 10_000)
  .count('--samples <n>', 'measurements of each view', 5)
  .action(benchPage)

Bench.add(
  'hooks',
  'the hooks of Claude Code from start to end, with the service up, down and silent, against a Node without work',
)
  .count('--samples <n>', 'measurements of each', 40)
  .action(benchHooks)

Bench.add(
  'health',
  'the longest answer of /healthz during single requests of 1 MiB with hostile texts',
).action(benchHealth)

Bench.add('restore', 'export from an embedded graph and restore into a store: turns per second, and memory')
  .onStore()
  .count('--turns <n>', 'how many turns', 20_000)
  .action(benchRestore)

await program.parseAsync()
