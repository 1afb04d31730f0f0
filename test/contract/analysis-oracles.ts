// Compares the analyses of texts with independent computations, over random sessions.
import { describe, expect, test } from 'vitest'
import { Random } from '../faults/harness/random.ts'
import { repeats, simplified } from '../oracles/bases.ts'
import { aTurn, clientOf, FEATURE, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const SESSIONS = 40
/** Number of sessions that are captured in parallel. */
const LANES = 6

type Session = { taskId: string; worldSlug: string; turns: TurnToSend[] }
type Row = readonly unknown[]

/** The analyses that compare texts (contract: specification.md). */
export function analysisOraclesContract(store: StoreUnderTest): void {
  describe('analyses that compare texts', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = (sessions: readonly Session[]) =>
      Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          for (const { turns } of sessions.filter((_session, i) => i % LANES === lane))
            for (const turn of turns) await client().captureTurnState({ ...turn, createWorld: true })
        }),
      )
    /** Returns the whole answer. Checks that a shorter one is its beginning. */
    const rows = async (name: string): Promise<Row[]> => {
      const answer = await client().runAnalysis({ name, limit: 1_000 })
      expect(answer.truncated).toBe(false)
      const shorter = await client().runAnalysis({ name, limit: 3 })
      expect([shorter.rows, shorter.truncated]).toEqual([answer.rows.slice(0, 3), true])
      return answer.rows
    }

    test('recurring-issues agrees with the issues of each turn of each session', async () => {
      const random = new Random(28)
      const sessions = Array.from({ length: SESSIONS }, (_, i) => complainingSession(random, i))
      await capture(sessions)
      const expected = expectedRecurrences(sessions)
      expect(expected.length).toBeGreaterThan(3)
      expect(await rows('recurring-issues')).toEqual(expected)
    })

    test('evidence-copied agrees with a comparison of all pairs of texts', async () => {
      const random = new Random(29)
      const sessions = Array.from({ length: SESSIONS }, (_, i) => promisingSession(random, i))
      await capture(sessions)
      const expected = sessions.flatMap(expectedCopies).sort(byPlaces)
      for (const basis of ['repeated', 'misplaced'])
        expect(expected.filter((row) => row[5] === basis).length, basis).toBeGreaterThan(5)
      expect(await rows('evidence-copied')).toEqual(expected)
    })
  })
}

const oneFrom = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[random.between(0, items.length - 1)] ?? items[0]

const byPlaces = (a: Row, b: Row): number => {
  const differing = a.findIndex((value, i) => value !== b[i])
  const [left, right] = [a[differing], b[differing]]
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left) < String(right) ? -1 : 1
}

const DECISIONS = ['approved', 'feedback', 'feedback', 'rejected', 'error', 'deferred', 'unknown'] as const
const COMPLAINTS = [
  'It leaks at line',
  'IT LEAKS at line',
  'The pool stays open at line',
  'No test covers line',
] as const
const CATEGORIES = ['tests', 'style', null] as const

/** Creates a session of up to 14 turns, more than a world keeps outcomes of, with gaps. Two sessions end at the same time. */
function complainingSession(random: Random, place: number): Session {
  const session = { taskId: `TASK-${place % 7}`, worldSlug: `session-${place}` }
  const numbers = Array.from({ length: 14 }, (_, i) => i + 1).filter(() => random.fraction() < 0.7)
  const turns = [...numbers.slice(0, random.between(1, 14)), 15].map((turnNumber) =>
    aTurn(turnNumber, {
      ...session,
      playerSummary: `What ${session.worldSlug} did in turn ${turnNumber}`,
      coachDecision: oneFrom(random, DECISIONS),
      completedAt: new Date(Date.UTC(2026, 1, 1 + Math.floor(place / 2), 0, turnNumber)).toISOString(),
      issues: Array.from({ length: random.between(0, 2) }, () => ({
        severity: 'blocking',
        category: oneFrom(random, CATEGORIES),
        description: `${oneFrom(random, COMPLAINTS)} ${random.between(1, 99)}`,
      })),
    }),
  )
  return { ...session, turns }
}

type Issue = { category?: string | null | undefined; description: string }

/** Normalizes a complaint: ignores case and numbers. */
const complaintIn = ({ category, description }: Issue): string =>
  `${category ?? ''}: ${description.toLowerCase().replace(/\d+/, '')}`

function expectedRecurrences(sessions: readonly Session[]): Row[] {
  const issues = sessions.flatMap(({ turns }) => turns.flatMap((turn) => turn.issues ?? []))
  return [...new Set(issues.map(complaintIn))]
    .map((complaint) => recurrenceOf(complaint, sessions, issues))
    .filter(([, , recurred]) => Number(recurred) > 1)
    .sort((a, b) => byPlaces([b[2], b[3], a[1]], [a[2], a[3], b[1]]))
}

function recurrenceOf(complaint: string, sessions: readonly Session[], issues: readonly Issue[]): Row {
  const same = issues.filter((issue) => complaintIn(issue) === complaint)
  const raised = sessions.flatMap(({ turns, worldSlug }) => {
    const raising = turns.filter(({ issues }) => issues?.some((issue) => complaintIn(issue) === complaint))
    const last = raising.at(-1)?.turnNumber
    if (last === undefined) return []
    const without = turns.find(
      ({ turnNumber, coachDecision = '' }) =>
        turnNumber > last && /^(approved|feedback|rejected)$/.test(String(coachDecision)),
    )
    return [{ worldSlug, count: raising.length, without, end: turns.at(-1)?.completedAt ?? '' }]
  })
  const ways = raised
    .sort((a, b) => byPlaces([b.end, a.worldSlug], [a.end, b.worldSlug]))
    .flatMap(({ without, worldSlug }) =>
      without === undefined ? [] : [`${worldSlug} turn ${without.turnNumber}: ${without.playerSummary}`],
    )
  const turns = raised.reduce((sum, { count }) => sum + count, 0)
  const [wording] = same.map(({ description }) => description).sort()
  return [same[0]?.category ?? null, wording, raised.length, turns, ways.length, ways.slice(0, 3)]
}

const TEXTS = [
  'Ran all 14 tests of retry: they pass on a cold cache',
  'all 14 tests of retry',
  'They pass on a cold cache',
  'The migration ran twice, and neither took the lock',
  'Passes.',
] as const

/** Ways to repeat a text. The last two add and omit words. */
const SAYINGS: readonly [(text: string) => string, ...((text: string) => string)[]] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `**${text.replaceAll(' ', '\n')}**`,
  (text) => `\t(${text}) — [#]`,
  (text) => `Seen by me | ${text} | so be it`,
  (text) => text.slice(0, 24),
]

function promisingSession(random: Random, place: number): Session {
  const session = { taskId: `TASK-${place % 7}`, worldSlug: `session-${place}` }
  const entry = (label: number) => ({
    criterionId: `AC-${label}`,
    criterionText: `Criterion ${'abc'[label - 1]} of task ${place % 7} holds`,
    evidence: oneFrom(random, SAYINGS)(oneFrom(random, TEXTS)),
  })
  const some = (share: number) => [1, 2, 3].filter(() => random.fraction() < share)
  const turns = Array.from({ length: random.between(1, 6) }, (_, i) =>
    aTurn(i + 1, {
      ...session,
      promises: [...some(0.3), ...some(0.2)].map((label) => ({
        ...entry(label),
        status: 'complete' as const,
      })),
      verifications: some(0.6).map((label) => ({
        ...entry(label),
        status: random.fraction() < 0.7 ? ('verified' as const) : ('rejected' as const),
        ...(random.fraction() < 0.2 && { source: 'player' as const }),
      })),
    }),
  )
  return { ...session, turns }
}

/** Lists the expected rows. Compares each verified verdict with the newest promises of each criterion up to its turn. */
function expectedCopies({ taskId, worldSlug, turns }: Session): Row[] {
  return turns.flatMap(({ turnNumber, verifications }) =>
    (verifications ?? []).flatMap(({ criterionId, status, source, evidence }): Row[] => {
      if (source === 'player' || status !== 'verified') return []
      const said = simplified(evidence ?? '')
      const owners = ['AC-1', 'AC-2', 'AC-3'].flatMap((label) => {
        const newest = turns.findLast(
          (turn) =>
            turn.turnNumber <= turnNumber && turn.promises?.some((promise) => promise.criterionId === label),
        )
        const texts = (newest?.promises ?? []).filter((promise) => promise.criterionId === label)
        const isOwner = texts.some((promise) => repeats(said, simplified(promise.evidence ?? '')))
        return isOwner ? [{ label, turn: newest?.turnNumber ?? 0 }] : []
      })
      const own = owners.find(({ label }) => label === criterionId)
      const promise = own ?? owners.sort((a, b) => b.turn - a.turn || (a.label < b.label ? -1 : 1))[0]
      if (promise === undefined) return []
      const basis = own === undefined ? 'misplaced' : 'repeated'
      return [
        [FEATURE, taskId, worldSlug, turnNumber, criterionId, basis, promise.label, promise.turn, evidence],
      ]
    }),
  )
}
