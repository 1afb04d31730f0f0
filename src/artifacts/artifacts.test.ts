import { describe, expect, test } from 'vitest'
import { parseArtifact, parseEvents, SHAPES } from './artifacts.ts'

const player = { task_id: 'TASK-1', turn: 1, implementation_notes: 'Wrote the cart.', files_modified: [] }
const coach = { task_id: 'TASK-1', turn: 1, decision: 'approve', rationale: 'Good.' }

describe('a file that is not what its name says is refused whole', () => {
  test.each([
    ['player', '{"task_id":', 'is not valid JSON'],
    ['player', '[]', 'is not a JSON object'],
    ['player', '"text"', 'is not a JSON object'],
    ['player', JSON.stringify(coach), 'is a Coach report, not a Player report'],
    [
      'player',
      JSON.stringify({ ...coach, summary: 'Looks good.' }),
      'is a Coach report, not a Player report',
    ],
    [
      'player',
      '{"turn_number":1,"player_decision":"feedback","files_modified":[]}',
      'is a turn state, not a Player report',
    ],
    ['player', '{}', 'is not a Player report'],
    ['coach', JSON.stringify(player), 'is a Player report, not a Coach report'],
    ['coach', '{"turn":1}', 'is not a Coach report: it has no decision, verdict or criteria_verification'],
    ['turnState', '{"id":"TURN-FEAT-1-1"}', 'is not a turn state'],
  ] as const)('%s: %s', (shape, text, reason) => {
    expect(parseArtifact(SHAPES[shape], text)).toEqual({ ok: false, reason })
  })

  test('a mapped field of another type refuses the file and names the field', () => {
    const text = JSON.stringify({ ...player, completion_promises: [{ criterion_id: 'AC-001', status: {} }] })
    const parsed = parseArtifact(SHAPES.player, text)
    expect(parsed).toMatchObject({
      ok: false,
      reason: expect.stringContaining('completion_promises.0.status'),
    })
  })

  test('a file nested beyond any report is refused, not followed', () => {
    const deep = `{"decision":"approve","issues":[{"details":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`
    expect(parseArtifact(SHAPES.coach, deep)).toMatchObject({ ok: false })
  })
})

test('null is absent, a text stands for a list, a list of evidence for a text', () => {
  const parsed = parseArtifact(
    SHAPES.player,
    `\uFEFF${JSON.stringify({
      ...player,
      summary: null,
      concerns: 'Slow.',
      requirements_remaining: ['a', { id: 1 }],
      completion_promises: [{ criterion_id: 7, status: 'complete', evidence: ['x', 'y'] }],
    })}`,
  )
  expect(parsed).toMatchObject({
    ok: true,
    value: {
      summary: null,
      concerns: ['Slow.'],
      requirements_remaining: ['a', '{"id":1}'],
      completion_promises: [{ criterion_id: '7', evidence: 'x\ny' }],
    },
  })
})

describe('unmapped keys', () => {
  const unmapped = (shape: 'player' | 'coach' | 'turnState', file: object): string[] => {
    const parsed = parseArtifact(SHAPES[shape], JSON.stringify(file))
    return parsed.ok ? parsed.unmapped.map((key) => `${key.shape} ${key.key}`) : [parsed.reason]
  }

  test('known and ignored keys are not reported', () => {
    expect(unmapped('player', { ...player, sdk_turns_used: 4, sdk_anything: 1, tests_run: true })).toEqual([])
    expect(unmapped('coach', { ...coach, context_used: 'x', validation_results: { any: 1 } })).toEqual([])
    expect(unmapped('turnState', { id: 'TURN-1', player_summary: 'x', progress_summary: 'y' })).toEqual([])
  })

  test('others are, also in the entries of mapped lists', () => {
    expect(
      unmapped('player', {
        ...player,
        mood: 'good',
        completion_promises: [{ criterion_id: 'AC-001', wow: 1 }],
        blocked_report: { blocking_issues: [{ description: 'x', impact: 'y' }], advice: [] },
      }).sort(),
    ).toEqual([
      'player mood',
      'player.blocked_report advice',
      'player.blocked_report.blocking_issues[] impact',
      'player.completion_promises[] wow',
    ])
    expect(
      unmapped('coach', {
        ...coach,
        score: 3,
        issues: [{ description: 'x', scenarios_failed: 1, details: { free: 1 } }, 'plain'],
        criteria_verification: [{ criterion_id: 'AC-001', confidence: 1 }],
      }).sort(),
    ).toEqual(['coach score', 'coach.criteria_verification[] confidence', 'coach.issues[] scenarios_failed'])
  })
})

test('events name tasks with their newest time; a broken line costs itself alone', () => {
  const log = [
    '{"task_id":"TASK-1","timestamp":"2026-05-01T08:00:01","feature_id":null}',
    '{"task_id":"TASK-1","timestamp":"2026-05-01T08:00:09"}',
    '{"task_id":',
    '',
    '{"task_id":"TASK-2"}',
  ].join('\n')
  const { tasks, brokenLines } = parseEvents(log)
  expect([...tasks]).toEqual([
    ['TASK-1', '2026-05-01T08:00:09'],
    ['TASK-2', ''],
  ])
  expect(brokenLines).toBe(1)
})
