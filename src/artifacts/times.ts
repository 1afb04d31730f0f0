/** Reads the start and end of turns, and splits the turns of a folder into runs by their times. */
import { canonicalInstant } from '../core/instants.ts'
import type { Checkpoint, TurnStateFile, WorkState } from './artifacts.ts'
import { isText, isUsableTime } from './content.ts'
import type { Warn } from './truncate-to-limits.ts'

type TimedFiles = {
  turnState?: TurnStateFile | undefined
  workState?: WorkState | undefined
  checkpoints?: readonly Checkpoint[] | undefined
}

type Times = { startedAt?: string | undefined; completedAt?: string | undefined }

export function readTimes({ turnState, workState, checkpoints }: TimedFiles, warn: Warn): Times {
  const time = (field: string, text: string | null | undefined): string | undefined => {
    warnOfTimes([{ field, text }], warn)
    return isText(text) ? (canonicalInstant(text) ?? undefined) : undefined
  }
  const startedAt = time('turn_state.started_at', turnState?.started_at)
  const completed = time('turn_state.completed_at', turnState?.completed_at)
  const worked = time('work_state.timestamp', workState?.timestamp)
  if (completed !== undefined) {
    // The capture sets both when it writes. Equal times are the end of the turn and contain no duration.
    return startedAt === completed ? { completedAt: completed } : { startedAt, completedAt: completed }
  }
  return { startedAt, completedAt: worked ?? latest(checkpoints ?? [])?.at }
}

/** Adds one warning for the invalid times of a file. The warning shows the first one and counts the others. */
export function warnOfTimes(
  times: readonly { field: string; text: string | null | undefined }[],
  warn: Warn,
): void {
  const [first, ...others] = times.filter(({ text }) => !isUsableTime(text))
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  warn(first.field, `"${first.text?.slice(0, 80)}" is not an ISO 8601 time; it is left out${more}`)
}

type TimedCheckpoint = { at: string; hash: string | null | undefined }

const timed = (checkpoints: readonly Checkpoint[]): TimedCheckpoint[] =>
  checkpoints.flatMap(({ timestamp, commit_hash: hash }) => {
    const at = isText(timestamp) ? canonicalInstant(timestamp) : null
    return at === null ? [] : [{ at, hash }]
  })

/** Returns the newest checkpoint. A re-run appends its entries, so the newest belongs to the existing files. */
const latest = (checkpoints: readonly Checkpoint[]): TimedCheckpoint | undefined =>
  timed(checkpoints)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .at(-1)

/** Finds the commit of a turn. A commit before the completion belongs to an earlier run and lacks this turn's work. */
export function findCommit(
  checkpoints: readonly Checkpoint[],
  completed: string | undefined,
): string | undefined {
  const committed = checkpoints.filter((entry) => isText(entry.commit_hash))
  if (completed === undefined) return committed.at(-1)?.commit_hash ?? undefined
  return (
    timed(committed)
      .filter((entry) => Date.parse(entry.at) >= Date.parse(completed))
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0]?.hash ?? undefined
  )
}

/**
 * Splits the turns of one task, given in turn order, into its runs, oldest first. Each run is a world. A re-run overwrites the
 * first files of the folder and leaves the later files of the previous run. A turn that was completed *before* the last timed
 * turn therefore belongs to another run. Equal times do not split: the clock did not advance. A turn without a time stays with
 * its predecessor (autobuild-artifacts.md, "Worlds"; 8 of 53 folders with several turns contain mixed runs).
 */
export function splitRuns<T>(turns: readonly T[], completedAt: (turn: T) => number | null): T[][] {
  const runs: { began: number; turns: T[] }[] = []
  let last: number | null = null
  for (const turn of turns) {
    const time = completedAt(turn)
    const current = runs.at(-1)
    if (current === undefined || (time !== null && last !== null && time < last)) {
      runs.push({ began: time ?? Number.NEGATIVE_INFINITY, turns: [turn] })
    } else {
      if (last === null && time !== null) current.began = time
      current.turns.push(turn)
    }
    last = time ?? last
  }
  // The sort is stable: runs that began at the same instant stay in turn order.
  return runs.sort((a, b) => a.began - b.began).map((run) => run.turns)
}
