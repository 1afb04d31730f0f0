import { describe, expect, test } from 'vitest'
import type { CriterionState } from '../memory/criteria/views.ts'
import { isSubstantiated } from './absence.ts'
import { BASES } from './basis.ts'
import {
  criterionStates,
  deriveState,
  isAllObserved,
  isAllVerified,
  type Policy,
} from './criterion-states.ts'
import type { Criterion } from './identity.ts'
import type { LedgerEntry, Progress, PromiseEntry } from './progress.ts'
import { advance, finalKeys } from './progress.ts'

const criterion = (key: string, more: Partial<Criterion> = {}): Criterion => ({
  key,
  texts: [{ text: `text of ${key}`, source: 'coach' }],
  aliases: [],
  mergedInto: null,
  worldKey: null,
  ...more,
})

type Said = Partial<LedgerEntry> & Pick<LedgerEntry, 'turn' | 'status'>
const said = (entry: Said): LedgerEntry => ({
  position: 0,
  criterionKey: 'a',
  label: entry.criterionKey ?? 'a',
  source: 'coach',
  form: 'entry',
  substantiated: isSubstantiated(entry.evidence ?? null, new Set()),
  evidence: null,
  observedOn: null,
  addedAt: null,
  text: null,
  ...entry,
})
const promise = (
  turn: number,
  criterionKey = 'a',
  status: PromiseEntry['status'] = 'complete',
  evidence: string | null = null,
): PromiseEntry => ({
  turn,
  position: 0,
  criterionKey,
  label: criterionKey,
  status,
  evidence,
  text: null,
})

const states = (
  ledger: LedgerEntry[],
  { promised = [], policy = 'sticky', criteria = [criterion('a'), criterion('b'), criterion('c')] } = {} as {
    promised?: PromiseEntry[]
    policy?: Policy
    criteria?: Criterion[]
  },
) => criterionStates(criteria, advance(new Map(), ledger, promised, finalKeys(criteria)), policy)

const verdicts = (ledger: LedgerEntry[], policy: Policy) =>
  states(ledger, { policy }).map(({ state, verifiedInTurn, contestedInTurn }) => [
    state,
    verifiedInTurn,
    contestedInTurn,
  ])

const V = (turn: number, more: Partial<LedgerEntry> = {}) => said({ turn, status: 'verified', ...more })
const R = (turn: number, more: Partial<LedgerEntry> = {}) => said({ turn, status: 'rejected', ...more })
const RE = (turn: number) => R(turn, { evidence: 'test_a fails' })
const U = (turn: number) => said({ turn, status: 'unknown' })
const P = (turn: number) => said({ turn, status: 'pending' })

const TREE = { tree: 'a'.repeat(40), dirty: null, commit: null, at: '2026-03-01T10:00:00.000000Z' }
/** An observed verification, and an observed rejection. */
const OV = (turn: number, more: Partial<LedgerEntry> = {}) => V(turn, { observedOn: TREE, ...more })
const OR = (turn: number) => R(turn, { observedOn: TREE, substantiated: true })

describe('under the policy observed', () => {
  const [known] = advance(new Map(), [V(1)], []).values()
  const stateOf = (more: Partial<Progress>) => {
    const progress: Progress = { ...(known as Progress), ...more }
    const { state, verifiedInTurn, basis } = deriveState(criterion('a'), progress, 'observed')
    return [state, verifiedInTurn, basis]
  }

  test.each(BASES.filter((basis) => basis !== 'observed'))(
    'a verification that is %s does not count',
    (basis) => {
      expect(stateOf({ basis })).toEqual(['pending', null, null])
      expect(stateOf({ basis, latestState: 'rejected' })).toEqual(['rejected', null, null])
    },
  )

  test.each<[string, LedgerEntry[], unknown]>([
    ['counts', [OV(1)], ['verified', 1, null, false]],
    ['holds after a later verification without an observation', [OV(1), V(2)], ['verified', 1, null, false]],
    ['holds from its own turn on', [V(1), OV(2)], ['verified', 2, null, false]],
    ['is contested by a rejection without evidence', [OV(1), R(2)], ['verified', 1, 2, false]],
    ['is refuted by an observed rejection', [OV(1), OR(2)], ['verified', 1, 2, true]],
    ['stays refuted after a later rejection', [OV(1), OR(2), R(3)], ['verified', 1, 3, true]],
    ['stays refuted after a word without an observation', [OV(1), OR(2), V(3)], ['verified', 1, 2, true]],
    ['is restored by a later one', [OV(1), OR(2), OV(3)], ['verified', 1, null, false]],
    ['does not come from the Player', [OV(1, { source: 'player' })], undefined],
  ])('a verification that was observed %s', (_, ledger, expected) => {
    const [found] = states(ledger, { policy: 'observed' })
    expect(found && [found.state, found.verifiedInTurn, found.contestedInTurn, found.refuted]).toEqual(
      expected,
    )
    expect(found?.basis).toBe(expected === undefined ? undefined : 'observed')
  })

  test('a rejection with evidence counts, even if a judge verified the criterion before without an observation', () => {
    const stateAfter = (...ledger: LedgerEntry[]) => states(ledger, { policy: 'observed' })[0]?.state
    const open = V(3, { status: 'pending' })
    expect(stateAfter(OR(2), open)).toBe('rejected')
    expect(stateAfter(V(1), OR(2), open)).toBe('rejected')
    expect(stateAfter(V(1), OR(2), V(3))).toBe('pending')
  })

  test('a criterion names the files of the newest observation, under other policies only if it is the newest proof', () => {
    const later = { ...TREE, tree: 'b'.repeat(40) }
    const seenIn = (ledger: LedgerEntry[], policy: Policy) => states(ledger, { policy })[0]?.observedOn
    expect(seenIn([OV(1), OV(2, { observedOn: later })], 'observed')).toEqual(later)
    expect(seenIn([OV(1), OV(2, { observedOn: later })], 'sticky')).toEqual(later)
    expect(seenIn([OV(1), V(2)], 'observed')).toEqual(TREE)
    expect(seenIn([OV(1), V(2)], 'sticky')).toBeUndefined()
    expect(seenIn([V(1)], 'sticky')).toBeUndefined()
  })

  test('all is observed if each required criterion is, and not if it is only verified', () => {
    const [verified] = states([V(1)])
    const observed = { ...verified, basis: 'observed' } as CriterionState
    expect(isAllObserved([observed], [])).toBe(true)
    expect(isAllObserved([observed, { ...observed, basis: 'judged' }], [])).toBe(false)
    expect(isAllObserved([observed, { ...observed, basis: 'judged', declared: false }], [])).toBe(true)
    expect(isAllObserved([{ ...observed, refuted: true }], [])).toBe(false)
    expect(isAllObserved([observed], ['promised'])).toBe(false)
  })
})

test('all is verified if at least one criterion is required and each required criterion is verified', () => {
  const [verified] = states([V(1)]) as [CriterionState]
  const open: CriterionState = { ...verified, state: 'pending' }
  expect(isAllVerified([verified], [])).toBe(true)
  expect(isAllVerified([verified, open], [])).toBe(false)
  expect(isAllVerified([verified, { ...open, kind: 'manual' }], [])).toBe(true)
  expect(isAllVerified([verified, { ...open, declared: false }], [])).toBe(true)
  expect(isAllVerified([{ ...verified, kind: 'manual' }], [])).toBe(false)
  expect(isAllVerified([], [])).toBe(false)
})

describe('what holds after a sequence of judgements', () => {
  type Verdict = [string, number | null, number | null]
  test.each<[string, LedgerEntry[], Record<Exclude<Policy, 'fresh' | 'observed'>, Verdict>]>([
    [
      'V',
      [V(1)],
      { sticky: ['verified', 1, null], evidence: ['verified', 1, null], latest: ['verified', 1, null] },
    ],
    [
      'R',
      [R(1)],
      {
        sticky: ['rejected', null, null],
        evidence: ['rejected', null, null],
        latest: ['rejected', null, null],
      },
    ],
    [
      'P',
      [P(1)],
      { sticky: ['pending', null, null], evidence: ['pending', null, null], latest: ['pending', null, null] },
    ],
    [
      'U',
      [U(1)],
      { sticky: ['pending', null, null], evidence: ['pending', null, null], latest: ['pending', null, null] },
    ],
    [
      'R V',
      [R(1), V(2)],
      { sticky: ['verified', 2, null], evidence: ['verified', 2, null], latest: ['verified', 2, null] },
    ],
    [
      'V U',
      [V(1), U(2)],
      { sticky: ['verified', 1, null], evidence: ['verified', 1, null], latest: ['verified', 1, null] },
    ],
    [
      'V P',
      [V(1), P(2)],
      { sticky: ['verified', 1, null], evidence: ['verified', 1, null], latest: ['pending', null, null] },
    ],
    [
      'R P',
      [R(1), P(2)],
      {
        sticky: ['rejected', null, null],
        evidence: ['rejected', null, null],
        latest: ['pending', null, null],
      },
    ],
    [
      'V R',
      [V(1), R(2)],
      { sticky: ['verified', 1, 2], evidence: ['verified', 1, 2], latest: ['rejected', null, null] },
    ],
    [
      'V R R',
      [V(1), R(2), R(3)],
      { sticky: ['verified', 1, 3], evidence: ['verified', 1, 3], latest: ['rejected', null, null] },
    ],
    [
      'V R U',
      [V(1), R(2), U(3)],
      { sticky: ['verified', 1, 2], evidence: ['verified', 1, 2], latest: ['rejected', null, null] },
    ],
    [
      'V R V',
      [V(1), R(2), V(3)],
      { sticky: ['verified', 1, null], evidence: ['verified', 1, null], latest: ['verified', 3, null] },
    ],
    [
      'V RE',
      [V(1), RE(2)],
      { sticky: ['verified', 1, 2], evidence: ['rejected', null, null], latest: ['rejected', null, null] },
    ],
    [
      'V RE V',
      [V(1), RE(2), V(3)],
      { sticky: ['verified', 1, null], evidence: ['verified', 3, null], latest: ['verified', 3, null] },
    ],
    [
      'V RE R',
      [V(1), RE(2), R(3)],
      { sticky: ['verified', 1, 3], evidence: ['rejected', null, null], latest: ['rejected', null, null] },
    ],
  ])('%s', (_name, ledger, expected) => {
    for (const policy of ['sticky', 'evidence', 'latest'] as const) {
      expect(verdicts(ledger, policy), policy).toEqual([expected[policy]])
      // Rows come in any order, and turns may be folded one by one.
      expect(verdicts(ledger.toReversed(), policy), policy).toEqual([expected[policy]])
      const oneByOne = ledger.reduce(
        (before, entry) => advance(before, [entry], []),
        advance(new Map(), [], []),
      )
      expect(oneByOne).toEqual(advance(new Map(), ledger, []))
    }
  })

  test('within a turn, in the order of its list', () => {
    expect(verdicts([V(1, { position: 1 }), R(1, { position: 0 })], 'latest')).toEqual([
      ['verified', 1, null],
    ])
    expect(verdicts([V(1, { position: 0 }), R(1, { position: 1 })], 'sticky')).toEqual([['verified', 1, 1]])
  })
})

test('a fold of many turns grades proofs like one fold per turn, also if later turns replace promises', () => {
  const words = (turn: number, key: string) =>
    `turn ${turn} shows that ${key} works for every request that is sent`
  const ledger: LedgerEntry[] = []
  const promised: PromiseEntry[] = []
  for (const turn of [1, 2, 3, 4]) {
    promised.push(promise(turn, 'a', 'complete', words(turn, 'a')))
    if (turn !== 3) promised.push(promise(turn, 'b', 'complete', words(turn, 'b')))
    ledger.push(V(turn, { criterionKey: 'a', evidence: `I see that ${words(turn, 'a')}` }))
    if (turn < 4) ledger.push(V(turn, { criterionKey: 'b', evidence: words(turn < 3 ? 1 : 2, 'b') }))
    ledger.push(V(turn, { criterionKey: 'c', evidence: words(turn, 'a') }))
  }
  const turnByTurn: unknown[] = []
  let known = new Map<string, Progress>()
  for (const turn of [1, 2, 3, 4]) {
    const isOfTurn = (entry: { turn: number }) => entry.turn === turn
    known = advance(known, ledger.filter(isOfTurn), promised.filter(isOfTurn))
    const upTo = (entry: { turn: number }) => entry.turn <= turn
    expect(advance(new Map(), ledger.filter(upTo), promised.filter(upTo))).toEqual(known)
    turnByTurn.push(['a', 'b', 'c'].map((key) => known.get(key)?.basis))
  }
  expect(turnByTurn).toEqual([
    ['repeated', 'repeated', 'misplaced'],
    ['repeated', 'judged', 'misplaced'],
    ['repeated', 'repeated', 'misplaced'],
    ['repeated', 'repeated', 'misplaced'],
  ])
})

test("a Player's claim changes no state and makes nothing count", () => {
  const claim = (turn: number, status: LedgerEntry['status']) => said({ turn, status, source: 'player' })
  expect(verdicts([R(1), claim(2, 'verified')], 'latest')).toEqual([['rejected', null, null]])
  expect(verdicts([V(1), claim(2, 'rejected')], 'sticky')).toEqual([['verified', 1, null]])
  expect(states([claim(1, 'verified')])).toEqual([])
})

test('entries of the status map are ignored where the full form names the same criterion in that turn', () => {
  const map = (turn: number, criterionKey: string) => R(turn, { criterionKey, form: 'status', position: 0 })
  const ledger = [map(1, 'a'), V(1, { position: 1 }), map(1, 'b'), map(2, 'a')]
  expect(states(ledger).map(({ key, state, contestedInTurn }) => [key, state, contestedInTurn])).toEqual([
    ['a', 'verified', 2],
    ['b', 'rejected', null],
  ])
})

describe('what counts', () => {
  test('the promised ones, as pending, while no judge has named any', () => {
    expect(states([], { promised: [promise(1, 'a'), promise(1, 'b', 'partial')] })).toMatchObject([
      { key: 'a', state: 'pending', lastTurn: null, promise: { turn: 1, status: 'complete' } },
      { key: 'b', state: 'pending', promise: { turn: 1, status: 'partial' } },
    ])
  })

  test('only what a judge has named, from then on', () => {
    const answer = states([said({ turn: 2, status: 'unknown', criterionKey: 'b' })], {
      promised: [promise(1, 'a')],
    })
    expect(answer.map(({ key, state }) => [key, state])).toEqual([['b', 'pending']])
  })

  test('the newest promise is shown', () => {
    const answer = states([V(1)], { promised: [promise(3, 'a', 'partial'), promise(1)] })
    expect(answer[0]?.promise).toEqual({ turn: 3, status: 'partial' })
  })
})

test('a merged criterion counts as the one that it merged into', () => {
  const criteria = [criterion('a', { mergedInto: 'b' }), criterion('b', { mergedInto: 'c' }), criterion('c')]
  const answer = states([V(1, { criterionKey: 'a' }), R(2, { criterionKey: 'c' })], { criteria })
  expect(answer).toMatchObject([{ key: 'c', state: 'verified', verifiedInTurn: 1, contestedInTurn: 2 }])
  expect(answer).toHaveLength(1)
})

describe('what is shown', () => {
  const shown = (criteria: Criterion[], ledger: LedgerEntry[], promised: PromiseEntry[] = []) =>
    states(ledger, { criteria, promised }).map(({ criterionId, text }) => [criterionId, text])

  test("the newest judge's label, otherwise the Player's", () => {
    const labelled = (turn: number, label: string) => V(turn, { label })
    const one = [criterion('a', { texts: [{ text: 'one', source: 'coach' }] })]
    expect(shown(one, [labelled(2, 'AC-2'), labelled(1, 'AC-1')])).toEqual([['AC-2', 'one']])
    expect(shown(one, [], [{ ...promise(1), label: 'AC-5' }])).toEqual([['AC-5', 'one']])
    expect(shown(one, [labelled(1, 'AC-1')], [{ ...promise(2), label: 'AC-5' }])).toEqual([['AC-1', 'one']])
  })

  test('a criterion that is known only by its label is shown by its id as given', () => {
    expect(shown([criterion('a', { texts: [] })], [V(1, { label: 'AC-1' })])).toEqual([['AC-1', null]])
  })

  test.each([
    [
      "the judge's, where the Player gave a longer one later",
      ['coach: It answers with 404', 'player: it answers with 404 to all'],
      'It answers with 404',
    ],
    [
      "the Player's, where a later one of a judge is its beginning",
      ['player: it answers with 404 to all', 'coach: It answers with 404'],
      'it answers with 404 to all',
    ],
    [
      "the judge's, where the Player's begins otherwise",
      ['player: a much longer wording of it', 'coach: It answers'],
      'It answers',
    ],
    [
      "the longest of the judges'",
      ['coach: It answers', 'validator: It answers with 404'],
      'It answers with 404',
    ],
    ["the judge's of equally long ones", ['player: - It answers', 'coach: It answers'], 'It answers'],
    [
      "the Player's, where no judge gave one",
      ['player: short', 'player: somewhat longer'],
      'somewhat longer',
    ],
  ])('%s', (_name, given, text) => {
    const texts = given.map((line) => {
      const [source = '', ...rest] = line.split(': ')
      return { source, text: rest.join(': ') }
    })
    expect(shown([criterion('a', { texts })], [V(1)])).toEqual([['a', text]])
  })

  test('with a text by natural order of the label, then text; then label alone by first turn and place', () => {
    const criteria = [
      criterion('k1', { texts: [{ text: 'zebra', source: 'coach' }] }),
      criterion('k2', { texts: [{ text: 'apple', source: 'coach' }] }),
      criterion('k3', { texts: [{ text: 'any', source: 'coach' }] }),
      criterion('k4', { texts: [] }),
      criterion('k5', { texts: [] }),
      criterion('k6', { texts: [] }),
    ]
    const ledger = [
      V(1, { criterionKey: 'k1', label: 'AC-2' }),
      V(1, { criterionKey: 'k2', label: 'AC-2' }),
      V(1, { criterionKey: 'k3', label: 'AC-10' }),
      V(2, { criterionKey: 'k4', label: 'a', position: 0 }),
      V(1, { criterionKey: 'k5', label: 'c', position: 5 }),
      V(1, { criterionKey: 'k6', label: 'b', position: 7 }),
    ]
    const order = (rows: Criterion[]) => states(ledger, { criteria: rows }).map(({ key }) => key)
    expect(order(criteria)).toEqual(['k2', 'k1', 'k3', 'k5', 'k6', 'k4'])
    expect(order(criteria.toReversed())).toEqual(order(criteria))
  })
})

test.each([
  ['test_a fails', true],
  ['  ', false],
  ['', false],
  [null, false],
  ['Promise status: complete', false],
  [' promise STATUS: partial', false],
  ['The promise status: none', true],
])('%j is evidence of its own: %s', (evidence, substantiated) => {
  expect(isSubstantiated(evidence, new Set())).toBe(substantiated)
})
