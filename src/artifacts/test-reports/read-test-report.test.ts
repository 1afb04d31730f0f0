import { expect, test } from 'vitest'
import type { ReportFormat } from '../../rules/map-tests.ts'
import { readTestReport } from './read-test-report.ts'

/** `passed name` for each test. */
async function read(format: ReportFormat, text: string): Promise<string[]> {
  const tests = await readTestReport(format, text)
  return tests.map(({ name, status, message }) => `${status} ${name}${message ? `: ${message}` : ''}`)
}

const inSuite = (cases: string) =>
  `<?xml version="1.0"?><testsuites><testsuite name="s">${cases}</testsuite></testsuites>`

test('the report of vitest names the file once, and has a message for each failure', async () => {
  const report = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="3" failures="1" errors="0" time="0.31">
    <testsuite name="test/money.test.ts" timestamp="2026-11-28T10:00:00.000Z" hostname="h" tests="3" failures="1" errors="0" skipped="1" time="0.0061">
        <testcase classname="test/money.test.ts" name="rounding &gt; rounds half to even" time="0.0012">
        </testcase>
        <testcase classname="test/money.test.ts" name="rounding &gt; refuses text" time="0.0034">
            <failure message="expected 1 to be 2 // Object.is equality" type="AssertionError">
AssertionError: expected 1 to be 2
 ❯ test/money.test.ts:9:13
            </failure>
        </testcase>
        <testcase classname="test/money.test.ts" name="AC-3 later" time="0">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>`
  expect(await read('junit', report)).toEqual([
    'passed test/money.test.ts > rounding > rounds half to even',
    'failed test/money.test.ts > rounding > refuses text: expected 1 to be 2 // Object.is equality',
    'skipped test/money.test.ts > AC-3 later',
  ])
  expect((await readTestReport('junit', report)).map(({ durationMs }) => durationMs)).toEqual([1, 3, 0])
})

test('the report of pytest has classes, parameters, errors and expected failures', async () => {
  const report = `\uFEFF<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="0" skipped="1" tests="4" time="0.041">
<testcase classname="tests.test_money.TestRounding" name="test_half[1-2]" time="0.001" /><testcase classname="tests.test_money.TestRounding" name="test_half[&lt;3&gt;]" time="0.001" />
<testcase classname="tests.test_money" name="test_needs_db" time="0.2"><error message="failed on setup with &quot;OSError&quot;">def db(): ...</error></testcase>
<testcase classname="tests.test_money" name="test_known" time="0.000"><skipped type="pytest.xfail" message="known" /></testcase></testsuite></testsuites>`
  expect(await read('junit', report)).toEqual([
    'passed pytest > tests.test_money.TestRounding > test_half[1-2]',
    'passed pytest > tests.test_money.TestRounding > test_half[<3>]',
    'failed pytest > tests.test_money > test_needs_db: failed on setup with "OSError"',
    'skipped pytest > tests.test_money > test_known: known',
  ])
})

test('Maven reports a suite as the root, and the tries of a test as flaky or as reruns', async () => {
  const report = `<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0" name="com.acme.MoneyTest" time="1,234.5" tests="4" errors="0" skipped="0" failures="1" flakes="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="roundsHalf" classname="com.acme.MoneyTest" time="1,234.5"><system-out><![CDATA[<failure>not one</failure>]]></system-out></testcase>
  <testcase name="connects" classname="com.acme.MoneyTest" time="0.1"><flakyFailure message="once" type="java.lang.AssertionError"><stackTrace><![CDATA[at …]]></stackTrace></flakyFailure></testcase>
  <testcase name="writes" classname="com.acme.MoneyTest" time="0.1"><failure type="java.lang.AssertionError"><![CDATA[expected: <1> &#27;[31m but was]]></failure><rerunFailure message="again" type="x"/></testcase>
  <testcase name="reads" classname="com.acme.MoneyTest" time="0.1"><flakyError message="once" type="x"/></testcase>
</testsuite>`
  expect(await read('junit', report)).toEqual([
    'passed com.acme.MoneyTest > roundsHalf',
    'passed com.acme.MoneyTest > connects',
    'failed com.acme.MoneyTest > writes: expected: <1> &#27;[31m but was',
    'passed com.acme.MoneyTest > reads',
  ])
  expect((await readTestReport('junit', report))[0]?.durationMs).toBe(1_234_500)
})

test('a test case with the status of a failure counts as failed, even without a failure element', async () => {
  const report = `<testsuite><testcase name="a" status="failed"/><testcase name="b" result="Failed"/>
<testcase name="c" status="fail"><failure message="no"/></testcase><testcase name="d" status="passed"/></testsuite>`
  expect(
    (await readTestReport('junit', report)).map(({ name, status, message }) => [name, status, message]),
  ).toEqual([
    ['a', 'failed', undefined],
    ['b', 'failed', undefined],
    ['c', 'failed', 'no'],
    ['d', 'passed', undefined],
  ])
})

test('the last report of a test counts within a suite of a JUnit report, and the worst one of several suites', async () => {
  const passed = '<testcase classname="A" name="a"/>'
  const failed = '<testcase classname="A" name="a"><failure/></testcase>'
  expect(await read('junit', inSuite(failed + passed))).toEqual(['passed s > A > a'])
  expect(await read('junit', inSuite(passed + failed))).toEqual(['failed s > A > a'])
  const suites = (...cases: string[]) =>
    cases.map((each) => `<testsuite name="s">${each}</testsuite>`).join('')
  expect(await read('junit', `<testsuites>${suites(failed, passed)}</testsuites>`)).toEqual([
    'failed s > A > a',
  ])
})

test('an error of a suite outside of its tests is a separate failed test', async () => {
  const passed = '<testcase name="AC-1 a"/>'
  expect(await read('junit', inSuite(`${passed}<error message="no database"/>`))).toEqual([
    'passed s > AC-1 a',
    'failed s: no database',
  ])
})

test('suites within suites are joined, and a full name is not repeated', async () => {
  const report = `<testsuites><testsuite name="rounding"><testsuite name="of halves"><testcase classname="of halves even" name="of halves even"/></testsuite></testsuite>
    <testsuite name="example.com/money"><testcase classname="example.com/money" name="TestRound/half"/><testcase name="not run" status="notrun"/></testsuite></testsuites>`
  expect(await read('junit', report)).toEqual([
    'passed rounding > of halves even',
    'passed example.com/money > TestRound/half',
    'skipped example.com/money > not run',
  ])
})

test('a reference to a control character does not break a report', async () => {
  const report = inSuite('<testcase name="colors"><failure message="&#27;[31mred&#x1b;[0m"/></testcase>')
  expect(await read('junit', report)).toEqual(['failed s > colors: &#27;[31mred&#x1b;[0m'])
})

test('TAP of Node nests subtests and has durations', async () => {
  const report = `TAP version 13
# Subtest: rounding
    # Subtest: rounds half to even
    ok 1 - rounds half to even
      ---
      duration_ms: 1.4
      type: 'test'
      ...
    # Subtest: refuses text
    not ok 2 - refuses text
      ---
      duration_ms: 2.6
      error: 'expected 1'
      ok 7 - not a test
      ...
    1..2
not ok 1 - rounding
  ---
  duration_ms: 5
  type: 'suite'
  ...
# Subtest: later
ok 2 - later # SKIP no database
ok 3 - C\\# code \\\\ # TODO one day
ok 4 - issue #12
1..4
# tests 5
`
  expect(await read('tap', report)).toEqual([
    'passed rounding > rounds half to even',
    "failed rounding > refuses text: 'expected 1'",
    'skipped later',
    'skipped C# code \\',
    'passed issue #12',
  ])
  expect((await readTestReport('tap', report)).map(({ durationMs }) => durationMs)).toEqual([
    1,
    3,
    null,
    null,
    null,
  ])
})

test('TAP 14 of node-tap opens subtests by a brace, and a failed hook fails the parent', async () => {
  const report = `TAP version 14
ok 1 - money # time=5.1ms {
    ok 1 - adds
    not ok 2 - subtracts # TODO
    1..2
}
not ok 2 - after hook # time=5.1ms {
    ok 1 - writes
    1..1
}
1..2`
  expect(await read('tap', report)).toEqual([
    'passed money > adds',
    'skipped money > subtracts',
    'passed after hook > writes',
    'failed after hook',
  ])
})

test('a test that failed and passed under one name has failed, except in JUnit', async () => {
  expect(await read('tap', '1..2\nnot ok 1 - a\nok 2 - a')).toEqual(['failed a'])
  const results = ['failed', 'passed'].map((status) => ({ title: 'a', status }))
  expect(await read('vitest', JSON.stringify({ testResults: [{ assertionResults: results }] }))).toEqual([
    'failed a',
  ])
})

test('the JSON report of vitest joins the file, the suites and the title', async () => {
  const report = {
    numTotalTests: 3,
    testResults: [
      {
        name: '/home/me/project/test/money.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          {
            ancestorTitles: ['', 'rounding'],
            title: 'rounds half to even',
            status: 'passed',
            duration: 1.6,
            failureMessages: [],
          },
          {
            ancestorTitles: [],
            title: 'refuses text',
            status: 'failed',
            duration: null,
            failureMessages: ['expected 1\n    at x'],
          },
          { ancestorTitles: [], title: 'later', status: 'todo' },
        ],
      },
      {
        name: '/home/me/project/test/broken.test.ts',
        status: 'failed',
        message: 'Cannot find module',
        assertionResults: [],
      },
    ],
  }
  expect(await read('vitest', JSON.stringify(report))).toEqual([
    'passed money.test.ts > rounding > rounds half to even',
    'failed money.test.ts > refuses text: expected 1 at x',
    'skipped money.test.ts > later',
    'failed broken.test.ts: Cannot find module',
  ])
})

const BROKEN: readonly [ReportFormat, string, string][] = [
  ['junit', '', 'the JUnit report is empty'],
  [
    'junit',
    '<testsuite><testcase name="a">',
    'the JUnit report is not well-formed XML: line 1: Unclosed root tag',
  ],
  ['junit', '<html></html>', 'the JUnit report has the root <html>, not <testsuites> or <testsuite>'],
  ['junit', 'npm ERR!', 'the JUnit report is not well-formed XML: line 1: Non-whitespace before first tag.'],
  [
    'junit',
    '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<testsuite name="&b;"/>',
    'the JUnit report is not well-formed XML: line 2: Invalid character entity',
  ],
  ['junit', '<testsuite>'.repeat(33), 'the JUnit report has suites more than 32 levels deep'],
  [
    'junit',
    `<testsuite><testcase>${'<a>'.repeat(255)}`,
    'the JUnit report has elements more than 256 levels deep',
  ],
  ['tap', 'hello', 'the TAP report has no plan and no test'],
  ['tap', 'ok 1 - a', 'the TAP report has no plan, so tests may be missing'],
  ['tap', '1..3\nok 1 - a', 'the TAP report plans 3 tests and has 1'],
  ['tap', 'ok 1 - a\n    ok 1 - b\n    1..2\nok 2 - c\n1..2', 'the TAP report plans 2 tests and has 1'],
  ['tap', 'ok 1 - a\nBail out! no database', 'the TAP report bailed out: no database'],
  ['tap', `${' '.repeat(4 * 32)}ok 1`, 'the TAP report has subtests more than 32 levels deep'],
  ['vitest', '{', 'the JSON report is not JSON: '],
  ['vitest', '{}', 'the JSON report is not a JSON report of vitest or Jest: testResults: '],
  ['tap', `1..20001\n${'ok\n'.repeat(20_001)}`, 'the TAP report has more than 20000 tests'],
]

test.each(BROKEN)('a broken %s report is refused: %#', async (format, text, message) => {
  const error = await readTestReport(format, text, 'reports/a').then(
    () => null,
    (cause: unknown) => cause,
  )
  expect(error).toMatchObject({ code: 'invalid_request' })
  expect((error as Error).message).toContain(`reports/a: ${message}`)
})

test('a report of more than 8 MiB is too large', async () => {
  await expect(readTestReport('tap', ' '.repeat(8 * 1024 * 1024 + 1))).rejects.toMatchObject({
    code: 'too_large',
  })
})

test('a plan that skips all tests is a report without tests', async () => {
  expect(await read('tap', '1..0 # SKIP no tests')).toEqual([])
  expect(await read('junit', '<testsuites/>')).toEqual([])
})

test('names of elements and attributes that every object has are as unknown as any other', async () => {
  const cases =
    '<testcase name="a"><constructor/></testcase><testcase name="b"><toString/><failure/></testcase>'
  expect(await read('junit', inSuite(cases))).toEqual(['passed s > a', 'failed s > b'])
  const broken = '<testsuite hasOwnProperty="1" name="s"><testcase name="a"/></testsuite>'
  await expect(read('junit', broken)).rejects.toMatchObject({ code: 'invalid_request' })
})
