import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import neo4j, { type Driver } from 'neo4j-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAnalyses } from '../../src/analysis/named-analyses.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { toOnePlan } from '../../src/graph/neo4j-plans.ts'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { allStatements } from '../../src/graph/statements.ts'
import { describeOn, neo4jCurrent, neo4jUrl } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { fillWithEverything, OTHER_PROJECTS } from '../support/whole-graph.ts'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
/** This server must plan every statement again for Cypher 25. */
const BOUND_MS = 300_000
const PLANS_WITHIN_MS = 60_000

/** The owner of a database of version 2026 or later can set Cypher 25 as its default. The other tests on this server use Cypher 5. */
describeOn(neo4jCurrent, (store) => {
  let driver: Driver
  const setLanguage = (version: number) =>
    driver.executeQuery(`ALTER DATABASE neo4j SET DEFAULT LANGUAGE CYPHER ${version}`)

  beforeAll(async () => {
    driver = neo4j.driver(neo4jUrl('current'))
    await setLanguage(25)
  })
  afterAll(async () => {
    await setLanguage(5)
    await driver.close()
  })

  /** The statements that the first test runs. To plan them again would take as long as to run them. */
  const ran = new Set<string>()

  test('a graph with all kinds of data can be written, read, exported, examined and forgotten in Cypher 25', {
    timeout: BOUND_MS,
  }, async () => {
    const { records } = await driver.executeQuery('WHEN true THEN RETURN 1 AS one')
    expect(records, 'a statement that only Cypher 25 has').toHaveLength(1)
    const graph = new ObservedGraph(patient(await store.openUnmigrated()), ({ statement }) => {
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
        // The server plans each statement for the first time in Cypher 25: one call is not enough.
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

/** The same graph with more time for each statement: this server plans all of them for the first time in Cypher 25. */
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
