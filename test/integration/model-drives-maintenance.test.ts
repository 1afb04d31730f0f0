import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { Graph } from '../../src/graph/port.ts'

/** A made-up kind of node is added to the model, and nothing else: what looks after the graph looks after it, too. */

/** All modules anew, once the model has the kind: tests of other files share the process, and never see it. */
async function withMadeUpKind() {
  vi.resetModules()
  const model = await import('../../src/graph/model/nodes.ts')
  const { relationships } = await import('../../src/graph/model/relationships.ts')
  const { key, text } = await import('../../src/graph/model/properties.ts')
  const note = { says: 'what somebody noted of a world', name: 'key', exported: 'note' }
  Object.assign(model.nodes, { Note: { ...note, properties: z.strictObject({ key, text }) } })
  ;(model.LABELS as string[]).push('Note')
  const [ofRuns] = relationships.filter(({ type }) => type === 'HAS_RUN')
  ;(relationships as object[]).push({
    ...ofRuns,
    type: 'HAS_NOTE',
    to: ['Note'],
    says: 'the notes of a world',
  })
  const { memory } = await import('../support/engines.ts')
  const { aTurn, clientOf } = await import('../support/records.ts')
  const { findingsOf } = await import('../contract/doctor.ts')
  const { parseStatement } = await import('../../src/graph/statements.ts')
  return { memory, aTurn, clientOf, findingsOf, parseStatement }
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

  test('the doctor finds nothing wrong with one that is whole', async () => {
    expect(await made.findingsOf(graph)).toEqual([])
  })

  test('the doctor finds one that hangs on nothing', async () => {
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
})
