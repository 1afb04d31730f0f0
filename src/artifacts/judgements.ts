import { isDeepStrictEqual } from 'node:util'
import { toCriterionStatus, toPromiseStatus } from '../memory/record/record.ts'
import type { CoachReport, PlayerReport, TaskWorkResults, TurnStateFile } from './artifacts.ts'
import { firstList, firstNumber, firstText, isText, withContent } from './content.ts'
import type { Warn } from './truncate-to-limits.ts'
import type { WirePromise, WireVerification } from './wire-turn.ts'

type CriterionEntry = {
  id: string | null | undefined
  text?: string | null | undefined
  status: unknown
  evidence?: string | undefined
}

export function verificationsOf(
  coach: CoachReport | undefined,
  turnState: TurnStateFile | undefined,
  warn: Warn,
): WireVerification[] {
  const results =
    firstList(coach?.criteria_verification, coach?.acceptance_criteria_verification?.criteria_results) ?? []
  const judged: CriterionEntry[] = results.map((entry) => ({
    id: entry.criterion_id,
    text: entry.criterion_text,
    status: firstText(entry.result, entry.status),
    evidence: firstText(entry.evidence, entry.notes),
  }))
  const stated = Object.entries(turnState?.acceptance_criteria_status ?? {})
  const entries =
    firstList(
      judged,
      stated.map(([id, status]): CriterionEntry => ({ id, status })),
    ) ?? []
  return entries.flatMap((entry, i) => {
    const field = `verifications[${i}]`
    if (!isText(entry.id)) return without(field, warn)
    const status = mapped(toCriterionStatus, entry.status, 'unknown', `${field}.status`, warn)
    const { id, text, evidence } = entry
    return [
      { criterion_id: id, ...withContent({ criterion_text: text }), status, ...withContent({ evidence }) },
    ]
  })
}

/**
 * What the Player promised in its report; where that promises nothing, what `task_work_results.json` says of the
 * newest turn (seed 004 looks there first). Where both promise and differ, the report counts.
 */
export function promisesOf(
  player: PlayerReport | undefined,
  results: TaskWorkResults | undefined,
  warn: Warn,
): WirePromise[] {
  const reported = mapPromises(player, warn)
  if (reported.length === 0) return mapPromises(results, warn)
  const inResults = mapPromises(results, () => {})
  const differing = differingPromises(reported, inResults)
  if (inResults.length > 0 && differing > 0) {
    const what = differing === 1 ? '1 promise' : `${differing} promises`
    warn('promises', `task_work_results.json differs in ${what}; what the Player's report says counts`)
  }
  return reported
}

/** How many criteria the two promise differently, or only one of them promises. */
function differingPromises(reported: readonly WirePromise[], inResults: readonly WirePromise[]): number {
  const labels = new Set([...reported, ...inResults].map(({ criterion_id }) => criterion_id))
  const of = (promises: readonly WirePromise[], label: string) =>
    promises.filter(({ criterion_id }) => criterion_id === label)
  return [...labels].filter((label) => !isDeepStrictEqual(of(reported, label), of(inResults, label))).length
}

function mapPromises(
  from: Pick<PlayerReport | TaskWorkResults, 'completion_promises'> | undefined,
  warn: Warn,
): WirePromise[] {
  return (from?.completion_promises ?? []).flatMap((promise, i) => {
    const field = `promises[${i}]`
    const id = firstText(promise.criterion_id, promise.ac_id)
    if (id === undefined) return without(field, warn)
    return [
      {
        criterion_id: id,
        ...withContent({ criterion_text: firstText(promise.criterion_text, promise.description) }),
        status: mapped(toPromiseStatus, promise.status, 'uncertain', `${field}.status`, warn),
        ...withContent({
          evidence: firstText(promise.evidence),
          evidence_type: firstText(promise.evidence_type),
          confidence: firstNumber(promise.confidence),
          test_file: firstText(promise.test_file),
          implementation_files: promise.implementation_files?.filter(isText),
        }),
      },
    ]
  })
}

/** A criterion is known by its label or its text; a record cannot name one that has no label. */
function without(field: string, warn: Warn): [] {
  warn(field, 'names no criterion; it is left out')
  return []
}

function mapped<T extends string>(
  toStatus: (given: string) => T | undefined,
  raw: unknown,
  other: T,
  field: string,
  warn: Warn,
): T {
  const status = typeof raw === 'string' ? toStatus(raw) : undefined
  if (status !== undefined) return status
  const shown = (typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? 'nothing')).slice(0, 80)
  warn(field, `"${shown}" is no known status; recorded as ${other}`)
  return other
}
