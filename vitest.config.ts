import { defineConfig } from 'vitest/config'

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
