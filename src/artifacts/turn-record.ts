/** Makes a turn record from the files of a turn (autobuild-artifacts.md). */
import { withoutWorktree } from '../core/project-paths.ts'
import {
  COACH_DECISION_WORDS,
  explainRefusal,
  findCoachDecision,
  findMode,
  findPlayerDecision,
  MODE_WORDS,
  PLAYER_DECISION_WORDS,
} from '../memory/record/words.ts'
import { DEFAULT_SUMMARY, isDelegation } from '../rules/summaries.ts'
import type { PlayerDecision } from '../rules/values.ts'
import type {
  Checkpoint,
  CoachReport,
  GivenFeedback,
  PlayerReport,
  TaskWorkResults,
  TurnStateFile,
  WorkState,
} from './artifacts.ts'
import {
  firstList,
  firstNumber,
  firstText,
  hasContent,
  isText,
  unique,
  type WireTurn,
  withContent,
} from './content.ts'
import { joinSuggestions, toGates, toIssues, toPromises, toVerifications } from './judgements.ts'
import { findCommit, readTimes } from './times.ts'
import { truncateToLimits, type Warn } from './truncate-to-limits.ts'

export type TurnSources = {
  featureId: string
  taskId: string
  turn: number
  player?: PlayerReport | undefined
  coach?: CoachReport | undefined
  turnState?: TurnStateFile | undefined
  workState?: WorkState | undefined
  /** Feedback of the previous turn, as the Player of this turn received it. */
  givenFeedback?: GivenFeedback | undefined
  /** Notes that more than half of the task's turns share. */
  boilerplate?: ReadonlySet<string> | undefined
  checkpoints?: readonly Checkpoint[] | undefined
  /** Set only for the turn that wrote them, because each turn overwrites the file. */
  results?: TaskWorkResults | undefined
}

export type TurnWarning = { field: string; message: string }

/** Makes a turn record from the files of one turn, row by row of the table in autobuild-artifacts.md. */
export function turnRecord(sources: TurnSources): { record: WireTurn; warnings: TurnWarning[] } {
  const warnings: TurnWarning[] = []
  const warn: Warn = (field, message) => warnings.push({ field, message })
  const { player, coach, turnState, results } = sources
  const times = readTimes(sources, warn)
  const verifications = toVerifications(coach, turnState, warn)
  const promises = toPromises(player, results, warn)
  const named = [...verifications, ...promises].map((entry) => entry.criterion_id)
  const issues = toIssues(coach, named, warn)
  const record: WireTurn = {
    feature_id: sources.featureId,
    task_id: sources.taskId,
    turn_number: sources.turn,
    player_summary: chooseSummary(sources, warn),
    player_decision: choosePlayerDecision(player, turnState, warn),
    ...withContent({
      ...readCoachDecision(firstText(coach?.decision, coach?.verdict, turnState?.coach_decision), warn),
      delivered_feedback: firstText(
        sources.givenFeedback?.raw_feedback,
        sources.givenFeedback?.feedback_summary,
      ),
      coach_feedback: firstText(
        coach?.rationale,
        issues.map((issue) => issue.description).join('\n'),
        turnState?.coach_feedback,
      ),
      mode: chooseMode(turnState, warn),
      blockers_found: firstList(listBlockers(player), turnState?.blockers_found),
      lessons_from_turn: firstList(listLessons(player), turnState?.lessons_from_turn),
      files_modified: firstList(
        sourcePaths([...(player?.files_modified ?? []), ...(player?.files_created ?? [])]),
        sourcePaths(turnState?.files_modified ?? []),
      ),
      verifications,
      promises,
      issues,
      gates: toGates(coach, warn),
      tests_passed: firstNumber(
        player?.tests_passed_count,
        turnState?.tests_passed,
        results?.quality_gates?.tests_passed,
      ),
      tests_failed: firstNumber(turnState?.tests_failed, results?.quality_gates?.tests_failed),
      coverage: firstNumber(turnState?.coverage, results?.quality_gates?.coverage),
      arch_score: firstNumber(turnState?.arch_score),
      started_at: times.startedAt,
      completed_at: times.completedAt,
      duration_seconds: firstNumber(turnState?.duration_seconds),
      what_to_try_next: firstText(
        (player?.requirements_remaining ?? []).filter(isText).join('; '),
        joinSuggestions(issues),
        turnState?.what_to_try_next,
      ),
      commit: findCommit(sources.checkpoints ?? [], times.completedAt),
    }),
  }
  return { record: truncateToLimits(record, warn), warnings }
}

/** Warns if a file names another turn or task than the sources in `counting`. */
export function listOtherPlaces(
  { taskId, turn }: Pick<TurnSources, 'taskId' | 'turn'>,
  counting: { turn: string; task: string },
  files: Record<string, { [key: string]: unknown } | undefined>,
): TurnWarning[] {
  return Object.entries(files).flatMap(([file, content]) => {
    const explain = (said: unknown, from: string, counts: string) =>
      `the ${file} says ${(JSON.stringify(said) ?? '').slice(0, 80)}; ${from} says ${counts}, which counts`
    const number = content?.turn_number ?? content?.turn ?? turn
    const task = content?.task_id ?? taskId
    return [
      ...(number === turn
        ? []
        : [{ field: 'turn_number', message: explain(number, counting.turn, String(turn)) }]),
      ...(task === taskId
        ? []
        : [{ field: 'task_id', message: explain(task, counting.task, `"${taskId}"`) }]),
    ]
  })
}

/** Returns the completion time as stored in the record. It decides the split into worlds. */
export function completedAt(sources: TurnSources): string | null {
  return readTimes(sources, () => {}).completedAt ?? null
}

/** Values that an earlier reading of the same turn may have stored, from fewer files or from fewer turns of its task. */
export type EarlierReading = { playerSummary: string[]; completedAt: string[] }

export function listEarlierReadings(sources: TurnSources): EarlierReading {
  const { turnState: _, ...stateless } = sources
  return {
    playerSummary: listSummaries(sources).filter(isText),
    completedAt: [completedAt(stateless), completedAt({ ...stateless, workState: undefined })].filter(isText),
  }
}

/** Finds the notes that more than half of the turns share. A text of only one turn is never boilerplate. */
export function findBoilerplate(turns: readonly Pick<TurnSources, 'player'>[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { player } of turns) {
    const notes = player?.implementation_notes?.trim() ?? ''
    counts.set(notes, (counts.get(notes) ?? 0) + 1)
  }
  return new Set(
    [...counts].filter(([, count]) => count > 1 && 2 * count > turns.length).map(([text]) => text),
  )
}

/** Lists candidate texts for the summary, the best first. Boilerplate comes last because every turn has it. */
function listSummaries({ player, results, turnState, boilerplate }: TurnSources): (string | undefined)[] {
  const notes = firstText(player?.implementation_notes)
  const stated = firstText(turnState?.player_summary)
  const addressed = unique((player?.requirements_addressed ?? []).filter(isText)).join('; ')
  const isBoilerplate = (text: string) => isDelegation(text) || boilerplate?.has(text.trim()) === true
  const texts = [notes, player?.summary, results?.summary, stated === DEFAULT_SUMMARY ? null : stated].filter(
    isText,
  )
  const own = texts.filter((text) => !isBoilerplate(text))
  return notes !== undefined && isBoilerplate(notes)
    ? [addressed, ...own, ...texts.filter(isBoilerplate)]
    : [...own, addressed, ...texts.filter(isBoilerplate)]
}

function chooseSummary(sources: TurnSources, warn: Warn): string {
  const summary = firstText(...listSummaries(sources))
  if (summary === undefined) warn('player_summary', 'no file of the turn has a summary')
  return summary ?? ''
}

/** Reads the Player's decision. A synthetic report replaces one that the Player never wrote, so it claims nothing. */
function choosePlayerDecision(
  player: PlayerReport | undefined,
  turnState: TurnStateFile | undefined,
  warn: Warn,
): PlayerDecision {
  if (player !== undefined) {
    if (Object.values(player.blocked_report ?? {}).some(hasContent)) return 'blocked'
    if (player.success === false) return 'failed'
    if (player._synthetic !== true) return 'implemented'
  }
  const stated = firstText(turnState?.player_decision)
  if (stated === undefined) return 'unknown'
  const decision = findPlayerDecision(stated)
  if (decision === undefined)
    warn('player_decision', `${explainRefusal(PLAYER_DECISION_WORDS, stated)}; recorded as unknown`)
  return decision === 'failed' ? 'failed' : 'unknown'
}

/** Reads the Coach's decision. Only an import stores an unknown decision: the turn is over, so it cannot be asked for. */
function readCoachDecision(
  given: string | undefined,
  warn: Warn,
): Pick<WireTurn, 'coach_decision' | 'coach_decision_raw'> {
  if (given === undefined) return {}
  if (findCoachDecision(given) !== undefined) return { coach_decision: given }
  warn('coach_decision', `${explainRefusal(COACH_DECISION_WORDS, given)}; recorded as unknown`)
  return { coach_decision: 'unknown', coach_decision_raw: given }
}

/** Reads the mode. Without one, the capture derives it from the turn number. */
function chooseMode(turnState: TurnStateFile | undefined, warn: Warn): WireTurn['mode'] {
  const given = firstText(turnState?.mode)
  const mode = given === undefined ? undefined : findMode(given)
  if (given !== undefined && mode === undefined)
    warn('mode', `${explainRefusal(MODE_WORDS, given)}; it is left out`)
  return mode
}

function listBlockers(player: PlayerReport | undefined): string[] {
  const issues = player?.blocked_report?.blocking_issues ?? []
  const blocking = issues.map((issue) => (typeof issue === 'string' ? issue : (issue.description ?? '')))
  return unique([...(player?.concerns ?? []), ...blocking].filter(isText))
}

function listLessons(player: PlayerReport | undefined): string[] {
  const attempts = player?.blocked_report?.attempts_made ?? []
  const learnings = attempts.flatMap((attempt) =>
    typeof attempt === 'string' ? [] : (attempt.learnings ?? []),
  )
  return unique(learnings.filter(isText))
}

const CACHES = new Set([
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.cache',
  '.hypothesis',
])

/**
 * Converts the files of a turn to paths of the repository, in their order. Removes the worktree prefix, the orchestrator's own
 * files (`.guardkit/`, 1,290 of 3,119 entries in real turn states), caches and duplicates.
 */
export function sourcePaths(paths: readonly string[]): string[] {
  const relative = paths.map(withoutWorktree)
  return [...new Set(relative)].filter((path) => path !== '' && isSource(path.split(/[/\\]/)))
}

const isSource = (parts: string[]): boolean =>
  !parts.some((part) => part === '.guardkit' || CACHES.has(part) || /\.py[co]$/.test(part))
