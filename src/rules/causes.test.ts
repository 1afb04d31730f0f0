import { describe, expect, test } from 'vitest'
import {
  assignCauses,
  describeRepeats,
  findIdentifiers,
  groupByCause,
  measureOverlap,
  traceIssue,
} from './causes.ts'

const trace = (description: string, category: string | null = 'tests') =>
  traceIssue({ severity: 'blocking', category, description })

describe('identifiers are code-like words', () => {
  test.each([
    ['paths', 'see src/app/main.ts:12:5 and docs/setup.md', ['src/app/main.ts', 'docs/setup.md']],
    [
      'paths of Windows',
      'C:\\repo\\src\\app.ts(12,5) and `tests\\test_a.py`',
      ['C:/repo/src/app.ts', 'tests/test_a.py'],
    ],
    [
      'texts with escapes',
      'FAILED tests/test_a.py\\nFAILED tests/test_b.py, got a\\tb\\n in C:\\new\\test.py',
      ['tests/test_a.py', 'tests/test_b.py', 'C:/new/test.py'],
    ],
    [
      'paths of Windows that may be texts with escapes',
      'tests\\test_a.py::test_login, src\\routes\\test.spec.ts:4:5 and ..\\tests\\test_b.py.',
      ['tests/test_a.py', 'test_login', 'src/routes/test.spec.ts', '../tests/test_b.py'],
    ],
    ['dotted names', 'call app.config.load, e.g. in main.py', ['app.config.load', 'main.py']],
    ['snake_case and camelCase', 'user_id and userId differ', ['user_id', 'userId']],
    ['names of error classes', 'raises KeyError and TimeoutException', ['KeyError', 'TimeoutException']],
    [
      'names that begin with an abbreviation',
      'HTTPError and OSError, not URLs, OSes or APIs',
      ['HTTPError', 'OSError'],
    ],
    ['quoted and backticked strings', 'says "not allowed" for `GET /x`', ['not allowed', 'GET /x']],
    ['quoted strings with an apostrophe', "says only 'I can't do it.' twice", ["I can't do it."]],
    ['flags', 'fails with --strict and -q', ['--strict', '-q']],
    [
      'parts of a test id',
      'tests/a/test_b.py::TestB::test_c fails',
      ['tests/a/test_b.py', 'TestB', 'test_c'],
    ],
  ])('%s', (_what, text, expected) => expect([...findIdentifiers(text)].sort()).toEqual(expected.sort()))

  test('labels of criteria and plain words are not identifiers', () => {
    expect([
      ...findIdentifiers('AC-003 and criterion_2: the tests fail/pass, and/or "AC-1" is open.'),
    ]).toEqual([])
  })

  test('the time is linear in the length of any text', () => {
    for (const part of ['a.', 'a/', 'a_', '`', '"', "'", "'a", 'aA', '-a', './', '::', 'a\\', '\\'])
      findIdentifiers(part.repeat(100_000))
  })
})

describe('two issues of one category have one cause', () => {
  const one = trace('The handler load_user in src/users.py raises KeyError')

  test('if their signatures are equal', () => {
    expect(measureOverlap(trace('The build fails in 3 s'), trace('the build fails in 9 s'))).toBe(Infinity)
  })

  test('if they share two identifiers and 60 % of the smaller set', () => {
    expect(measureOverlap(one, trace('src/users.py: load_user still ends with an exception'))).toBe(2)
    expect(measureOverlap(one, trace('src/users.py is too long'))).toBeNull()
    expect(measureOverlap(one, trace('load_user of src/users.py lacks --fast, user_name and cacheKey'))).toBe(
      2,
    )
    const sharedOf = (one: string, other: string) => measureOverlap(trace(one), trace(other))
    expect(sharedOf('a_a b_b c_c d_d', 'a_a b_b x_x y_y')).toBeNull()
    expect(sharedOf('a_a b_b c_c d_d e_e', 'a_a b_b c_c x_x y_y')).toBe(3)
  })

  test('if they share two paths of Windows, or an error class and a path', () => {
    const sharedOf = (one: string, other: string) => measureOverlap(trace(one), trace(other))
    const windows = 'The test tests\\test_main.py shows that src\\app\\main.py is wrong'
    expect(sharedOf('src\\app\\main.py fails in tests\\test_main.py', windows)).toBe(2)
    expect(sharedOf('src/app/main.py fails in tests/test_main.py', windows)).toBe(2)
    expect(sharedOf('src/a.py raises OSError', 'An OSError ends src/a.py')).toBe(2)
  })

  test('and never across categories', () => {
    expect(measureOverlap(one, trace('load_user in src/users.py raises KeyError', 'style'))).toBeNull()
  })

  test('pairs are taken by overlap, then by position', () => {
    const known = [[trace('src/a.py: run_all fails')], [trace('src/a.py: run_all fails with KeyError')]]
    expect(assignCauses([trace('run_all of src/a.py ends with KeyError')], known).causes).toEqual([1])
    expect(assignCauses([trace('run_all of src/a.py is slow')], known).causes).toEqual([0])
    expect(assignCauses([trace('x_y'), trace('x_y'), trace('z_a')], known).causes).toEqual([2, 2, 3])
  })
})

test('issues of one cause are one group, described by their number and what differs', () => {
  const claim = (file: string) => ({
    severity: 'should_fix' as const,
    category: 'honesty',
    description: `${file} is in files_modified, but \`git status\` shows no change`,
  })
  const claims = ['a.py', 'b.py', 'c.py', 'd.py', 'e.py'].map(claim)
  const other = { ...claim('a.py'), description: 'No tests' }
  const groups = groupByCause([...claims.slice(0, 1), other, ...claims.slice(1)])
  expect(groups).toEqual([claims, [other]])
  expect(groups.map(describeRepeats)).toEqual([' ×5: a.py, b.py, c.py and 2 more', ''])
  expect(describeRepeats(claims.slice(0, 3))).toBe(' ×3: a.py, b.py, c.py')
  expect(describeRepeats([other, other])).toBe(' ×2')
})
