import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import type { ShownCriterion } from '../criteria/views.ts'
import { type Rendered, renderContext } from './budget.ts'
import type { PriorTurn } from './continuation.ts'
import type { Rendering } from './render.ts'

/** Count of the package, which our count must equal. */
const tokensOf = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

const EVERYTHING = 100_000

const prior = (more: Partial<PriorTurn> = {}): PriorTurn =>
  ({
    turnNumber: 2,
    playerSummary: 'Rebuilt the template with placeholders',
    coachDecision: 'feedback',
    coachFeedback: 'Not all acceptance criteria met',
    blockersFound: ['port in use', 'no network'],
    lessonsFromTurn: ['run ruff first', 'keep the template minimal'],
    whatToTryNext: 'AC-006',
    ...more,
  }) as PriorTurn

const criterion = (
  criterionId: string,
  state: ShownCriterion['state'],
  more: Partial<ShownCriterion> = {},
): ShownCriterion => ({
  criterionId,
  key: criterionId,
  text: null,
  aliases: [],
  state,
  verifiedInTurn: state === 'verified' ? 1 : null,
  lastTurn: 2,
  basis: state === 'verified' ? 'judged' : null,
  refuted: false,
  contested: null,
  promise: null,
  ...more,
})

const proven = (id: string, evidence: string): ShownCriterion =>
  criterion(id, 'verified', { history: [{ turn: 1, status: 'verified', source: 'coach', evidence }] })

const issue = (severity: 'blocking' | 'should_fix' | 'advisory', description: string) =>
  ({ severity, severityRaw: severity, description, suggestion: null }) as Rendering['issues'][number]

const rendering = (more: Partial<Rendering> = {}): Rendering => ({
  currentTurn: 3,
  prior: prior(),
  criteria: [],
  lastJudged: null,
  promisedNotJudged: [],
  issues: [],
  triedBefore: [],
  role: 'player',
  olderTurnsRecorded: false,
  verifiedInPrior: new Set(),
  recovered: null,
  stallWarning: null,
  ...more,
})

const seedText = `## Previous Turn Summary (Turn 2)
**What was attempted**: Rebuilt the template with placeholders
**Coach decision**: feedback
**Feedback**: Not all acceptance criteria met
**Blockers found**: port in use, no network
**Lessons learned**: run ruff first; keep the template minimal
**Suggested focus for this turn**: AC-006

**Acceptance Criteria Status**:
  ✓ AC-001: verified
  ✗ AC-002: rejected
  ○ AC-003: pending`

const seedLike = rendering({
  criteria: [
    criterion('AC-001', 'verified'),
    criterion('AC-002', 'rejected'),
    criterion('AC-003', 'pending'),
  ],
  verifiedInPrior: new Set(['AC-001']),
})

/** Rendering with items of every kind. */
const full = rendering({
  role: 'coach',
  prior: prior({
    blockersFound: ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'],
    lessonsFromTurn: ['l1', 'l2', 'l3'],
  }),
  criteria: [
    proven('AC-001', 'the first evidence'),
    proven('AC-002', 'the second\n  evidence'),
    criterion('AC-003', 'rejected', { text: 'It answers with 404' }),
    criterion('AC-004', 'pending', { text: 'Every request is logged' }),
    criterion('AC-005', 'verified', { verifiedInTurn: 1, contested: { turn: 2 } }),
  ],
  issues: [
    issue('blocking', 'The first blocking one\n\nin several lines'),
    issue('blocking', 'The second blocking one'),
    issue('should_fix', 'The first to fix'),
    issue('should_fix', 'The second to fix'),
    issue('advisory', 'The first advice'),
    issue('advisory', 'The second advice'),
  ],
  olderTurnsRecorded: true,
  recovered: {
    fromTurn: 1,
    items: [
      { criterionId: 'AC-001', status: 'complete', evidence: 'promised\nevidence' },
      { criterionId: 'AC-003', status: 'partial', evidence: null },
    ],
  },
  stallWarning: 'plateau since turn 1',
})

const fullText = `## Previous Turn Summary (Turn 2)
**What was attempted**: Rebuilt the template with placeholders
**Coach decision**: feedback
**Feedback**: Not all acceptance criteria met
**Blockers found**: b1, b2, b3, b4, b5, b6, b7
**Lessons learned**: l1; l2; l3
**Suggested focus for this turn**: AC-006

**Acceptance Criteria Status**:
  ✓ AC-001: verified (turn 1)
      the first evidence
  ✓ AC-002: verified (turn 1)
      the second evidence
  ✗ AC-003: rejected — It answers with 404
  ○ AC-004: pending — Every request is logged
  ⚠ AC-005: verified (turn 1, contested in turn 2)

**Open issues** (most severe first):
  - [blocking] The first blocking one
    
    in several lines
  - [blocking] The second blocking one
  - [should_fix] The first to fix
  - [should_fix] The second to fix
  - [advisory] The first advice
  - [advisory] The second advice

**Promises recovered from turn 1**: 2
  - AC-001: complete — promised evidence
  - AC-003: partial

**Progress**: 3 of 5 criteria verified after turn 2, 1 contested in turn 2

**Stall warning**: plateau since turn 1`

/** Items in the order in which they are left out, and the text that disappears with each. */
const LEAVING: [string, string][] = [
  ['evidence', ' — promised evidence'],
  ['evidence', '\n      the second evidence'],
  ['evidence', '\n      the first evidence'],
  ['issues', '\n  - [advisory] The second advice'],
  ['issues', '\n  - [advisory] The first advice'],
  ['issues', '\n  - [should_fix] The second to fix'],
  ['issues', '\n  - [should_fix] The first to fix'],
  ['lessons', '; l3'],
  ['lessons', '; l2'],
  ['lessons', '\n**Lessons learned**: l1'],
  ['blockers', ', b7'],
  ['blockers', ', b6'],
  ['criterion_texts', ' — Every request is logged'],
  ['criterion_texts', ' — It answers with 404'],
  ['promises', '\n  - AC-003: partial'],
  ['promises', '\n\n**Promises recovered from turn 1**: 2\n  - AC-001: complete'],
]

const NOUNS = [
  ['issues', 'issue', 'issues'],
  ['lessons', 'lesson', 'lessons'],
  ['blockers', 'blocker', 'blockers'],
  ['evidence', 'piece of evidence', 'pieces of evidence'],
  ['criterion_texts', 'criterion text', 'criterion texts'],
  ['promises', 'promise', 'promises'],
] as const

/** The note at the end of a text after the first `left` items were left out. */
function noteFor(left: number): string {
  const counts = NOUNS.flatMap(([section, one, several]) => {
    const items = LEAVING.slice(0, left).filter(([of]) => of === section).length
    return items === 0 ? [] : [`${items} ${items === 1 ? one : several}`]
  })
  return left === 0 ? '' : `\n\n(left out for length: ${counts.join(', ')})`
}

/** Texts after the first 0, 1, 2 … items were left out. */
const textsWithout = [fullText]
for (const [, gone] of LEAVING) textsWithout.push(textsWithout.at(-1)!.replace(gone, ''))
for (const left of textsWithout.keys()) textsWithout[left] += noteFor(left)

const itemsOf = (entries: Rendered['omitted'] | Rendered['included']): Record<string, number> =>
  Object.fromEntries(entries.map(({ section, items }) => [section, items]))

const sentences = (count: number, what: string): string =>
  Array.from({ length: count }, (_, i) => `This is sentence ${i + 1} of the ${what}.`).join(' ')

/** Renders a text, and checks its budget and its count. */
async function rendered(given: Rendering, budget: number): Promise<Rendered> {
  const result = await renderContext(given, budget)
  expect(result.tokens).toEqual({ budget, used: tokensOf(result.text) })
  if (result.omitted.every(({ reason }) => reason !== 'over_budget'))
    expect(result.tokens.used).toBeLessThanOrEqual(budget)
  return result
}

describe('if everything fits', () => {
  test('a record without additional fields has the text of the seed, without omissions', async () => {
    const { text, included, omitted } = await rendered(seedLike, EVERYTHING)
    expect(text).toBe(seedText)
    expect(itemsOf(included)).toEqual({ turn: 1, texts: 5, blockers: 2, lessons: 2, criteria: 3 })
    expect(omitted).toEqual([])
  })

  test('every section has its form and its place', async () => {
    const { text, included, omitted } = await rendered(full, EVERYTHING)
    expect(text).toBe(fullText)
    expect(itemsOf(included)).toEqual({
      turn: 1,
      texts: 10,
      blockers: 7,
      lessons: 3,
      criteria: 5,
      evidence: 3,
      criterion_texts: 2,
      issues: 6,
      promises: 2,
      progress: 1,
      stall: 1,
    })
    expect(omitted).toEqual([])
  })

  test('a budget of just as many tokens is enough, one less is not', async () => {
    const size = tokensOf(fullText)
    expect((await rendered(full, size)).text).toBe(fullText)
    const { text, omitted } = await rendered(full, size - 1)
    // The note on omitted items takes more room than one piece of evidence.
    expect(text).toBe(textsWithout[3])
    expect(omitted).toEqual([{ section: 'evidence', items: 3, reason: 'token_budget' }])
  })

  test('a Player is shown no promises and no evidence', async () => {
    const { text } = await rendered({ ...full, role: 'player' }, EVERYTHING)
    expect(text).not.toMatch(/Promises|evidence/)
    expect(text).toContain('**Stall warning**: plateau since turn 1')
  })

  test('sections without content do not appear', async () => {
    const empty = rendering({
      role: 'coach',
      prior: prior({
        playerSummary: '',
        coachFeedback: null,
        blockersFound: [''],
        lessonsFromTurn: [],
        whatToTryNext: null,
      }),
      recovered: { fromTurn: 1, items: [] },
    })
    const { text, included } = await rendered(empty, EVERYTHING)
    expect(text).toBe('## Previous Turn Summary (Turn 2)\n**Coach decision**: feedback')
    expect(included).toEqual([{ section: 'turn', items: 1 }])
  })

  test('the spelling of a special token is ordinary text', async () => {
    const special = '<|endoftext|> <|fim_prefix|>'
    const { text } = await rendered(rendering({ prior: prior({ playerSummary: special }) }), EVERYTHING)
    expect(text).toContain(special)
  })
})

describe('items leave', () => {
  test.each(LEAVING.map(([section, gone], i) => [i, section, gone.trim()] as const))(
    'one by one and no more than need to, and the last line counts them (%i, %s: %s)',
    async (i) => {
      const budget = tokensOf(textsWithout[i + 1]!)
      // The note on omitted items may grow by more than the size of the item. Then fewer items are left out.
      const left = textsWithout.findIndex((text) => tokensOf(text) <= budget)
      const { text, omitted } = await rendered(full, budget)
      expect(text).toBe(textsWithout[left])
      const gone = LEAVING.slice(0, left).map(([section]) => section)
      for (const section of gone)
        expect(itemsOf(omitted)[section]).toBe(gone.filter((other) => other === section).length)
      expect(omitted.reduce((sum, { items }) => sum + items, 0)).toBe(left)
    },
  )

  test('hundreds at once, and exactly as many as needed', async () => {
    const issues = Array.from({ length: 900 }, (_, i) => issue('advisory', `Advice number ${i} of many`))
    const { text, included, omitted } = await rendered(rendering({ issues }), 2_000)
    const shown = itemsOf(included).issues!
    expect(itemsOf(omitted).issues).toBe(900 - shown)
    const end = `\n\n(left out for length: ${900 - shown} issues)`
    expect(text.endsWith(`Advice number ${shown - 1} of many${end}`)).toBe(true)
    const oneMore = `\n  - [advisory] Advice number ${shown} of many\n\n(left out for length: ${899 - shown} issues)`
    expect(tokensOf(text.replace(end, oneMore))).toBeGreaterThan(2_000)
  })
})

describe('long texts are cut', () => {
  test('at a sentence, with a mark', async () => {
    const summary = sentences(100, 'summary')
    const { text, omitted, tokens } = await rendered(
      rendering({ prior: prior({ playerSummary: summary }) }),
      200,
    )
    const [, kept] = /\*\*What was attempted\*\*: (.*) \[…\]\n/.exec(text)!
    expect(summary.startsWith(`${kept} `)).toBe(true)
    expect(kept).toMatch(/\.$/)
    expect(itemsOf(omitted)).toEqual({ texts: 1, lessons: 2 })
    expect(tokens.used + tokensOf(' This is sentence 99 of the summary.')).toBeGreaterThan(195)
  })

  test('the longest first: texts shorter than their share stay whole, and the others share the rest', async () => {
    const long = { playerSummary: sentences(200, 'summary'), coachFeedback: sentences(300, 'feedback') }
    const { text } = await rendered(rendering({ prior: prior(long) }), 600)
    expect(text).toContain('**Blockers found**: port in use, no network\n')
    expect(text).toContain('**Suggested focus for this turn**: AC-006')
    const kept = [...text.matchAll(/This is sentence/g)].length
    const [, attempted] = /attempted\*\*: (.*) \[…\]\n/.exec(text)!
    const ofSummary = [...attempted!.matchAll(/This is sentence/g)].length
    expect(Math.abs(kept - 2 * ofSummary)).toBeLessThanOrEqual(1)
    expect(tokensOf(text)).toBeGreaterThan(560)
  })

  test('within a sentence at a word, if no sentence fits', async () => {
    const words = Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ')
    const { text } = await rendered(rendering({ prior: prior({ coachFeedback: words }) }), 200)
    expect(text).toMatch(/\*\*Feedback\*\*: word0 word1 .*word\d+ \[…\]\n/)
    expect(words).toContain(`${/word\d+(?= \[…\])/.exec(text)![0]} `)
  })

  test.each(['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '漢', 'a'])('never within a character (%s)', async (character) => {
    const run = character.repeat(3_000)
    const { text, tokens } = await rendered(rendering({ prior: prior({ coachFeedback: run }) }), 300)
    const [, kept] = /\*\*Feedback\*\*: (.*) \[…\]\n/.exec(text)!
    expect(kept!.length % character.length).toBe(0)
    expect(run.startsWith(kept!)).toBe(true)
    expect(tokens.used).toBeGreaterThan(250)
  })

  test('what follows the first line of a blocking issue is one; the line stays', async () => {
    const description = `What is wrong: everything\n\n${sentences(100, 'proof')}`
    const { text } = await rendered(rendering({ issues: [issue('blocking', description)] }), 250)
    expect(text).toMatch(
      /\n {2}- \[blocking\] What is wrong: everything\n {4}\n {4}This is sentence 1 .*\. \[…\]\n\n\(left out/,
    )
  })

  test('the name of a criterion without a label keeps as much as a label may have', async () => {
    const text = sentences(40, 'criterion')
    const criteria = [criterion('', 'pending', { key: 'k', text })]
    const whole = await rendered(rendering({ criteria }), EVERYTHING)
    expect(whole.text).toContain(`  ○ ${text}: pending`)
    const cut = await rendered(rendering({ criteria }), 100)
    const [, name] = /\n {2}○ (.*) \[…\]: pending\n/.exec(cut.text)!
    expect(text.startsWith(`${name} `)).toBe(true)
    expect(name!.length).toBeGreaterThan(240)
    expect(itemsOf(cut.omitted).texts).toBeGreaterThan(0)
  })

  test('a name that has to be cut says so, though there be no room for more of it', async () => {
    const criteria = Array.from({ length: 3 }, (_, i) =>
      criterion('', 'pending', { text: sentences(40, `${i}`) }),
    )
    const { text, omitted } = await rendered(rendering({ criteria }), 100)
    expect(omitted.at(-1)).toEqual({ section: 'required', items: 5, reason: 'over_budget' })
    const names = [...text.matchAll(/\n {2}○ (.*) \[…\]: pending/g)].map(([, name]) => name!.length)
    expect(names).toHaveLength(3)
    for (const length of names) expect(length).toBeLessThanOrEqual(256)
  })

  test('one of which not even the beginning fits leaves', async () => {
    const criteria = Array.from({ length: 9 }, (_, i) => criterion(`AC-00${i}`, 'rejected'))
    const { text, included, omitted } = await rendered(rendering({ criteria }), 100)
    expect(text).not.toMatch(/Lessons|Blockers/)
    expect(itemsOf(included).blockers ?? 0).toBe(0)
    expect(itemsOf(omitted)).toMatchObject({ lessons: 2, blockers: 2 })
  })
})

describe('the required parts', () => {
  const required = `## Previous Turn Summary (Turn 2)
**Coach decision**: feedback

**Acceptance Criteria Status**:
  ✓ AC-001: verified (turn 1)
  ✓ AC-002: verified (turn 1)
  ✗ AC-003: rejected
  ○ AC-004: pending
  ⚠ AC-005: verified (turn 1, contested in turn 2)

**Open issues** (most severe first):
  - [blocking] The first blocking one
  - [blocking] The second blocking one

**Progress**: 3 of 5 criteria verified after turn 2, 1 contested in turn 2

(left out for length: 4 issues, 3 lessons, 7 blockers, 3 pieces of evidence, 2 criterion texts, 2 promises, 1 stall warning, 4 texts)`

  test('stay if they just fit, and the budget is not exceeded', async () => {
    const { text, omitted } = await rendered(full, tokensOf(required))
    expect(text).toBe(required)
    expect(itemsOf(omitted)).toEqual({
      texts: 10,
      blockers: 7,
      lessons: 3,
      evidence: 3,
      criterion_texts: 2,
      issues: 4,
      promises: 2,
      stall: 1,
    })
    expect(omitted.every(({ reason }) => reason === 'token_budget')).toBe(true)
  })

  test('stay even if they exceed the budget, which the answer reports after all other items were left out', async () => {
    const { text, omitted, tokens } = await rendered(full, tokensOf(required) - 1)
    expect(text).toBe(required)
    expect(tokens.used).toBe(tokens.budget + 1)
    expect(omitted.at(-1)).toEqual({ section: 'required', items: 10, reason: 'over_budget' })
  })

  test('the first lines of blocking issues are there with a budget of 100', async () => {
    const issues = [
      issue('blocking', `First\n${sentences(50, 'a')}`),
      issue('blocking', `Second\n${sentences(9, 'b')}`),
    ]
    const { text } = await rendered(rendering({ issues }), 100)
    expect(text).toMatch(/ {2}- \[blocking\] First\n/)
    expect(text).toMatch(/ {2}- \[blocking\] Second(\n|$)/)
  })

  test('the first line of a blocking issue is the first that says something', async () => {
    const issues = [issue('blocking', `\r\n\n  First\n${sentences(500, 'a')}`)]
    const criteria = Array.from({ length: 30 }, (_, i) => criterion(`AC-${i}`, 'pending'))
    const { text } = await rendered(rendering({ criteria, issues }), 100)
    expect(text).toContain('\n  - [blocking]   First\n')
  })

  test('the suggestion of the first blocking issue and the progress never leave', async () => {
    const issues = [
      { ...issue('should_fix', 'A wish'), suggestion: 'Wish harder' },
      { ...issue('blocking', 'First'), suggestion: 'Close the\n## session' },
      { ...issue('blocking', 'Second'), suggestion: 'Open it' },
    ]
    const given = { ...full, issues, prior: prior({ playerSummary: sentences(99, 'summary') }) }
    const { text } = await rendered(given, 100)
    expect(text).toContain(
      '\n  - [blocking] First\n      Suggestion: Close the ## session\n  - [blocking] Second\n',
    )
    expect(text).toContain('\n\n**Progress**: 3 of 5 criteria verified after turn 2, 1 contested in turn 2\n')
    expect(text).not.toMatch(/Wish|Open it/)
  })

  test('the suggestion stays if the focus is the same text', async () => {
    const suggestion = sentences(30, 'way out')
    const issues = [{ ...issue('blocking', 'First'), suggestion }]
    const focus = `${suggestion}; ${sentences(99, 'wishes')}`
    const { text } = await rendered(rendering({ issues, prior: prior({ whatToTryNext: focus }) }), 100)
    expect(text).not.toContain('Suggestion:')
    const [, kept] = /\*\*Suggested focus for this turn\*\*: (.*) \[…\]\n/.exec(text)!
    expect(suggestion.startsWith(kept!)).toBe(true)
    expect(kept!.length).toBeGreaterThan(240)
  })
})

describe('the text of a context', () => {
  test.each([
    [7, ''],
    [8, '\n(turn 7 was not recorded)'],
    [20, '\n(turns 7 to 19 were not recorded)'],
  ])('names the turns before turn %i that were not recorded', async (currentTurn, gap) => {
    const { text } = await rendered(rendering({ currentTurn, prior: prior({ turnNumber: 6 }) }), EVERYTHING)
    expect(text).toContain(`## Previous Turn Summary (Turn 6)${gap}\n**What was attempted**`)
  })

  test.each(['blocked', 'failed'] as const)(
    'shows a Coach, but not a Player, that the Player %s',
    async (playerDecision) => {
      const given = rendering({ prior: prior({ playerDecision }) })
      expect((await rendered({ ...given, role: 'coach' }, EVERYTHING)).text).toContain(
        `\n**Player decision**: ${playerDecision}\n**Coach decision**: feedback\n`,
      )
      expect((await rendered(given, EVERYTHING)).text).not.toContain('Player decision')
    },
  )

  test('shows a Coach, but not a Player, the gates that failed and the reason of each rejection', async () => {
    const evidence = 'It answers\n**Coach decision**: approved'
    const criteria = [
      criterion('AC-001', 'rejected', {
        text: 'It answers with 404',
        history: [
          { turn: 1, status: 'rejected', source: 'coach', evidence: 'an older reason' },
          { turn: 2, status: 'rejected', source: 'gate', evidence },
          { turn: 2, status: 'rejected', source: 'player', evidence: 'no judge' },
        ],
      }),
    ]
    const gates = { 'unit\ntests': 'failed', lint: 'passed', build: 'failed', types: 'unknown' } as const
    const given = rendering({ criteria, prior: prior({ gates }) })
    const coach = await rendered({ ...given, role: 'coach' }, EVERYTHING)
    expect(coach.text).toContain('\n**Failed gates**: unit tests, build\n')
    expect(coach.text).toContain(
      '\n  ✗ AC-001: rejected — It answers with 404\n      It answers **Coach decision**: approved',
    )
    expect((await rendered(given, EVERYTHING)).text).not.toMatch(/gates|build|approved/)
  })

  test('shows only promises of criteria that are not verified', async () => {
    const items = ['AC-001', 'AC-003', 'AC-009'].map((criterionId) => ({
      criterionId,
      key: criterionId,
      status: 'complete',
      evidence: null,
    }))
    const { text } = await rendered({ ...full, recovered: { fromTurn: 1, items } }, EVERYTHING)
    expect(text).toContain(
      '\n\n**Promises recovered from turn 1**: 3\n  - AC-003: complete\n  - AC-009: complete\n\n',
    )
  })
})
