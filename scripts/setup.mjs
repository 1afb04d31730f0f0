// Runs before `npm start` and `npm test`: installs the packages of the lock file and builds, each only if
// needed. Silent and fast if there is nothing to do. Uses only built-in modules, because others may not be
// installed yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts) => path.join(root, ...parts)
const LOCK = at('.setup-lock')
const HOLDER = path.join(LOCK, 'pid')
const INSTALLED = at('node_modules', '.turngraph-installed')
const RUNTIME = `${process.version} ${process.platform} ${process.arch}\n`
const BUILT = at('dist', '.built')
const VOCABULARY = path.join('memory', 'context', 'o200k-base.js')

refuseOldNode()
const forced = process.argv.includes('--build')
if (forced || !isInstalled() || !isBuilt()) {
  await withLock(async () => {
    // The process that had the lock before may have done all of the work.
    if (!isInstalled()) await install()
    if (forced || !isBuilt()) await build()
  })
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Turngraph needs Node 20.19 or later; this is ${process.version}. See https://nodejs.org/`)
}

/** Checks a stamp. A tree that was installed with npm directly is accepted if it fits the lock file. */
function isInstalled() {
  const wanted = installation()
  const stamp = existsSync(INSTALLED) ? readFileSync(INSTALLED, 'utf8') : null
  if (stamp === wanted) return true
  // Native modules may differ on another Node.
  if (stamp !== null && !stamp.endsWith(RUNTIME)) return false
  if (!fitsLockFile()) return false
  writeFileSync(INSTALLED, wanted)
  return true
}

function installation() {
  return `${createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex')}\n${RUNTIME}`
}

function fitsLockFile() {
  const listed = at('node_modules', '.package-lock.json')
  if (!existsSync(listed)) return false
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(listed, 'utf8')).packages
  return Object.entries(wanted).every(([place, { version, optional }]) => {
    if (place === '') return true
    const installed = present[place]
    return installed === undefined ? optional === true : installed.version === version
  })
}

async function install() {
  // npm installs the dependencies elsewhere then, and links the command to a clone that it has deleted.
  if (process.env.npm_config_global === 'true')
    fail(
      'npm cannot build Turngraph during a global install. Run `npm pack` in a checkout, and install the file.',
    )
  const how = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  say(`Installing the dependencies (npm ${how.join(' ')}) …`)
  // Under npm, uses the same npm that runs this script.
  const npm = process.env.npm_execpath
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm, ...how] : ['npm', ...how]
  await run(`npm ${how.join(' ')} failed`, command, args)
  writeFileSync(INSTALLED, installation())
}

/** Runs a program. Standard output belongs to the next command. */
async function run(failure, command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  process.once('exit', () => child.kill())
  const [status] = await once(child, 'close').catch((error) => fail(`${failure}: ${error.message}.`))
  if (status !== 0) fail(`${failure}.`)
}

/** A deleted file makes its folder newer, so folders count too. */
function isBuilt() {
  const built = statSync(BUILT, { throwIfNoEntry: false })
  if (built === undefined || !existsSync(at('node_modules', '.bin', 'turngraph'))) return false
  const sources = [
    'src',
    'cypher',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/setup.mjs',
    'scripts/bundle-page.mjs',
  ]
  return sources.every((source) => newest(at(source)) <= built.mtimeMs)
}

function newest(file) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0 // Emacs makes a dangling link for an open file
  return Math.max(found.mtimeMs, ...readdirSync(file).map((name) => newest(path.join(file, name))))
}

/** Builds into a separate folder, which then replaces `dist`: no file of an older build stays. */
async function build() {
  say('Building …')
  const began = new Date()
  const draft = at('dist.new')
  rmSync(draft, { recursive: true, force: true })
  const tsc = at('node_modules', 'typescript-7', 'bin', 'tsc')
  // Several threads would infer the same types again, which doubles the processor time.
  const args = [tsc, '--singleThreaded', '-p', 'tsconfig.build.json', '--outDir', 'dist.new']
  await run('The build failed', process.execPath, args)
  await writeStatements(draft)
  await bundleVocabulary(draft)
  await bundleProcesses(draft)
  const { bundlePage } = await import('./bundle-page.mjs')
  await bundlePage(draft)
  // A file that was changed while the compiler ran is newer than the stamp and is built the next time.
  writeFileSync(path.join(draft, '.built'), '')
  utimesSync(path.join(draft, '.built'), began, began)
  rmSync(at('dist.old'), { recursive: true, force: true })
  if (existsSync(at('dist'))) renameSync(at('dist'), at('dist.old'))
  renameSync(draft, at('dist'))
  rmSync(at('dist.old'), { recursive: true, force: true })
  linkCommand()
}

/**
 * Checks the Cypher statements and writes them into one file. A process that finds this file reads and checks no
 * other one.
 */
async function writeStatements(draft) {
  const folder = path.join(draft, 'graph')
  const { allStatements } = await import(pathToFileURL(path.join(folder, 'statements.js')).href)
  writeFileSync(path.join(folder, 'statements.json'), JSON.stringify(allStatements()))
}

/**
 * Bundles the one encoding in use into a module of ours: users need not install the package with all
 * encodings.
 */
async function bundleVocabulary(draft) {
  const { build: bundle } = await import('esbuild')
  const file = path.join(draft, VOCABULARY)
  await bundle({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
  copyFileSync(
    at('node_modules', 'gpt-tokenizer', 'LICENSE'),
    path.join(draft, path.dirname(VOCABULARY), 'LICENSE-gpt-tokenizer'),
  )
}

/**
 * Bundles the programs into few files: Node takes longer to find two hundred modules than to run a command.
 * The bundle contains our own modules and the used parts of zod, which are a hundred more. The files are in
 * one folder, at the same depth below package.json as their sources, because they find other files by
 * relative paths.
 */
async function bundleProcesses(draft) {
  const { build: bundle } = await import('esbuild')
  const bin = path.join(draft, 'bin')
  await bundle({
    entryPoints: [
      'cli/main.js',
      'cli/hook-run.js',
      'cli/hook-gate.js',
      'cli/hook-context.js',
      'analysis/query/worker.js',
    ].map((file) => path.join(draft, file)),
    entryNames: '[name]',
    outdir: bin,
    bundle: true,
    splitting: true,
    packages: 'external',
    external: ['#report'], // a separate module, which only one command loads
    plugins: [{ name: 'share-vocabulary', setup: shareVocabulary }],
    alias: { zod: at('node_modules', 'zod', 'index.js') }, // otherwise it would stay an external package
    minifyWhitespace: true, // saves 5 % of the time of a short command
    minifySyntax: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
  copyFileSync(at('node_modules', 'zod', 'LICENSE'), path.join(bin, 'LICENSE-zod'))
  chmodSync(path.join(bin, 'main.js'), 0o755)
}

/** Loads the vocabulary from its own file: a copy of it would be as large as everything together. */
function shareVocabulary({ onResolve }) {
  const name = path.basename(VOCABULARY)
  onResolve({ filter: new RegExp(`/${name}$`) }, () => ({
    path: `../memory/context/${name}`,
    external: true,
  }))
}

/**
 * Links the command of the checkout for npx. Otherwise npx keeps its own link forever, even one that it made
 * before there was a build.
 */
function linkCommand() {
  const link = at('node_modules', '.bin', 'turngraph')
  rmSync(link, { force: true })
  symlinkSync(path.join('..', '..', 'dist', 'bin', 'main.js'), link)
}

/** Runs work in one process at a time, and touches the lock during the work. */
async function withLock(work) {
  const note = setTimeout(() => say(`Waiting for another setup (process ${readIfThere(HOLDER)}) …`), 2_000)
  while (!takeLock()) await new Promise((resolve) => setTimeout(resolve, 100))
  clearTimeout(note)
  setInterval(() => existsSync(LOCK) && utimesSync(LOCK, new Date(), new Date()), 1_000).unref()
  process.once('exit', () => rmSync(LOCK, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  await work()
}

function takeLock() {
  try {
    mkdirSync(LOCK)
    writeFileSync(HOLDER, String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned()) rmSync(LOCK, { recursive: true, force: true })
    return false
  }
}

/** A process that was killed leaves its lock, and another process may have its id now. */
function isAbandoned() {
  const pid = Number(readIfThere(HOLDER))
  const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (pid === process.pid || age > 60_000) return true
  if (!pid) return age > 5_000 // its process died between the folder and the file
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
