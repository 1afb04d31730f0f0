/**
 * Splits the turns of one task, given in turn order, into its runs, oldest first: each is a world.
 *
 * A re-run overwrites the first files of the folder and leaves the later ones of the run before, so a turn
 * that completed *before* the last timed turn belongs to another run. Equal times do not split: they are one
 * run whose clock did not move. A turn without a time stays with its predecessor (autobuild-artifacts.md,
 * "Worlds"; 8 of 53 multi-turn folders hold mixed runs).
 *
 * @param completedAt epoch milliseconds, or null where the turn has no time
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
