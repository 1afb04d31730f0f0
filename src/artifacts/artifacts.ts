/**
 * Declares the files of a task folder as the orchestrator, the Player and the Coach write them. Null counts as absent, and a text
 * as a list of one. A field of any other type is dropped, but its file is kept (fit-to-schema.ts). A file is not used if its
 * content is not of the kind that its name states (autobuild-artifacts.md).
 */
import * as z from 'zod'
import { canonicalInstant, compareInstants } from '../core/instants.ts'
import { listRepeatedKeys, parseJsonInOrder } from '../core/parse-json.ts'
import { isUsableTime } from './content.ts'
import { fitToSchema, type Misfit } from './fit-to-schema.ts'
import { listFencedBlocks } from './markdown-lines.ts'

/** Models write evidence and concerns as a text or as a list. An entry that is not a text is kept as JSON. */
const entryText = z.unknown().transform((v) => (typeof v === 'string' ? v : (JSON.stringify(v) ?? '')))
const texts = z.union([z.string().transform((t) => [t]), z.array(entryText)]).nullish()
const prose = z.union([z.string(), z.array(entryText).transform((lines) => lines.join('\n'))]).nullish()
const text = z.string().nullish()
const label = z.union([z.string(), z.number().transform(String)]).nullish()
const number = z.number().nullish()
const freeMap = z.record(z.string(), z.unknown())

const promise = z.looseObject({
  criterion_id: label,
  ac_id: label,
  criterion_text: text,
  description: text,
  status: text,
  evidence: prose,
  evidence_type: text,
  confidence: number,
  test_file: prose,
  implementation_files: texts,
})

const blockedReport = z.looseObject({
  blocking_issues: z.array(z.union([z.string(), z.looseObject({ description: text })])).nullish(),
  attempts_made: z.array(z.union([z.string(), z.looseObject({ learnings: texts })])).nullish(),
})

const playerReport = z.looseObject({
  implementation_notes: prose,
  summary: prose,
  success: z.boolean().nullish(),
  _synthetic: z.boolean().nullish(),
  blocked_report: blockedReport.nullish(),
  concerns: texts,
  requirements_addressed: texts,
  requirements_remaining: texts,
  completion_promises: z.array(promise).nullish(),
  tests_passed_count: number,
  files_modified: texts,
  files_created: texts,
})

const criterionResult = z.looseObject({
  criterion_id: label,
  ac_id: label,
  id: label,
  criterion_text: text,
  description: text,
  criterion: text,
  text,
  result: text,
  status: text,
  verdict: text,
  evidence: prose,
  notes: prose,
})

/** A map of criteria to a status or a result. An object with keys of a result is a single result instead. */
const resultsByCriterion = z
  .record(z.string(), z.union([z.string(), criterionResult]))
  .refine((map) => !Object.keys(map).some((key) => Object.hasOwn(criterionResult.shape, key)))
  .transform((map) =>
    Object.entries(map).map(([criterion_id, found]) =>
      typeof found === 'string' ? { criterion_id, result: found } : { criterion_id, ...found },
    ),
  )

const criterionResults = z.union([z.array(criterionResult), resultsByCriterion]).nullish()

const coachIssue = z.looseObject({
  severity: text,
  category: text,
  type: text,
  description: prose,
  message: prose,
  title: prose,
  requirement: prose,
  suggestion: prose,
  details: z.unknown().optional(),
  missing_criteria: z.unknown().optional(),
})

const coachReport = z.looseObject({
  decision: text,
  verdict: text,
  rationale: prose,
  criteria_verification: criterionResults,
  criteria_results: criterionResults,
  acceptance_criteria_results: criterionResults,
  acceptance_criteria_verification: z
    .union([
      z.array(criterionResult),
      z
        .looseObject({ criteria_results: criterionResults })
        .refine((holder) => Object.hasOwn(holder, 'criteria_results'))
        .transform((holder) => holder.criteria_results),
      resultsByCriterion,
    ])
    .nullish(),
  issues: z.array(z.union([z.string(), coachIssue])).nullish(),
  findings: z.array(z.union([z.string(), z.looseObject({ locus: prose })])).nullish(),
  tests_passed: z.unknown().optional(),
  validation_results: z
    .looseObject({
      quality_gates: freeMap.nullish(),
      independent_tests: z.unknown().optional(),
    })
    .nullish(),
})

const turnState = z.looseObject({
  feature_id: text,
  task_id: text,
  turn_number: number,
  player_summary: text,
  player_decision: text,
  coach_decision: text,
  coach_feedback: prose,
  mode: text,
  blockers_found: texts,
  acceptance_criteria_status: freeMap.nullish(),
  files_modified: texts,
  tests_passed: number,
  tests_failed: number,
  coverage: number,
  arch_score: number,
  started_at: text,
  completed_at: text,
  duration_seconds: number,
  lessons_from_turn: texts,
  what_to_try_next: text,
})

const givenFeedback = z.looseObject({ raw_feedback: prose, feedback_summary: prose })

const taskWorkResults = z.looseObject({
  feature_id: text,
  timestamp: text,
  summary: prose,
  completion_promises: z.array(promise).nullish(),
  quality_gates: z.looseObject({ tests_passed: number, tests_failed: number, coverage: number }).nullish(),
})

const workState = z.looseObject({ timestamp: text })

const checkpoint = z.looseObject({ turn: z.number(), commit_hash: text, timestamp: text })
const checkpoints = z.looseObject({ checkpoints: z.array(checkpoint) })

const event = z.looseObject({ task_id: text, timestamp: text })

export type PlayerReport = z.output<typeof playerReport>
export type CoachReport = z.output<typeof coachReport>
export type TurnStateFile = z.output<typeof turnState>
export type GivenFeedback = z.output<typeof givenFeedback>
export type TaskWorkResults = z.output<typeof taskWorkResults>
export type WorkState = z.output<typeof workState>
export type Checkpoint = z.output<typeof checkpoint>

type Shape<T> = {
  name: string
  schema: z.ZodType<T>
  refusal?: (file: Record<string, unknown>) => string | null
}

const has = (file: Record<string, unknown>, ...keys: string[]): boolean =>
  keys.some((key) => file[key] !== undefined && file[key] !== null)

const COACH_MARKS = [
  'decision',
  'verdict',
  'criteria_verification',
  'criteria_results',
  'acceptance_criteria_verification',
  'acceptance_criteria_results',
]

/** A turn state also lists files, and a Coach may write a summary. Keys that only they have distinguish them. */
function notAPlayerReport(file: Record<string, unknown>): string | null {
  if (has(file, 'coach_decision', 'player_decision')) return 'is a turn state, not a Player report'
  if (has(file, 'implementation_notes', 'completion_promises', 'files_modified', 'files_created')) return null
  if (has(file, ...COACH_MARKS)) return 'is a Coach report, not a Player report'
  const marks = [
    'summary',
    'success',
    'blocked_report',
    'concerns',
    'requirements_addressed',
    'requirements_met',
  ]
  return has(file, ...marks, 'requirements_remaining', 'tests_written') ? null : 'is not a Player report'
}

function notACoachReport(file: Record<string, unknown>): string | null {
  if (has(file, 'coach_decision', 'player_decision')) return 'is a turn state, not a Coach report'
  if (has(file, ...COACH_MARKS)) return null
  return has(file, 'implementation_notes', 'completion_promises', 'files_modified')
    ? 'is a Player report, not a Coach report'
    : 'is not a Coach report: it has no decision, verdict or criteria_verification'
}

function notATurnState(file: Record<string, unknown>): string | null {
  const marks = ['player_summary', 'player_decision', 'coach_decision', 'acceptance_criteria_status']
  return has(file, ...marks, 'completed_at') ? null : 'is not a turn state'
}

export const SHAPES = {
  player: { name: 'player', schema: playerReport, refusal: notAPlayerReport },
  coach: { name: 'coach', schema: coachReport, refusal: notACoachReport },
  turnState: { name: 'turn_state', schema: turnState, refusal: notATurnState },
  givenFeedback: { name: 'coach_feedback_for', schema: givenFeedback },
  taskWorkResults: { name: 'task_work_results', schema: taskWorkResults },
  workState: { name: 'work_state', schema: workState },
  checkpoints: { name: 'checkpoints', schema: checkpoints },
} satisfies Record<string, Shape<unknown>>

/** A key without a row in the contract, at the shape that holds it (`coach.issues[]`). */
type UnmappedKey = { shape: string; key: string }

export type ParsedArtifact<T> =
  | { ok: true; value: T; misfits: Misfit[]; unmapped: UnmappedKey[] }
  | { ok: false; reason: string }

/** Parses a file. An agent may write its report in a fenced block between prose: returns the last usable block. */
export function parseArtifact<T>(shape: Shape<T>, fileText: string): ParsedArtifact<T> {
  const file = parseFile(fileText)
  if (file !== undefined) return withRepeatedKeys(fitArtifact(shape, file), fileText)
  for (const block of listFencedBlocks(fileText).toReversed()) {
    const inBlock = parseFile(block)
    const found = inBlock === undefined ? null : fitArtifact(shape, inBlock)
    if (!found?.ok) continue
    found.misfits.unshift({
      path: '',
      message: 'holds text around its JSON; the last fenced block of it is read',
    })
    return withRepeatedKeys(found, block)
  }
  return { ok: false, reason: 'is not valid JSON' }
}

/** Fits a value that was parsed from JSON, with the same result as {@link parseArtifact}. */
export function fitArtifact<T>(shape: Shape<T>, file: unknown): ParsedArtifact<T> {
  if (!isObject(file)) return { ok: false, reason: 'is not a JSON object' }
  if (isDeeperThan(MAX_DEPTH, file)) return { ok: false, reason: `is nested deeper than ${MAX_DEPTH} levels` }
  const refused = shape.refusal?.(file)
  if (refused) return { ok: false, reason: refused }
  const fitted = fitToSchema(shape.schema, file)
  if (fitted === null) return { ok: false, reason: 'has no field that its kind of file needs' }
  const unmapped = unmappedKeys(shape.name, shape.schema, file)
  return { ok: true, value: fitted.value, misfits: fitted.misfits, unmapped }
}

function withRepeatedKeys<T>(parsed: ParsedArtifact<T>, fileText: string): ParsedArtifact<T> {
  if (!parsed.ok) return parsed
  const message = 'is there more than once; the last value counts'
  const repeated = listRepeatedKeys(fileText).map((path) => ({ path, message }))
  return { ...parsed, misfits: [...repeated, ...parsed.misfits] }
}

/** Returns the task ids in a feature's `events.jsonl`, each with its newest time, and counts broken lines and invalid times. */
export function parseEvents(fileText: string): {
  tasks: Map<string, string>
  brokenLines: number
  unusableTimes: number
} {
  const tasks = new Map<string, string>()
  let brokenLines = 0
  let unusableTimes = 0
  for (const line of fileText.split('\n')) {
    if (line.trim() === '') continue
    const parsed = event.safeParse(parseFile(line))
    if (!parsed.success) brokenLines++
    else if (parsed.data.task_id) {
      const isUsable = isUsableTime(parsed.data.timestamp)
      if (!isUsable) unusableTimes++
      const at = canonicalInstant(parsed.data.timestamp ?? '') ?? ''
      const newest = tasks.get(parsed.data.task_id)
      if (newest === undefined || compareInstants(at, newest) > 0) tasks.set(parsed.data.task_id, at)
    }
  }
  return { tasks, brokenLines, unusableTimes }
}

export const parseFile = (fileText: string): unknown => parseJsonInOrder(fileText.replace(/^\uFEFF/, ''))

/** Maximum depth of a file. Reports are far below it; recursion over a hostile file would end the process far above it. */
const MAX_DEPTH = 100

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((below) => isDeeperThan(levels - 1, below)))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/**
 * The contract's list "Known and ignored", by shape. For files that provide only single fields, it contains the fields that
 * identify the task, the turn and the time of the file.
 */
const IGNORED: Readonly<Record<string, ReadonlySet<string>>> = {
  player: words(`task_id turn tests_written tests_run tests_passed test_output_summary
    requirements_met files_authored implementation_mode`),
  coach: words(`task_id turn context_used approved_without_independent_tests is_configuration_error
    environment_conditional_approval honesty_verification command_results contract findings_provenance`),
  turn_state: words('id progress_summary'),
  coach_feedback_for: words('turn feedback_from_turn must_fix should_fix validation_results'),
  task_work_results: words('task_id completed'),
  work_state: words('task_id turn turn_number'),
  checkpoints: words('task_id last_updated'),
}

const isIgnored = (shape: string, key: string): boolean =>
  IGNORED[shape]?.has(key) === true ||
  shape === 'coach.validation_results' ||
  (shape === 'player' && key.startsWith('sdk_'))

function unmappedKeys(shape: string, schema: z.ZodType, value: unknown): UnmappedKey[] {
  const nested = findNested(schema, value)
  if (nested instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((entry) => unmappedKeys(`${shape}[]`, nested.element as z.ZodType, entry))
  if (!(nested instanceof z.ZodObject) || !isObject(value)) return []
  return Object.entries(value).flatMap(([key, field]) => {
    if (Object.hasOwn(nested.shape, key)) return unmappedKeys(`${shape}.${key}`, nested.shape[key], field)
    return isIgnored(shape, key) ? [] : [{ shape, key }]
  })
}

/** Finds the object or list schema of a field, which may also accept a text, nothing, or another form of the value. */
function findNested(schema: z.ZodType, value: unknown): z.ZodObject | z.ZodArray | undefined {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) return schema
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return findNested(schema.unwrap() as z.ZodType, value)
  if (schema instanceof z.ZodPipe) return findNested(schema.in as z.ZodType, value)
  if (!(schema instanceof z.ZodUnion)) return undefined
  const options = schema.options as z.ZodType[]
  const fitting = options.find((option) => option.safeParse(value).success)
  if (fitting !== undefined) return findNested(fitting, value)
  return options.map((option) => findNested(option, value)).find((found) => found !== undefined)
}
