import { expect, test } from 'vitest'
import { describeOnOwnNeo4j } from '../support/engines.ts'
import { killNeo4j } from './kill-neo4j.ts'

describeOnOwnNeo4j('lts', () => {
  test('a kill -9 of Neo4j loses nothing that was acknowledged', { timeout: 180_000 }, async () => {
    const { acknowledged } = await killNeo4j({ rounds: 1, seed: 1, log: () => {} })
    expect(acknowledged).toBeGreaterThan(0)
  })
})
