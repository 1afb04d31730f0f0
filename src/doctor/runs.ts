import * as z from 'zod'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { turnKey } from '../keys.ts'
import { type Attempt, brokenAttemptRules, brokenRules, isActiveRun } from '../runs/record.ts'
import { recordKey, runSeqKey, seenAttempt, seenRun, worldSeqKey } from '../runs/rows.ts'
import type { WorldState } from './cursor.ts'
import type { Findings } from './finding.ts'
import { checkKey, checkRecord, difference, heldMap } from './records.ts'

const runsOfWorld = statement('doctor/runs')
const attemptsByNumber = statement('doctor/attempts')

const RUNS_AT_ONCE = 200
const ATTEMPTS_AT_ONCE = 500

const runRow = z.object({
  key: z.string(),
  held: heldMap,
  attempts: z.number(),
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
  for (const row of rows) checkRun(world, row, findings)
  state.runsFound += rows.length
  state.run = rows.at(-1)?.key ?? state.run
  return rows.length < RUNS_AT_ONCE
}

function checkRun(
  world: World,
  { key, held, attempts, committed, failed, interrupted }: z.output<typeof runRow>,
  findings: Findings,
): void {
  if (!checkRecord(findings, 'TurnRun', key, held)) return
  const run = seenRun.parse(held)
  checkKey(findings, 'TurnRun', key, recordKey(world.project, run.turnRunId))
  for (const rule of brokenRules(run)) findings.add('run_rules', 'TurnRun', key, rule)
  if (run.project !== world.project || run.worldSlug !== world.slug)
    findings.add('key_wrong', 'TurnRun', key, `says it is of ${run.project}/${run.worldSlug}`)
  const activeIn = isActiveRun(run.status) ? world.key : null
  const active = difference(held.activeWorldKey, activeIn)
  if (active !== null)
    findings.add('world_active', 'TurnRun', key, `is ${run.status}, activeWorldKey ${active}`)
  const says = [run.attemptCount, run.committedTurnCount, run.failedAttemptCount, run.interruptedAttemptCount]
  const wrong = difference(says, [attempts, committed ?? 0, failed ?? 0, interrupted ?? 0])
  // Where the counts break a rule, that has been told.
  if (wrong !== null && brokenRules(run).length === 0)
    findings.add('run_counters', 'TurnRun', key, `attempts, committed, failed, interrupted: ${wrong}`)
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
      for (const row of own) checkAttempt(world, number, row, findings)
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
  findings: Findings,
): void {
  const key = String(held.key)
  if (!checkRecord(findings, 'Attempt', key, held)) return
  const attempt = seenAttempt.parse(held)
  checkKey(findings, 'Attempt', key, recordKey(world.project, attempt.attemptId))
  for (const rule of brokenAttemptRules(attempt)) findings.add('run_rules', 'Attempt', key, rule)
  if (attempt.number !== number || worlds.join() !== world.key)
    findings.add(
      'run_counters',
      'Attempt',
      key,
      `is number ${attempt.number} of ${worlds}, found as ${number} of ${world.key}`,
    )
  const ofRun = attempt.turnRunId === null ? null : recordKey(world.project, attempt.turnRunId)
  const inRun = difference(runs, ofRun === null ? [] : [ofRun])
  if (inRun !== null) findings.add('run_counters', 'Attempt', key, `its run: ${inRun}`)
  const seq = ofRun === null || attempt.turnRunSeq === null ? null : runSeqKey(ofRun, attempt.turnRunSeq)
  const wrongSeq = difference(held.runSeqKey, seq)
  if (wrongSeq !== null) findings.add('run_counters', 'Attempt', key, `runSeqKey ${wrongSeq}`)
  const active = difference(held.activeWorldKey, attempt.status === 'running' ? world.key : null)
  if (active !== null)
    findings.add('world_active', 'Attempt', key, `is ${attempt.status}, activeWorldKey ${active}`)
  checkProduced(world, key, attempt, produced, findings)
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
  if (produced.length !== 1 || turn === undefined || turn[0].split('~')[0] !== expected)
    findings.add(
      'attempt_turn',
      'Attempt',
      key,
      `committed ${expected}, leads to ${produced.map(([of]) => of)}`,
    )
  else if (turn[1] !== attempt.digest)
    findings.add('attempt_turn', 'Attempt', key, `${expected} holds another record`)
}
