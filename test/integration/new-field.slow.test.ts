import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

/** Follows the steps of CONTRIBUTING.md for a new field of a turn in a copy of the tree: two lines in two files. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

const NEW_LINES = [
  {
    file: 'src/graph/model/nodes.ts',
    below: "  coverage: number.describe('test coverage, as it was given').optional(),",
    line: "  reviewMinutes: number.describe('length of the review in minutes').optional(),",
  },
  {
    file: 'src/memory/record/record.ts',
    below: '  coverage: amount.nullish(),',
    line: '  reviewMinutes: amount.nullish(),',
  },
]

/** Captures, reads, queries and exports the new field through the client, in its types and on the wire. */
const ROUND_TRIP = `
import { inProcessClient } from './src/client/in-process.ts'
import { migrate } from './src/graph/migrations.ts'
import { openGraph } from './src/graph/open.ts'
import { turnState } from './src/memory/record/record.ts'
import { toWire } from './src/core/wire-form.ts'
import { exportOf } from './test/support/exported.ts'

const graph = await openGraph({ kind: 'embedded', folder: null } as Parameters<typeof openGraph>[0])
await migrate(graph)
const client = inProcessClient({ graph, project: 'p' })
const scope = { featureId: 'F', taskId: 'T' }
const captured = await client.captureTurnState({ ...scope, turnNumber: 1, playerSummary: 'Built it', reviewMinutes: 2.5 })
await client.captureTurnState({ ...scope, turnNumber: 2, playerSummary: 'Mended it' })
const read = await client.getTurn({ worldSlug: captured.worldSlug, turnNumber: 1 })
const without = await client.getTurn({ worldSlug: captured.worldSlug, turnNumber: 2 })
const { prior } = await client.loadTurnContinuationContext({ ...scope, currentTurn: 2 })
const [line] = (await exportOf(graph)).filter((record) => record.includes('"kind":"turn"'))
const minutes: (number | null | undefined)[] = [captured.reviewMinutes, read.reviewMinutes, prior?.reviewMinutes, without.reviewMinutes]
const wire = toWire(turnState, read) as { review_minutes: number }
console.log(JSON.stringify([...minutes, wire.review_minutes, JSON.parse(line ?? '').turn.reviewMinutes]))
await graph.close()
`

let copy: string | null = null
afterEach(async () => {
  if (copy !== null) await rm(copy, { recursive: true, force: true })
  copy = null
})

test('a new field of a turn takes a line in two files to be typed, captured, read, shown and exported', {
  timeout: 120_000, // it compiles the tree, which takes 5 s alone
}, async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'turngraph-new-field-'))
  for (const part of ['src', 'cypher', 'package.json', 'tsconfig.json', 'test/support/exported.ts']) {
    await cp(path.join(root, part), path.join(copy, part), { recursive: true })
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  for (const { file, below, line } of NEW_LINES) {
    const at = path.join(copy, file)
    const source = await readFile(at, 'utf8')
    expect(source.split(below), file).toHaveLength(2)
    await writeFile(at, source.replace(below, `${below}\n${line}`))
  }
  await writeFile(path.join(copy, 'round-trip.ts'), ROUND_TRIP)
  await writeFile(
    path.join(copy, 'tsconfig.scratch.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['src/index.ts', 'round-trip.ts'] }),
  )
  const node = (...args: string[]) => run(process.execPath, args, { cwd: copy ?? '' })
  await node('node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.scratch.json')
  const { stdout } = await node('--import', 'tsx', 'round-trip.ts')
  expect(JSON.parse(stdout)).toEqual([2.5, 2.5, 2.5, null, 2.5, 2.5])
})
