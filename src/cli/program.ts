/** Builds the command line from its commands. */
import { Command, Help } from 'commander'
import { EXIT } from '../core/exit-codes.ts'
import { VERSION } from '../platform/version.ts'
import { addAttention } from './attention.ts'
import { addCapture } from './capture.ts'
import { addCompare } from './compare.ts'
import { addComplete, addCompletion } from './completion.ts'
import { addConfig } from './config.ts'
import { addContext } from './context.ts'
import { addCost } from './cost.ts'
import { addCriteria } from './criteria.ts'
import { addDoctor } from './doctor.ts'
import { addTail } from './events.ts'
import { addExport } from './export.ts'
import { addForget } from './forget.ts'
import { addHook } from './hook.ts'
import { addImport } from './import.ts'
import { addInit } from './init.ts'
import { addIssues } from './issues.ts'
import { addMcp } from './mcp.ts'
import { addMigrate } from './migrate.ts'
import { addNext } from './next.ts'
import { addOpen } from './open.ts'
import { addDesires, addPaths } from './paths.ts'
import { addPr } from './pr.ts'
import { addProjects } from './projects.ts'
import { addPromises } from './promises.ts'
import { addAnalyses, addQuery } from './query.ts'
import { addReplay } from './replay.ts'
import { addReport } from './report.ts'
import { addRestore } from './restore.ts'
import { addRun } from './run.ts'
import { addSchema } from './schema.ts'
import { addSearch } from './search.ts'
import { addServe } from './serve.ts'
import { addSpecify } from './specify.ts'
import { addSpool } from './spool.ts'
import { addStall } from './stall.ts'
import { addTask } from './task.ts'
import { addToken } from './token.ts'
import { addTurns } from './turns.ts'
import { addVerifications } from './verifications.ts'
import { addVerify } from './verify.ts'
import { addWatch } from './watch.ts'
import { addWhy } from './why.ts'
import { addWorlds } from './worlds.ts'

/** Builds the command line. Commands import their code when they run: `--help` loads neither a graph engine nor a schema. */
export function buildProgram({ listsAll = false }: { listsAll?: boolean } = {}): Command {
  const program = new Command('turngraph')
    .description('The memory of autobuild sessions: every turn, verification and promise as a graph.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    // main.ts prints all errors, as text or as JSON.
    .configureOutput({ outputError: () => {} })
  for (const add of COMMANDS) add(program)
  // usage-error.ts suggests commands instead. Commands that were added before this line keep the suggestions of the parser.
  program.showSuggestionAfterError(false)
  program.addHelpText('after', listsAll ? MORE_EXAMPLES + NOTES : EXAMPLES)
  return program.configureHelp({
    visibleCommands(command) {
      const all = Help.prototype.visibleCommands.call(this, command)
      // Subcommands inherit this configuration.
      return listsAll || command !== program
        ? all
        : MAIN_COMMANDS.flatMap((name) => all.find((each) => each.name() === name) ?? [])
    },
  })
}

const MAIN_COMMANDS = [
  'init',
  'serve',
  'capture',
  'context',
  'criteria',
  'verify',
  'stall',
  'watch',
  'import',
  'open',
]

const COMMANDS: readonly ((program: Command) => unknown)[] = [
  addInit,
  addServe,
  addOpen,
  addImport,
  addWatch,
  addCapture,
  addContext,
  addNext,
  addCriteria,
  addPromises,
  addSpecify,
  addAttention,
  addVerify,
  addVerifications,
  addStall,
  addIssues,
  addSearch,
  addWhy,
  addProjects,
  addWorlds,
  addReport,
  addPr,
  addCompare,
  addReplay,
  addTurns,
  addPaths,
  addDesires,
  addCost,
  addAnalyses,
  addQuery,
  addSchema,
  addHook,
  addTask,
  addRun,
  addSpool,
  addToken,
  addTail,
  addMcp,
  addExport,
  addRestore,
  addMigrate,
  addDoctor,
  addForget,
  addConfig,
  addCompletion,
  addComplete,
]

const EXAMPLES = `
Examples:
  turngraph                                                   find and import what this folder already has
  turngraph serve                                             serve the graph in ./.turngraph
  turngraph import autobuild ~/shop                           read autobuild artifacts, at any depth
  turngraph capture turn.json                                 store one turn record
  turngraph context --feature FEAT-1 --task TASK-1 --turn 3   what turn 3 needs to know
  turngraph criteria --feature FEAT-1 --task TASK-1           what is proven, and how it went
  turngraph stall --feature FEAT-1 --task TASK-1              whether the session still gets anywhere
  turngraph next --feature FEAT-1 --task TASK-1               what to do now, in at most 300 tokens
  turngraph why --feature FEAT-1 --task TASK-1                why the newest turn was not approved
  turngraph search retry                                      turns whose text has this word

turngraph --help --all lists all ${COMMANDS.length - 1} commands and the exit codes.
`

const MORE_EXAMPLES = `
Examples:
  turngraph watch ~/shop                                      import artifacts as a session writes them
  turngraph report --world TASK-1 > report.html               a session as one file, for a pull request
  turngraph import transcripts                                read what agents did, never what was said
  turngraph turns --patterns                                  the shapes of their turns
  turngraph paths --turns                                     which tools do not get them there
  turngraph query --preset last-turn                          what was tried last, and why it failed
  turngraph worlds --json | jq -r '.items[].world_slug'
`

const NOTES = `
A command goes through a running server (TURNGRAPH_URL, or one on the same data folder), else it opens the
graph itself. --json prints the wire form alone on standard output. turngraph config shows the settings.

Exit codes:
${Object.values(EXIT)
  .map(({ code, meaning }) => `${String(code).padStart(5)}  ${meaning}`)
  .join('\n')}
`
