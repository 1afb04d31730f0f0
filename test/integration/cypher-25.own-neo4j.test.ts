import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import neo4j, { type Driver } from 'neo4j-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAnalyses } from '../../src/analysis/named-analyses.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { Neo4jGraph } from '../../src/graph/neo4j.ts'
import { toOnePlan } from '../../src/graph/neo4j-plans.ts'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { allStatements } from '../../src/graph/statements.ts'
import type { Neo4jServer } from '../../tools/neo4j/server.ts'
import { describeOnOwnNeo4j } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { startBriefNeo4j } from '../support/test-neo4j.ts'
import { fillWithEverything, OTHER_PROJECTS } from '../support/whole-graph.ts'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
/** A server that has just started must plan every statement. */
const BOUND_MS = 300_000
const PLANS_WITHIN_MS = 60_000

/** The owner of a database of version 2026 or later can set Cypher 25 as its default. */
describeOnOwnNeo4j('current', () => {
  let server: Neo4jServer
  let driver: Driver

  beforeAll(async () => {
    const settings = { 'db.query.default_language': 'CYPHER_25' }
    server = await startBriefNeo4j({ version: 'current', settings })
    driver = neo4j.driver(server.url)
  }, 120_000)

  /** The statements that the first test runs. To plan them again would take as long as to run them. */
  const ran = new Set<string>()

  afterAll(async () => {
    await driver?.close()
    await server?.stop()
  })

  test('a graph with all kinds of data can be written, read, exported, examined and forgotten in Cypher 25', {
    timeout: BOUND_MS,
  }, async () => {
    const { records } = await driver.executeQuery(
      "SHOW SETTINGS YIELD name, value WHERE name = 'db.query.default_language' RETURN value",
    )
    expect(records[0]?.get('value')).toBe('CYPHER_25')
    const own = new Neo4jGraph({ url: server.url, user: 'neo4j', password: null, database: 'neo4j' })
    const graph = new ObservedGraph(patient(own), ({ statement }) => {
      for (const name of statement.split('+')) ran.add(name)
    })
    try {
      await migrate(graph)
      await fillWithEverything(graph)
      const client = clientOf(graph)
      for (const { name } of listAnalyses()) await client.runAnalysis({ name })
      const lines = await exportOf(graph)
      await restoreLines(graph, lines)
      expect((await client.examineGraph({ repair: true })).findings).toEqual([])
      for (const project of [PROJECT, ...OTHER_PROJECTS]) {
        // This server plans each statement for the first time: one call is not enough.
        while (!(await client.forget({ project, wholeProject: true, dryRun: false })).done);
      }
      expect((await exportOf(graph)).length).toBeLessThan(lines.length)
    } finally {
      await graph.close()
    }
    expect(ran.size).toBeGreaterThan(80)
  })

  test('every other statement is valid in Cypher 25', { timeout: BOUND_MS }, async () => {
    await loadEveryStatement()
    const refused: string[] = []
    for (const statement of allStatements()) {
      const { name } = statement
      if (ran.has(name)) continue
      await driver.executeQuery(`EXPLAIN ${toOnePlan(statement)}`).catch((error: Error) => {
        refused.push(`${name}: ${error.message}`)
      })
    }
    expect(allStatements().length).toBeGreaterThan(100)
    expect(refused).toEqual([])
  })
})

/** The same graph with more time for each statement: this server plans all of them for the first time. */
function patient(graph: Graph): Graph {
  const later = () => performance.now() + PLANS_WITHIN_MS
  return graphWith(graph, {
    read: (statement, params) => graph.read(statement, params, later()),
    write: (steps) => graph.write(steps, later()),
    transact: (work) => graph.transact(work, later()),
  })
}

/** Statements that are generated from the model exist after their modules are loaded. */
async function loadEveryStatement(): Promise<void> {
  const programs = ['main.ts', 'hook-run.ts'].map((name) => path.join('cli', name))
  const modules = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !/\.(test|d)\.ts$/.test(file) &&
      !programs.includes(file) &&
      !file.startsWith(`web${path.sep}`), // it runs in a browser, and calls operations
  )
  for (const file of modules) await import(pathToFileURL(path.join(SRC, file)).href)
}
