/** Checks the invariants of every visible row of runs and attempts, and that two answers agree. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import {
  type Attempt,
  brokenAttemptRules,
  brokenRules,
  isActiveRun,
  type TurnRun,
} from '../../src/runs/record.ts'
import type { Answer, Command, WorldSeen } from './run-model.ts'

export class Witness {
  readonly #ended = new Map<string, TurnRun | Attempt>()
  readonly #fenceOf = new Map<string, number>()
  readonly #greatest = new Map<string, number>()

  sees(row: TurnRun | Attempt): void {
    const isAttempt = 'attemptId' in row
    const id = isAttempt ? row.attemptId : row.turnRunId
    const broken = isAttempt ? brokenAttemptRules(row) : [...brokenRules(row), ...brokenCounts(row)]
    if (broken.length > 0) expect(broken, `rules broken by ${JSON.stringify(row)}`).toEqual([])
    const ended = this.#ended.get(id)
    if (ended !== undefined && ended !== row) same(row, ended, () => `${id} has ended, and changes again`)
    if (isAttempt ? row.status !== 'running' : !isActiveRun(row.status)) this.#ended.set(id, row)
    this.#seesFence(id, row)
  }

  #seesFence(id: string, { fence, worldSlug }: TurnRun | Attempt): void {
    const before = this.#fenceOf.get(id) ?? null
    if (fence === before) return
    const greatest = this.#greatest.get(worldSlug) ?? 0
    if (fence === null || fence <= greatest)
      expect.fail(`the fence of ${id}, ${fence}, is not above all others of ${worldSlug}: ${greatest}`)
    this.#fenceOf.set(id, fence)
    this.#greatest.set(worldSlug, fence)
  }
}

function brokenCounts(run: TurnRun): string[] {
  const ended = run.committedTurnCount + run.failedAttemptCount + run.interruptedAttemptCount
  return ended + (run.activeAttemptId === null ? 0 : 1) === run.attemptCount ? [] : ['counters add up']
}

/** Checks a world: at most one active run and attempt, and commits of each run without a gap. */
export function expectWhole(seen: WorldSeen): void {
  const activeRuns = seen.runs.filter(({ status }) => isActiveRun(status))
  const activeAttempts = seen.attempts.filter(({ status }) => status === 'running')
  same(
    activeRuns.map(({ turnRunId }) => turnRunId),
    idsOf(seen.activeTurnRunId),
    () => 'one active run',
  )
  same(
    activeAttempts.map(({ attemptId }) => attemptId),
    idsOf(seen.activeAttemptId),
    () => 'one active attempt',
  )
  for (const { turnRunId, startTurn, committedTurnCount } of seen.runs) {
    const produced = seen.attempts
      .filter((held) => held.turnRunId === turnRunId && held.status === 'committed')
      .map(({ producedTurn }) => producedTurn)
      .reverse()
    const contiguous = Array.from({ length: committedTurnCount }, (_, i) => startTurn + i + 1)
    same(produced, contiguous, () => `the turns that ${turnRunId} has committed`)
  }
}

const idsOf = (id: string | null): string[] => (id === null ? [] : [id])

/** A fast `toEqual` for hundreds of thousands of comparisons: the slow one runs only to describe a difference. */
export function same(actual: unknown, expected: unknown, what: () => string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what()).toEqual(expected)
}

export const told = (commands: readonly Command[]): string =>
  `after\n${commands.map((c) => JSON.stringify(c)).join('\n')}\n`

export function agrees(actual: Answer, expected: Answer): boolean {
  if ('refused' in expected && expected.details === undefined)
    return 'refused' in actual && actual.refused === expected.refused
  return isDeepStrictEqual(actual, expected)
}

export function refusalOf(error: unknown): Answer {
  if (!(error instanceof TurngraphError)) throw error
  return { refused: error.code, details: error.details }
}

export const rowsOf = (answer: Answer): (TurnRun | Attempt)[] =>
  'said' in answer && answer.said !== null && typeof answer.said === 'object' && 'fence' in answer.said
    ? [answer.said as TurnRun | Attempt]
    : []
