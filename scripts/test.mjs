// `npm test`: the checks of `npm run check`, then every suite. Its last line is `N passed, N failed[, N skipped]`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = path.join(root, 'node_modules', '.bin')

/** The steps of the script `check` in package.json, so that the two cannot drift apart. */
const checks = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  .scripts.check.split('&&')
  .map((command) => command.trim())

const PATH = `${bin}${path.delimiter}${process.env.PATH}`
const run = (command, args) =>
  spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: args === undefined,
    env: { ...process.env, PATH },
  })

let failed = 0
for (const command of checks) {
  console.log(`> ${command}`)
  if (run(command).status === 0) continue
  failed++
  console.log(`FAILED: ${command}\n`)
}

const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-test-'))
const report = path.join(folder, 'report.json')
try {
  console.log('> vitest run')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = run(path.join(bin, 'vitest'), ['run', ...reporters, ...process.argv.slice(2)])
  const tests = counted(report)
  // A file that does not load, or an error outside any test, fails the run without failing a test.
  const outside = Math.max(tests.brokenFiles, status === 0 || tests.failed > 0 ? 0 : 1)
  failed += tests.failed + outside
  const none = tests.passed + tests.failed === 0
  const skipped = tests.skipped === 0 ? '' : `, ${tests.skipped} skipped`
  console.log(`${tests.passed} passed, ${failed} failed${skipped}`)
  process.exitCode = failed > 0 || none ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function counted(file) {
  let results
  try {
    results = JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return { passed: 0, failed: 0, skipped: 0, brokenFiles: 0 } // vitest itself failed, and says so by its status
  }
  const tests = results.flatMap((result) => result.assertionResults)
  const passed = tests.filter((test) => test.status === 'passed').length
  const failed = tests.filter((test) => test.status === 'failed').length
  const brokenFiles = results.filter(
    (result) =>
      result.status === 'failed' && result.assertionResults.every((test) => test.status !== 'failed'),
  ).length
  return { passed, failed, skipped: tests.length - passed - failed, brokenFiles }
}
