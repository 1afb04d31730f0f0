import * as z from 'zod'
import { recordKey, runSeqKey, turnKey, turnOfSuperseded, worldSeqKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { optionalText } from '../../graph/model/values.ts'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import {
  type Attempt,
  brokenAttemptRules,
  brokenRules,
  isActiveRun,
  type TurnRun,
} from '../../runs/record.ts'
import { seenAttempt, seenRun } from '../../runs/rows.ts'
import type { WorldState } from './cursor.ts'
import type { Findings } from './finding.ts'
import { checkKey, checkRecord, difference, heldMap, setOf } from './records.ts'

const runsOfWorld = statement('doctor/runs')
const repairRun = statement('doctor/repair-run')
const attemptRun = statement('doctor/repair-attempt-run')
const producedRecord = statement('doctor/repair-produced')
const attemptsByNumber = statement('doctor/attempts')

const RUNS_AT_ONCE = 200
const ATTEMPTS_AT_ONCE = 500

const runRow = z.object({
  key: z.string(),
  held: heldMap,
  attempts: z.number(),
  latest: optionalText,
  committed: z.number().nullable(),
  failed: z.number().nullable(),
  interrupted: z.number().nullable(),
})

const attemptRow = z.object({
  seqKey: z.string(),
  held: heldMap,
  worlds: z.array(z.string()),
  runs: z.array(z.string()),
  produced: z.array(z.tuple([z.string(), z.string().nullable()])),
})

type World = { key: string; project: string; slug: string; attemptCount: number }

/** A page of the runs of a world. @returns whether it was the last one */
export async function checkRuns(
  graph: Graph,
  world: World,
  state: WorldState,
  findings: Findings,
): Promise<boolean> {
  const params = { worldKey: world.key, after: state.run, limit: RUNS_AT_ONCE }
  const rows = await readRows(graph, runsOfWorld, params, runRow)
  for (const row of rows) checkRun(world, row, state.activeRuns === 0, findings)
  state.runsFound += rows.length
  state.run = rows.at(-1)?.key ?? state.run
  return rows.length < RUNS_AT_ONCE
}

function checkRun(
  world: World,
  { key, held, latest, ...row }: z.output<typeof runRow>,
  isAlone: boolean,
  findings: Findings,
): void {
  if (!checkRecord(findings, 'TurnRun', key, held)) return
  const run = seenRun.parse(held)
  checkKey(findings, 'TurnRun', key, recordKey(world.project, run.turnRunId))
  const counted = countsOf(row)
  for (const rule of brokenRules(run))
    findings.add('run_rules', 'TurnRun', key, rule, repairOfRules(key, run, counted, latest))
  if (run.project !== world.project || run.worldSlug !== world.slug)
    findings.add('key_wrong', 'TurnRun', key, `says it is of ${run.project}/${run.worldSlug}`)
  const activeIn = isActiveRun(run.status) ? world.key : null
  const active = difference(held.activeWorldKey, activeIn)
  if (active !== null) {
    const repair = activeIn === null || isAlone ? setOf('TurnRun', key, { activeWorldKey: activeIn }) : null
    findings.add('world_active', 'TurnRun', key, `is ${run.status}, activeWorldKey ${active}`, repair)
  }
  const says = COUNTS.map((name) => run[name])
  const wrong = difference(says, Object.values(counted))
  // Where the counts break a rule, that has been told.
  if (wrong !== null && brokenRules(run).length === 0)
    findings.add(
      'run_counters',
      'TurnRun',
      key,
      `attempts, committed, failed, interrupted: ${wrong}`,
      setOf('TurnRun', key, counted),
    )
}

const COUNTS = [
  'attemptCount',
  'committedTurnCount',
  'failedAttemptCount',
  'interruptedAttemptCount',
] as const
type Counted = Record<(typeof COUNTS)[number], number>

const countsOf = (row: Omit<z.output<typeof runRow>, 'key' | 'held' | 'latest'>): Counted => ({
  attemptCount: row.attempts,
  committedTurnCount: row.committed ?? 0,
  failedAttemptCount: row.failed ?? 0,
  interruptedAttemptCount: row.interrupted ?? 0,
})

/** What nobody can derive any more is said to be so, rather than that the record stays unreadable. */
const NOT_RECORDED = 'not recorded'

/** The counts and, of an ended run, what an end has. An active run ends as its coordinator, or a cancel, ends it. */
function repairOfRules(key: string, run: TurnRun, counted: Counted, latest: string | null): Step {
  const hasEnded = !isActiveRun(run.status)
  const hasFailed = run.status === 'failed' || run.status === 'interrupted'
  const ended = run.endedAt ?? latest ?? run.startedAt
  return stepOf(repairRun, {
    key,
    properties: {
      ...counted,
      targetTurn: run.startTurn + run.requestedTurnCount,
      ...(hasEnded && { activeAttemptId: null }),
      ...(hasFailed && { failureReason: run.failureReason ?? NOT_RECORDED }),
    },
    ended: hasEnded && run.endedAt === null ? [ended] : [],
    cancelled: run.status === 'cancelled' && run.cancelRequestedAt === null ? [ended] : [],
  })
}

/** The next attempts of a world, by their numbers. @returns whether they were the last ones */
export async function checkAttempts(
  graph: Graph,
  world: World,
  state: WorldState,
  findings: Findings,
): Promise<boolean> {
  const last = Math.min(world.attemptCount, state.attempt + ATTEMPTS_AT_ONCE - 1)
  const numbers = Array.from({ length: Math.max(0, last - state.attempt + 1) }, (_, i) => state.attempt + i)
  if (numbers.length > 0) {
    const seqKeys = numbers.map((number) => worldSeqKey(world.key, number))
    const rows = await readRows(graph, attemptsByNumber, { seqKeys }, attemptRow)
    for (const number of numbers) {
      const own = rows.filter(({ seqKey }) => seqKey === worldSeqKey(world.key, number))
      if (own.length !== 1)
        findings.add('run_counters', 'World', world.key, `has ${own.length} attempts of number ${number}`)
      for (const row of own) checkAttempt(world, number, row, state, findings)
    }
    state.attemptsFound += rows.length
  }
  state.attempt = last + 1
  return state.attempt > world.attemptCount
}

function checkAttempt(
  world: World,
  number: number,
  { held, worlds, runs, produced }: z.output<typeof attemptRow>,
  state: WorldState,
  findings: Findings,
): void {
  const key = String(held.key)
  if (!checkRecord(findings, 'Attempt', key, held)) return
  const attempt = seenAttempt.parse(held)
  checkKey(findings, 'Attempt', key, recordKey(world.project, attempt.attemptId))
  for (const rule of brokenAttemptRules(attempt))
    findings.add('run_rules', 'Attempt', key, rule, repairOfAttemptRule(key, rule, attempt))
  if (attempt.number !== number || worlds.join() !== world.key)
    findings.add(
      'run_counters',
      'Attempt',
      key,
      `is number ${attempt.number} of ${worlds}, found as ${number} of ${world.key}`,
    )
  const ofRun = attempt.turnRunId === null ? null : recordKey(world.project, attempt.turnRunId)
  const inRun = difference(runs, ofRun === null ? [] : [ofRun])
  if (inRun !== null)
    findings.add(
      'run_counters',
      'Attempt',
      key,
      `its run: ${inRun}`,
      ofRun === null ? null : stepOf(attemptRun, { key, runKey: ofRun }),
    )
  const seq = ofRun === null || attempt.turnRunSeq === null ? null : runSeqKey(ofRun, attempt.turnRunSeq)
  const wrongSeq = difference(held.runSeqKey, seq)
  if (wrongSeq !== null)
    findings.add(
      'run_counters',
      'Attempt',
      key,
      `runSeqKey ${wrongSeq}`,
      setOf('Attempt', key, { runSeqKey: seq }),
    )
  const active = difference(held.activeWorldKey, attempt.status === 'running' ? world.key : null)
  if (active !== null)
    findings.add(
      'world_active',
      'Attempt',
      key,
      `is ${attempt.status}, activeWorldKey ${active}`,
      attempt.status === 'running' && state.activeAttempts > 0
        ? null
        : setOf('Attempt', key, { activeWorldKey: attempt.status === 'running' ? world.key : null }),
    )
  checkProduced(world, key, attempt, produced, findings)
}

function repairOfAttemptRule(key: string, rule: string, attempt: Attempt): Step | null {
  const { status, attemptedTurn, failureReason } = attempt
  if (rule === 'attempts_produced_check')
    return setOf('Attempt', key, { producedTurn: status === 'committed' ? attemptedTurn : null })
  if (rule === 'attempts_failure_check' && failureReason === null)
    return setOf('Attempt', key, { failureReason: NOT_RECORDED })
  return null
}

function checkProduced(
  world: World,
  key: string,
  attempt: Attempt,
  produced: readonly [string, string | null][],
  findings: Findings,
): void {
  if (attempt.status !== 'committed') {
    if (produced.length > 0)
      findings.add('attempt_turn', 'Attempt', key, `is ${attempt.status}, and led to a turn`)
    return
  }
  const [turn] = produced
  const expected = turnKey(world.key, attempt.attemptedTurn)
  // A record that was superseded since has another key, and the digest that it had.
  if (produced.length !== 1 || turn === undefined || turnOfSuperseded(turn[0]) !== expected)
    findings.add(
      'attempt_turn',
      'Attempt',
      key,
      `committed ${expected}, leads to ${produced.map(([of]) => of)}`,
      stepOf(producedRecord, { key, turnKey: expected, digest: attempt.digest ?? '' }),
    )
  else if (turn[1] !== attempt.digest)
    findings.add(
      'attempt_turn',
      'Attempt',
      key,
      `${expected} holds another record`,
      setOf('Attempt', key, { digest: turn[1] }),
    )
}
