import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { createTurngraphClient } from '../../src/client/create.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { openGraph } from '../../src/graph/open.ts'
import { type Graph, graphWith, inOrder, type Row, type Step } from '../../src/graph/port.ts'
import { loadConfig } from '../../src/platform/config.ts'
import { GUARANTEES, type Proven, prove } from '../../src/proof/prove.ts'
import { newFolder } from '../faults/harness/in-test.ts'
import { runCli } from '../faults/harness/service-process.ts'

const BOUND_MS = 180_000

/** `turngraph proof` on a store, as it is and broken on purpose. */
export function proofSuite(storeAt: (folder: string) => string): void {
  test('all guarantees hold, also for a writer that is killed, and nothing of the proof is left', {
    timeout: BOUND_MS,
  }, async () => {
    const folder = newFolder()
    const out = path.join(folder, 'proof.md')
    const environment = { TURNGRAPH_STORE: storeAt(folder) }
    const { exitCode, output } = await runCli(['proof', '--out', out], { dataFolder: folder, environment })
    expect(output).toContain('Trying: Deterministic')
    const document = readFileSync(out, 'utf8')
    expect(document).toContain(`All ${GUARANTEES.length} guarantees hold.`)
    expect(document).toMatch(/turns acknowledged to a killed writer: [2-9]\d/)
    expect(exitCode).toBe(0)
    const client = createTurngraphClient({ store: storeAt(folder) })
    const { items } = await client.listProjects({})
    expect(items.filter(({ project }) => project.startsWith('turngraph-proof'))).toEqual([])
    await client.close()
  })

  test('a store that acknowledges a turn and does not store it breaks "Acknowledged is stored"', {
    timeout: BOUND_MS,
  }, async () => {
    const proven = await proveBroken({ graph: losingWrite(7) })
    expect(fallenIn(proven)).toContain('Acknowledged is stored')
    expect(proven[0]?.broken?.what).toMatch(/each that was acknowledged|is not there/)
  })

  test("a memory that shows a Player the Coach's view breaks judge isolation, and nothing else", {
    timeout: BOUND_MS,
  }, async () => {
    const proven = await proveBroken({
      client: (client) => ({
        ...client,
        loadTurnContinuationContext: (input, options) =>
          client.loadTurnContinuationContext({ ...input, role: 'coach' }, options),
      }),
    })
    expect(fallenIn(proven)).toEqual(['Judge isolation'])
  })

  test('a memory that does not look at fences breaks "One writer, fenced", and nothing else', {
    timeout: BOUND_MS,
  }, async () => {
    const proven = await proveBroken({ client: ignoringFences })
    expect(fallenIn(proven)).toEqual(['One writer, fenced'])
  })

  /** Tries all guarantees on a store that somebody broke. */
  async function proveBroken(broken: {
    graph?: (graph: Graph) => Graph
    client?: (client: TurngraphClient) => TurngraphClient
  }): Promise<Proven[]> {
    const folder = newFolder()
    const { store } = loadConfig({ TURNGRAPH_STORE: storeAt(folder) })
    const { graph: breakGraph = (graph) => graph, client: breakClient = (client) => client } = broken
    const project = `broken-${crypto.randomUUID().slice(0, 8)}`
    const opened: TurngraphClient[] = []
    onTestFinished(async () => {
      for (const client of opened) await client.close()
    })
    const open = async () => {
      const graph = breakGraph(await openGraph(store))
      await migrate(graph)
      const client = breakClient(inProcessClient({ graph, project }))
      opened.push(client)
      return client
    }
    return prove({ open, project })
  }
}

const fallenIn = (proven: readonly Proven[]): string[] =>
  proven.filter(({ holds }) => !holds).map(({ name }) => name)

/** Rolls the n-th capture back once it has been answered. */
function losingWrite(n: number): (graph: Graph) => Graph {
  let captures = 0
  return (graph) =>
    graphWith(graph, {
      write: async (steps, deadline) => {
        const isCapture = steps.some(({ statement }) => statement.name.startsWith('turns/append'))
        if (!isCapture || ++captures !== n) return graph.write(steps, deadline)
        return answeredOnly(graph, steps)
      },
    })
}

async function answeredOnly(graph: Graph, steps: readonly Step[]): Promise<Row[][] | null> {
  let answers: Row[][] | null = null
  await graph.transact(async (run) => {
    answers = await inOrder(steps, run)
    return null
  })
  return answers
}

/** Takes whatever fence a worker brings for the right one. */
function ignoringFences(client: TurngraphClient): TurngraphClient {
  const fences = new Map<string, number>()
  return {
    ...client,
    claimAttempt: async (input, options) => {
      const claimed = await client.claimAttempt(input, options)
      fences.set(input.attemptId, claimed.fence)
      return claimed
    },
    commitAttempt: (input, options) =>
      client.commitAttempt({ ...input, fence: fences.get(input.attemptId) ?? input.fence }, options),
  }
}
