import { defineConfig } from 'vitest/config'

const needsNeo4j = 'test/**/*neo4j*.test.ts'
const needsCurrentNeo4j = 'test/**/*neo4j-current.test.ts'
const startsItsOwn = 'test/**/*own-neo4j.test.ts'

/** The files of a project share the one database of its server, so they run one after the other. */
const onNeo4j = (name: string, include: string, exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    exclude,
    globalSetup: ['test/support/neo4j-server.ts'],
    fileParallelism: false,
    sequence: { groupOrder: 4 },
  },
})

/**
 * `unit` stands beside the code; `store` works on embedded graphs, `e2e` runs the built command line, `browser` looks at the
 * page in a real one. A file that needs a
 * real Neo4j says so in its name: `neo4j` is 5.26, `neo4j-current` 2026.05, `own-neo4j` one that the file starts and kills.
 */
export default defineConfig({
  test: {
    slowTestThreshold: 20_000,
    // It ends what hangs, and proves nothing: two suites share the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/support/build.ts'],
    isolate: false, // to load every module anew for each file took a minute: a test undoes what it does to one
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
          include: ['test/{contract,property,integration,faults}/**/*.test.ts'],
          exclude: [needsNeo4j],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          sequence: { groupOrder: 3 },
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: [needsNeo4j],
          fileParallelism: false, // each file opens a browser, which wants a core
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: {
          name: 'own-neo4j',
          include: [startsItsOwn],
          fileParallelism: false,
          sequence: { groupOrder: 6 },
        },
      },
      onNeo4j('neo4j', needsNeo4j, [needsCurrentNeo4j, startsItsOwn]),
      onNeo4j('neo4j-current', needsCurrentNeo4j),
    ],
  },
})
