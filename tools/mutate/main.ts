// `npm run mutate [-- WORD]`: breaks each rule of mutations.ts in a copy of the project, one at a time, and runs the tests that must
// fail. WORD selects the mutations whose rule or file contains it. The exit code is 1 if a mutation survives.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MUTATIONS, type Mutation } from './mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Time limit of one test run. A mutation that causes an endless loop counts as noticed. */
const LIMIT_MS = 300_000
/** Time of the copied build, in seconds: far in the future, so that no changed source starts a new build. */
const FUTURE = 4_000_000_000

const [word = ''] = process.argv.slice(2)
const chosen = MUTATIONS.filter(({ rule, file }) => `${rule} ${file}`.includes(word))
const copy = mkdtempSync(path.join(tmpdir(), 'turngraph-mutate-'))
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)))
try {
  copyProject()
  await checkUnchanged(chosen)
  const survived: Mutation[] = []
  for (const mutation of chosen) if (!(await isNoticed(mutation))) survived.push(mutation)
  console.log(`${chosen.length - survived.length} noticed, ${survived.length} survived`)
  process.exitCode = survived.length > 0 || chosen.length === 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function copyProject(): void {
  const listed = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) throw new Error('npm run mutate needs a git repository')
  for (const file of listed.stdout.split('\0').filter((name) => name !== ''))
    cpSync(path.join(root, file), path.join(copy, file))
  cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), { recursive: true })
  utimesSync(path.join(copy, 'dist', '.built'), FUTURE, FUTURE)
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
}

/** Throws an error if a test fails without a mutation, because such a failure proves nothing. */
async function checkUnchanged(mutations: readonly Mutation[]): Promise<void> {
  for (const tests of new Set(mutations.map((mutation) => mutation.tests)))
    if ((await countFailures(tests)) !== 0)
      throw new Error(`these tests fail, or do not run, without a mutation: ${tests}`)
}

async function isNoticed({ rule, file, from, to, tests }: Mutation): Promise<boolean> {
  const place = path.join(copy, file)
  const source = readFileSync(place, 'utf8')
  if (source.split(from).length !== 2)
    throw new Error(`the text of a mutation must occur exactly once in ${file}: ${from}`)
  writeFileSync(
    place,
    source.replace(from, () => to),
  )
  const failures = await countFailures(tests)
  writeFileSync(place, source)
  // If no test ran, the mutated file does not load. The mutation is then invalid code, and no test noticed it.
  const said = failures === null ? 'INVALID' : failures === 0 ? 'SURVIVED' : 'noticed'
  console.log(`${said}: ${rule} (${file})`)
  return said === 'noticed'
}

/** Runs tests up to the first failure. Returns the number of failed tests, or null if none ran. */
async function countFailures(tests: string): Promise<number | null> {
  const report = path.join(copy, 'report.json')
  rmSync(report, { force: true })
  const [file = '', name] = tests.split(' > ')
  const filter = name === undefined ? [] : ['-t', name]
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile=${report}`, file, ...filter]
  await setImmediate() // lets a signal arrive that was sent during the copy
  interruption.signal.throwIfAborted()
  const child = spawn(path.join(root, 'node_modules', '.bin', 'vitest'), args, {
    cwd: copy,
    stdio: 'ignore',
    timeout: LIMIT_MS,
    env: { ...process.env, TURNGRAPH_TEST_SEED: '1' },
  })
  const stop = () => child.kill()
  interruption.signal.addEventListener('abort', stop)
  await once(child, 'exit')
  interruption.signal.removeEventListener('abort', stop)
  interruption.signal.throwIfAborted()
  if (child.killed) return 1
  const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
  return numFailedTests + numPassedTests === 0 ? null : numFailedTests
}
