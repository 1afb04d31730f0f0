import { Command } from 'commander'
import { benchTurns } from './turns.ts'

const program = new Command('bench').description('Speed as ratios to a floor measured in the same run')

program
  .command('turns')
  .description('capture and context, interleaved with RETURN 1 and a one-node write through the same driver')
  .option(
    '--store <url>',
    'embedded:FOLDER, embedded:memory, bolt://… (default: embedded in a temporary folder)',
  )
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

await program.parseAsync()
