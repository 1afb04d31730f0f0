#!/usr/bin/env node
/** Entry of the command line. Checks the version of Node before it imports any file: an old Node cannot parse the other files. */

const EXIT_GRACE_MS = 1_000

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: Turngraph needs Node 20.19 or later; this is ${process.versions.node}.\nhint: See https://nodejs.org/\n`,
  )
  process.exitCode = 2
} else {
  const { runProcess } = await import('./run-command.ts')
  const { endWithTerminal } = await import('./lost-output.ts')
  process.exitCode = await runProcess(process.argv.slice(2))
  // Runs after the listeners that were added before, which write the end of the log.
  process.once('exit', endWithTerminal)
  // The driver of Neo4j cannot close a connection to a server that accepts it and then stays silent.
  process.stdout.write('', () => setTimeout(() => process.exit(), EXIT_GRACE_MS).unref())
}
