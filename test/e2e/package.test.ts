import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './command.ts'

/** The package as others install it: packed, in an empty project. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const TYPESCRIPT = path.join(root, 'node_modules/typescript-7/bin/tsc')
const TYPES = path.join(root, 'node_modules/@types')

function run(folder: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
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

const client = createTurngraphClient({ url: 'http://127.0.0.1:7480', spool: 'spool' })
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

test('packed and installed in an empty project, it works from ESM and CommonJS, with types', {
  timeout: 300_000,
}, () => {
  const folder = realpathSync(temporaryFolder())
  run(root, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder)
  const [tarball = ''] = readdirSync(folder)
  const app = path.join(folder, 'app')
  mkdirSync(app)
  writeFileSync(path.join(app, 'package.json'), JSON.stringify({ name: 'app', private: true }))
  const offline = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  run(app, 'npm', 'install', ...offline, path.join(folder, tarball), '@langchain/core@1')

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
  run(folder, attw, tarball, '--profile', 'node16')
})
