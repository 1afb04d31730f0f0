import * as z from 'zod'
import { readRows } from '../../../src/graph/decode.ts'
import type { Graph } from '../../../src/graph/port.ts'
import { parseStatement } from '../../../src/graph/statements.ts'
import { optionalNumber, optionalText } from '../../../src/rules/values.ts'
import { attemptRow, isActiveRun, runRow } from '../../../src/runs/record.ts'
import { holds } from './scenario.ts'

/**
 * Checks all runs and attempts of a graph below the interfaces: fences, counters, active ones, and produced
 * turns.
 */
export async function checkRunShape(graph: Graph): Promise<{ runs: number; attempts: number }> {
  const rows = <T>(name: string, cypher: string, row: z.ZodType<T>) =>
    readRows(graph, parseStatement(`chaos/${name}`, cypher), {}, row)
  const worlds = await rows(
    'run-worlds',
    `MATCH (w:World) RETURN w.key AS key, w.fence AS fence, w.attemptCount AS attemptCount,
       w.activeRunId AS activeRunId, w.activeAttemptId AS activeAttemptId`,
    worldRow,
  )
  const runs = await rows(
    'runs',
    'MATCH (w:World)-[:HAS_RUN]->(r:TurnRun) RETURN w.key AS world, properties(r) AS run',
    z.object({ world: z.string(), run: runRow }),
  )
  const attempts = await rows(
    'attempts',
    'MATCH (w:World)-[:HAS_ATTEMPT]->(a:Attempt) RETURN w.key AS world, properties(a) AS attempt',
    z.object({ world: z.string(), attempt: attemptRow }),
  )
  const ofRuns = await rows(
    'attempts-of-runs',
    'MATCH (r:TurnRun)-[:HAS_ATTEMPT]->(a:Attempt) RETURN r.turnRunId AS run, a.attemptId AS attempt',
    z.object({ run: z.string(), attempt: z.string() }),
  )
  const produced = await rows(
    'produced',
    'MATCH (a:Attempt)-[:PRODUCED]->(t:Turn) RETURN a.attemptId AS attempt, t.number AS number',
    z.object({ attempt: z.string(), number: z.number() }),
  )
  const nodes = await rows('run-nodes', 'MATCH (r:TurnRun) RETURN count(r) AS found', countRow)
  const attemptNodes = await rows('attempt-nodes', 'MATCH (a:Attempt) RETURN count(a) AS found', countRow)
  holds(nodes[0]?.found === runs.length, 'every run belongs to one world', [nodes, runs.length])
  holds(attemptNodes[0]?.found === attempts.length, 'every attempt belongs to one world', attemptNodes)

  const runOf = new Map(ofRuns.map(({ run, attempt }) => [attempt, run]))
  holds(runOf.size === ofRuns.length, 'an attempt belongs to one run')
  const turnOf = new Map(produced.map(({ attempt, number }) => [attempt, number]))
  holds(turnOf.size === produced.length, 'an attempt produces one turn')
  for (const { attempt } of attempts) {
    holds((runOf.get(attempt.attemptId) ?? null) === attempt.turnRunId, 'an attempt names its run', attempt)
    const number = turnOf.get(attempt.attemptId) ?? null
    holds(number === attempt.producedTurn, 'an attempt names its turn', { attempt, number })
  }
  for (const world of worlds) {
    const ofWorld = runs.filter((row) => row.world === world.key).map(({ run }) => run)
    const held = attempts
      .filter((row) => row.world === world.key)
      .map(({ attempt }) => attempt)
      .sort((a, b) => a.number - b.number)
    holds(
      held.every(({ number }, i) => number === i + 1) && held.length === (world.attemptCount ?? 0),
      'the attempts of a world are numbered 1 to n',
      { world, held },
    )
    const fences = held.flatMap(({ fence }) => fence ?? [])
    holds(
      fences.every((fence, i) => fence > (fences[i - 1] ?? 0)),
      'fences rise with the attempts',
      { world, fences },
    )
    const given = [...fences, ...ofWorld.flatMap(({ fence }) => fence ?? [])]
    holds(new Set(given).size === given.length, 'every fence has one owner', { world, given })
    holds(Math.max(0, ...given) === (world.fence ?? 0), 'the world stores its greatest fence', {
      world,
      given,
    })
    const activeRuns = ofWorld.filter(({ status }) => isActiveRun(status)).map(({ turnRunId }) => turnRunId)
    const active = held.filter(({ status }) => status === 'running').map(({ attemptId }) => attemptId)
    holds(String(activeRuns) === (world.activeRunId ?? ''), 'a world knows its run', { world, activeRuns })
    holds(String(active) === (world.activeAttemptId ?? ''), 'a world knows its attempt', { world, active })
  }
  return { runs: runs.length, attempts: attempts.length }
}

const worldRow = z.object({
  key: z.string(),
  fence: optionalNumber,
  attemptCount: optionalNumber,
  activeRunId: optionalText,
  activeAttemptId: optionalText,
})
const countRow = z.object({ found: z.number() })
