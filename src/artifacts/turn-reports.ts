/** Makes the turn record of the reports of one turn, as its agents wrote them, with the mapping of an import. */
import * as z from 'zod'
import { invalidFields, type TurngraphError } from '../core/errors.ts'
import { type CaptureRequest, captureRequest } from '../memory/record/record.ts'
import { parseFile, SHAPES } from './artifacts.ts'
import { fitRequest } from './fit-request.ts'
import { type Parsed, readArtifact, type Shape } from './read-artifact.ts'
import { listOtherPlaces, turnRecord } from './turn-record.ts'

/** Any JSON: a report of another type is dropped with a warning, and the turn keeps its other reports. */
const report = (file: string) =>
  z.unknown().optional().describe(`${file} as it was written: its JSON, or its text with or without a fence`)

const { project, featureId, taskId, turnNumber, worldSlug, onConflict, createWorld } = captureRequest.shape

/** `POST /v1/turn-reports` (contract: doors.md, section 2). */
export const turnReports = z.strictObject({
  project,
  featureId: featureId.describe(
    '"": that of the turn state, otherwise that of the world, otherwise FEAT-UNKNOWN',
  ),
  taskId,
  turnNumber,
  worldSlug,
  playerReport: report('player_turn_N.json'),
  coachReport: report('coach_turn_N.json'),
  turnState: report('turn_state_turn_N.json'),
  taskWorkResults: report('task_work_results.json'),
  coachFeedback: report('coach_feedback_for_turn_N.json'),
  onConflict,
  createWorld,
})

export type TurnReports = z.output<typeof turnReports>

const MAX_WARNINGS = 200
const MAX_KEYS_NAMED = 10
const MAX_KEY_SHOWN = 100

/** @throws `invalid_request` if neither a Player's report, a Coach's report nor a turn state can be used */
export async function readTurnReports(
  given: TurnReports,
): Promise<{ request: CaptureRequest; warnings: string[] }> {
  const reader = new ReportReader()
  const player = await reader.read(SHAPES.player, given.playerReport, 'player_report')
  const coach = await reader.read(SHAPES.coach, given.coachReport, 'coach_report')
  const turnState = await reader.read(SHAPES.turnState, given.turnState, 'turn_state')
  const results = await reader.read(SHAPES.taskWorkResults, given.taskWorkResults, 'task_work_results')
  const givenFeedback = await reader.read(
    SHAPES.givenFeedback,
    toFeedback(given.coachFeedback),
    'coach_feedback',
  )
  if (player === undefined && coach === undefined && turnState === undefined) throw reader.explainNoReport()
  const { taskId, turnNumber: turn } = given
  const featureId =
    [given.featureId, turnState?.feature_id, results?.feature_id].find((name) => name?.trim()) ?? ''
  const files = { 'player report': player, 'coach report': coach, 'turn state': turnState }
  const { record, warnings } = turnRecord({
    featureId,
    taskId,
    turn,
    player,
    coach,
    turnState,
    results,
    givenFeedback,
  })
  for (const { field, message } of [...listOtherPlaces({ taskId, turn }, REQUEST, files), ...warnings])
    reader.warn(field, message)
  const wire = {
    ...record,
    project: given.project,
    world_slug: given.worldSlug,
    on_conflict: given.onConflict,
    create_world: given.createWorld,
    // As in an import: a report without a time does not end now.
    completed_at: record.completed_at ?? null,
  }
  const request = fitRequest(wire, 'the reports', reader.warn)
  return { request, warnings: reader.listWarnings() }
}

/** Feedback is often only its text. */
const toFeedback = (given: unknown): unknown =>
  typeof given === 'string' && parseFile(given) === undefined ? { raw_feedback: given } : given

const REQUEST = { turn: 'the request', task: 'the request' }

class ReportReader {
  readonly #warnings: string[] = []
  readonly #unusable: { path: string; message: string }[] = []

  async read<S extends Shape>(shape: S, given: unknown, name: string): Promise<Parsed<S> | undefined> {
    if (given === undefined || given === null) return undefined
    const read = await readArtifact(shape, given, name)
    if (!read.ok) {
      this.#unusable.push({ path: name, message: read.reason })
      this.warn(name, `${read.reason}; it is not used`)
      return undefined
    }
    for (const { field, message } of read.warnings) this.warn(field, message)
    if (HAS_ONLY_FIELDS_OF_A_TURN.has(shape)) this.#warnOfUnmapped(name, shape.name, read.unmapped)
    return read.value
  }

  warn = (field: string, message: string): void => {
    this.#warnings.push(`${field}: ${message}`)
  }

  listWarnings(): string[] {
    const more = this.#warnings.length - MAX_WARNINGS
    return more <= 0
      ? this.#warnings
      : [...this.#warnings.slice(0, MAX_WARNINGS), `${more} more warnings are left out`]
  }

  explainNoReport(): TurngraphError {
    const problems =
      this.#unusable.length > 0
        ? this.#unusable
        : [{ path: 'player_report', message: 'is missing, and so are coach_report and turn_state' }]
    return invalidFields(problems, {
      of: 'No report of the turn can be used: ',
      hint: 'Send player_report, coach_report or turn_state as the agent or the orchestrator wrote it.',
    })
  }

  #warnOfUnmapped(
    name: string,
    shapeName: string,
    unmapped: readonly { shape: string; key: string }[],
  ): void {
    const paths = unmapped.map(({ shape, key }) =>
      `${shape}.${key}`.slice(shapeName.length + 1, MAX_KEY_SHOWN),
    )
    const keys = [...new Set(paths)]
    if (keys.length === 0) return
    const more = keys.length > MAX_KEYS_NAMED ? ` and ${keys.length - MAX_KEYS_NAMED} more` : ''
    const named = keys.slice(0, MAX_KEYS_NAMED).join(', ')
    this.warn(name, `has keys without a place in a turn, which are not used: ${named}${more}`)
  }
}

/** The other files hold only single fields of a turn. */
const HAS_ONLY_FIELDS_OF_A_TURN: ReadonlySet<Shape> = new Set([SHAPES.player, SHAPES.coach, SHAPES.turnState])
