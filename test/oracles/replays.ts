// Counts, directly from the files, the turns that a memory would have saved or changed. Shares no code with src.
// npx tsx test/oracles/replays.ts ROOT prints the counts of one repository.
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { tasks } from './artifacts.ts'
import { final, resolveWorld } from './contexts.ts'
import type { Criterion } from './identity.ts'

export type ExpectedReplay = {
  task: string
  world: number
  turns: number[]
  /** Turns after the one that verified the last criterion of the session. */
  afterAllProven: number[]
  /** Turns whose Coach gave a verdict on a criterion that an earlier turn had verified. */
  judgedAgain: number[]
}

export function expectedReplays(root: string): ExpectedReplay[] {
  return tasks(root).flatMap(({ featureId, taskId, worlds }) => {
    const known: Criterion[] = []
    const named = worlds.map((turns) => resolveWorld(turns, known)) // merges criteria of later sessions, too
    return worlds.map((turns, i): ExpectedReplay => {
      const entries = (named[i] ?? []).map((entry) => ({ ...entry, criterion: final(entry.criterion) }))
      const byCoach = entries.filter(({ who }) => who === 'coach')
      // A criterion that only the Player named does not count if the Coach named others.
      const counted = new Set((byCoach.length > 0 ? byCoach : entries).map(({ criterion }) => criterion))
      const verified = new Set<Criterion>()
      const [afterAllProven, judgedAgain]: [number[], number[]] = [[], []]
      for (const { number } of turns) {
        if (counted.size > 0 && [...counted].every((criterion) => verified.has(criterion)))
          afterAllProven.push(number)
        const verdicts = byCoach.filter(
          ({ turn, status }) => turn === number && (status === 'verified' || status === 'rejected'),
        )
        if (verdicts.some(({ criterion }) => verified.has(criterion))) judgedAgain.push(number)
        for (const { criterion, status } of verdicts) if (status === 'verified') verified.add(criterion)
      }
      return {
        task: `${featureId} ${taskId}`,
        world: i + 1,
        turns: turns.map(({ number }) => number),
        afterAllProven,
        judgedAgain,
      }
    })
  })
}

if (argv[1] !== undefined && argv[2] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  for (const replay of expectedReplays(argv[2])) console.log(JSON.stringify(replay))
}
