import { describe, expect, test } from 'vitest'
import { assignCauses, findIdentifiers, measureOverlap, traceIssue } from './causes.ts'

const trace = (description: string, category: string | null = 'tests') =>
  traceIssue({ severity: 'blocking', category, description })

describe('identifiers are code-like words', () => {
  test.each([
    ['paths', 'see src/app/main.ts:12:5 and docs/setup.md', ['src/app/main.ts', 'docs/setup.md']],
    ['dotted names', 'call app.config.load, e.g. in main.py', ['app.config.load', 'main.py']],
    ['snake_case and camelCase', 'user_id and userId differ', ['user_id', 'userId']],
    ['names of error classes', 'raises KeyError and TimeoutException', ['KeyError', 'TimeoutException']],
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
    for (const part of ['a.', 'a/', 'a_', '`', '"', "'", "'a", 'aA', '-a', './', '::'])
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
    const four = trace('load_user, a_b, c_d and e_f of src/users.py')
    expect(measureOverlap(four, trace('load_user, g_h, i_j and k_l of src/users.py'))).toBeNull()
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
