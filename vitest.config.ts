import { configDefaults, defineConfig } from 'vitest/config'

/**
 * These start and kill a Neo4j of their own, which takes minutes where the machine is busy: `npm run chaos` and
 * TURNGRAPH_CHAOS=1 run them.
 */
const LONG = ['test/chaos/on-neo4j.test.ts', 'test/failure/neo4j-away.test.ts']
const left = process.env.TURNGRAPH_CHAOS === '1' ? [] : LONG

/**
 * Three projects: `unit` stands beside the code and runs in parallel; `store` works on graphs (Neo4j
 * Community has one database, so its files run one after the other); `e2e` runs the built command line.
 */
export default defineConfig({
  test: {
    slowTestThreshold: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'tools/**/*.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'store',
          include: ['test/{contract,property,integration,failure,chaos}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...left],
          globalSetup: ['test/support/neo4j-servers.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
