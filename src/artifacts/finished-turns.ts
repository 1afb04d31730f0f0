/** Separates the finished turns of a task folder from those that a session is still writing. Pure. */
import type { FoundFile, TaskFolder, TurnFilesFound } from './folders.ts'

export type FileStamp = { changedAt: number; size: number; inode: number }

/** By path, with times in epoch milliseconds. A file without an entry was deleted. */
export type FileStamps = ReadonlyMap<string, FileStamp>

/** A file that does not parse for this long is not expected to be completed any more. */
export const PATIENCE_MS = 60_000

/**
 * Time after the last change of a folder during which further files of a turn are expected. A turn state follows the Coach's
 * report within a second and may be the first file to name the feature.
 */
const COMPLETION_MS = 5_000

/** A turn that is not judged for this long was abandoned. A Coach runs the tests, which takes minutes. */
const GIVEN_UP_MS = 30 * 60_000

/** A Player works longer than this. Files that are further apart belong to two turns or to two runs. */
export const SHORTEST_TURN_MS = 60_000

/**
 * Returns the folder with only its finished turns. A Player's report waits for its judgement: a Coach's report or a turn state
 * that is not from an earlier run. It does not wait if a later turn has begun or the session was abandoned. While the folder
 * changes, new turns also wait for the files that complete them ({@link isIncomplete}), because a record of fewer files would be
 * replaced a moment later. (An import also takes turns with only one half.)
 */
export function finishedTurns(folder: TaskFolder, stamps: FileStamps, now: number): TaskFolder {
  const turns = [...folder.turns].map(([turn, files]) => ({
    turn,
    files,
    newest: changedAt(Object.values(files), stamps),
  }))
  const unfinished = turns.filter(({ turn, files, newest }) => {
    if (turns.some((later) => later.turn > turn && later.newest >= newest)) return false
    return !isJudged(files, stamps) && now - newest <= GIVEN_UP_MS
  })
  const waiting = turns.some(({ turn }) => isIncomplete(folder, turn, stamps, now))
    ? turns.filter(({ newest }) => Math.abs(now - newest) < PATIENCE_MS)
    : []
  return withoutTurns(folder, new Set([...unfinished, ...waiting].map(({ turn }) => turn)), stamps, now)
}

/** Kinds of files that some sessions write for each turn except the first. */
const OPTIONAL_KINDS = ['work_state', 'coach_feedback_for'] as const

/**
 * Checks whether further files of a turn are expected: the folder changed in the last seconds, and a file is missing. It is one
 * of the reports, a file of a kind that another turn has, an earlier turn, or the checkpoint that closes the turn.
 */
function isIncomplete(folder: TaskFolder, turn: number, stamps: FileStamps, now: number): boolean {
  const { turns, checkpoints, results } = folder
  const files = turns.get(turn) ?? {}
  const newest = changedAt(Object.values(files), stamps)
  const all = [...[...turns.values()].flatMap(Object.values<FoundFile>), checkpoints, results]
  const isChanging =
    Math.abs(now - changedAt(all, stamps)) < COMPLETION_MS && Math.abs(now - newest) < PATIENCE_MS
  if (!isChanging) return false
  const hasReports = [files.player, files.coach, files.turn_state].every((file) => file !== undefined)
  const others = [...turns.values()]
  const lacksKind = OPTIONAL_KINDS.some(
    (kind) => files[kind] === undefined && others.some((other) => other[kind] !== undefined),
  )
  const lacksEarlierTurn = [...turns.keys()].filter((number) => number < turn).length < turn - 1
  const isOpen = changedAt([checkpoints], stamps) < newest && (checkpoints !== undefined || turns.size === 1)
  return !hasReports || (lacksKind && turn > 1) || lacksEarlierTurn || isOpen
}

function isJudged({ player, coach, turn_state: turnState }: TurnFilesFound, stamps: FileStamps): boolean {
  if (turnState === undefined && (player === undefined || coach === undefined)) return false
  const workedUntil = changedAt([player], stamps) - SHORTEST_TURN_MS
  return [coach, turnState].every((file) => file === undefined || changedAt([file], stamps) >= workedUntil)
}

/**
 * Returns the folder without some turns. Keeps `task_work_results.json` only if it belongs to a remaining turn: each Player's
 * report comes with new results, which overwrite those of the previous turn.
 */
export function withoutTurns(
  folder: TaskFolder,
  unfinished: ReadonlySet<number>,
  stamps: FileStamps,
  now: number,
): TaskFolder {
  const findNewestChange = (turns: typeof folder.turns) =>
    changedAt([...turns.values()].flatMap(Object.values<FoundFile>), stamps)
  const split = (isLeft: boolean) =>
    new Map([...folder.turns].filter(([turn]) => unfinished.has(turn) !== isLeft))
  const turns = split(true)
  const [newest, newestUnfinished] = [findNewestChange(turns), findNewestChange(split(false))]
  const { results, ...rest } = folder
  const writtenAt = changedAt([results], stamps)
  const isOfNewest =
    writtenAt <= newest + (newestUnfinished > newest ? 0 : SHORTEST_TURN_MS) || now - writtenAt > GIVEN_UP_MS
  return { ...rest, turns, ...(results !== undefined && isOfNewest && { results }) }
}

/** Checks whether a file that names the feature may still come. In real sessions the checkpoint is the last file of a turn. */
export function mayStillBeNamed(folder: TaskFolder, stamps: FileStamps, now: number): boolean {
  const newest = changedAt([...folder.turns.values()].flatMap(Object.values<FoundFile>), stamps)
  return changedAt([folder.checkpoints], stamps) < newest && Math.abs(now - newest) < COMPLETION_MS
}

export const listFiles = ({ turns, checkpoints, results, events }: TaskFolder): FoundFile[] =>
  [
    ...[...turns.values()].flatMap(Object.values<FoundFile>),
    checkpoints,
    results,
    ...events.map(({ file }) => file),
  ].filter((file) => file !== undefined)

const changedAt = (files: readonly (FoundFile | undefined)[], stamps: FileStamps): number =>
  Math.max(0, ...files.map((file) => stamps.get(file?.path ?? '')?.changedAt ?? 0))
