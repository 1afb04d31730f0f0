/** `scripts/setup.mjs` in a small checkout, with a program in the place of npm. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../e2e/command.ts'

/** Prints whether the lock was touched lately, and fails. */
const NPM = `const { statSync } = require('node:fs')
setTimeout(() => {
  const ageMs = Date.now() - statSync('.setup-lock').mtimeMs
  console.error('lock is ' + (ageMs < 2500 ? 'fresh' : 'old'))
  process.exit(1)
}, 3000)`

let root: string
const at = (...names: string[]) => path.join(root, ...names)

beforeEach(() => {
  root = temporaryFolder()
  for (const folder of ['scripts', '.setup-lock', 'src', 'dist', path.join('node_modules', '.bin')])
    mkdirSync(at(folder), { recursive: true })
  copyFileSync(fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url)), at('scripts', 'setup.mjs'))
  writeFileSync(at('package-lock.json'), '{"packages":{}}')
  writeFileSync(at('npm.js'), NPM)
})

/** Runs the script as the process that the shell was, so that `$$` is its id. */
async function setUp(before = 'true'): Promise<string> {
  const command = `${before} && exec "${process.execPath}" scripts/setup.mjs`
  const env = { ...process.env, npm_execpath: at('npm.js') }
  const child = spawn('/bin/sh', ['-c', command], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill())
  return text(child.stderr)
}

test('a lock with the id of this process is abandoned, and a taken lock stays fresh', async () => {
  expect(await setUp('echo $$ > .setup-lock/pid')).toMatch(
    /^Installing .*\nlock is fresh\nnpm ci .* failed.\n$/,
  )
})

test('a lock that was not touched for a minute is abandoned', async () => {
  writeFileSync(at('.setup-lock', 'pid'), String(process.pid))
  const old = new Date(Date.now() - 61_000)
  utimesSync(at('.setup-lock'), old, old)
  expect(await setUp()).toMatch(/^Installing /)
})

test('a setup that waits for another one names its process', async () => {
  writeFileSync(at('.setup-lock', 'pid'), String(process.pid))
  const old = new Date(Date.now() - 56_000)
  utimesSync(at('.setup-lock'), old, old)
  expect(await setUp()).toMatch(
    new RegExp(`^Waiting for another setup \\(process ${process.pid}\\) …\nInstalling `),
  )
})

test('a dangling link among the sources, as Emacs makes for an open file, is no change', async () => {
  rmSync(at('.setup-lock'), { recursive: true })
  for (const stamp of [
    ['node_modules', '.package-lock.json'],
    ['node_modules', '.bin', 'turngraph'],
    ['dist', '.built'],
  ])
    writeFileSync(at(...stamp), '{"packages":{}}')
  symlinkSync('me@host.1234:5678', at('src', '.#main.ts'))
  const later = new Date(Date.now() + 60_000)
  utimesSync(at('dist', '.built'), later, later)
  expect(await setUp()).toBe('')
})
