// `npm test`: the checks of `npm run check`, and every suite. Its last line is `N passed, N failed[, N skipped]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = path.join(root, 'node_modules', '.bin')

/** The steps of the script `check` in package.json, so that the two cannot drift apart. */
const checks = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  .scripts.check.split('&&')
  .map((command) => command.trim())

const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` }

const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-test-'))
try {
  const given = process.argv.slice(2)
  // Side by side, as each waits for a part of its time, and of about one length. A Neo4j is of one lane: its database is one.
  const lanes =
    given.length > 0
      ? [{ name: 'all', args: given }]
      : [
          { name: 'neo4j', args: ['--project', 'neo4j', '--project', 'own-neo4j'] },
          { name: 'neo4j-current', args: ['--project', 'neo4j-current', '--project', 'e2e'] },
          {
            name: 'embedded',
            args: ['--project', 'unit', '--project', 'store', '--project', 'browser'],
          },
        ]
  const [failedChecks, ...ran] = await Promise.all([runChecks(), ...lanes.map(runLane)])
  let failed = failedChecks.length
  const tests = { passed: 0, skipped: 0 }
  for (const { status, counted } of ran) {
    // A file that does not load, or an error outside any test, fails the run without failing a test.
    const outside = Math.max(counted.brokenFiles, status === 0 || counted.failed > 0 ? 0 : 1)
    tests.passed += counted.passed
    tests.skipped += counted.skipped
    failed += counted.failed + outside
    if (counted.passed + counted.failed === 0 && outside === 0) failed++
  }
  // The lane that ended first told of them long ago.
  for (const { command, said } of failedChecks) console.log(`${said}FAILED: ${command}`)
  for (const { counted } of ran) for (const test of counted.failures) console.log(`FAILED: ${test}`)
  const skipped = tests.skipped === 0 ? '' : `, ${tests.skipped} skipped`
  console.log(`${tests.passed} passed, ${failed} failed${skipped}`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** One after another, whatever fails; what a failed one says stands at the end. */
async function runChecks() {
  const failed = []
  for (const command of checks) {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const [status, ...said] = await Promise.all([ended(child), text(child.stdout), text(child.stderr)])
    console.log(`${status === 0 ? 'passed' : 'FAILED'}: ${command}`)
    if (status !== 0) failed.push({ command, said: said.join('') })
  }
  return failed
}

/** Its exit code; null where a signal ended it, or where it did not start. */
async function ended(child) {
  try {
    const [status] = await once(child, 'close')
    return status
  } catch (error) {
    console.log(String(error))
    return null
  }
}

/** Each in a process of its own. They print as they go: a line says of which project it is. */
async function runLane({ name, args }) {
  const report = path.join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  console.log(`> vitest run ${args.join(' ')}`)
  const child = spawn(path.join(bin, 'vitest'), ['run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  })
  return { status: await ended(child), counted: counted(report) }
}

function counted(file) {
  let results
  try {
    results = JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return { passed: 0, failed: 0, skipped: 0, brokenFiles: 0, failures: [] } // vitest itself failed, and says so by its status
  }
  const tests = results.flatMap((result) => result.assertionResults)
  const passed = tests.filter((test) => test.status === 'passed').length
  const failures = results.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => {
        const [message = ''] = failureMessages
        return `${path.relative(root, name)}: ${fullName}: ${message.split('\n', 1)[0]}`
      }),
  )
  const failed = failures.length
  const brokenFiles = results.filter(
    (result) =>
      result.status === 'failed' && result.assertionResults.every((test) => test.status !== 'failed'),
  ).length
  return { passed, failed, skipped: tests.length - passed - failed, brokenFiles, failures }
}
