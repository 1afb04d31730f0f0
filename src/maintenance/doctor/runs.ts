/** Checks the turn runs and the attempts of worlds. */
import * as z from 'zod'
import { recordKey, runSeqKey, turnKey, turnOfSuperseded, worldKey, worldSeqKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, selectNodes, setProperties } from '../../graph/model-statements.ts'
import type { Graph } from '../../graph/port.ts'
import { brokenAttemptRules, brokenRules, isActiveRun, seenAttempt, seenRun } from '../../runs/record.ts'
import { type Examined, keyList, type ToCheck } from './finding.ts'

export const RUN_COLUMNS = { attempts: '[(x)-[:HAS_ATTEMPT]->(a:Attempt) | a.status]' }
const runRow = z.object({ attempts: keyList })

export async function checkRuns({ graph, nodes }: ToCheck): Promise<void> {
  const wanted: UniqueValues[] = []
  for (const node of nodes.filter(({ isWhole }) => isWhole)) {
    const { key, properties, row, about } = node
    const { attempts } = runRow.parse(row)
    const run = seenRun.parse(properties)
    const broken = brokenRules(run)
    for (const rule of broken) about.add('run_rules', rule)
    const count = (ended: string) => attempts.filter((status) => status === ended).length
    const derived = {
      attemptCount: attempts.length,
      committedTurnCount: count('committed'),
      failedAttemptCount: count('failed'),
      interruptedAttemptCount: count('interrupted'),
    }
    const repair = () => setProperties('TurnRun', key, derived)
    if (broken.length === 0)
      for (const [name, expected] of Object.entries(derived))
        about.reportDifference('run_counters', { label: name, actual: properties[name], expected }, repair)
    const activeWorldKey = isActiveRun(run.status) ? worldKey(run.project, run.worldSlug) : null
    wanted.push({ node, status: run.status, values: { activeWorldKey } })
  }
  await checkUniqueValues(graph, 'TurnRun', wanted)
}

export const ATTEMPT_COLUMNS = {
  runs: '[(x)<-[:HAS_ATTEMPT]-(r:TurnRun) | r.key]',
  produced: '[(x)-[:PRODUCED]->(t) | [t.key, t.digest]]',
}
const attemptRow = z.object({
  runs: keyList,
  produced: z.array(z.tuple([z.string(), z.string().nullable()])),
})

export function sequenceKeys({
  project,
  worldSlug,
  number,
  turnRunId,
  turnRunSeq,
}: {
  [N in 'project' | 'worldSlug' | 'number']: Stored<'Attempt'>[N]
} & { turnRunId?: string | null | undefined; turnRunSeq?: number | null | undefined }) {
  const isOfRun = turnRunId != null && turnRunSeq != null
  return {
    worldSeqKey: worldSeqKey(worldKey(project, worldSlug), number),
    runSeqKey: isOfRun ? runSeqKey(recordKey(project, turnRunId), turnRunSeq) : null,
  }
}

export async function checkAttempts({ graph, nodes }: ToCheck): Promise<void> {
  const wanted: UniqueValues[] = []
  for (const node of nodes.filter(({ isWhole }) => isWhole)) {
    const { key, properties, row, about } = node
    const { runs, produced } = attemptRow.parse(row)
    const attempt = seenAttempt.parse(properties)
    const { project, turnRunId, status } = attempt
    for (const rule of brokenAttemptRules(attempt)) about.add('run_rules', rule)
    const ofWorld = worldKey(project, attempt.worldSlug)
    const ofRun = turnRunId === null ? null : recordKey(project, turnRunId)
    about.reportDifference(
      'run_counters',
      { label: 'run', actual: runs, expected: ofRun === null ? [] : [ofRun] },
      () => (ofRun === null ? null : relink(['TurnRun', ofRun], 'HAS_ATTEMPT', ['Attempt', key], 'to')),
    )
    const values = { ...sequenceKeys(attempt), activeWorldKey: status === 'running' ? ofWorld : null }
    wanted.push({ node, status, values })
    // A record that was superseded later has another key and the same digest.
    about.reportDifference('attempt_turn', {
      label: `turn and digest of its record (${status})`,
      actual: produced.map(([turn, digest]) => [turnOfSuperseded(turn), digest]),
      expected: status === 'committed' ? [[turnKey(ofWorld, attempt.attemptedTurn), attempt.digest]] : [],
    })
  }
  await checkUniqueValues(graph, 'Attempt', wanted)
}

/** Unique properties that follow from the other fields of a run or an attempt. */
type UniqueValues = { node: Examined; status: string; values: Readonly<Record<string, string | null>> }

const holderRow = z.object({ key: z.string() })

/** Compares unique properties. A repair sets no value that another node has: the constraint would undo all repairs. */
async function checkUniqueValues(
  graph: Graph,
  label: 'TurnRun' | 'Attempt',
  wanted: readonly UniqueValues[],
): Promise<void> {
  for (const name of Object.keys(wanted[0]?.values ?? {})) {
    const differing = wanted.flatMap(({ node, status, values }) => {
      const [actual = null, expected = null] = [node.properties[name], values[name]]
      return actual === expected ? [] : [{ node, status, actual, expected }]
    })
    const keys = differing.flatMap(({ expected }) => expected ?? [])
    const holders =
      keys.length === 0 ? [] : await readRows(graph, selectNodes(label, {}, name), { keys }, holderRow)
    const taken = new Set(holders.map(({ key }) => key))
    for (const { node, status, actual, expected } of differing) {
      const isFree = expected === null || !taken.has(expected)
      if (isFree && expected !== null) taken.add(expected)
      node.about.reportDifference(
        name === 'activeWorldKey' ? 'world_active' : 'run_counters',
        { label: `${name} (${status})`, actual, expected },
        isFree ? () => setProperties(label, node.key, { [name]: expected }) : undefined,
      )
    }
  }
}
