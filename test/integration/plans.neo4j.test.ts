import neo4j, { type Driver, type Plan } from 'neo4j-driver'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { toOnePlan } from '../../src/graph/neo4j-plans.ts'
import { type Graph, PLAN_MS } from '../../src/graph/port.ts'
import { parseStatement, type Statement } from '../../src/graph/statements.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'

// If a statement has a label that does not exist, Neo4j plans it again when the label exists, and does not wait ten seconds.

const mark = parseStatement('test/mark', 'CREATE (m:PlanMark) RETURN 1 AS one')

describeOn(neo4jLts, (store) => {
  let driver: Driver
  let graph: Graph

  beforeEach(async () => {
    driver = neo4j.driver(neo4jUrl('lts'))
    graph = await store.open()
  })
  afterEach(async () => {
    await graph.close()
    await driver.close()
  })

  /** Returns the operators of the plan that the server has for a transaction with or without changes. */
  async function planOf(statement: Statement, hasChanges: boolean): Promise<string> {
    const session = driver.session()
    const transaction = session.beginTransaction()
    try {
      if (hasChanges) await transaction.run('CREATE ()')
      const text = `CYPHER replan=skip EXPLAIN ${toOnePlan(statement)}`
      const { summary } = await transaction.run(text, { p: {} })
      return summary.plan === false ? '' : operatorsOf(summary.plan)
    } finally {
      await transaction.rollback()
      await session.close()
    }
  }

  test.each([false, true])(
    'a request keeps the plan of a graph that has grown, which is then renewed without a request (changes: %s)',
    {
      timeout: 60_000,
    },
    async (hasChanges) => {
      const label = `Planned${crypto.randomUUID().replaceAll('-', '')}`
      const statement = parseStatement(
        `test/${label}`,
        `// params: $key\nMATCH (a:${label}A {key: $key}) MATCH (b:${label}B) WHERE b.of = a.of RETURN count(b) AS n`,
      )
      const request = () =>
        graph.transact(async (run) => {
          if (hasChanges) await run({ statement: mark, params: {} })
          return run({ statement, params: { key: 'x' } })
        }, performance.now() + PLAN_MS)
      await request()
      const small = await planOf(statement, hasChanges)
      await driver.executeQuery(
        `UNWIND range(1, 2000) AS i CREATE (:${label}A {key: 'x', of: i}), (:${label}B {of: i})`,
      )
      await request()
      expect(await planOf(statement, hasChanges)).toBe(small)

      const later = performance.now() + 11_000
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
      onTestFinished(() => clock.mockRestore())
      await request()
      await expect.poll(() => planOf(statement, hasChanges), { timeout: 30_000 }).not.toBe(small)
    },
  )
})

const operatorsOf = ({ operatorType, children }: Plan): string =>
  [operatorType, ...children.map(operatorsOf)].join(' ')
