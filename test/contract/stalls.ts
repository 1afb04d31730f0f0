import { describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../src/operations/table.ts'
import { isRequired } from '../../src/rules/criterion-states.ts'
import { allPages } from '../faults/harness/pages.ts'
import { Random } from '../faults/harness/random.ts'
import { aTurn, clientOf, FEATURE, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const WORLDS = 80
/** Worlds of one task share its criteria. */
const TASKS = 30
/** Number of sessions that are captured in parallel. */
const LANES = 6
const LABELS = ['AC-1', 'a, b', 'null', ',"complete","', '",null', '[1,"approved"]', "it's"]

type Place = { featureId: string; taskId: string; worldSlug: string }
type Verification = NonNullable<TurnToSend['verifications']>[number]

/** Creates a random session: its turns in the order of their capture, some of them late or superseded. */
function madeUpSession(random: Random, place: Place): TurnToSend[] {
  const chance = (share: number) => random.fraction() < share
  const one = <T>(items: readonly T[]): T => items[random.between(0, items.length - 1)] as T
  const labels = random.shuffled(LABELS).slice(0, random.between(0, 3))
  const complaints = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, one([1, 1, 2, 6, 6, 6]))
  const howOften = one([0, 0.3, 1, 1, 1])
  const [promises, proves] = [chance(0.6), chance(0.3)]
  const verifies = one([0, 0.2, 0.5, 0.5])
  const flips = verifies === 0.5
  const gateFails = one([0.3, 0.3, 0.3, 1])
  const done = new Set<string>()

  const judged = (criterionId: string): Verification => {
    const isVerified = chance(verifies)
    if (isVerified) done.add(criterionId)
    return {
      criterionId,
      ...(chance(0.5) && { criterionText: `Criterion ${LABELS.indexOf(criterionId)} holds` }),
      status: isVerified ? 'verified' : one([...Array(6).fill('rejected'), 'pending', 'unknown']),
      source: one([...Array(6).fill('coach'), 'validator', 'player']),
      evidence: proves ? one(['it broke', 'Promise status: complete', null]) : null,
    }
  }
  const complaint = (turnNumber: number): Partial<TurnToSend> => {
    const description = `Complaint ${one(complaints)} about line ${turnNumber}`
    return { issues: [{ severity: 'blocking', category: 'work', description }] }
  }
  const record = (turnNumber: number): TurnToSend => {
    const named = labels.filter((label) => chance(howOften) && (flips || !done.has(label)))
    const inMap = named.filter(() => chance(0.1))
    return aTurn(turnNumber, {
      ...place,
      coachDecision: one([
        ...Array(16).fill('feedback'),
        'rejected',
        'rejected',
        'approved',
        'error',
        'deferred',
      ]),
      ...complaint(turnNumber),
      gates: chance(gateFails) ? { 'tests, "all"': 'failed' } : {},
      verifications: named.map(judged),
      acceptanceCriteriaStatus: Object.fromEntries(
        inMap.map((label) => [label, one(['verified', 'rejected'])]),
      ),
      promises: promises
        ? labels.map((criterionId) => ({ criterionId, status: chance(0.95) ? 'complete' : 'partial' }))
        : [],
    })
  }
  const numbers = Array.from({ length: random.between(2, 10) }, (_, i) => i + 1)
  const late = chance(0.2) ? random.shuffled(numbers) : numbers
  const superseding = numbers
    .filter(() => chance(0.05))
    .map((number): TurnToSend => ({ ...record(number), onConflict: 'supersede' }))
  return [...late.map(record), ...superseding]
}

/** A session whose verdict on one criterion changes in each turn: only few made-up sessions come to this verdict. */
const flippingSession = (place: Place): TurnToSend[] =>
  ['retry', 'cache', 'header', 'parser'].map((subject, i) =>
    aTurn(i + 1, {
      ...place,
      coachDecision: 'feedback',
      issues: [{ severity: 'blocking', category: 'work', description: `The ${subject} is wrong` }],
      verifications: [{ criterionId: 'AC-FLIPS', status: i % 2 === 0 ? 'verified' : 'rejected' }],
    }),
  )

/** The declarations of some tasks, before or after their turns: criteria that the sessions name, and others. */
function madeUpSpecification(random: Random, taskId: string) {
  if (random.fraction() < 0.7) return null
  const named = random.shuffled(LABELS.map((_, i) => `Criterion ${i} holds`)).slice(0, random.between(0, 4))
  const texts =
    random.fraction() < 0.3 || named.length === 0 ? [...named, 'Nobody ever looks at this one'] : named
  return {
    featureId: FEATURE,
    taskId,
    isBefore: random.fraction() < 0.5,
    criteria: texts.map((text) => ({
      text,
      kind: random.fraction() < 0.2 ? ('manual' as const) : ('code' as const),
    })),
  }
}

/** The analyses of stalls and `turngraph stall` use one rule. */
export function stallsContract(store: StoreUnderTest): void {
  describe('stalls', () => {
    const handles = useGraph(store)
    const listed = async () => {
      const answer = await clientOf(handles.graph).runAnalysis({ name: 'stalled-worlds', limit: 1000 })
      expect(answer.truncated).toBe(false)
      return answer.rows.map((row) => Object.fromEntries(answer.columns.map((column, i) => [column, row[i]])))
    }
    /** The answers of `turngraph stall` and `turngraph criteria` for a world, in the form of `stalled-worlds`. */
    const told = async ({ featureId, taskId, worldSlug }: Place) => {
      const target = { featureId, taskId, worldSlug }
      const client = clientOf(handles.graph)
      const stall = await client.loadStall(target)
      const { criteria } = await client.listCriteria(target)
      const { currentTurn } = await client.getWorld({ worldSlug })
      const row = {
        feature: featureId,
        task: taskId,
        world: worldSlug,
        verdict: stall.verdict as string,
        should_stop: stall.shouldStop,
        since_turn: stall.sinceTurn,
        turns: currentTurn,
        verified: criteria.filter((criterion) => isRequired(criterion) && criterion.state === 'verified')
          .length,
        criteria: criteria.filter(isRequired).length,
      }
      return { row, kind: kindOf(stall) }
    }

    test('stalled-worlds lists each world that stalls, oscillates or is on a plateau, with the verdict of stall, and no other', async () => {
      const random = new Random(14)
      const places = Array.from({ length: WORLDS }, (_, i) => ({
        featureId: FEATURE,
        taskId: `TASK-${i % TASKS}`,
        worldSlug: `w-${i}`,
      }))
      const flipping = { featureId: FEATURE, taskId: 'TASK-FLIPS', worldSlug: 'w-flips' }
      const sessions = [
        ...places.map((place) => ({ place, turns: madeUpSession(random, place) })),
        { place: flipping, turns: flippingSession(flipping) },
      ]
      const declared = Array.from({ length: TASKS }, (_, i) =>
        madeUpSpecification(new Random(1000 + i), `TASK-${i}`),
      )
      const declare = async (taskIds: readonly string[], isFirst: boolean) => {
        for (const { isBefore, ...each } of declared.flatMap((one) => one ?? []))
          if (isBefore === isFirst && taskIds.includes(each.taskId))
            await clientOf(handles.graph).declareCriteria(each)
      }
      const expected: Awaited<ReturnType<typeof told>>[] = []
      await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          const own = sessions.filter((_session, i) => (i % TASKS) % LANES === lane)
          const taskIds = [...new Set(own.map(({ place }) => place.taskId))]
          await declare(taskIds, true)
          for (const { turns } of own)
            for (const turn of turns)
              await clientOf(handles.graph).captureTurnState({ ...turn, createWorld: true })
          await declare(taskIds, false)
          for (const { place } of own) expected.push(await told(place))
        }),
      )
      const kinds = new Set(expected.map(({ kind }) => kind))
      expect([...kinds].sort(), 'the sessions come to every verdict').toEqual(KINDS)
      const found = (await listed()).map(({ last_gain_in, contested, ...row }) => row)
      expect(byWorld(found)).toEqual(
        byWorld(expected.map(({ row }) => row).filter(({ verdict }) => LISTED.includes(verdict))),
      )
      const stuck = await allPages((cursor) =>
        clientOf(handles.graph).listWorlds({ stalledOrOscillating: true, limit: 20, cursor }),
      )
      expect(stuck.map(({ worldSlug }) => worldSlug).toSorted(), 'sessions that stall or oscillate').toEqual(
        expected
          .filter(({ row }) => ['stalled', 'blocked', 'oscillating'].includes(row.verdict))
          .map(({ row }) => row.world)
          .toSorted(),
      )
    })

    test('stalled-worlds reads the whole ledger of a world whose newest verdicts do not reach back', async () => {
      const place = { featureId: FEATURE, taskId: 'TASK-1', worldSlug: 'w-1' }
      const capture = async (turnNumber: number, statuses: ('verified' | 'rejected')[]) => {
        const verifications = statuses.map((status) => ({ criterionId: 'a, "b"', status }))
        const coachFeedback = `Feedback ${'abcdefghijkl'[turnNumber]}`
        await clientOf(handles.graph).captureTurnState(
          aTurn(turnNumber, { ...place, coachFeedback, verifications }),
        )
        return (await told(place)).row.verdict
      }
      const many = Array(20).fill('verified')
      await capture(1, ['verified'])
      await capture(2, ['rejected'])
      await capture(3, ['verified'])
      expect(await capture(4, ['rejected'])).toBe('oscillating')
      expect(await listed()).toMatchObject([{ verdict: 'oscillating', since_turn: 1, criteria: 1 }])
      // The newest 20 verdicts on the criterion are all from turn 5, so earlier ones are only in the ledger.
      expect(await capture(5, many)).toBe('oscillating')
      expect(await listed()).toMatchObject([{ verdict: 'oscillating' }])
      // In the window, and as of its first turn.
      for (const turnNumber of [6, 7, 8, 9]) await capture(turnNumber, [])
      expect(await capture(10, [])).toBe('plateau')
      expect(await listed()).toMatchObject([{ verdict: 'plateau' }])
      expect(await capture(11, [])).toBe('plateau')
      expect(await listed()).toMatchObject([{ verdict: 'plateau', since_turn: 8 }])
    })
  })
}

const LISTED = ['stalled', 'blocked', 'oscillating', 'plateau']

/** Kinds of sessions, one for each way to a verdict. */
const KINDS = [
  'blocked',
  'finished',
  'insufficient_data',
  'no_growth',
  'oscillating by feedback',
  'oscillating by verdicts',
  'plateau',
  'progressing',
  'stalled for 3',
  'stalled for 3, spared',
  'stalled for 5',
  'stalled for 5, spared',
]

const byWorld = <R extends { world?: unknown }>(rows: readonly R[]) =>
  Object.fromEntries(rows.map((row) => [String(row.world), row]))

function kindOf({ verdict, reason, window, shouldStop }: OperationOutput<'loadStall'>): string {
  if (verdict === 'stalled') return `stalled for ${window}${shouldStop ? '' : ', spared'}`
  if (verdict !== 'oscillating') return verdict
  return `oscillating by ${reason?.startsWith('The verdict on') ? 'verdicts' : 'feedback'}`
}
