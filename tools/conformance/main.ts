// Runs the official conformance suites of MCP against a service: `npm run conformance [-- --suite 2025-11-25|2026-07-28]`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = path.join(here, '..', '..')

type Suite = {
  name: string
  /** Of `@modelcontextprotocol/conformance`. */
  version: string
  /** What it runs on where our Node is older. */
  needsNode: number
  args: readonly string[]
}

const SUITES: readonly Suite[] = [
  { name: '2025-11-25', version: '0.1.13', needsNode: 20, args: ['--suite', 'active'] },
  {
    name: '2026-07-28',
    version: '0.2.0-alpha.12',
    needsNode: 22,
    args: ['--suite', 'all', '--spec-version', '2026-07-28'],
  },
]

/** The package that holds the binary itself. `node`, which chooses one, has an install script that downloads it. */
const NODE_22 = `node-${process.platform}-${process.arch}@22.23.3`

const { values } = parseArgs({ options: { suite: { type: 'string' } } })
const suites = SUITES.filter(({ name }) => values.suite === undefined || values.suite === name)
if (suites.length === 0) throw new Error(`the suites are ${SUITES.map(({ name }) => name).join(' and ')}`)
let failed = 0
for (const suite of suites) {
  if (!install(suite)) failed += Number(process.env.REQUIRE_CONFORMANCE === '1')
  else if ((await run(suite)) !== 0) failed++
}
process.exitCode = failed > 0 ? 1 : 0

function folderOf({ version }: Suite): string {
  return path.join(root, '.conformance', version)
}

/** In a folder of its own, without install scripts, so that nothing else changes. False: it cannot be had here. */
function install(suite: Suite): boolean {
  const folder = folderOf(suite)
  const mark = path.join(folder, 'installed')
  if (existsSync(mark)) return true
  const packages = [
    `@modelcontextprotocol/conformance@${suite.version}`,
    ...(needsOtherNode(suite) ? [NODE_22] : []),
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--engine-strict=false',
    '--loglevel',
    'error',
    ...packages,
  ]
  if (spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    console.log(`conformance ${suite.name}: left out, as npm ${args.join(' ')} failed`)
    return false
  }
  writeFileSync(mark, '')
  return true
}

function needsOtherNode({ needsNode }: Suite): boolean {
  return Number(process.versions.node.split('.')[0]) < needsNode
}

async function run(suite: Suite): Promise<number> {
  const data = mkdtempSync(path.join(tmpdir(), 'turngraph-conformance-'))
  const service = serve(data)
  try {
    const url = await addressOf(service, data)
    await captureTurn(url)
    const modules = path.join(folderOf(suite), 'node_modules')
    const [name = ''] = NODE_22.split('@')
    const node = needsOtherNode(suite) ? path.join(modules, name, 'bin', 'node') : process.execPath
    const main = path.join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
    const expected = path.join(here, `expected-failures.${suite.name}.yml`)
    console.log(`> conformance ${suite.version}, ${suite.name}`)
    const args = [main, 'server', '--url', `${url}/mcp`, ...suite.args, '--expected-failures', expected]
    const child = spawn(node, args, { cwd: data, stdio: 'inherit' })
    const [status] = await once(child, 'close')
    return service.exitCode === null && status === 0 ? 0 : 1
  } finally {
    const ended = service.exitCode === null ? once(service, 'exit') : null
    service.kill()
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

/** The suites know no tokens: the service is for this machine alone, and only as long as they run. */
function serve(data: string): ChildProcess {
  return spawn(process.execPath, [path.join(root, 'dist/bin/main.js'), 'serve', '--port', '0'], {
    cwd: data,
    env: {
      PATH: process.env.PATH,
      TURNGRAPH_DATA: data,
      TURNGRAPH_STORE: 'embedded:memory',
      TURNGRAPH_AUTH: 'off',
      TURNGRAPH_LOG: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function addressOf(service: ChildProcess, data: string): Promise<string> {
  const file = path.join(data, 'server.json')
  while (!existsSync(file)) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`)
    await sleep(50)
  }
  const { url } = JSON.parse(readFileSync(file, 'utf8'))
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(50)
  return url
}

/** So that there is a resource to list and to read. */
async function captureTurn(url: string): Promise<void> {
  const body = JSON.stringify({ feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Built it' })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/v1/turns`, { method: 'POST', headers, body })
  if (status !== 201) throw new Error(`the turn was answered ${status}`)
}
