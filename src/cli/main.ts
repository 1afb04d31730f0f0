#!/usr/bin/env node
/** Entry of the command line: runs one command, and ends with its exit code. */
import * as z from 'zod'
import { runCommand } from './run-command.ts'

/** Commands that parse many records. Other commands end before a compiled schema saves time. */
const BULK_COMMANDS = ['serve', 'mcp', 'watch', 'import', 'init', 'restore']

/** Time after the end of a command in which the process ends normally. */
const ENDS_WITHIN_MS = 1_000

// A hook started this command: hook.log gets its output (hook-run.ts). The variable is not a setting.
const { TURNGRAPH_LOG_SESSION: logSession } = process.env
delete process.env.TURNGRAPH_LOG_SESSION
if (logSession !== undefined) (await import('./log-lines.ts')).writeAsLogLines(logSession)

// `npx turngraph` is the first command of most people.
const args = process.argv.slice(2)
z.config({ jitless: !BULK_COMMANDS.includes(args[0] ?? 'init') })
process.exitCode = await runCommand(args.length === 0 ? ['init'] : args)
// The driver of Neo4j cannot close a connection to a server that accepts it and then stays silent.
process.stdout.write('', () => setTimeout(() => process.exit(), ENDS_WITHIN_MS).unref())
