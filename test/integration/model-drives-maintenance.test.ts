import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { Graph } from '../../src/graph/port.ts'

/** A made-up kind of node is added only to the model. The maintenance of the graph handles it without other changes. */

/** Adds the kind, and reloads all modules with it. Tests of other files in the same process never see it. */
async function addMadeUpKind(owner: string, exported = 'note') {
  vi.resetModules()
  const model = await import('../../src/graph/model/nodes.ts')
  const { relationships } = await import('../../src/graph/model/relationships.ts')
  const { key, text } = await import('../../src/graph/model/properties.ts')
  const note = { meaning: 'what somebody noted', name: 'key', exported }
  Object.assign(model.nodes, { Note: { ...note, properties: z.strictObject({ key, text }) } })
  ;(model.LABELS as string[]).push('Note')
  const [ofRuns] = relationships.filter(({ type }) => type === 'HAS_RUN')
  ;(relationships as object[]).push({
    ...ofRuns,
    type: 'HAS_NOTE',
    from: [owner],
    to: ['Note'],
    meaning: 'the notes of a node',
  })
}

async function withMadeUpKind() {
  await addMadeUpKind('World')
  const { memory } = await import('../support/engines.ts')
  const { aTurn, clientOf } = await import('../support/records.ts')
  const { findingsOf } = await import('../contract/doctor.ts')
  const { parseStatement } = await import('../../src/graph/statements.ts')
  const { exportOf, restoreLines } = await import('../support/exported.ts')
  return { memory, aTurn, clientOf, findingsOf, parseStatement, exportOf, restoreLines }
}

describe('a made-up kind of node', () => {
  let made: Awaited<ReturnType<typeof withMadeUpKind>>
  let graph: Graph
  const change = (cypher: string) =>
    graph.write([{ statement: made.parseStatement('test', cypher), params: {} }])
  beforeAll(async () => {
    made = await withMadeUpKind()
  })
  afterAll(() => {
    vi.resetModules()
  })
  beforeEach(async () => {
    graph = await made.memory.open()
    await made.clientOf(graph).captureTurnState(made.aTurn(1, { worldSlug: 'main' }))
    await change(
      "MATCH (w:World {key: 'shop/main'}) CREATE (w)-[:HAS_NOTE]->(:Note {key: 'shop/main/n1', text: 'a'})",
    )
  })
  afterEach(() => graph.close())

  test('the doctor finds no fault in an undamaged one', async () => {
    expect(await made.findingsOf(graph)).toEqual([])
  })

  test('the doctor finds one without a parent', async () => {
    await change('MATCH (:World)-[r:HAS_NOTE]->(:Note) DELETE r')
    expect(await made.findingsOf(graph)).toMatchObject([
      { check: 'unattached', label: 'Note', key: 'shop/main/n1' },
    ])
  })

  test('the doctor finds and removes a property that the model does not have', async () => {
    await change("MATCH (n:Note) SET n.mood = 'fine'")
    const wrong = { check: 'record_invalid', label: 'Note', key: 'shop/main/n1' }
    expect(await made.findingsOf(graph)).toMatchObject([wrong])
    expect(await made.findingsOf(graph, 'shop', { repair: true })).toMatchObject([
      { ...wrong, repaired: true },
    ])
    expect(await made.findingsOf(graph)).toEqual([])
  })

  test('an export has a line for it after its world, in pages of any size', async () => {
    await change(
      "MATCH (w:World {key: 'shop/main'}) CREATE (w)-[:HAS_NOTE]->(:Note {key: 'shop/main/n2', text: 'b'})",
    )
    const lines = await made.exportOf(graph)
    const note = (n: number, text: string) =>
      `{"kind":"note","world":"shop/main","key":"shop/main/n${n}","text":"${text}"}`
    expect(lines.slice(-4, -1)).toEqual([
      expect.stringContaining('"kind":"standing"'),
      note(1, 'a'),
      note(2, 'b'),
    ])
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ records: { note: 2 } })
    for (const limit of [1, 3]) expect(await made.exportOf(graph, { limit })).toEqual(lines)
  })

  test('a restore writes it below its world once, and rejects a different one', async () => {
    const lines = await made.exportOf(graph)
    const restored = await made.memory.open()
    expect((await made.restoreLines(restored, lines)).records).toMatchObject({
      note: { created: 1, existing: 0 },
    })
    expect(await made.exportOf(restored)).toEqual(lines)
    expect(await made.findingsOf(restored)).toEqual([])
    expect((await made.restoreLines(restored, lines)).records).toMatchObject({
      note: { created: 0, existing: 1 },
    })
    await change("MATCH (n:Note) SET n.text = 'other'")
    const other = await made.exportOf(graph)
    await expect(made.restoreLines(restored, other)).rejects.toMatchObject({ code: 'restore_conflict' })
    await restored.close()
  })

  test('forgetting its world deletes it', async () => {
    const forgotten = await made.clientOf(graph).forget({ worldSlug: 'main', dryRun: false })
    expect(forgotten).toMatchObject({ done: true, counts: { World: 1, Note: 1 } })
    expect(await graph.read(made.parseStatement('test', 'MATCH (n:Note) RETURN n.key AS key'), {})).toEqual(
      [],
    )
  })
})

describe('a made-up kind of node that no export would list', () => {
  afterAll(() => {
    vi.resetModules()
  })

  test.each(['Turn', 'TurnRun', 'Attempt', 'TranscriptSession', 'Tool'])(
    'is refused when the records of an export are loaded: one below a %s',
    async (owner) => {
      await addMadeUpKind(owner)
      await expect(import('../../src/maintenance/export/records.ts')).rejects.toThrow(
        `Note hangs on ${owner}`,
      )
    },
  )

  test('is rejected when the records of an export are loaded, because no record contains it', async () => {
    await addMadeUpKind('Turn', 'part')
    await expect(import('../../src/maintenance/export/records.ts')).rejects.toThrow('Note is a part')
  })
})
