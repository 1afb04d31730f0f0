import { describe, expect, test } from 'vitest'
import type { CoachReport, PlayerReport, TurnStateFile } from './artifacts.ts'
import { sourcePaths, type TurnSources, turnRecord } from './turn-record.ts'

const scope = { featureId: 'FEAT-1', taskId: 'TASK-1', turn: 1 }
const notes = { implementation_notes: 'Wrote the cart.' }
const record = (sources: Partial<TurnSources>) => turnRecord({ ...scope, ...sources }).record
const warnings = (sources: Partial<TurnSources>) =>
  turnRecord({ ...scope, ...sources }).warnings.map(({ field, message }) => `${field}: ${message}`)
const player = (report: Partial<PlayerReport>) => record({ player: { ...notes, ...report } })
const coach = (report: Partial<CoachReport>) =>
  record({ player: notes, coach: { decision: 'feedback', ...report } })
const state = (file: Partial<TurnStateFile>) => record({ player: notes, turnState: file })

test('a record has only the fields that have content', () => {
  const empty = { concerns: [], completion_promises: [], requirements_remaining: [' '] }
  expect(record({ player: { ...notes, ...empty }, coach: { rationale: '  ', issues: [] } })).toEqual({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    turn_number: 1,
    player_summary: 'Wrote the cart.',
    player_decision: 'implemented',
  })
})

describe('player_summary', () => {
  const turnState = { player_summary: 'As the state says' }
  const results = { summary: 'As the results say' }

  test('is the first text with content', () => {
    expect(record({ player: { ...notes, summary: 'S' }, turnState }).player_summary).toBe('Wrote the cart.')
    expect(record({ player: { implementation_notes: ' ', summary: 'S' } }).player_summary).toBe('S')
    expect(record({ turnState, results }).player_summary).toBe('As the results say')
    expect(record({ turnState }).player_summary).toBe('As the state says')
  })

  test('is never the default text of the capture: empty, with a warning', () => {
    const sources = { turnState: { player_summary: 'Implementation attempt' } }
    expect(record(sources).player_summary).toBe('')
    expect(warnings(sources)).toEqual(['player_summary: no file of the turn has a summary'])
  })
})

test('player_decision', () => {
  expect(player({}).player_decision).toBe('implemented')
  expect(player({ success: true }).player_decision).toBe('implemented')
  expect(player({ success: false }).player_decision).toBe('failed')
  expect(player({ success: false, blocked_report: { blocking_issues: ['no key'] } }).player_decision).toBe(
    'blocked',
  )
  expect(player({ blocked_report: { blocking_issues: [] } }).player_decision).toBe('implemented')
  expect(player({ _synthetic: true }).player_decision).toBe('unknown')
  expect(record({ turnState: { player_decision: 'failed' } }).player_decision).toBe('failed')
  expect(record({ turnState: { player_decision: 'feedback' } }).player_decision).toBe('unknown')
})

test('coach_decision is raw: from decision, verdict or the turn state', () => {
  expect(coach({ decision: 'approve' }).coach_decision).toBe('approve')
  expect(coach({ decision: null, verdict: 'reject' }).coach_decision).toBe('reject')
  expect(state({ coach_decision: 'feedback' }).coach_decision).toBe('feedback')
  expect(player({})).not.toHaveProperty('coach_decision')
})

test("coach_feedback comes from the rationale, the issues' descriptions or the turn state, in this order", () => {
  const issues = [{ description: 'No test.' }, { description: 'No lint.' }]
  expect(coach({ rationale: 'Nearly.', issues }).coach_feedback).toBe('Nearly.')
  expect(coach({ issues }).coach_feedback).toBe('No test.\nNo lint.')
  expect(state({ coach_feedback: '- No test.' }).coach_feedback).toBe('- No test.')
})

test("blockers and lessons come from the Player's report, otherwise from the turn state", () => {
  const blocked_report = {
    blocking_issues: [{ description: 'No database.' }, 'No key.'],
    attempts_made: [{ learnings: ['Mocks hide it.'] }, { learnings: null }],
  }
  const said = player({ concerns: ['Slow.', 'No key.'], blocked_report })
  expect(said.blockers_found).toEqual(['Slow.', 'No key.', 'No database.'])
  expect(said.lessons_from_turn).toEqual(['Mocks hide it.'])
  const stated = state({ blockers_found: ['B'], lessons_from_turn: ['L'] })
  expect(stated).toMatchObject({ blockers_found: ['B'], lessons_from_turn: ['L'] })
})

test('an issue without any text is left out, with a warning', () => {
  const named = { severity: 'blocking', type: 'missing_test', requirement: 'AC-001' }
  const issues = [
    { severity: 'blocking' },
    { description: ' ', suggestion: 'Add a test' },
    ' ',
    'No lint.',
    named,
  ]
  const given: Partial<TurnSources> = {
    player: notes,
    coach: { decision: 'feedback', issues, findings: [''] },
  }
  expect(record(given).issues).toEqual([
    { severity: 'advisory', description: '', suggestion: 'Add a test' },
    { severity: 'advisory', description: 'No lint.' },
    { severity: 'blocking', description: '', category: 'missing_test', criterion_ids: ['AC-001'] },
  ])
  const names = warnings(given).filter((text) => text.endsWith(': has no text; it is left out'))
  expect(names.map((text) => text.split(':')[0])).toEqual(['issues[0]', 'issues[2]', 'findings[0]'])
})

test("what_to_try_next: remaining requirements, the blocking issues' suggestions or the turn state", () => {
  const issues = [
    { severity: 'minor', suggestion: 'Rename.' },
    { severity: 'must_fix', suggestion: 'Run ruff.' },
    { severity: 'critical', suggestion: 'Add a test.' },
  ]
  const turnState = { what_to_try_next: 'Rest.' }
  const sources = { coach: { issues }, turnState }
  expect(record({ ...sources, player: { requirements_remaining: ['a', 'b'] } }).what_to_try_next).toBe('a; b')
  expect(record({ ...sources, player: notes }).what_to_try_next).toBe('Run ruff.; Add a test.')
  expect(state(turnState).what_to_try_next).toBe('Rest.')
})

describe('verifications', () => {
  test('result before status, evidence before notes, statuses mapped', () => {
    const { verifications } = coach({
      criteria_verification: [
        {
          criterion_id: 'AC-001',
          criterion_text: 'Adds.',
          result: 'verified',
          status: 'rejected',
          evidence: 'E',
          notes: 'N',
        },
        { criterion_id: 'AC-002', status: 'FAILED', evidence: ' ', notes: 'N' },
        { criterion_id: 'AC-003', result: 'not started' },
        { criterion_id: 'AC-004', result: 'unverified' },
      ],
    })
    expect(verifications).toEqual([
      { criterion_id: 'AC-001', criterion_text: 'Adds.', status: 'verified', evidence: 'E' },
      { criterion_id: 'AC-002', status: 'rejected', evidence: 'N' },
      { criterion_id: 'AC-003', status: 'pending' },
      { criterion_id: 'AC-004', status: 'unknown' },
    ])
  })

  test.each([
    ['PASS', 'verified'],
    ['met', 'verified'],
    ['true', 'verified'],
    ['Fail.', 'rejected'],
    ['not met', 'rejected'],
    ['UNMET', 'rejected'],
  ])('the result %j is %s', (result, status) => {
    const sources = { player: notes, coach: { criteria_verification: [{ criterion_id: 'AC-001', result }] } }
    expect([record(sources).verifications, warnings(sources)]).toEqual([
      [{ criterion_id: 'AC-001', status }],
      [],
    ])
  })

  test('are read from the nested form, otherwise from the turn state', () => {
    const turnState = { acceptance_criteria_status: { 'AC-001': 'verified', 'AC-002': null } }
    const nested = [{ criterion_id: 'AC-009', result: 'rejected' }]
    const both = { turnState, coach: { criteria_verification: [], acceptance_criteria_verification: nested } }
    expect(record(both).verifications).toEqual([{ criterion_id: 'AC-009', status: 'rejected' }])
    expect(state(turnState).verifications).toEqual([
      { criterion_id: 'AC-001', status: 'verified' },
      { criterion_id: 'AC-002', status: 'unknown' },
    ])
  })

  test('an invalid status is unknown, an entry without a criterion is dropped, both with a warning', () => {
    const criteria_verification = [{ criterion_id: 'AC-001', result: 'mostly' }, { notes: 'N' }]
    const sources = { player: notes, coach: { criteria_verification } }
    expect(record(sources).verifications).toEqual([{ criterion_id: 'AC-001', status: 'unknown' }])
    expect(warnings(sources)).toEqual([
      'verifications[0].status: "mostly" is not known; use verified, rejected, pending or unknown; recorded as unknown',
      'verifications[1]: names no criterion; it is left out',
    ])
  })
})

test('a text identifies the criterion of a verification or a promise without an id', () => {
  const told = record({
    player: { ...notes, completion_promises: [{ description: 'Adds.', status: 'done' }] },
    coach: {
      criteria_verification: [
        { criterion_text: 'Adds.', result: 'verified' },
        { criterion: 'AC-002: Removes.', result: 'rejected' },
      ],
    },
  })
  expect(told.promises).toEqual([{ criterion_id: 'Adds.', criterion_text: 'Adds.', status: 'complete' }])
  expect(told.verifications).toEqual([
    { criterion_id: 'Adds.', criterion_text: 'Adds.', status: 'verified' },
    { criterion_id: 'AC-002', criterion_text: 'AC-002: Removes.', status: 'rejected' },
  ])
})

test('promises accept both spellings, and an invalid status is uncertain', () => {
  const completion_promises = [
    {
      criterion_id: 'AC-001',
      criterion_text: 'Adds.',
      status: 'complete',
      evidence: 'E',
      evidence_type: 'file',
      confidence: 0,
      test_file: 'tests/a.py',
      implementation_files: ['src/a.py'],
    },
    { ac_id: 'AC-002', description: 'Removes.', status: 'done', test_file: null },
    { criterion_id: 'AC-003', status: 'constructor' },
  ]
  expect(player({ completion_promises }).promises).toEqual([
    completion_promises[0],
    { criterion_id: 'AC-002', criterion_text: 'Removes.', status: 'complete' },
    { criterion_id: 'AC-003', status: 'uncertain' },
  ])
  expect(warnings({ player: { ...notes, completion_promises } })).toHaveLength(1)
})

describe('promises of task_work_results.json', () => {
  const promise = { criterion_id: 'AC-001', status: 'complete' }
  const results = { completion_promises: [promise] }

  test("belong to the turn if the Player's report has none", () => {
    expect(record({ player: notes, results }).promises).toEqual([promise])
    expect(record({ results }).promises).toEqual([promise])
    const blank = { ...notes, completion_promises: [{ status: 'complete' }] }
    expect(record({ player: blank, results }).promises).toEqual([promise])
    expect(warnings({ player: notes, results })).toEqual([])
  })

  test("are ignored if the Player's report has promises, and a difference is reported", () => {
    const completion_promises = [
      { criterion_id: 'AC-002', status: 'partial' },
      { ...promise, test_file: null },
    ]
    const sources = { player: { ...notes, completion_promises }, results }
    expect(record(sources).promises?.map(({ criterion_id }) => criterion_id)).toEqual(['AC-002', 'AC-001'])
    const told = "promises: task_work_results.json differs in 1 promise; the Player's report counts"
    expect(warnings(sources)).toEqual([told])
    const same = { ...sources, results: { completion_promises: completion_promises.toReversed() } }
    expect(warnings(same)).toEqual([])
  })
})

describe('issues', () => {
  test('category or type, labels of the requirement, details with the missing criteria', () => {
    const issues = [
      {
        severity: 'must_fix',
        category: 'tests',
        description: 'No test.',
        details: { a: 1 },
        missing_criteria: ['x'],
      },
      {
        severity: 'odd',
        type: 'lint',
        description: 'Lint.',
        requirement: 'AC-002, UTF-8',
        suggestion: 'Run it.',
      },
      { description: 'Bare.' },
      { severity: 'critical', message: 'Said.', title: 'T' },
      { title: 'Titled.' },
      'Plain.',
    ]
    expect(coach({ issues }).issues).toEqual([
      {
        severity: 'must_fix',
        category: 'tests',
        description: 'No test.',
        details: { a: 1, missing_criteria: ['x'] },
      },
      {
        severity: 'should_fix',
        severity_raw: 'odd',
        category: 'lint',
        description: 'Lint.',
        criterion_ids: ['AC-002'],
        suggestion: 'Run it.',
      },
      { severity: 'advisory', description: 'Bare.' },
      { severity: 'critical', description: 'Said.' },
      { severity: 'advisory', description: 'Titled.' },
      { severity: 'advisory', description: 'Plain.' },
    ])
  })

  test('an unknown severity is should_fix, with a warning', () => {
    const issues = [
      { severity: 'p1', description: 'x' },
      { severity: 'urgent', description: 'y' },
    ]
    expect(coach({ issues }).issues?.map(({ severity }) => severity)).toEqual(['p1', 'should_fix'])
    expect(warnings({ player: notes, coach: { issues } })).toContain(
      'issues[1].severity: "urgent" is not known; use blocking, should_fix or advisory; recorded as should_fix',
    )
  })

  test('v4 findings are blocking on reject, otherwise advisory', () => {
    const findings = [{ locus: 'cart.py:4 drops the total' }]
    const description = 'cart.py:4 drops the total'
    expect(coach({ decision: null, verdict: 'reject', findings }).issues).toEqual([
      { severity: 'blocking', description },
    ])
    expect(coach({ decision: null, verdict: 'approve', findings }).issues).toEqual([
      { severity: 'advisory', description },
    ])
    expect(coach({ decision: null, verdict: 'reject', findings }).coach_feedback).toBe(description)
  })
})

describe('gates', () => {
  const gates = (report: Partial<CoachReport>) => coach(report).gates

  test('have the keys of the file: true or a word for it is passed, false is failed, null is unknown', () => {
    const quality_gates = {
      tests_passed: true,
      coverage_met: false,
      all_gates_passed: null,
      bdd: 'skipped',
      lint: 'PASSED',
      types: 'fail',
      build: { passed: false },
    }
    const sources = { player: notes, coach: { validation_results: { quality_gates } } }
    expect(record(sources).gates).toEqual({
      tests_passed: 'passed',
      coverage_met: 'failed',
      all_gates_passed: 'unknown',
      bdd: 'unknown',
      lint: 'passed',
      types: 'failed',
      build: 'failed',
    })
    expect(warnings(sources)).toEqual([])
  })

  test('with any different value are unknown, with a warning', () => {
    const validation_results = { quality_gates: { lint: 'mostly' }, independent_tests: { exit_code: 1 } }
    const sources = { player: notes, coach: { validation_results, tests_passed: 1 } }
    const use = 'is not known; use passed, failed or unknown; recorded as unknown'
    expect(record(sources).gates).toEqual({
      lint: 'unknown',
      independent_tests: 'unknown',
      tests_passed: 'unknown',
    })
    expect(warnings(sources)).toEqual([
      `gates.lint: "mostly" ${use}`,
      `gates.independent_tests: "{"exit_code":1}" ${use}`,
      `gates.tests_passed: "1" ${use}`,
    ])
  })

  test('independent tests that were skipped or had no signal are unknown', () => {
    const independent = (independent_tests: unknown) =>
      gates({ validation_results: { independent_tests } })?.independent_tests
    expect(independent({ tests_passed: true, test_command: 'pytest' })).toBe('passed')
    expect(independent({ tests_passed: false, test_command: 'pytest' })).toBe('failed')
    expect(independent({ passed: false })).toBe('failed')
    expect(independent('failed')).toBe('failed')
    expect(independent({ tests_passed: true, test_command: 'skipped' })).toBe('unknown')
    expect(independent({ tests_passed: false, signal_absent: true })).toBe('unknown')
    expect(gates({ validation_results: { independent_tests: null } })).toBeUndefined()
  })

  test("an LLM Coach's tests_passed is a gate, unless its run had no signal", () => {
    const llm = (tests_passed: unknown, more: object = {}) =>
      gates({ validation_results: { tests_passed, ...more } })?.tests_passed
    expect(llm(true, { tests_run: true })).toBe('passed')
    expect(llm(false)).toBe('failed')
    expect(llm('false')).toBe('failed')
    expect(llm(null)).toBe('unknown')
    expect(llm('signal_absent')).toBe('unknown')
    expect(llm(true, { tests_run: false })).toBe('unknown')
    const issues = [{ severity: 'must_fix', description: 'No signal.', details: { signal_absent: true } }]
    expect(gates({ issues, validation_results: { tests_passed: true } })).toEqual({ tests_passed: 'unknown' })
  })
})

test('numbers: zero has content, null does not, and the results come last', () => {
  const results = { quality_gates: { tests_passed: 9, tests_failed: 0, coverage: 81.5 } }
  const sources = { player: notes, turnState: { tests_passed: null, coverage: null }, results }
  expect(record(sources)).toMatchObject({ tests_passed: 9, tests_failed: 0, coverage: 81.5 })
  expect(record({ ...sources, player: { ...notes, tests_passed_count: 0 } }).tests_passed).toBe(0)
})

test("files: the Player's two lists as repository paths, otherwise those of the turn state", () => {
  const turnState = { files_modified: ['src/b.py'] }
  const own = {
    files_modified: ['src/a.py', '.guardkit/x.json'],
    files_created: ['/w/.guardkit/worktrees/F/src/n.py'],
  }
  expect(record({ player: { ...notes, ...own }, turnState }).files_modified).toEqual(['src/a.py', 'src/n.py'])
  expect(record({ player: { ...notes, files_modified: ['.guardkit/x'] }, turnState }).files_modified).toEqual(
    ['src/b.py'],
  )
})

describe('times and commit', () => {
  const at = (minute: string) => `2026-03-09T10:${minute}:00`
  const checkpoints = [
    { turn: 1, commit_hash: 'old', timestamp: at('01') },
    { turn: 1, commit_hash: 'later', timestamp: at('30') },
    { turn: 1, commit_hash: 'near', timestamp: at('11') },
  ]

  test('come from the turn state; if both are equal, only the completion', () => {
    expect(state({ started_at: at('05'), completed_at: at('10') })).toMatchObject({
      started_at: '2026-03-09T10:05:00Z',
      completed_at: '2026-03-09T10:10:00Z',
    })
    expect(state({ started_at: at('10'), completed_at: at('10') })).not.toHaveProperty('started_at')
  })

  test('come from the work state, then from the newest checkpoint', () => {
    const workState = { timestamp: at('10') }
    expect(record({ player: notes, workState, checkpoints }).completed_at).toBe('2026-03-09T10:10:00Z')
    expect(record({ player: notes, checkpoints })).toMatchObject({
      completed_at: '2026-03-09T10:30:00Z',
      commit: 'later',
    })
    expect(player({})).not.toHaveProperty('completed_at')
  })

  test('the commit is the first after the completion; an earlier one does not belong to this turn', () => {
    const turnState = { completed_at: at('10') }
    expect(record({ turnState, checkpoints }).commit).toBe('near')
    expect(record({ turnState, checkpoints: checkpoints.slice(0, 1) })).not.toHaveProperty('commit')
  })

  test('a text that is not a time is left out with a warning', () => {
    const sources = { player: notes, turnState: { completed_at: 'soon' } }
    expect(record(sources)).not.toHaveProperty('completed_at')
    expect(warnings(sources)).toEqual([
      'turn_state.completed_at: "soon" is not an ISO 8601 time; it is left out',
    ])
    expect(warnings({ player: notes, workState: { timestamp: 'later' } })).toEqual([
      'work_state.timestamp: "later" is not an ISO 8601 time; it is left out',
    ])
  })
})

test('mode comes from the turn state, otherwise the capture derives it', () => {
  expect(state({ mode: 'recovering_state' }).mode).toBe('recovering_state')
  expect(state({ mode: 'dreaming' })).not.toHaveProperty('mode')
})

test('values over the limits are cut, with a warning', () => {
  const sources = { player: { implementation_notes: 'x'.repeat(70_000) } }
  expect(record(sources).player_summary).toHaveLength(65_536)
  expect(warnings(sources)).toEqual(['player_summary: had 70000 bytes; the first 64 KiB are kept'])
})

test('a worktree prefix is removed, and paths that become equal are dropped', () => {
  expect(
    sourcePaths([
      '/home/dev/shop/.guardkit/worktrees/FEAT-1/src/cart.py',
      'src/cart.py',
      './tests/test_cart.py',
      '.claude/worktrees/w1/docs/a.md',
    ]),
  ).toEqual(['src/cart.py', 'tests/test_cart.py', 'docs/a.md'])
})

test("the orchestrator's own files and caches are dropped", () => {
  expect(
    sourcePaths([
      '.guardkit/autobuild/TASK-1/player_turn_1.json',
      '/home/dev/shop/.guardkit/worktrees/FEAT-1/.guardkit/bootstrap_state.json',
      'src/__pycache__/cart.cpython-312.pyc',
      '.pytest_cache/README.md',
      'build/cart.pyc',
      ' ',
    ]),
  ).toEqual([])
})

test('a source folder named worktrees or cache is kept', () => {
  const paths = ['src/worktrees/git/list.ts', 'src/cache.py', '/tmp/scratch.py']
  expect(sourcePaths(paths)).toEqual(paths)
})
