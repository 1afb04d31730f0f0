// Grades, directly from the files, how each verified verdict is known (contract: evidence.md, "Basis"). Compares each verdict
// with each promise of its session up to its turn. Shares no code with src.
import { tasks } from './artifacts.ts'
import { final, resolveWorld } from './contexts.ts'
import type { Criterion } from './identity.ts'

/** `place`: position in the list of the report. */
export type Graded = { task: string; world: number; turn: number; place: number; basis: string }

const absent =
  /^\s*($|promise status\s*:|no completion promise for\b|not found in player requirements_met\b|\[text fallback\]|matched in player requirements_met\b)/i

export function simplified(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[`*_#[\]]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

/** Checks whether the text is the promise, or contains it and the promise has 8 words. */
export function repeats(text: string, promise: string): boolean {
  if (promise === '') return false
  return text === promise || (promise.split(' ').length >= 8 && ` ${text} `.includes(` ${promise} `))
}

export function gradedVerdicts(root: string): Graded[] {
  return tasks(root).flatMap(({ featureId, taskId, worlds }) => {
    const known: Criterion[] = []
    const named = worlds.map((turns) => resolveWorld(turns, known))
    return worlds.flatMap((turns, w) => {
      const criterionOf = (who: 'player' | 'coach', turn: number, place: number) =>
        final(named[w]!.find((n) => n.who === who && n.turn === turn && n.place === place)!.criterion)
      const promises = turns.flatMap((turn) =>
        turn.promises.map(({ evidence }, place) => ({
          turn: turn.number,
          text: simplified(evidence ?? ''),
          criterion: criterionOf('player', turn.number, place),
        })),
      )
      return turns.flatMap(({ number: turn, verifications }) =>
        verifications.flatMap(({ status, evidence }, place) => {
          if (status !== 'verified') return []
          const text = simplified(evidence ?? '')
          const owners = promises
            .filter((promise) => promise.turn <= turn && repeats(text, promise.text))
            .map(({ criterion }) => criterion)
          const told = owners.includes(criterionOf('coach', turn, place)) ? 'repeated' : 'misplaced'
          const basis = absent.test(evidence ?? '') ? 'bare' : owners.length > 0 ? told : 'judged'
          return [{ task: `${featureId} ${taskId}`, world: w + 1, turn, place, basis }]
        }),
      )
    })
  })
}
