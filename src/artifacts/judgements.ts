/** Reads the judgements of the Coach and the Player: verifications, promises, issues and gates of a turn record. */
import { isDeepStrictEqual } from 'node:util'
import {
  explainRefusal,
  findCoachDecision,
  findSeverity,
  findWord,
  PROMISE_STATUS_WORDS,
  RESULT_WORDS,
  SEVERITY_WORDS,
  UNKNOWN_SEVERITY,
  type Words,
} from '../memory/record/words.ts'
import { splitLabel } from '../rules/labels.ts'
import type { CoachReport, PlayerReport, TaskWorkResults, TurnStateFile } from './artifacts.ts'
import {
  firstList,
  firstText,
  hasContent,
  isText,
  unique,
  type WireTurn,
  withContent,
  word,
} from './content.ts'
import type { Warn } from './truncate-to-limits.ts'

type WireIssue = NonNullable<WireTurn['issues']>[number]
type WirePromise = NonNullable<WireTurn['promises']>[number]
type WireVerification = NonNullable<WireTurn['verifications']>[number]
type GateStatus = NonNullable<WireTurn['gates']>[string]

type CriterionEntry = {
  id: string | null | undefined
  text?: string | null | undefined
  status: unknown
  evidence?: string | undefined
}

export function toVerifications(
  coach: CoachReport | undefined,
  turnState: TurnStateFile | undefined,
  warn: Warn,
): WireVerification[] {
  const results =
    firstList(
      coach?.criteria_verification,
      coach?.criteria_results,
      coach?.acceptance_criteria_verification,
      coach?.acceptance_criteria_results,
    ) ?? []
  const judged: CriterionEntry[] = results.map((entry) => ({
    id: firstText(entry.criterion_id, entry.ac_id, entry.id),
    text: firstText(entry.criterion_text, entry.description, entry.criterion, entry.text),
    status: firstText(entry.result, entry.status, entry.verdict),
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
    const { text, evidence } = entry
    const id = nameCriterion(entry.id, text)
    if (id === undefined) return without(field, warn)
    const status = mapped(RESULT_WORDS, entry.status, 'unknown', `${field}.status`, warn)
    return [
      { criterion_id: id, ...withContent({ criterion_text: text }), status, ...withContent({ evidence }) },
    ]
  })
}

/**
 * Reads the promises of the Player's report. If it has none, reads those of `task_work_results.json`, which belong to the newest
 * turn (seed 004 looks there first).
 */
export function toPromises(
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
    warn('promises', `task_work_results.json differs in ${what}; the Player's report counts`)
  }
  return reported
}

/** Counts the criteria that are promised differently, or in only one of the two files. */
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
    const text = firstText(promise.criterion_text, promise.description)
    const id = nameCriterion(firstText(promise.criterion_id, promise.ac_id), text)
    if (id === undefined) return without(field, warn)
    return [
      {
        criterion_id: id,
        ...withContent({ criterion_text: text }),
        status: mapped(PROMISE_STATUS_WORDS, promise.status, 'uncertain', `${field}.status`, warn),
        ...withContent({
          evidence: firstText(promise.evidence),
          evidence_type: firstText(promise.evidence_type),
          confidence: fraction(promise.confidence, `${field}.confidence`, warn),
          test_file: firstText(promise.test_file),
          implementation_files: promise.implementation_files?.filter(isText),
        }),
      },
    ]
  })
}

/** Returns a confidence between 0 and 1. The scale of any other number is unknown. */
function fraction(given: number | null | undefined, field: string, warn: Warn): number | undefined {
  if (given == null || (given >= 0 && given <= 1)) return given ?? undefined
  warn(field, `${given} is not between 0 and 1; it is left out`)
  return undefined
}

const nameCriterion = (id: string | null | undefined, text: string | null | undefined): string | undefined =>
  isText(id) ? id : isText(text) ? (splitLabel(text).label ?? text) : undefined

/** Warns of an entry without a criterion. A record identifies a criterion by its label or its text. */
function without(field: string, warn: Warn): [] {
  warn(field, 'names no criterion; it is left out')
  return []
}

function mapped<T extends string>(words: Words<T>, raw: unknown, other: T, field: string, warn: Warn): T {
  const given =
    typeof raw === 'string' || typeof raw === 'boolean' ? String(raw) : (JSON.stringify(raw) ?? '')
  const status = findWord(words, given)
  if (status === undefined) warn(field, `${explainRefusal(words, given)}; recorded as ${other}`)
  return status ?? other
}

export function toIssues(
  coach: CoachReport | undefined,
  criterionIds: readonly string[],
  warn: Warn,
): WireIssue[] {
  const issues = (coach?.issues ?? []).map((issue, i): WireIssue => {
    if (typeof issue === 'string') return { severity: 'advisory', description: issue }
    return {
      ...severityOf(firstText(issue.severity), `issues[${i}].severity`, warn),
      ...withContent({ category: firstText(issue.category, issue.type) }),
      description: firstText(issue.description, issue.message, issue.title) ?? '',
      ...withContent({
        criterion_ids: labelsIn(issue.requirement ?? '', criterionIds),
        suggestion: firstText(issue.suggestion),
        details: joinDetails(issue.details, issue.missing_criteria),
      }),
    }
  })
  const rejects = findCoachDecision(coach?.verdict ?? coach?.decision ?? '') === 'rejected'
  const severity = rejects ? 'blocking' : 'advisory'
  const findings = (coach?.findings ?? []).map((finding): WireIssue => {
    const locus = typeof finding === 'string' ? finding : (finding.locus ?? '')
    return { severity, description: locus }
  })
  return [...issues, ...findings].filter(({ description, severity: _, severity_raw: __, ...others }, i) => {
    const isEmpty = description.trim() === '' && Object.keys(others).length === 0
    if (isEmpty) warn(nameIssue(i, issues.length), 'has no text; it is left out')
    return !isEmpty
  })
}

const nameIssue = (i: number, issues: number): string =>
  i < issues ? `issues[${i}]` : `findings[${i - issues}]`

/** Normalizes a severity. A word that is not in the table is also kept as given. */
function severityOf(
  given: string | undefined,
  field: string,
  warn: Warn,
): Pick<WireIssue, 'severity' | 'severity_raw'> {
  if (given === undefined) return { severity: 'advisory' }
  if (findSeverity(given) !== undefined) return { severity: given }
  warn(field, `${explainRefusal(SEVERITY_WORDS, given)}; recorded as ${UNKNOWN_SEVERITY}`)
  return { severity: UNKNOWN_SEVERITY, severity_raw: given }
}

/** Joins the two keys in which a Coach writes details, as one object of the file's JSON. */
function joinDetails(details: unknown, missing: unknown): WireIssue['details'] {
  if (!hasContent(missing)) return details as WireIssue['details']
  const isObject = typeof details === 'object' && !Array.isArray(details)
  const own = !hasContent(details) ? {} : isObject ? details : { details }
  return { ...own, missing_criteria: missing } as WireIssue['details']
}

export const joinSuggestions = (issues: readonly WireIssue[]): string =>
  unique(
    issues.flatMap(({ severity, suggestion }) =>
      findSeverity(severity) === 'blocking' && isText(suggestion) ? [suggestion] : [],
    ),
  ).join('; ')

const LABEL = /\b([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*?[-_])\d+\b/g

/**
 * Returns the criterion labels in an issue's `requirement` ("AC-002, AC-003 (tests)"), as written. A label starts like the
 * criteria of the turn, or with `AC-` or `criterion_`; `UTF-8` and `TASK-X-004` are not labels. A range counts as two labels.
 */
export function labelsIn(requirement: string, criterionIds: readonly string[]): string[] {
  const prefixes = new Set(['ac-', 'criterion_', 'criterion-'])
  for (const id of criterionIds) {
    for (const [, prefix] of id.matchAll(LABEL)) prefixes.add(lower(prefix))
  }
  const found = [...requirement.matchAll(LABEL)].filter(([, prefix]) => prefixes.has(lower(prefix)))
  return [...new Set(found.map(([label]) => label))]
}

const lower = (prefix: string | undefined): string => (prefix ?? '').toLowerCase()

const GATE_STATUS_WORDS = {
  passed: ['pass', 'true'],
  failed: ['fail', 'false'],
  unknown: ['skipped', 'signal_absent'],
} as const satisfies Words<GateStatus>

export function toGates(coach: CoachReport | undefined, warn: Warn): Record<string, GateStatus> {
  const results = coach?.validation_results
  const stated = new Map<string, unknown>(Object.entries(results?.quality_gates ?? {}))
  const tests = results?.independent_tests
  if (tests !== undefined && tests !== null) stated.set('independent_tests', tests)
  if (!stated.has('tests_passed')) {
    const run = { tests_passed: coach?.tests_passed, ...results }
    if (run.tests_passed !== undefined) stated.set('tests_passed', lacksSignal(coach) ? null : run)
  }
  return Object.fromEntries(
    [...stated].map(([name, value]) => [name, gateStatus(value, `gates.${name}`, warn)]),
  )
}

/** Reads a gate or a test run. A run that was skipped or had no signal is unknown, even if a flag says that it passed or failed. */
function gateStatus(value: unknown, field: string, warn: Warn): GateStatus {
  const run: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const skipped = word(run.test_command) === 'skipped' || run.skipped === true || run.tests_run === false
  const flag = [run.tests_passed, run.passed, value].find((each) => each !== undefined)
  if (skipped || run.signal_absent === true || flag === null) return 'unknown'
  return mapped(GATE_STATUS_WORDS, flag, 'unknown', field, warn)
}

/** If its own run had no signal, the orchestrator adds an issue and leaves the Coach's claim unchanged. */
const lacksSignal = (coach: CoachReport | undefined): boolean =>
  (coach?.issues ?? []).some((issue) => Object(Object(issue).details).signal_absent === true)
