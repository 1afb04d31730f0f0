// `npm test`: the checks of `npm run check`, and the tests that need no more than Node. `npm test -- --all`: every test.
// `npm test -- ARGUMENTS` passes the arguments to vitest. The last line is `N passed, N failed[, N skipped]`.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
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

const given = process.argv.slice(2)
const runsAll = given.includes('--all')
if (runsAll && given.length > 1) {
  console.error('error: --all takes no other arguments')
  process.exit(2)
}

/** The seed of the random cases, the same for all lanes. */
const seed = process.env.TURNGRAPH_TEST_SEED ?? String(randomInt(2 ** 31))
const env = {
  ...process.env,
  PATH: `${bin}${path.delimiter}${process.env.PATH}`,
  TURNGRAPH_TEST_SEED: seed,
}

const projects = (...names) => names.flatMap((name) => ['--project', name])

/** Maximum number of lanes that run at the same time. When one ends, the next one starts. */
const MAX_LANES = 3
/**
 * A Neo4j belongs to one lane because it has one database. A lane with `isAfterChecks` starts after the checks, which leaves a
 * core to the other lanes while their new Neo4j plans its statements.
 */
const LANES = [
  { name: 'contract', args: [...projects('store'), 'test/contract/', 'test/property/'] },
  {
    name: 'others',
    isAfterChecks: true,
    args: [...projects('unit', 'store'), 'src/', 'tools/', 'test/integration/', 'test/e2e/'],
  },
]
const ALL_LANES = [
  { name: 'neo4j', args: projects('unit', 'neo4j', 'own-neo4j') },
  { name: 'e2e', isAfterChecks: true, args: projects('e2e', 'browser', 'neo4j-current') },
  { name: 'embedded', args: projects('store') },
  // The smaller the parts are, the closer together the last lanes end.
  ...[1, 2, 3, 4].map((part) => ({ name: `slow-${part}`, args: [...projects('slow'), `--shard=${part}/4`] })),
]
/** Where only the end of a run's output is kept, it contains the data of a failure. */
const MESSAGE_LENGTH = 2_000
const LEFT_OUT = 'Neo4j, the command line, the page in a browser, Python, the corpus, faults and slow files'

const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-test-'))
try {
  const lanes = runsAll ? ALL_LANES : given.length > 0 ? [{ name: 'all', args: given }] : LANES
  console.log(`Seed of the random cases: ${seed}. TURNGRAPH_TEST_SEED=${seed} repeats them.`)
  const checked = runChecks()
  const waiting = [...lanes]
  const ran = []
  const runWaiting = async () => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
      if (lane.isAfterChecks) await checked
      ran.push(await runLane(lane))
    }
  }
  await Promise.all(Array.from({ length: MAX_LANES }, runWaiting))
  const failedChecks = await checked
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
  // Repeats the failures, which are far above in the output.
  for (const { command, said } of failedChecks) console.log(`${said}FAILED: ${command}`)
  for (const { counted } of ran) for (const test of counted.failures) console.log(`FAILED: ${test}`)
  if (lanes === LANES) console.log(`Left out: ${LEFT_OUT}. \`npm test -- --all\` runs them.`)
  const skipped = tests.skipped === 0 ? '' : `, ${tests.skipped} skipped`
  console.log(`${tests.passed} passed, ${failed} failed${skipped}`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs the checks one after another, also after a failure. The output of a failed check is printed at the end. */
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

/** Resolves to the exit code, or to null if a signal ended the process or it did not start. */
async function ended(child) {
  try {
    const [status] = await once(child, 'close')
    return status
  } catch (error) {
    console.log(String(error))
    return null
  }
}

/** Runs the tests of a lane in a process. Its output has the project in each line. */
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
    return { passed: 0, failed: 0, skipped: 0, brokenFiles: 0, failures: [] } // vitest itself failed, which its status shows
  }
  const tests = results.flatMap((result) => result.assertionResults)
  const passed = tests.filter((test) => test.status === 'passed').length
  const failures = results.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => {
        const [message = ''] = failureMessages
        const ours = message.split('\n').filter((line) => !line.includes('/node_modules/'))
        return `${path.relative(root, name)}: ${fullName}: ${ours.join('\n').slice(0, MESSAGE_LENGTH)}`
      }),
  )
  const failed = failures.length
  const brokenFiles = results.filter(
    (result) =>
      result.status === 'failed' && result.assertionResults.every((test) => test.status !== 'failed'),
  ).length
  return { passed, failed, skipped: tests.length - passed - failed, brokenFiles, failures }
}
