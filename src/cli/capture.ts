/** `turngraph capture`: stores a turn record, those of JSON lines, or the reports of one turn. */
import { TurngraphError } from '../core/errors.ts'
import { ask } from './ask.ts'
import { action, type Given, SHARED } from './command.ts'
import { printNote, printText } from './output.ts'

const REPORTS = {
  playerReport: ['--player <file>', "the Player's report, as it was written"],
  coachReport: ['--coach <file>', "the Coach's report, as it was written"],
  turnState: ['--turn-state <file>', "the orchestrator's turn state"],
  taskWorkResults: ['--task-work-results <file>', 'the task_work_results.json that this turn wrote'],
  coachFeedback: ['--coach-feedback <file>', 'the feedback that the Player of this turn got'],
} as const

/** A record names its own place; reports do not. */
const PLACE = {
  featureId: ['--feature <id>', 'of reports: the feature (default: that of the turn state or of --world)'],
  taskId: ['--task <id>', 'of reports: the task'],
  turnNumber: ['--turn <n>', 'of reports: the turn'],
  worldSlug: ['--world <slug>', "of reports: the world (default: the task's newest)"],
} as const

const OPTIONS = {
  ...REPORTS,
  ...PLACE,
  onConflict: [
    '--on-conflict <what>',
    'where another record is stored at the turn (default: error)',
    { choices: ['error', 'supersede'] },
  ],
  createWorld: [
    '--create-world',
    'make a world that does not exist, also above turn 1 of a task that has worlds',
  ],
  ...SHARED,
} as const
type Options = Given<typeof OPTIONS>

export const addCapture = action(
  {
    name: 'capture',
    description: 'store a turn record, given as JSON, or many as JSON lines, or the reports of one turn',
    arguments: { file: ['[file]', 'the record; - or none is standard input'] },
    options: OPTIONS,
    help: `Of JSON lines each one is answered, and one that cannot be stored does not stop the others.
Of reports a field that does not fit is left out with a warning; the turn is stored.

Examples:
  turngraph capture turn.json
  echo '{"feature_id":"FEAT-1","task_id":"TASK-1","turn_number":1,"player_summary":"Built it"}' | turngraph capture
  turngraph capture turns.jsonl --on-conflict supersede
  turngraph capture --player player_turn_1.json --coach coach_turn_1.json --feature FEAT-1 --task TASK-9 --turn 1`,
  },
  async ({ file, ...options }) => {
    const hasReports = namesOf(REPORTS, options).length > 0
    refuseIgnored(file, namesOf(PLACE, options), hasReports)
    if (hasReports) return captureReports(options)
    const { readRecordFile } = await import('./record-file.ts')
    const { captureLines, describeCapture, parseCapture } = await import('./capture-lines.ts')
    const { withClient } = await import('./connect.ts')
    const read = await readRecordFile(file ?? '-')
    if ('lines' in read) return withClient(options, (client) => captureLines(client, read.lines, options))
    return ask('captureTurnState', parseCapture(read.record, options), options, (answer) =>
      printText(describeCapture(answer)),
    )
  },
)

const readsInputTwice = (options: Options): boolean =>
  (Object.keys(REPORTS) as (keyof typeof REPORTS)[]).filter((field) => options[field] === '-').length > 1

const namesOf = (list: typeof REPORTS | typeof PLACE, options: Options): string[] =>
  Object.entries(list).flatMap(([field, [flags]]) =>
    options[field as keyof Options] === undefined ? [] : [flags.split(' ')[0] ?? ''],
  )

/** @throws `invalid_request` for a combination of which a part would be ignored */
function refuseIgnored(file: string | undefined, place: readonly string[], hasReports: boolean): void {
  if (hasReports && file !== undefined)
    throw new TurngraphError('invalid_request', `${file} is a record; it cannot be captured with reports.`, {
      hint: 'Name the record alone, or each report by its option (--player, --coach, --turn-state).',
    })
  if (!hasReports && place.length > 0)
    throw new TurngraphError('invalid_request', `${place.join(', ')}: only for reports.`, {
      hint: 'A record names its own place (feature_id, task_id, turn_number, world_slug). Reports: --player, --coach, --turn-state.',
    })
}

async function captureReports({
  project,
  json,
  taskId,
  turnNumber,
  featureId = '',
  ...given
}: Options): Promise<void> {
  if (taskId === undefined || turnNumber === undefined)
    throw new TurngraphError('invalid_request', 'The turn of the reports is not named.', {
      hint: 'Name it by --task and --turn, and its feature by --feature.',
    })
  const { describeCapture } = await import('./capture-lines.ts')
  const { readReport } = await import('./record-file.ts')
  const reports: { [field: string]: string } = {}
  if (readsInputTwice(given))
    throw new TurngraphError('invalid_request', 'Only one report can come from standard input.', {
      hint: 'Name a file for each of the others.',
    })
  for (const field of Object.keys(REPORTS) as (keyof typeof REPORTS)[])
    if (given[field] !== undefined) reports[field] = await readReport(given[field])
  await ask(
    'captureReports',
    { ...given, ...reports, featureId, taskId, turnNumber },
    { project, json },
    (answer) => {
      printText(describeCapture({ ...answer, warnings: [] }))
      for (const warning of answer.warnings) printNote(`Warning: ${warning}`)
    },
  )
}
