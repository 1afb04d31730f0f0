import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const needsNeo4j = 'test/**/*neo4j*.test.ts'
const needsCurrentNeo4j = 'test/**/*neo4j-current.test.ts'
const startsItsOwn = 'test/**/*own-neo4j.test.ts'
const onBothEngines = 'test/**/*.engines*.test.ts'
const slow = 'test/**/*{corpus,slow}*.test.ts'
const smoke = 'test/e2e/smoke.test.ts'

/** The files of a project share the one database of its server, so they run one after the other. */
const onNeo4j = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude,
    globalSetup: ['test/support/neo4j-server.ts'],
    fileParallelism: false,
    sequence: { groupOrder: 4 },
  },
})

/**
 * Test files that change the schema or the statistics of Neo4j, in the order in which they run. After such a change, Neo4j plans all
 * statements again.
 */
const REPLANS = ['/neo4j-lts.', '/migrations.neo4j.', '/growth.engines-slow.', '/cypher-25.']

/** Runs the files of REPLANS after all other files. */
class ReplansLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => REPLANS.findIndex((name) => moduleId.includes(name))
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b))
  }
}

/**
 * The folder and the name of a file give its project. `unit`: next to the code. `store`: on embedded graphs. `slow`: the same, if the
 * name has `corpus` or `slow`, and the faults. `e2e`: the command line, in a process of the build if needed. `browser`: the page in a
 * real browser.
 * In a name, `neo4j` means Neo4j 5.26, `neo4j-current` 2026.05, and `own-neo4j` a server that the file starts and kills.
 * `engines` means the embedded engine in `store` or `slow`, and 5.26 in `neo4j`. `npm test` runs `unit` and `store` only.
 */
export default defineConfig({
  test: {
    slowTestThreshold: 20_000,
    // Ends what hangs. It proves nothing: other suites share the machine, and some tests run 40 commands.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    globalSetup: ['test/support/build.ts', 'test/support/random-seed.ts'],
    setupFiles: ['test/support/seed-cases.ts'],
    sequence: { sequencer: ReplansLast },
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
          include: ['test/{contract,property,integration}/**/*.test.ts', smoke],
          exclude: [needsNeo4j, slow],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [slow, 'test/faults/**/*.test.ts'],
          exclude: [needsNeo4j, 'test/{browser,e2e}/**'],
          sequence: { groupOrder: 1 }, // before `store`: its files wait, and other lanes use that time
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [smoke],
          sequence: { groupOrder: 3 },
          hookTimeout: 180_000,
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
      onNeo4j('neo4j', [needsNeo4j, onBothEngines], [needsCurrentNeo4j, startsItsOwn]),
      onNeo4j('neo4j-current', [needsCurrentNeo4j]),
    ],
  },
})
