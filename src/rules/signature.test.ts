import { describe, expect, test } from 'vitest'
import type { Issue } from '../memory/record/record.ts'
import { toOutcome } from './outcome.ts'
import { masked, signIssues } from './signature.ts'

const issue = (severity: Issue['severity'], description: string, category: string | null = null) => ({
  severity,
  category,
  description,
})

describe('the same complaint is the same signature', () => {
  test.each([
    ['line numbers', 'src/a.ts:12:5 is unused', 'src/a.ts:130:17 is unused'],
    ['durations', 'tests failed after 12.3 s', 'tests failed after 8s'],
    ['durations after a label', 'duration: 3 s, elapsed 40 ms', 'duration: 9.5 s, elapsed 2 min'],
    ['durations of several units', 'the run took 1m30s', 'the run took 2h 5m 12s'],
    ['durations in parentheses', 'test_a failed (1.2s)', 'test_a failed (340 ms)'],
    ['dates and times', 'failed at 2026-03-01T10:00:00Z', 'failed at 2026-03-02 11:30:05.120'],
    ["dates and times of Go's log", '2026/03/01 10:00:00 it failed', '2026/03/02 11:30:05.120 it failed'],
    [
      'lines and columns before a colon',
      'main.go:12:5: undefined: total',
      'main.go:130:17: undefined: total',
    ],
    ['lines and columns of tsc', 'a.ts(7,1): error TS2345', 'a.ts(21, 30): error TS2345'],
    ['lines of MSVC', 'a.cpp(7): error C2065', 'a.cpp(21): error C2065'],
    ['lines and columns of Maven', 'A.java:[7,1] cannot find symbol', 'A.java:[21,30] cannot find symbol'],
    ['clock times', 'the run of 10:15 failed', 'the run of 23:59:59 failed'],
    ['numbers of lines', 'unused name in line 12', 'unused name in line 130'],
    ['numbers of columns', 'unused name at column 4', 'unused name at column 61'],
    ['lines after a file', 'src/a.py:12 is unused', 'src/a.py:7 is unused'],
    ['lines after a file and before a message', 'main.go:12: unused', 'main.go:7: unused'],
    ['lines as L12', 'src/a.ts L12 is unused', 'src/a.ts L130 is unused'],
    ['process ids', 'the worker with pid 4711 died', 'the worker with pid 99 died'],
    ['temporary folders', 'no file /tmp/pytest-of-x/pytest-12/a.txt', 'no file /tmp/tmpq8h2/a.txt'],
    [
      'temporary folders of Windows',
      'no C:\\Users\\a\\AppData\\Local\\Temp\\x',
      'no C:/Users/b/AppData/Local/Temp/y',
    ],
    ['private temporary folders', 'see /private/var/folders/ab/cd/T/x', 'see /var/folders/zz/T/y'],
    ['hex ids', 'commit 3d70764 lacks it', 'commit e3eab6c1f9 lacks it'],
    [
      'UUIDs',
      'run 27340e40-99cb-42ce-83b5-b5f1e3af7e78 failed',
      'run 0f8fad5b-d9cb-469f-a165-70867728950e failed',
    ],
    ['addresses', 'object at 0x7f3a2b', 'object at 0x7fffde'],
    ['case and white space', 'The  build\nfails', 'the build fails'],
  ])('%s say nothing', (_what, one, other) => {
    expect(signIssues([issue('blocking', one)], null)).toBe(signIssues([issue('blocking', other)], null))
  })

  test.each([
    ['status codes', 'POST /orders answers 401', 'POST /orders answers 500'],
    ['counts', '41 tests fail', '1 test fails'],
    ['counts within a text', '3 of 17 tests fail', '12 of 17 tests fail'],
    ['percentages', 'coverage is 81.5 %', 'coverage is 79 %'],
    ['hex numbers of six digits', 'the color a1b2c3 is used', 'the color f0e1d2 is used'],
    ['ports', 'localhost:8080 refuses', 'localhost:9090 refuses'],
    ['ports of a host with a dot', 'example.com:8080 refuses', 'example.com:9090 refuses'],
    ['folders that are named after a date', 'see posts/2026/03/01/a.md', 'see posts/2026/03/02/a.md'],
    ['versions', 'needs node 20.1.0', 'needs node 22.4.0'],
    ['measured values', 'p95 900 ms is above the limit', 'p95 300 ms is above the limit'],
  ])('%s stay', (_what, one, other) => {
    expect(signIssues([issue('blocking', one)], null)).not.toBe(signIssues([issue('blocking', other)], null))
  })

  test('the time is linear in the length of any text', () => {
    const repeated = [
      'a-',
      'in 1s ',
      '(1s ',
      ':1',
      '/tmp',
      '1 ',
      '0',
      'ab',
      'c:\\users\\',
      'c:/users/a/',
      '2026/01/01 ',
      'l1-',
      '2026-01-01 ',
    ]
    for (const part of repeated) expect(masked(part.repeat(100_000)).length).toBeGreaterThan(0)
  })

  test('a label keeps its digits, written with or without zeros', () => {
    expect(masked('AC-003 is not met')).not.toBe(masked('AC-004 is not met'))
    expect(masked('AC-3 is not met')).toBe(masked('AC-003 is not met'))
  })

  test.each([
    ['criterion_10', 'criterion_11'],
    ['ac-load-01', 'ac-load-02'],
    ['AC-1.1', 'AC-1.2'],
    ['AC10', 'AC19'],
    ['F401', 'F403'],
    ['test_login_12', 'test_login_13'],
  ])('%s and %s are two names', (one, other) => {
    expect(masked(`${one} is not met`)).not.toBe(masked(`${other} is not met`))
  })

  test('a label in a temporary folder is no label', () => {
    expect(masked('AC-003: /tmp/run-12/AC-004/x is gone')).toBe(
      masked('AC-003: /tmp/run-77/AC-009/y is gone'),
    )
  })

  test('words are not ids', () => {
    expect(masked('the facade feeds a decade')).toBe('the facade feeds a decade')
    expect(masked('test_v2 of utf8')).toBe('test_v2 of utf8')
  })

  test('the order and repetition of issues do not matter, but their category does', () => {
    const [a, b] = [issue('blocking', 'a'), issue('blocking', 'b')]
    expect(signIssues([a, b], null)).toBe(signIssues([b, a, b], null))
    expect(signIssues([issue('blocking', 'a', 'tests')], null)).not.toBe(signIssues([a], null))
  })

  test('only blocking issues count if there are any, otherwise all issues, otherwise the feedback', () => {
    const blocking = issue('blocking', 'a')
    expect(signIssues([blocking, issue('advisory', 'x')], 'f')).toBe(signIssues([blocking], 'g'))
    expect(signIssues([issue('advisory', 'x')], 'f')).not.toBe(signIssues([issue('advisory', 'y')], 'f'))
    expect(signIssues([], 'it fails in 3 s')).toBe(signIssues([], 'It fails in 44 s'))
    expect(signIssues([], 'one')).not.toBe(signIssues([], 'other'))
  })
})

describe('how a turn ended', () => {
  const turn = {
    turnNumber: 3,
    coachDecision: 'feedback' as const,
    coachFeedback: null,
    issues: [],
    gates: [],
    testsFailed: null,
  }

  test.each(['error', 'deferred', 'unknown'] as const)('%s turns do not count', (coachDecision) => {
    expect(toOutcome({ ...turn, coachDecision })).toBeNull()
  })

  test('the obstacles are the failed gates, otherwise the categories of the blocking issues', () => {
    const issues = [issue('blocking', 'a', 'bdd_failure'), issue('advisory', 'b', 'style')]
    expect(toOutcome({ ...turn, issues })).toMatchObject({ blocking: 1, gates: ['bdd_failure'] })
    const equal = [issue('blocking', 'a'), issue('blocking', 'a'), issue('blocking', 'b')]
    expect(toOutcome({ ...turn, issues: equal })).toMatchObject({
      blocking: 2,
      gates: ['an issue without a category'],
    })
    const gates = [
      { name: 'tests', status: 'failed' },
      { name: 'coverage', status: 'passed' },
      { name: 'bdd', status: 'unknown' },
    ]
    expect(toOutcome({ ...turn, issues, gates })).toMatchObject({ gates: ['tests'], failedGates: ['tests'] })
  })
})
