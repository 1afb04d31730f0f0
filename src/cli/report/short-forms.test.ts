import { describe, expect, test } from 'vitest'
import { renderJunit } from './junit.ts'
import { MAX_COMMENT_CHARACTERS, renderMarkdown } from './markdown.ts'
import type { SessionFacts } from './session-facts.ts'

type Criterion = SessionFacts['criteria']['criteria'][number]
type Issue = SessionFacts['issues'][number]
type Turn = SessionFacts['turns'][number]

const criterion = (criterionId: string, more: Partial<Criterion> = {}): Criterion => ({
  criterionId,
  key: criterionId,
  text: `The text of ${criterionId}`,
  aliases: [],
  state: 'verified',
  verifiedInTurn: 1,
  lastTurn: 1,
  basis: 'repeated',
  refuted: false,
  contested: null,
  promise: null,
  ...more,
})

const issue = (description: string, more: Partial<Issue> = {}): Issue =>
  ({
    severity: 'advisory',
    category: null,
    description,
    turns: [1],
    times: 1,
    wordings: 1,
    ...more,
  }) as Issue

const turn = (turn_number: number, player_summary: string): Turn =>
  ({
    turn_number,
    player_summary,
    coach_decision: 'feedback',
    coach_feedback: 'Again',
    gates: { tests: 'failed' },
  }) as unknown as Turn

const facts = (more: {
  criteria?: Criterion[]
  issues?: Issue[]
  turns?: Turn[]
  world?: string
  summary?: string
  tokens?: SessionFacts['tokens']
}): SessionFacts =>
  ({
    world: { worldSlug: more.world ?? 'TASK-1', taskId: 'TASK-1', currentTurn: 3, lastDecision: 'feedback' },
    tokens: more.tokens ?? null,
    summary: more.summary ?? null,
    criteria: { criteria: more.criteria ?? [], promisedNotJudged: [] },
    issues: more.issues ?? [],
    turns: more.turns ?? [],
    olderTurns: 0,
  }) as unknown as SessionFacts

describe('a report as Markdown', () => {
  test('shows the tokens of a session by their kind, and of each session in a list if one has tokens', () => {
    const tokens = {
      ...{ inputTokens: 1_200, outputTokens: 30 },
      ...{ cacheReadTokens: 4_000_000, cacheCreationTokens: 5 },
    }
    const sentence =
      '4,001,235 tokens: 1,200 input, 30 output, 4,000,000 read from a cache, 5 written to a cache.'
    expect(renderMarkdown('shop', [facts({ tokens })]).split('\n')).toContain(sentence)
    const list = renderMarkdown('shop', [facts({ tokens }), facts({ world: 'TASK-1-2' })]).split('\n')
    expect(list.slice(2, 6)).toEqual([
      '| Session | Task | Turns | Last decision | Criteria | Tokens |',
      '| --- | --- | --- | --- | --- | --- |',
      '| TASK-1 | TASK-1 | 3 | feedback | 0 of 0 verified | 4,001,235 |',
      '| TASK-1-2 | TASK-1 | 3 | feedback | 0 of 0 verified |  |',
    ])
    expect(renderMarkdown('shop', [facts({}), facts({})])).not.toMatch(/tokens/i)
  })

  test('has a table of criteria with their basis, open issues with blockers first, and folded turns', () => {
    const criteria = [
      criterion('AC-1', { contested: { turn: 3 } }),
      criterion('AC-2', { state: 'rejected', verifiedInTurn: null, basis: null }),
      criterion('AC-3', { basis: 'judged' }),
    ]
    const issues = [
      issue('A nit'),
      issue('It fails', { severity: 'blocking', category: 'tests', turns: [1, 3], wordings: 2 }),
    ]
    const written = renderMarkdown('shop', [
      facts({ criteria, issues, summary: 'Ended: @ada', turns: [turn(2, 'First'), turn(3, 'Second')] }),
    ])
    expect(written.split('\n')).toEqual([
      '### Turngraph: session TASK-1',
      '',
      '> Ended: @&#8203;ada',
      '',
      "Turn 3: **feedback**. 2 of 3 criteria verified, 1 contested in turn 3 (1 in the judge's words, 1 in the Player's words).",
      '',
      '| | Criterion | State | How it is known |',
      '| --- | --- | --- | --- |',
      "| ! | AC-1 The text of AC-1 | verified (turn 1), contested in turn 3 | in the Player's words |",
      '| ✗ | AC-2 The text of AC-2 | rejected |  |',
      "| ✓ | AC-3 The text of AC-3 | verified (turn 1) | in the judge's words |",
      '',
      '**Open issues**',
      '',
      '- **blocking** tests: It fails (turns 1, 3, 2 wordings)',
      '- **advisory** A nit (turn 1)',
      '',
      '<details>',
      '<summary>2 turns</summary>',
      '',
      '- **Turn 3**, feedback: Second · Failed gates: tests · Feedback: Again',
      '- **Turn 2**, feedback: First · Failed gates: tests · Feedback: Again',
      '',
      '</details>',
      '',
    ])
  })

  test.each(['@ada|#1 ', 'plain words ', '&<>`*_~[]$\\'])(
    'fits a comment with long texts of %j, and names what it left out',
    (part) => {
      const long = part.repeat(500)
      const many = <T>(make: (i: number) => T) => Array.from({ length: 300 }, (_, i) => make(i))
      const session = (world: string) =>
        facts({
          world,
          summary: long,
          criteria: many((i) => criterion(`AC-${i} ${long}`, { text: long })),
          issues: many((i) => issue(`${i} ${long}`, { category: long })),
          turns: many((i) => turn(i + 1, long)),
        })
      for (const sessions of [[session(long)], many((i) => session(`${i} ${long}`))]) {
        const written = renderMarkdown(long, sessions, { unread: 0 })
        expect(written.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS)
        expect(written.length).toBeGreaterThan(MAX_COMMENT_CHARACTERS / 2)
        const left = written.trimEnd().split('\n').at(-1)
        expect(left).toMatch(
          /^_Left out for length: (\d+ \w+, )*\d+ criteria, \d+ issues, \d+ turns(, \d+ sessions)?\._$/,
        )
        expect(written.match(/<details>/g)).toHaveLength(written.match(/<\/details>/g)?.length ?? -1)
      }
    },
  )
})

describe('a report as JUnit', () => {
  test('has one case for each criterion that counts: verified passes, rejected fails, pending is skipped', () => {
    const criteria = [
      criterion('AC-1', { contested: { turn: 3, reason: 'It <breaks> & "ends"\u0000\u001b[31m' } }),
      criterion('AC-2', {
        state: 'rejected',
        basis: null,
        history: [{ turn: 2, status: 'rejected', source: 'coach', evidence: 'a ]]> b\nc \ud800' }],
      }),
      criterion('AC-3', { state: 'pending', basis: null, declared: true, judged: false }),
      criterion('AC-3', { state: 'pending', basis: null }),
      criterion('AC-4', { declared: false }),
    ]
    expect(renderJunit([facts({ criteria })]).split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="turngraph" tests="4" failures="1" errors="0" time="0">',
      '  <testsuite name="TASK-1" tests="4" failures="1" errors="0" skipped="2" time="0">',
      '    <testcase classname="TASK-1" name="AC-1 The text of AC-1" time="0">',
      "      <system-out>verified, in the Player's words, contested in turn 3: It &lt;breaks&gt; &amp; &quot;ends&quot;</system-out>",
      '    </testcase>',
      '    <testcase classname="TASK-1" name="AC-2 The text of AC-2" time="0">',
      '      <failure message="rejected" type="rejected">a ]]&gt; b&#10;c </failure>',
      '    </testcase>',
      '    <testcase classname="TASK-1" name="AC-3 The text of AC-3" time="0">',
      '      <skipped message="pending, never judged"/>',
      '    </testcase>',
      '    <testcase classname="TASK-1" name="AC-3 The text of AC-3 (2)" time="0">',
      '      <skipped message="pending"/>',
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ])
  })
})
