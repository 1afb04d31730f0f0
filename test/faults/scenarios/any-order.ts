import { worldKey } from '../../../src/core/keys.ts'
import { chainOf } from '../../support/graph-dump.ts'
import { checkNeo4jShape, graphAt, neo4jFor, serviceOnNeo4j } from '../harness/on-neo4j.ts'
import type { TurnToSend } from '../harness/planned-turn.ts'
import { Random } from '../harness/random.ts'
import { same } from '../harness/same.ts'
import { holds, inScope, type Later, type Scenario, type ScenarioOptions } from '../harness/scenario.ts'
import { sendTurn } from '../harness/send.ts'
import {
  folderOfScenario,
  type ServiceProcess,
  startServiceProcess,
  untilReady,
} from '../harness/service-process.ts'

const WRITERS = 8
const TURNS = 24

/**
 * Eight writers capture the turns of one world in any order, and nearly every turn adds criteria to the task.
 * In each order, the chain follows the turn numbers, and every context equals that of a world that was
 * captured in order.
 */
export const anyOrder: Scenario = (options) =>
  inScope(async (later) => {
    const random = new Random(options.seed)
    const figures = { rounds: options.rounds, captures: 0, busy: 0, contexts: 0 }
    for (const engine of [await onEmbedded(later), await onNeo4j(options, later)]) {
      for (let round = 1; round <= options.rounds; round++) {
        const project = `any-order-${options.seed}-${round}-${Date.now()}`
        const numbers = Array.from({ length: TURNS }, (_, i) => i + 1)
        const shuffled = random.shuffled(numbers)
        figures.busy += await captureTogether(engine.services, `${project}/a`, shuffled)
        await captureTogether(engine.services.slice(0, 1), `${project}/b`, numbers, 1)
        figures.captures += 2 * TURNS
        figures.contexts += await compareWorlds(engine.services[0] as ServiceProcess, project)
        await engine.checkChain?.(`${project}/a`)
        if (round % 5 === 0)
          options.log(`${engine.name}: ${round} worlds, ${figures.busy} captures were busy`)
      }
      await engine.checkShape?.()
    }
    return figures
  })

type Engine = {
  name: string
  services: ServiceProcess[]
  checkChain?: (project: string) => Promise<void>
  checkShape?: () => Promise<unknown>
}

async function onEmbedded(later: Later): Promise<Engine> {
  const folder = folderOfScenario(later)
  const service = await startServiceProcess({ dataFolder: folder })
  later(() => service.kill())
  await untilReady(service)
  return { name: 'embedded', services: [service] }
}

async function onNeo4j(options: ScenarioOptions, later: Later): Promise<Engine> {
  const url = await neo4jFor(options, later)
  const graph = graphAt(url)
  later(() => graph.close())
  return {
    name: 'Neo4j',
    services: [await serviceOnNeo4j(url, later), await serviceOnNeo4j(url, later)],
    async checkChain(project) {
      const chain = await chainOf(graph, worldKey(project, WORLD))
      const expected = Array.from({ length: TURNS - 1 }, (_, i) => `${i + 1}→${i + 2}`).join(' ')
      holds(chain === expected, 'NEXT is the chain of the turn numbers', { chain })
    },
    checkShape: () => checkNeo4jShape(url),
  }
}

const WORLD = 'session'

/** Returns how often a capture had to be sent again because others kept adding criteria. */
async function captureTogether(
  services: readonly ServiceProcess[],
  project: string,
  numbers: readonly number[],
  writers = WRITERS,
): Promise<number> {
  const waiting = [...numbers]
  let busy = 0
  const write = async ({ url, output }: ServiceProcess) => {
    for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
      for (;;) {
        const seen = await sendTurn(url, turnOf(project, turn))
        if (seen.status === 201 || seen.status === 200) break
        const code = seen.body?.error?.code
        holds(code === 'busy' || code === 'timeout', 'a concurrent capture is stored, or busy', {
          turn,
          seen,
          output: output(),
        })
        busy++
      }
    }
  }
  const crew = Array.from({ length: writers }, (_, i) => services[i % services.length] as ServiceProcess)
  await Promise.all(crew.map(write))
  return busy
}

/** Makes a turn that names its own criterion and two of its neighbors', each by its label and text. */
function turnOf(project: string, turnNumber: number): TurnToSend {
  const criterion = (number: number) => ({
    criterionId: `AC-${number}`,
    criterionText: `n${number} is served under its own name ${number}`,
  })
  const status = (number: number) =>
    (['verified', 'rejected', 'pending'] as const)[(number + turnNumber) % 3] ?? 'pending'
  const named = [turnNumber, turnNumber + 1, turnNumber + 5].map((number) => 1 + (number % TURNS))
  return {
    project,
    featureId: 'FEAT-1',
    taskId: 'TASK-1',
    worldSlug: WORLD,
    turnNumber,
    playerSummary: `Attempt ${turnNumber}`,
    coachDecision: 'feedback',
    completedAt: new Date(Date.UTC(2026, 0, 1, 0, turnNumber)).toISOString(),
    verifications: named.map((number) => ({
      ...criterion(number),
      status: status(number),
      evidence: `of turn ${turnNumber}`,
    })),
    promises: [{ ...criterion(1 + ((turnNumber + 2) % TURNS)), status: 'complete' }],
    issues: [{ severity: 'blocking', description: `issue of turn ${turnNumber}` }],
  }
}

async function compareWorlds({ client }: ServiceProcess, project: string): Promise<number> {
  let contexts = 0
  for (let currentTurn = 1; currentTurn <= TURNS + 1; currentTurn++) {
    for (const role of ['player', 'coach'] as const) {
      const of = async (side: 'a' | 'b') => {
        const asked = { featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: WORLD, currentTurn, role }
        const context = await client.loadTurnContinuationContext({ ...asked, project: `${project}/${side}` })
        return inOneProject(context, `${project}/${side}`)
      }
      same(
        await of('a'),
        await of('b'),
        `the context of turn ${currentTurn} does not depend on the order of arrival (${role})`,
      )
      contexts++
    }
  }
  return contexts
}

/**
 * Makes contexts comparable: keys begin with the project, and aliases are in the order of arrival, which
 * differs.
 */
function inOneProject(
  context: { criteria: { aliases: { label: string; source: string }[] }[] },
  project: string,
): unknown {
  const criteria = context.criteria.map(({ aliases, ...criterion }) => ({
    ...criterion,
    aliases: aliases.map(({ label, source }) => `${label} ${source}`).sort(),
  }))
  const text = JSON.stringify({ ...context, criteria })
  return JSON.parse(text.replaceAll(encodeURIComponent(project), 'P').replaceAll(project, 'P'))
}
