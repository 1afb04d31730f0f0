// Runs the official conformance suites of MCP against a service: `npm run conformance [-- --suite 2025-11-25|2026-07-28]`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isReady, temporaryFolder, withService } from '../../test/faults/harness/service-process.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = path.join(here, '..', '..')

type Suite = {
  name: string
  /** Version of `@modelcontextprotocol/conformance`. */
  version: string
  /** The Node version that the suite needs. It is downloaded if our Node is older. */
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

/**
 * The package of the binary itself. The package `node`, which selects one, downloads it in an install script.
 */
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

function installFolder({ version }: Suite): string {
  return path.join(root, '.conformance', version)
}

/**
 * Installs a suite into a separate folder, without install scripts. Returns false if it is not available
 * here.
 */
function install(suite: Suite): boolean {
  const folder = installFolder(suite)
  const mark = path.join(folder, 'installed')
  if (existsSync(mark)) return true
  const packages = [
    `@modelcontextprotocol/conformance@${suite.version}`,
    ...(needsOtherNode(suite) ? [NODE_22] : []),
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']
  const args = ['install', '--ignore-scripts', '--engine-strict=false', ...quiet, ...packages]
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

/**
 * Runs a suite. The suites send no token, so the service accepts only this machine, and only while they run.
 */
async function run(suite: Suite): Promise<number> {
  const { folder: dataFolder, remove } = temporaryFolder()
  const environment = { TURNGRAPH_STORE: 'embedded:memory' }
  try {
    return await withService({ dataFolder, environment }, async (service) => {
      // Creates a resource to list and to read.
      await service.client.captureTurnState({
        featureId: 'F',
        taskId: 'T',
        turnNumber: 1,
        playerSummary: 'Built it',
      })
      const modules = path.join(installFolder(suite), 'node_modules')
      const [name = ''] = NODE_22.split('@')
      const node = needsOtherNode(suite) ? path.join(modules, name, 'bin', 'node') : process.execPath
      const main = path.join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
      const expected = path.join(here, `expected-failures.${suite.name}.yml`)
      console.log(`> conformance ${suite.version}, ${suite.name}`)
      const args = [
        main,
        'server',
        '--url',
        `${service.url}/mcp`,
        ...suite.args,
        '--expected-failures',
        expected,
      ]
      const child = spawn(node, args, { cwd: dataFolder, stdio: 'inherit' })
      const [status] = await once(child, 'close')
      const isUp = await isReady(service)
      process.stderr.write(service.output())
      return isUp && status === 0 ? 0 : 1
    })
  } finally {
    remove()
  }
}
