import { describe, expect, test } from 'vitest'
import { parseArtifact, parseEvents, SHAPES } from './artifacts.ts'
import { turnRecord } from './turn-record.ts'

const player = { task_id: 'TASK-1', turn: 1, implementation_notes: 'Wrote the cart.', files_modified: [] }
const coach = { task_id: 'TASK-1', turn: 1, decision: 'approve', rationale: 'Good.' }

describe('a file of another kind than its name says is rejected as a whole', () => {
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

  test('a file with extreme nesting is rejected', () => {
    const deep = `{"decision":"approve","issues":[{"details":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`
    expect(parseArtifact(SHAPES.coach, deep)).toMatchObject({ ok: false })
  })
})

describe('a field of another type is dropped and reported, and its record is kept', () => {
  const parsed = (file: object) => {
    const read = parseArtifact(SHAPES.player, JSON.stringify({ ...player, ...file }))
    if (!read.ok) throw new Error(read.reason)
    return { promises: read.value.completion_promises, value: read.value, misfits: read.misfits }
  }
  const promised = (promise: object) => {
    const { promises, misfits } = parsed({ completion_promises: [{ criterion_id: 'AC-1', ...promise }] })
    return [promises?.[0], misfits.map(({ path, message }) => `${path} ${message}`)]
  }

  test.each([
    [{ confidence: 'high' }, {}, 'confidence is a text, not a number; it is left out'],
    [
      { confidence: '0.9' },
      { confidence: 0.9 },
      'confidence is a text, not a number; it is read as a number',
    ],
    [
      { evidence: { exit: 0 } },
      { evidence: '{"exit":0}' },
      'evidence is an object, not a text; it is read as a text',
    ],
    [{ evidence: 7 }, { evidence: '7' }, 'evidence is a number, not a text; it is read as a text'],
    [{ status: ['complete'] }, { status: 'complete' }, 'status is a list, not a text; it is read as a text'],
    [
      { implementation_files: { a: 1 } },
      { implementation_files: ['{"a":1}'] },
      'implementation_files is an object, not a text; it is read as a text',
    ],
  ])('%j', (given, read, misfit) => {
    expect(promised(given)).toEqual([{ criterion_id: 'AC-1', ...read }, [`completion_promises[0].${misfit}`]])
  })

  test('an entry of another type is left out, the other entries are kept', () => {
    const { promises, misfits } = parsed({
      completion_promises: [null, { criterion_id: 'AC-1' }, 'AC-2', 3, { criterion_id: 'AC-3' }],
    })
    expect(promises?.map(({ criterion_id }) => criterion_id)).toEqual(['AC-1', 'AC-3'])
    expect(misfits.map(({ path }) => path)).toEqual([0, 2, 3].map((i) => `completion_promises[${i}]`))
  })

  test('a text in place of a list of objects is left out, one object is a list of one', () => {
    expect(parsed({ completion_promises: 'all of them' })).toMatchObject({
      promises: undefined,
      misfits: [{ path: 'completion_promises' }],
    })
    expect(parsed({ completion_promises: { criterion_id: 'AC-1' } }).promises).toEqual([
      { criterion_id: 'AC-1' },
    ])
  })

  test('any value in one field of a report leaves the other fields unchanged', () => {
    const values = [null, true, 'text', -1, 1e300, [], {}, [null], [[['x']]], { a: { b: [] } }]
    for (const key of Object.keys(SHAPES.player.schema.shape)) {
      for (const value of values) {
        const given = {
          ...player,
          concerns: ['Slow'],
          summary: 'Kept',
          files_created: ['a.ts'],
          [key]: value,
        }
        const read = parseArtifact(SHAPES.player, JSON.stringify(given))
        expect(read).toMatchObject({ ok: true })
        const others = Object.fromEntries(Object.entries(given).filter(([name]) => name !== key))
        if (read.ok) expect(read.value).toMatchObject(others)
      }
    }
  })
})

test('null is absent, a text is read as a list of one, and a list of evidence is read as a text', () => {
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

  test('other keys are reported, also in the entries of mapped lists', () => {
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

test('events name tasks with their newest time; only the broken line is lost', () => {
  const log = [
    '{"task_id":"TASK-1","timestamp":"2026-05-01T08:00:01","feature_id":null}',
    '{"task_id":"TASK-1","timestamp":"2026-05-01T10:00:08.500+02:00"}',
    '{"task_id":"TASK-1","timestamp":"2026-05-01T08:00:08"}',
    '{"task_id":',
    '',
    '{"task_id":"TASK-2"}',
  ].join('\n')
  const { tasks, brokenLines } = parseEvents(log)
  expect([...tasks]).toEqual([
    ['TASK-1', '2026-05-01T08:00:08.500Z'],
    ['TASK-2', ''],
  ])
  expect(brokenLines).toBe(1)
})

describe('a Coach report in other spellings', () => {
  const verifications = (report: object) => {
    const read = parseArtifact(SHAPES.coach, JSON.stringify(report))
    if (!read.ok) throw new Error(read.reason)
    const sources = { featureId: 'FEAT-1', taskId: 'TASK-1', turn: 1, coach: read.value }
    return { found: turnRecord(sources).record.verifications, misfits: read.misfits, unmapped: read.unmapped }
  }
  const result = { criterion_id: 'AC-1', result: 'verified', notes: 'Seen' }
  const found = [{ criterion_id: 'AC-1', status: 'verified', evidence: 'Seen' }]

  test.each([
    ['criteria_verification', { criteria_verification: [result] }],
    ['criteria_results', { criteria_results: [result] }],
    ['the nested list', { acceptance_criteria_verification: { criteria_results: [result] } }],
    ['acceptance_criteria_verification', { acceptance_criteria_verification: [result] }],
    ['acceptance_criteria_results', { acceptance_criteria_results: [result] }],
    ['a map', { criteria_verification: { 'AC-1': { status: 'verified', evidence: 'Seen' } } }],
    ['a nested map', { acceptance_criteria_verification: { 'AC-1': { verdict: 'passed', notes: 'Seen' } } }],
    ['ac_id', { criteria_results: [{ ac_id: 'AC-1', status: 'Passed', evidence: 'Seen' }] }],
    ['id', { criteria_results: [{ id: 'AC-1', verdict: 'verified', evidence: 'Seen' }] }],
  ])('is read: %s', (_, report) => {
    expect(verifications(report)).toEqual({ found, misfits: [], unmapped: [] })
  })

  test('a map of statuses is read, and a single result is not taken for a map', () => {
    const map = { criteria_verification: { 'AC-2': 'rejected', 'AC-1': 'verified' } }
    expect(verifications(map).found).toEqual([
      { criterion_id: 'AC-2', status: 'rejected' },
      { criterion_id: 'AC-1', status: 'verified' },
    ])
    expect(verifications({ criteria_verification: result })).toMatchObject({ found })
  })

  test('keys next to the nested list that have no place are unmapped', () => {
    const nested = { criteria_results: [{ ...result, weight: 1 }], all_met: true }
    expect(verifications({ acceptance_criteria_verification: nested })).toEqual({
      found,
      misfits: [],
      unmapped: [
        { shape: 'coach.acceptance_criteria_verification.criteria_results[]', key: 'weight' },
        { shape: 'coach.acceptance_criteria_verification', key: 'all_met' },
      ],
    })
  })
})

describe('a report in a fenced block between prose', () => {
  const fenced = (...blocks: string[]) =>
    `Here is my report.\n\n${blocks.map((block) => `\`\`\`json\n${block}\n\`\`\``).join('\nthen\n')}\nDone.`
  const message = 'holds text around its JSON; the last fenced block of it is read'

  test('is read with a warning', () => {
    const read = parseArtifact(SHAPES.coach, fenced(JSON.stringify(coach, null, 2)))
    expect(read).toMatchObject({ ok: true, value: coach, misfits: [{ path: '', message }] })
  })

  test('is the last block that fits: other code is not taken for it', () => {
    const report = JSON.stringify({ ...coach, decision: 'feedback' })
    const read = parseArtifact(SHAPES.coach, fenced(JSON.stringify(coach), report, '{"a": 1}', 'npm test'))
    expect(read).toMatchObject({ ok: true, value: { decision: 'feedback' } })
  })

  test('may lack its closing line', () => {
    const text = `Report:\n~~~\n${JSON.stringify(coach)}`
    expect(parseArtifact(SHAPES.coach, text)).toMatchObject({ ok: true, value: coach })
  })

  test('is not found in prose without a block', () => {
    const text = `Report: ${JSON.stringify(coach)}`
    expect(parseArtifact(SHAPES.coach, text)).toEqual({ ok: false, reason: 'is not valid JSON' })
  })
})
