import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from './command.ts'

/** Tests the package in the form that others install: packed, in an empty project. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const TYPESCRIPT = path.join(root, 'node_modules/typescript-7/bin/tsc')
const TYPES = path.join(root, 'node_modules/@types')

function run(folder: string, command: string, ...args: string[]): string {
  const env = { ...process.env, TURNGRAPH_DATA: path.join(folder, 'data') }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

const USED = `
const client = createTurngraphClient({ store: 'embedded:memory' })
const turn = { featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: 'Packed' }
client.captureTurnState(turn)
  .then(() => new TurngraphRetriever({ client, featureId: 'F', taskId: 'T' }).invoke('2'))
  .then((documents) => client.close().then(() => documents))
  .then(async ([document]) => console.log(JSON.stringify([
    document.pageContent.split('\\n')[1],
    nextStreamingState('idle', 'start'),
    (await import('turngraph')).TurngraphError === TurngraphError,
    document instanceof (await import('@langchain/core/documents')).Document,
  ])))
`

const TYPED = `
import { createTurngraphClient, TurngraphError, type TurnState } from 'turngraph'
import { type AutobuildEvent, type MultiTurnState, runAutobuild } from 'turngraph/langchain'

createTurngraphClient({ store: 'embedded:memory', log: (message, fields) => console.log(message.length, fields) })
const client = createTurngraphClient({
  url: 'http://127.0.0.1:7480',
  spool: 'spool',
  log: (message) => console.log(message.length),
})
export const stored = (): Promise<TurnState> => client.getTurn({ worldSlug: 'w', turnNumber: 1 })
export const isOurs = (error: unknown): string => (error instanceof TurngraphError ? error.code : 'other')
export const loop = (): AsyncIterable<AutobuildEvent> =>
  runAutobuild({
    client,
    world: { featureId: 'F', taskId: 'T' },
    task: { text: 'build it' },
    player: ({ context, task, turn }) => ({ playerSummary: \`\${turn}: \${task.text} \${context?.length}\` }),
    coach: async ({ player }) => ({ coachDecision: player === null ? 'feedback' : 'approved' }),
    maxTurns: 3,
  })
export const iterationOf = ({ iteration }: MultiTurnState): number => iteration
// @ts-expect-error a turn has a number
client.captureTurnState({ featureId: 'F', taskId: 'T', playerSummary: 'x' })
`

let packed = ''
let tarball = ''
/** An empty project with a production install of the package. */
let app = ''
beforeAll(() => {
  packed = realpathSync(mkdtempSync(path.join(tmpdir(), 'turngraph-package-')))
  run(root, 'npm', 'pack', '--ignore-scripts', '--pack-destination', packed)
  tarball = path.join(packed, readdirSync(packed)[0] ?? '')
  app = path.join(packed, 'app')
  mkdirSync(app)
  writeFileSync(path.join(app, 'package.json'), JSON.stringify({ name: 'app', private: true }))
  run(app, 'npm', 'install', '--omit=dev', ...OFFLINE, tarball)
}, 300_000)
afterAll(() => rmSync(packed, { recursive: true, force: true }))

const OFFLINE = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

type Locked = {
  hasInstallScript?: boolean
  resolved?: string
  optionalDependencies?: Record<string, string>
}

const packagesOf = (file: string): [string, Locked][] =>
  Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages)

/** Returns the size on disk, in blocks of 4 KiB. */
const onDisk = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => Math.ceil(statSync(path.join(parentPath, name)).size / 4096) * 4096)
    .reduce((sum, size) => sum + size, 0)

test('a production install stays below 90 MiB, runs no install script, and has one vocabulary of tokens', () => {
  const modules = path.join(app, 'node_modules')
  expect(onDisk(modules) / 2 ** 20).toBeLessThan(90)
  const installed = packagesOf(path.join(modules, '.package-lock.json'))
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place)).toEqual([])
  expect(installed.map(([place]) => place).filter((place) => /token|langchain/.test(place))).toEqual([])
  const large = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /o200k/.test(file),
  )
  expect(large.filter((file) => !file.endsWith('.d.ts'))).toEqual([
    'turngraph/dist/memory/context/o200k-base.js',
  ])

  const turn = { feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Packed. '.repeat(500) }
  writeFileSync(path.join(app, 'turn.json'), JSON.stringify(turn))
  const command = path.join(modules, '.bin', 'turngraph')
  run(app, command, 'capture', 'turn.json')
  const asked = ['--feature', 'F', '--task', 'T', '--turn', '2', '--token-budget', '200', '--json']
  const { context, tokens } = JSON.parse(run(app, command, 'context', ...asked))
  expect(tokens).toEqual({ budget: 200, used: countTokens(context) })
})

test.each([
  ['linux', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
])('npm ci accepts the lock file on %s %s', (os, cpu) => {
  const folder = temporaryFolder()
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(path.join(root, file), path.join(folder, file))
  run(folder, 'npm', 'ci', '--dry-run', ...OFFLINE, '--offline', `--os=${os}`, `--cpu=${cpu}`)
})

test('the lock file lists the packages of every platform, and names no registry', () => {
  const locked = packagesOf(path.join(root, 'package-lock.json'))
  const names = new Set(locked.map(([place]) => place.replace(/^.*node_modules\//, '')))
  const optional = locked.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies))
  expect(optional.filter((name) => !names.has(name))).toEqual([])
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})

test('installed in an empty project with its peer, it works from ESM and CommonJS, with types', {
  timeout: 300_000,
}, () => {
  run(app, 'npm', 'install', ...OFFLINE, '@langchain/core@1')

  const esm = `import { createTurngraphClient, TurngraphError } from 'turngraph'
import { nextStreamingState, TurngraphRetriever } from 'turngraph/langchain'${USED}`
  const cjs = `const { createTurngraphClient, TurngraphError } = require('turngraph')
const { nextStreamingState, TurngraphRetriever } = require('turngraph/langchain')${USED}`
  writeFileSync(path.join(app, 'main.mjs'), esm)
  writeFileSync(path.join(app, 'main.cjs'), cjs)
  const answer = ['**What was attempted**: Packed', 'streaming', true, true]
  expect(JSON.parse(run(app, process.execPath, 'main.mjs'))).toEqual(answer)
  expect(JSON.parse(run(app, process.execPath, 'main.cjs'))).toEqual(answer)
  expect(run(app, path.join('node_modules', '.bin', 'turngraph'), '--version').trim()).toMatch(
    /^\d+\.\d+\.\d+$/,
  )

  for (const file of ['typed.mts', 'typed.cts']) writeFileSync(path.join(app, file), TYPED)
  // Our own declarations are checked too, as are those of @langchain/core.
  const checked = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022']
  const libraries = ['--lib', 'es2023,esnext.disposable,dom', '--types', 'node', '--typeRoots', TYPES]
  const strict = [...checked, ...libraries]
  run(app, process.execPath, TYPESCRIPT, ...strict, '--module', 'nodenext', 'typed.mts', 'typed.cts')
  const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler']
  run(app, process.execPath, TYPESCRIPT, ...strict, ...bundled, 'typed.mts')

  const attw = path.join(root, 'node_modules/.bin/attw')
  run(app, attw, tarball, '--profile', 'node16')
})
