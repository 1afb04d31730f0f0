/** Runs one command line and reports its failure. */
import { type Command, CommanderError } from 'commander'
import * as z from 'zod'
import { EXIT } from '../core/exit-codes.ts'
import { reportFailure } from './failure.ts'
import { takeNewsOfGraph } from './graph-in-use.ts'
import { watchOutput } from './lost-output.ts'
import { printNote } from './output.ts'
import { buildProgram } from './program.ts'
import { usageError } from './usage-error.ts'

/** Lists all commands if it is given with `--help`. Not an option of the program, because every command would accept it. */
const ALL = '--all'

/** Commands that parse many records. Other commands end before a compiled schema saves time. */
const BULK_COMMANDS = ['serve', 'mcp', 'watch', 'import', 'init', 'restore']

export async function runProcess(args: readonly string[]): Promise<number> {
  // A hook started this command: hook.log gets its output (hook-run.ts). The variable is not a setting.
  const { TURNGRAPH_LOG_SESSION: logSession } = process.env
  delete process.env.TURNGRAPH_LOG_SESSION
  if (logSession !== undefined) (await import('./log-lines.ts')).writeAsLogLines(logSession)
  // `npx turngraph` is the first command of most people.
  const [name = 'init', ...rest] = args
  z.config({ jitless: !BULK_COMMANDS.includes(name) })
  return runCommand([name, ...rest])
}

/** Runs a command line and returns its exit code: 0, or the code of the error (turns.md, "Errors"). */
export async function runCommand(args: readonly string[]): Promise<number> {
  let command: Command | null = null
  const report = (error: unknown) => reportFailure(error, { command, json: args.includes('--json') })
  watchOutput(report)
  const listsAll = args.includes(ALL) && args.every((arg) => [ALL, '--help', '-h', 'help'].includes(arg))
  const program = buildProgram({ listsAll }).hook('preAction', (_program, called) => {
    command = called
  })
  try {
    await program.parseAsync(listsAll ? ['--help'] : args, { from: 'user' })
    const news = args.includes('--json') ? null : takeNewsOfGraph()
    if (news !== null) printNote(news)
    return Number(process.exitCode ?? EXIT.done.code)
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) {
      return error.exitCode === 0 ? EXIT.done.code : EXIT.invalid.code // help was requested, or printed because no command was given
    }
    return report(error instanceof CommanderError ? usageError(error, program, args) : error)
  }
}
