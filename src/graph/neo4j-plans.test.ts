import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Neo4jPlans } from './neo4j-plans.ts'

const read = { name: 'read', text: 'MATCH (n {key: $key}) RETURN n', params: ['key'] }
const write = { name: 'write', text: 'CREATE (n {key: $key})', params: ['key'] }
const CHECKED = 'MATCH (n {key: $p.key}) RETURN n'
const KEPT = `CYPHER replan=skip ${CHECKED}`
const reading = { statement: read, hasChanges: false }
const writing = { statement: write, hasChanges: false }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('the first use of a statement lets Neo4j check the plan, and later uses keep it', () => {
  const plans = new Neo4jPlans(() => Promise.resolve())
  expect([plans.textOf(reading), plans.textOf(reading)]).toEqual([CHECKED, KEPT])
})

test('a use after Neo4j would check the plan keeps it, and the plan is renewed once in the background', () => {
  const explain = vi.fn(() => new Promise(() => {}))
  const plans = new Neo4jPlans(explain)
  plans.textOf(reading)
  vi.advanceTimersByTime(10_000)
  expect([plans.textOf(reading), plans.textOf(reading)]).toEqual([KEPT, KEPT])
  expect(explain.mock.calls).toEqual([[reading]])
})

test('the first use after a long time lets Neo4j check the plan', () => {
  const plans = new Neo4jPlans(() => Promise.resolve())
  plans.textOf(reading)
  vi.advanceTimersByTime(10 * 60_000)
  expect([plans.textOf(reading), plans.textOf(reading)]).toEqual([CHECKED, KEPT])
})

test('a statement has another plan in a transaction that has changes', () => {
  const plans = new Neo4jPlans(() => Promise.resolve())
  const texts = [false, true, true].map((hasChanges) => plans.textOf({ statement: read, hasChanges }))
  expect(texts).toEqual([CHECKED, CHECKED, KEPT])
})

test('plans are renewed one at a time, each once for all requests, and again after a failure', async () => {
  const started: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const plans = new Neo4jPlans(({ statement }) => {
    started.push(statement.name)
    return new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)))
    })
  })
  for (const use of [reading, writing, writing]) plans.renew(use)
  expect(started).toEqual(['read'])
  ends.shift()?.(new Error('The server is away.'))
  await vi.waitFor(() => expect(started).toEqual(['read', 'write']))
  plans.renew(reading)
  ends.shift()?.()
  await vi.waitFor(() => expect(started).toEqual(['read', 'write', 'read']))
})
