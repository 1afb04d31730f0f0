import * as z from 'zod'
import { instantOf } from '../../core/instants.ts'
import { recordKey, runSeqKey, worldSeqKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { reconcile, type WorldState } from '../../runs/lifecycle.ts'
import { type Attempt, isActiveRun, type TurnRun } from '../../runs/record.ts'
import { attemptRow, runRow } from '../../runs/rows.ts'
import type { RecordOf } from './records.ts'
import { records } from './records.ts'

/**
 * Runs and attempts of a world as an export has them: none is active. A lease is of the graph that gave it, and two
 * graphs must not both have it, so what is active ends in the export as if its owner had died when it last was heard of:
 * interrupted, by the rules of the lifecycle.
 */

const attemptRecords = statement('export/attempt-records')
const runsOfWorld = statement('export/runs-of-world')
const runRecords = statement('export/run-records')

const attemptColumns = z.object({ attempt: attemptRow, world: z.string(), produced: z.array(z.string()) })
const runColumns = z.object({ run: runRow, world: z.string() })

type HeldAttempt = z.output<typeof attemptColumns>
type HeldRun = z.output<typeof runColumns>

/** Some attempts of a world by their numbers, ascending. */
export async function attemptsNumbered(
  graph: Graph,
  worldKey: string,
  numbers: readonly number[],
): Promise<HeldAttempt[]> {
  if (numbers.length === 0) return []
  const params = { seqKeys: numbers.map((number) => worldSeqKey(worldKey, number)) }
  const rows = await readRows(graph, attemptRecords, params, attemptColumns)
  return rows.sort((a, b) => a.attempt.number - b.attempt.number)
}

/** The runs of a world after one, in the order in which they began. */
export const runsAfter = (graph: Graph, worldKey: string, fence: number, limit: number): Promise<HeldRun[]> =>
  readRows(graph, runsOfWorld, { worldKey, after: fence, limit }, runColumns)

/** By their numbers in their worlds. */
export async function readAttempts(graph: Graph, seqKeys: readonly string[]): Promise<RecordOf<'attempt'>[]> {
  const rows = await readRows(graph, attemptRecords, { seqKeys: [...seqKeys] }, attemptColumns)
  return rows.flatMap((row) => toAttempt(row) ?? [])
}

export async function readRuns(graph: Graph, keys: readonly string[]): Promise<RecordOf<'turn_run'>[]> {
  const rows = await readRows(graph, runRecords, { keys: [...keys] }, runColumns)
  return rows.flatMap((row) => toRun(row) ?? [])
}

/** What of a world is active, ended. */
export function ended(
  world: WorldState,
  runs: readonly HeldRun[],
  attempts: readonly HeldAttempt[],
): { runs: RecordOf<'turn_run'>[]; attempts: RecordOf<'attempt'>[] } {
  const run = runs.find((held) => isActiveRun(held.run.status))?.run ?? null
  const attempt = attempts.find((held) => held.attempt.status === 'running')?.attempt ?? null
  const { change } = reconcile(
    { now: Number.POSITIVE_INFINITY, world, run, attempt, askedRun: null, askedAttempt: null },
    { formerLifeOf: null, held: new Set(), at: lastHeardOf(world, run ?? attempt) },
  )
  const now = <T extends TurnRun | Attempt>(held: T, changed: T | undefined, was: T | null): T =>
    held === was && changed !== undefined ? changed : held
  return {
    runs: runs.flatMap((held) => toRun({ ...held, run: now(held.run, change?.run, run) }) ?? []),
    attempts: attempts.flatMap(
      (held) => toAttempt({ ...held, attempt: now(held.attempt, change?.attempt, attempt) }) ?? [],
    ),
  }
}

/** Each renewal puts the lease so far ahead. */
function lastHeardOf({ leaseTtlMs }: WorldState, held: TurnRun | Attempt | null): string {
  if (held === null) return ''
  const renewed = held.leaseUntil - leaseTtlMs
  return instantOf(new Date(Math.max(renewed, Date.parse(held.startedAt))))
}

/** Null where it is active: it has no record as it stands. */
function toAttempt({ attempt, world, produced }: HeldAttempt): RecordOf<'attempt'> | null {
  const { turnRunId, turnRunSeq } = attempt
  const ofRun = turnRunId === null || turnRunSeq === null ? null : recordKey(attempt.project, turnRunId)
  const result = records.attempt.safeParse({
    kind: 'attempt',
    world,
    produced: produced[0] ?? null,
    attempt: present({
      ...attempt,
      key: recordKey(attempt.project, attempt.attemptId),
      worldSeqKey: worldSeqKey(world, attempt.number),
      runSeqKey: ofRun === null || turnRunSeq === null ? null : runSeqKey(ofRun, turnRunSeq),
    }),
  })
  return result.success ? result.data : null
}

function toRun({ run, world }: HeldRun): RecordOf<'turn_run'> | null {
  const result = records.turn_run.safeParse({
    kind: 'turn_run',
    world,
    run: present({ ...run, key: recordKey(run.project, run.turnRunId) }),
  })
  return result.success ? result.data : null
}

const present = (held: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(held).filter(([, value]) => value !== null))
