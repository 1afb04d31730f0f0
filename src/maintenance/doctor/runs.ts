/** Checks the turn runs and the attempts of a world. */
import * as z from 'zod'
import { inChunks } from '../../core/group-by.ts'
import { recordKey, runSeqKey, turnKey, turnOfSuperseded, worldSeqKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { relink, selectNodes, setProperties } from '../../graph/model-statements.ts'
import { type Graph, type Step, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { optionalText } from '../../rules/values.ts'
import {
  type Attempt,
  brokenAttemptRules,
  brokenRules,
  isActiveRun,
  seenAttempt,
  seenRun,
  type TurnRun,
} from '../../runs/record.ts'
import { type About, type Findings, propertyMap } from './finding.ts'
import { keyList } from './turns.ts'

const runsByKey = selectNodes('TurnRun', {
  attempts: '[(x)-[:HAS_ATTEMPT]->(a:Attempt) | [a.status, toString(a.endedAt)]]',
})
const producedRecord = statement('doctor/repair-produced')
const attemptsByNumber = selectNodes(
  'Attempt',
  {
    worlds: '[(x)<-[:HAS_ATTEMPT]-(w:World) | w.key]',
    runs: '[(x)<-[:HAS_ATTEMPT]-(r:TurnRun) | r.key]',
    produced: '[(x)-[:PRODUCED]->(t) | [t.key, t.digest]]',
  },
  'worldSeqKey',
)

const RUNS_AT_ONCE = 50
const ATTEMPTS_AT_ONCE = 500

const runRow = z.object({
  key: z.string(),
  properties: propertyMap,
  /** Status and end time of each attempt. */
  attempts: z.array(z.tuple([optionalText, optionalText])),
})
type RunRow = z.output<typeof runRow>

const attemptRow = z.object({
  key: z.string(),
  properties: propertyMap,
  worlds: keyList,
  runs: keyList,
  produced: z.array(z.tuple([z.string(), z.string().nullable()])),
})
type AttemptRow = z.output<typeof attemptRow>

/** World with the number of active runs and attempts, counted by the key that only active ones have. */
export type WorldOfRuns = {
  key: string
  project: string
  slug: string
  attemptCount: number
  activeRuns: number
  activeAttempts: number
}

export async function checkRuns(
  graph: Graph,
  world: WorldOfRuns,
  runs: readonly string[],
  findings: Findings,
): Promise<void> {
  for (const keys of inChunks(runs.toSorted(), () => 1, RUNS_AT_ONCE))
    for (const row of await readRows(graph, runsByKey, { keys }, runRow))
      checkRun(world, row, findings.of('TurnRun', row.key))
}

function checkRun(world: WorldOfRuns, { key, properties, attempts }: RunRow, about: About): void {
  if (!about.record(properties)) return
  const run = seenRun.parse(properties)
  about.key(recordKey(world.project, run.turnRunId))
  const count = (ended: string) => attempts.filter(([status]) => status === ended).length
  const counted = {
    attemptCount: attempts.length,
    committedTurnCount: count('committed'),
    failedAttemptCount: count('failed'),
    interruptedAttemptCount: count('interrupted'),
  }
  const latest = attempts
    .flatMap(([, at]) => at ?? [])
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1)
  const broken = brokenRules(run)
  for (const rule of broken) about.add('run_rules', rule, () => repairOfRules(key, run, counted, latest))
  if (run.project !== world.project || run.worldSlug !== world.slug)
    about.add('key_wrong', `says it is of ${run.project}/${run.worldSlug}`)
  const activeIn = isActiveRun(run.status) ? world.key : null
  about.reportDifference(
    'world_active',
    { label: `is ${run.status}, activeWorldKey`, actual: properties.activeWorldKey, expected: activeIn },
    () =>
      activeIn === null || world.activeRuns === 0
        ? setProperties('TurnRun', key, { activeWorldKey: activeIn })
        : null,
  )
  if (broken.length > 0) return // the repair above also writes the counts
  const names = Object.keys(counted) as (keyof typeof counted)[]
  const says = names.map((name) => run[name])
  const what = 'attempts, committed, failed, interrupted:'
  about.reportDifference(
    'run_counters',
    { label: what, actual: says, expected: Object.values(counted) },
    () => setProperties('TurnRun', key, counted),
  )
}

/** Value of a required text that cannot be derived. Without it the record stays unreadable. */
const NOT_RECORDED = 'not recorded'

/** Repairs the counts and the end of a run. Does not end an active run: its coordinator or a cancellation does. */
function repairOfRules(key: string, run: TurnRun, counted: object, latest: string | undefined): Step | null {
  const hasEnded = !isActiveRun(run.status)
  const hasFailed = run.status === 'failed' || run.status === 'interrupted'
  const ended = run.endedAt ?? latest ?? run.startedAt
  return setProperties('TurnRun', key, {
    ...counted,
    targetTurn: run.startTurn + run.requestedTurnCount,
    ...(hasEnded && { activeAttemptId: null }),
    ...(hasFailed && { failureReason: run.failureReason ?? NOT_RECORDED }),
    ...(hasEnded && run.endedAt === null && { endedAt: ended }),
    ...(run.status === 'cancelled' && run.cancelRequestedAt === null && { cancelRequestedAt: ended }),
  })
}

/** Checks the attempts of a world, by their numbers. */
export async function checkAttempts(graph: Graph, world: WorldOfRuns, findings: Findings): Promise<void> {
  for (let first = 1; first <= world.attemptCount; first += ATTEMPTS_AT_ONCE) {
    const length = Math.min(ATTEMPTS_AT_ONCE, world.attemptCount - first + 1)
    const keys = Array.from({ length }, (_, i) => worldSeqKey(world.key, first + i))
    const rows = await readRows(graph, attemptsByNumber, { keys }, attemptRow)
    for (const [i, key] of keys.entries()) {
      const own = rows.filter((row) => row.key === key)
      if (own.length !== 1)
        findings
          .of('World', world.key)
          .add('run_counters', `has ${own.length} attempts of number ${first + i}`)
      for (const row of own) checkAttempt(world, first + i, row, findings)
    }
  }
}

function checkAttempt(
  world: WorldOfRuns,
  number: number,
  { properties, worlds, runs, produced }: AttemptRow,
  findings: Findings,
): void {
  const key = String(properties.key)
  const about = findings.of('Attempt', key)
  if (!about.record(properties)) return
  const attempt = seenAttempt.parse(properties)
  about.key(recordKey(world.project, attempt.attemptId))
  for (const rule of brokenAttemptRules(attempt))
    about.add('run_rules', rule, () => repairOfAttemptRule(key, rule, attempt))
  if (attempt.number !== number || worlds.join() !== world.key)
    about.add('run_counters', `is number ${attempt.number} of ${worlds}, found as ${number} of ${world.key}`)
  const ofRun = attempt.turnRunId === null ? null : recordKey(world.project, attempt.turnRunId)
  about.reportDifference(
    'run_counters',
    { label: 'its run:', actual: runs, expected: ofRun === null ? [] : [ofRun] },
    () => (ofRun === null ? null : relink(['TurnRun', ofRun], 'HAS_ATTEMPT', ['Attempt', key], 'to')),
  )
  const seq = ofRun === null || attempt.turnRunSeq === null ? null : runSeqKey(ofRun, attempt.turnRunSeq)
  about.reportDifference(
    'run_counters',
    { label: 'runSeqKey', actual: properties.runSeqKey, expected: seq },
    () => setProperties('Attempt', key, { runSeqKey: seq }),
  )
  const activeIn = attempt.status === 'running' ? world.key : null
  about.reportDifference(
    'world_active',
    { label: `is ${attempt.status}, activeWorldKey`, actual: properties.activeWorldKey, expected: activeIn },
    () =>
      activeIn === null || world.activeAttempts === 0
        ? setProperties('Attempt', key, { activeWorldKey: activeIn })
        : null,
  )
  checkProduced(world, key, attempt, produced, about)
}

function repairOfAttemptRule(key: string, rule: string, attempt: Attempt): Step | null {
  const { status, attemptedTurn, failureReason } = attempt
  if (rule === 'attempts_produced_check')
    return setProperties('Attempt', key, { producedTurn: status === 'committed' ? attemptedTurn : null })
  if (rule === 'attempts_failure_check' && failureReason === null)
    return setProperties('Attempt', key, { failureReason: NOT_RECORDED })
  return null
}

function checkProduced(
  world: WorldOfRuns,
  key: string,
  attempt: Attempt,
  produced: AttemptRow['produced'],
  about: About,
): void {
  if (attempt.status !== 'committed') {
    if (produced.length > 0) about.add('attempt_turn', `is ${attempt.status}, and led to a turn`)
    return
  }
  const [turn] = produced
  const expected = turnKey(world.key, attempt.attemptedTurn)
  // A record that was superseded later has another key and the same digest.
  if (produced.length !== 1 || turn === undefined || turnOfSuperseded(turn[0]) !== expected)
    about.add(
      'attempt_turn',
      `committed ${expected}, leads to ${produced.map(([of]) => of)}`,
      toStep(producedRecord, { key, turnKey: expected, digest: attempt.digest ?? '' }),
    )
  else if (turn[1] !== attempt.digest)
    about.add(
      'attempt_turn',
      `${expected} holds another record`,
      setProperties('Attempt', key, { digest: turn[1] }),
    )
}
