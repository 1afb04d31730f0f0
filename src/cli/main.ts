#!/usr/bin/env node
/** Entry of the command line. Imports nothing before it has checked the version of Node: an old one cannot read the other files. */

/** Time after the end of a command in which the process ends normally. */
const ENDS_WITHIN_MS = 1_000

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: Turngraph needs Node 20.19 or later; this is ${process.versions.node}.\nhint: See https://nodejs.org/\n`,
  )
  process.exitCode = 2
} else {
  const { runProcess } = await import('./run-command.ts')
  process.exitCode = await runProcess(process.argv.slice(2))
  // The driver of Neo4j cannot close a connection to a server that accepts it and then stays silent.
  process.stdout.write('', () => setTimeout(() => process.exit(), ENDS_WITHIN_MS).unref())
}
