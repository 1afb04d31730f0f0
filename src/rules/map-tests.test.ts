import { expect, test } from 'vitest'
import { mapTests, type ReportedTest, TooManyPatterns } from './map-tests.ts'

const passed = (name: string): ReportedTest => ({ name, status: 'passed', durationMs: null })
const failed = (name: string): ReportedTest => ({ ...passed(name), status: 'failed' })
const skipped = (name: string): ReportedTest => ({ ...passed(name), status: 'skipped' })

const matches = (pattern: string, name: string): boolean =>
  mapTests([{ label: 'x', tests: [pattern] }], [passed(name)]).mapped.length === 1

test.each([
  ['rounds half to even', 'money.test.ts > rounding > rounds half to even', true],
  ['rounds half to even', 'rounding Rounds  half to even', true],
  ['half to even', 'rounding > behalf to even', false],
  ['rounds half', 'rounds half to even', false],
  ['rounds half*', 'rounds half to even', true],
  ['rounding > *', 'money.test.ts > rounding > refuses text', true],
  ['test_half', 'pytest > tests.test_money > test_half[1-2]', true],
  ['test_half', 'tests.test_money > test_half_even', false],
  ['TestRound/*', 'example.com/money > TestRound/half', true],
  ['half to even', 'example.com/money > TestRound/half_to_even', true],
  ['logs in', 'tests > test_never_logs_in', false],
  ['roundsHalf', 'com.acme.MoneyTest > roundsHalf(int)[1]', true],
  ['roundsHalf', 'com.acme.MoneyTest > roundsHalf()', true],
  ['calls f', 'calls f(x)', false],
  ['* books cost *', 'Cart > 2 books cost 18', true],
  ['a*b*c', 'a c b', false],
  ['ab*b', 'ab', false],
  ['[slow]', 'reads [slow]', true],
  ['*', 'anything', true],
  ['', 'anything', false],
])('the pattern %j and the name %j: %s', (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected)
})

const labels = (label: string, name: string): boolean =>
  mapTests([{ label }], [passed(name)]).mapped.length === 1

test.each([
  ['AC-003', 'AC-003: rounds', true],
  ['AC-3', 'rounds (ac-003)', true],
  ['AC-003', 'tests > test_ac_003_rounds', true],
  ['AC-003', 'AC 3 rounds', true],
  ['AC-003', 'AC-003-rounds.test.ts > rounds', true],
  ['AC-003', 'AC-0031', false],
  ['AC-003', 'AC-003.1 rounds', false],
  ['AC-001', 'R1.AC-1 rounds', false],
  ['R1.AC-1', 'R1.AC-1: rounds', true],
  ['SKEL-004', 'skel-4 builds', true],
  ['AC-003', 'XAC-003', false],
  ['2', 'adds 2', false],
  ['login', 'login works', false],
  ['R1.2', 'tests > test_r1_2_greets', true],
  ['US1.2', 'test_us_1_2', true],
  ['NFR-PERF-02', 'test_nfr_perf_02_is_fast', true],
  ['FR-001a', 'TestFR_001a', true],
  ['REQ_7', 'test_req_7', true],
  ['R1.2', 'test_r1_20', false],
  ['R1.2', 'test_xr1_2', false],
  ['AC-003', 'example.com/money > TestAC3Rounds', true],
  ['AC-003', 'TestAC_003_Rounds', true],
  ['AC-003', 'testAc003RoundsHalf', true],
  ['AC-003', 'TestAC31', false],
  ['AC-003', 'AC-003A rounds', false],
])('the label %j in the name %j: %s', (label, name, expected) => {
  expect(labels(label, name)).toBe(expected)
})

test('a name with the label of a part names the part, not its parent', () => {
  const criteria = [{ label: 'AC-3' }, { label: 'AC-3.1' }]
  const named = (name: string) =>
    mapTests(criteria, [passed(name)]).mapped.map((each) => each.criterion.label)
  expect(named('test_ac_3_1_rounds')).toEqual(['AC-3.1'])
  expect(named('test_ac_3_2_items')).toEqual(['AC-3'])
  expect(named('test_ac_3_1_and_ac_3')).toEqual(['AC-3', 'AC-3.1'])
})

test('a criterion holds if every test that ran passed and at least one ran', () => {
  const criteria = ['AC-1', 'AC-2', 'AC-3', 'AC-4', 'AC-5'].map((label) => ({ label }))
  const tests = [
    passed('AC-1 a'),
    skipped('AC-1 b'),
    passed('AC-2 a'),
    failed('AC-2 b'),
    skipped('AC-3 a'),
    passed('AC-4 and AC-1'),
    passed('other'),
  ]
  const { mapped, unmapped, unused } = mapTests(criteria, tests)
  expect(mapped.map(({ criterion, holds, tests: own }) => [criterion.label, holds, own.length])).toEqual([
    ['AC-1', true, 3],
    ['AC-2', false, 2],
    ['AC-3', null, 1],
    ['AC-4', true, 1],
  ])
  expect(unmapped).toEqual([{ label: 'AC-5' }])
  expect(unused).toBe(1)
})

test('a criterion for a person is not listed as unmapped', () => {
  expect(mapTests([{ label: 'AC-1', kind: 'manual' }], []).unmapped).toEqual([])
})

test('a product of patterns and tests above the limit is refused', () => {
  const patterns = Array.from({ length: 2_501 }, (_, i) => `t${i}`)
  const tests = Array.from({ length: 20_000 }, (_, i) => passed(`t${i}`))
  expect(() => mapTests([{ label: 'AC-1', tests: patterns }], tests)).toThrow(TooManyPatterns)
})
