import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Follows the steps of CONTRIBUTING.md for a new field of a turn, and for a new fact about criteria, in a copy of the tree. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

type NewLine = { file: string; below: string; line: string }

const NEW_FIELD: NewLine[] = [
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

/** The lines of a fact that follows from the turns: two declare and compute it, and two show it. */
const NEW_FACT: NewLine[] = [
  {
    file: 'src/rules/progress.ts',
    below: '  promiseMarks: marks.default([]),',
    line: '  firstRejectedTurn: maybeTurn,',
  },
  {
    file: 'src/rules/progress.ts',
    below: '      evidencedRejectionTurn: substantiated ? turn : before.evidencedRejectionTurn,',
    line: '      firstRejectedTurn: before.firstRejectedTurn ?? turn,',
  },
  {
    file: 'src/rules/criterion-states.ts',
    below: "    ...proofOf(progress, policy, current.state === 'verified'),",
    line: '    firstRejectedTurn: progress.firstRejectedTurn,',
  },
  {
    file: 'src/memory/criteria/views.ts',
    below: '  lastTurn: z.number().nullable(),',
    line: '  firstRejectedTurn: z.number().nullish(),',
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

/** Reads the new fact from a context, a list and the stored state, before and after a repair and a restore. */
const FACT = `
import { inProcessClient } from './src/client/in-process.ts'
import { migrate } from './src/graph/migrations.ts'
import { openGraph } from './src/graph/open.ts'
import { parseStatement } from './src/graph/statements.ts'
import { exportOf, restoreLines } from './test/support/exported.ts'

const open = async () => {
  const graph = await openGraph({ kind: 'embedded', folder: null } as Parameters<typeof openGraph>[0])
  await migrate(graph)
  return graph
}
const graph = await open()
const scope = { featureId: 'F', taskId: 'T' }
const read = async (from: typeof graph) => {
  const client = inProcessClient({ graph: from, project: 'p' })
  const { criteria } = await client.listCriteria(scope)
  const context = await client.loadTurnContinuationContext({ ...scope, currentTurn: 4 })
  return [...criteria, ...context.criteria].map(({ firstRejectedTurn }) => firstRejectedTurn)
}
const client = inProcessClient({ graph, project: 'p' })
for (const [i, status] of (['verified', 'rejected', 'rejected'] as const).entries())
  await client.captureTurnState({
    ...scope,
    turnNumber: i + 1,
    playerSummary: 'Built it',
    verifications: [{ criterionId: 'AC-1', criterionText: 'It answers with 404', status }],
  })
const captured = await read(graph)
const forget = "MATCH (w:World) SET w.state = replace(w.state, '\\"v\\"', '\\"r\\"') RETURN w.key AS key"
await graph.write([{ statement: parseStatement('test/forget', forget), params: {} }])
const { findings } = await client.examine({ project: 'p', repair: true })
const repaired = await read(graph)
const another = await open()
await restoreLines(another, await exportOf(graph))
console.log(JSON.stringify({ captured, found: findings.map(({ check }) => check), repaired, restored: await read(another) }))
await graph.close()
await another.close()
`

const node = (folder: string, ...args: string[]) => run(process.execPath, args, { cwd: folder })

let copy = ''
beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'turngraph-new-field-'))
  for (const part of ['src', 'cypher', 'package.json', 'tsconfig.json', 'test/support/exported.ts']) {
    await cp(path.join(root, part), path.join(copy, part), { recursive: true })
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  for (const { file, below, line } of [...NEW_FIELD, ...NEW_FACT]) {
    const at = path.join(copy, file)
    const source = await readFile(at, 'utf8')
    expect(source.split(below), file).toHaveLength(2)
    await writeFile(at, source.replace(below, `${below}\n${line}`))
  }
  const programs = { 'round-trip.ts': ROUND_TRIP, 'fact.ts': FACT }
  for (const [file, text] of Object.entries(programs)) await writeFile(path.join(copy, file), text)
  await writeFile(
    path.join(copy, 'tsconfig.scratch.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: { singleThreaded: true },
      include: ['src/index.ts', ...Object.keys(programs)],
    }),
  )
  await node(copy, 'node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.scratch.json')
})
afterAll(() => rm(copy, { recursive: true, force: true }))

test('a new field of a turn takes a line in two files to be typed, captured, read, shown and exported', async () => {
  const { stdout } = await node(copy, '--import', 'tsx', 'round-trip.ts')
  expect(JSON.parse(stdout)).toEqual([2.5, 2.5, 2.5, null, 2.5, 2.5])
})

test('a new fact about criteria takes no line of captures, reads, the doctor, the export or the restore', async () => {
  const { stdout } = await node(copy, '--import', 'tsx', 'fact.ts')
  expect(JSON.parse(stdout)).toEqual({
    captured: [2, 2],
    found: ['world_progress'],
    repaired: [2, 2],
    restored: [2, 2],
  })
})
