import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { EmbeddedReader } from '../../src/analysis/query/embedded-reader.ts'
import { Neo4jReader } from '../../src/analysis/query/neo4j-reader.ts'
import { Queries } from '../../src/analysis/query/queries.ts'
import type { Reader } from '../../src/analysis/query/reader.ts'
import { refuseByPlan } from '../../src/analysis/query/refuse.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import type { Graph } from '../../src/graph/port.ts'
import { dumpOf } from '../support/graph-dump.ts'
import {
  DISGUISES,
  FILES_AND_PROCEDURES,
  READS,
  SCHEMA_AND_SERVER,
  TOO_MUCH,
  WRITES,
} from '../support/hostile-cypher.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Opens a reader in this process, without the checks of the query text. */
async function readerOf({ source }: Graph): Promise<{ reader: Reader; close: () => Promise<void> }> {
  if (source.engine === 'neo4j') {
    const reader = new Neo4jReader(source.options)
    return { reader, close: () => reader.close() }
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'turngraph-test-'))
  const file = path.join(folder, 'copy.db')
  await source.copyTo(file)
  vi.stubEnv('TMPDIR', folder) // the engine leaves a folder there until its process ends
  const reader = new EmbeddedReader(file)
  vi.unstubAllEnvs()
  return {
    reader,
    close: async () => {
      await reader.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const LONG = 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS pairs'
const BOUNDS = { limit: 10, maxBytes: 1_000, timeoutMs: 10_000 }
const CLOSED = { code: 'store_unavailable' }

type Difference = { query: string; embedded: unknown; neo4j: unknown; onBoth: string | null }

/** The rows of the table of differences in docs/how-to/analyst.md. */
function readDifferences(): Difference[] {
  const text = readFileSync(new URL('../../docs/how-to/analyst.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('### What the engines do differently\n')
  const lines = section.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
    const [query = '', embedded = '', neo4j = '', onBoth = ''] = cells.slice(1, -1).map(withoutBackticks)
    const value = (cell: string): unknown => (cell === 'refused' ? cell : JSON.parse(cell))
    return { query, embedded: value(embedded), neo4j: value(neo4j), onBoth: onBoth === '' ? null : onBoth }
  })
}

const withoutBackticks = (cell: string): string => cell.replace(/^`(.*)`$/, '$1')

export function freeCypherContract(store: StoreUnderTest): void {
  describe('free Cypher', () => {
    const handles = useGraph(store)

    const withTurns = async () => {
      const client = clientOf(handles.graph)
      for (const turn of [1, 2, 3]) {
        await client.captureTurnState(
          aTurn(turn, { acceptanceCriteriaStatus: { 'AC-1': turn === 2 ? 'rejected' : 'verified' } }),
        )
      }
      return client
    }
    type Client = Awaited<ReturnType<typeof withTurns>>
    const outcomeOf = async (client: Client, query: string, timeoutMs = 5_000): Promise<string> => {
      try {
        const { truncated } = await client.queryGraph({
          query,
          params: query.includes('$project') ? { project: 'shop' } : {},
          timeoutMs,
        })
        return truncated ? 'truncated' : 'answered'
      } catch (error) {
        return error instanceof TurngraphError ? error.code : `threw ${error}`
      }
    }

    test.each([
      ['writes', WRITES],
      ['schema and server', SCHEMA_AND_SERVER],
      ['files and procedures', FILES_AND_PROCEDURES],
      ['disguises', DISGUISES],
    ])('%s are refused, each of them, and nothing is changed', async (_what, statements) => {
      const client = await withTurns()
      const before = await dumpOf(handles.graph)
      const outcomes: Record<string, string> = {}
      for (const query of statements) outcomes[query] = await outcomeOf(client, query)
      expect(outcomes).toEqual(Object.fromEntries(statements.map((query) => [query, 'invalid_request'])))
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('a query with names that the graph does not have answers with warnings and similar names', async () => {
      const client = await withTurns()
      const { rows, warnings } = await client.queryGraph({
        query: 'MATCH (:World)-[:HAS_TRUN]->(t:Trun) RETURN t.nubmer',
      })
      expect(rows).toEqual([])
      expect(warnings).toEqual([
        { unknown: 'HAS_TRUN', near: expect.arrayContaining(['HAS_TURN']) },
        { unknown: 'Trun', near: ['Turn'] },
        { unknown: 'nubmer', near: expect.arrayContaining(['number']) },
      ])
      expect((await client.queryGraph({ query: 'MATCH (t:Turn) RETURN t.number' })).warnings).toEqual([])
    })

    test('an error of the engine names the place and the word, but suggests no forbidden procedure', async () => {
      const client = await withTurns()
      await expect(client.queryGraph({ query: 'MATCH (t:Turn)\nRETRUN t' })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/RETRUN.*line 2, column 1\b|line 2, column 1\b.*RETRUN/),
      })
      await expect(client.queryGraph({ query: 'MATCH (t:Turn) RETRUN t' })).rejects.toMatchObject({
        message: expect.stringMatching(/line 1, column 16\b/),
      })
      await expect(
        client.queryGraph({ query: 'CALL db.labels() YIELD nothing RETURN nothing' }),
      ).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.not.stringMatching(/grafeo\.|dbms\.|SHOW PROC/),
      })
    })

    const differences = readDifferences()

    test.each(differences)(
      '$query differs between the engines as described in docs/how-to/analyst.md',
      async (row) => {
        const client = await withTurns()
        const answer = async (query: string): Promise<unknown> => {
          try {
            const { rows } = await client.queryGraph({ query })
            const [[value] = []] = rows
            return Array.isArray(value) ? value.toSorted() : value
          } catch (error) {
            return error instanceof TurngraphError && error.code === 'invalid_request' ? 'refused' : error
          }
        }
        const expected = handles.graph.engine === 'embedded' ? row.embedded : row.neo4j
        expect(await answer(row.query)).toEqual(expected)
        if (row.onBoth !== null) expect(await answer(row.onBoth)).toEqual(row.neo4j)
      },
    )

    test('a local date and time is text without a zone', async () => {
      const { queryGraph } = clientOf(handles.graph)
      const { rows } = await queryGraph({ query: "RETURN localdatetime('2026-01-01T10:00:00.12') AS x" })
      expect(rows).toEqual([['2026-01-01T10:00:00.12']])
    })

    test('the plan of a query that writes is rejected, however the query is written', async () => {
      await withTurns()
      const { reader, close } = await readerOf(handles.graph)
      try {
        const planned: string[] = []
        for (const query of [...WRITES, ...SCHEMA_AND_SERVER, ...FILES_AND_PROCEDURES]) {
          try {
            refuseByPlan(reader.engine, await reader.plan(query, {}, BOUNDS))
            planned.push(query)
          } catch (error) {
            if (!(error instanceof TurngraphError)) throw error
          }
        }
        // Procedures and databases are rejected by their name, before the query is planned.
        expect(
          planned.filter((query) => !/\b(file|linenumber|graph\.byName)\(|^USE neo4j /.test(query)),
        ).toEqual([])
      } finally {
        await close()
      }
    })

    test('too large an answer is cut, and the next query is answered', async () => {
      const client = await withTurns()
      for (const query of TOO_MUCH) {
        const outcome = await outcomeOf(client, query, 300)
        expect(['timeout', 'too_large', 'truncated', 'answered'], `${query}: ${outcome}`).toContain(outcome)
        expect(await outcomeOf(client, 'RETURN 1 AS x'), `after ${query}`).toBe('answered')
      }
    }, 90_000)

    test('closing the graph ends the waiting queries', async () => {
      const queries = new Queries(handles.graph)
      const ask = (query: string) => queries.ask({ query, params: {}, limit: 1, timeoutMs: 30_000 })
      const running = expect(ask(LONG)).rejects.toBeInstanceOf(TurngraphError)
      const waiting = [1, 2].map(() => expect(ask('RETURN 1 AS x')).rejects.toMatchObject(CLOSED))
      queries.close()
      await Promise.all(waiting)
      await running
      await expect(ask('RETURN 1 AS x')).rejects.toMatchObject(CLOSED)
    })

    test('the neighbors of a node in an answer can be requested, in both directions and up to a limit', async () => {
      const client = await withTurns()
      const query = 'MATCH (w:World)-[:HAS_TURN]->(t:Turn {number: 2}) RETURN t'
      const { rows } = await client.queryGraph({ query })
      const [[turn]] = rows as [[{ id: string }]]
      const { node, neighbors, truncated } = await client.listNeighbors({ nodeId: turn.id })
      expect(node).toMatchObject({ id: turn.id, labels: ['Turn'], properties: { number: 2 } })
      const seen = neighbors.map(({ relationship: { type, start }, node: { labels } }) =>
        start === node.id ? `-${type}-> ${labels}` : `<-${type}- ${labels}`,
      )
      const nexts = ['-NEXT-> Turn', '<-NEXT- Turn'] // in the order of their ids
      expect(seen.toSorted()).toEqual([...nexts, '-RECORDED-> Verification', '<-HAS_TURN- World'].toSorted())
      expect(neighbors.map(({ relationship }) => relationship.type)).toEqual([
        'HAS_TURN',
        'NEXT',
        'NEXT',
        'RECORDED',
      ])
      expect(truncated).toBe(false)
      const first = await client.listNeighbors({ nodeId: turn.id, limit: 1 })
      expect(first).toMatchObject({ neighbors: neighbors.slice(0, 1), truncated: true })
      await expect(client.listNeighbors({ nodeId: '4:none:99999999' })).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    test('the schema lists the labels, relationships and properties of the graph, each with its meaning', async () => {
      const client = await withTurns()
      const { nodes, relationships } = await client.describeGraph({})
      for (const { properties, meaning } of [...nodes, ...relationships])
        for (const words of [meaning, ...properties.map((property) => property.meaning)])
          expect(words.length).toBeGreaterThan(5)
      const { rows } = await client.queryGraph({
        query: 'MATCH (n)-[r]->() UNWIND labels(n) AS label RETURN DISTINCT label, type(r) AS type',
      })
      expect(rows.length).toBeGreaterThan(5)
      for (const [label, type] of rows) {
        expect(nodes.map((node) => node.label)).toContain(label)
        expect(relationships.map((relationship) => relationship.type)).toContain(type)
      }
    })

    test('typical queries of analysts are answered', async () => {
      const client = await withTurns()
      const outcomes: Record<string, string> = {}
      for (const query of READS) outcomes[query] = await outcomeOf(client, query)
      expect(outcomes).toEqual(Object.fromEntries(READS.map((query) => [query, 'answered'])))
    })
  })
}
