/** Reports in the shapes that go-junit-report 2.1, gotestsum, Surefire 3.2, jest-junit 16 and pytest 9 write. */
import { expect, test } from 'vitest'
import { verifyByReports } from './verify-by-reports.ts'

const AT = '2026-11-28T10:00:00Z'

type Outcome = 'verified' | 'rejected' | 'skipped' | 'unmapped'

/** Returns the outcome of each criterion by the reports. A criterion is a label, or a label, a colon and a pattern. */
async function judge(reports: readonly string[], ...criteria: string[]): Promise<Record<string, Outcome>> {
  const declared = criteria.map((given) => {
    const [label = '', pattern] = given.split(': ')
    return { label, text: label, ...(pattern !== undefined && { tests: [pattern] }) }
  })
  const texts = reports.map((text, i) => ({ format: 'junit' as const, text, place: `${i}.xml` }))
  const { verifications, summary } = await verifyByReports(declared, texts, { startedAt: AT })
  return Object.fromEntries(
    declared.map(({ label }): [string, Outcome] => {
      const found = verifications.find(({ criterionId }) => criterionId === label)?.status
      const isSkipped = summary.skipped.some(({ criterionId }) => criterionId === label)
      return [label, found ?? (isSkipped ? 'skipped' : 'unmapped')]
    }),
  )
}

test('subtests of Go have slashes and underscores in their names, and a test fails if one of them fails', async () => {
  const goJunitReport = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="8" failures="3" skipped="1">
	<testsuite name="example.com/money" tests="8" failures="3" errors="0" id="0" hostname="vm" skipped="1" time="0.018" timestamp="2026-11-29T00:14:37Z">
		<testcase name="TestRounding" classname="example.com/money" time="0.000">
			<failure message="Failed"></failure>
		</testcase>
		<testcase name="TestRounding/half_to_even" classname="example.com/money" time="0.000"></testcase>
		<testcase name="TestRounding/AC-001_zero" classname="example.com/money" time="0.000"></testcase>
		<testcase name="TestRounding/half/up" classname="example.com/money" time="0.000"></testcase>
		<testcase name="TestRounding/negative" classname="example.com/money" time="0.000">
			<failure message="Failed"></failure>
		</testcase>
		<testcase name="TestRounding/negative/AC-002_below_zero" classname="example.com/money" time="0.000">
			<failure message="Failed"><![CDATA[    money_test.go:10: got -1 <want> 0]]></failure>
		</testcase>
		<testcase name="TestDatabase_AC003" classname="example.com/money" time="0.000">
			<skipped message="Skipped"><![CDATA[    money_test.go:14: no database]]></skipped>
		</testcase>
		<testcase name="TestPanics" classname="example.com/money" time="0.000">
			<system-out><![CDATA[    money_test.go:16: <failure>fine</failure>]]></system-out>
		</testcase>
	</testsuite>
</testsuites>`
  expect(
    await judge(
      [goJunitReport],
      'AC-001',
      'AC-002',
      'AC-003',
      'AC-004: half to even',
      'AC-005: TestRounding/half/up',
      'AC-006: TestRounding',
      'AC-007: TestPanics',
      'AC-008',
    ),
  ).toEqual({
    'AC-001': 'verified',
    'AC-002': 'rejected',
    'AC-003': 'skipped',
    'AC-004': 'verified',
    'AC-005': 'verified',
    'AC-006': 'rejected',
    'AC-007': 'verified',
    'AC-008': 'unmapped',
  })
})

test('gotestsum repeats the name of the package, and writes each try of a flaky test', async () => {
  const gotestsum = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="2" errors="0" time="0.421">
	<testsuite tests="4" failures="2" time="0.004000" name="example.com/money" timestamp="2026-11-29T00:14:37Z">
		<properties>
			<property name="go.version" value="go1.26.8 linux/amd64"></property>
		</properties>
		<testcase classname="example.com/money" name="TestFlaky_AC001" time="0.000000">
			<failure message="Failed" type="">=== RUN   TestFlaky_AC001&#xA;    money_test.go:18: not yet&#xA;--- FAIL: TestFlaky_AC001 (0.00s)&#xA;</failure>
		</testcase>
		<testcase classname="example.com/money" name="TestFlaky_AC001" time="0.000000"></testcase>
		<testcase classname="example.com/money" name="TestBroken_AC002" time="0.000000">
			<failure message="Failed" type="">=== RUN   TestBroken_AC002&#xA;</failure>
		</testcase>
		<testcase classname="example.com/money" name="TestDatabase_AC003" time="0.000000">
			<skipped message="=== RUN   TestDatabase_AC003&#xA;    money_test.go:14: no database&#xA;"></skipped>
		</testcase>
	</testsuite>
</testsuites>`
  expect(await judge([gotestsum], 'AC-001', 'AC-002', 'AC-003')).toEqual({
    'AC-001': 'verified',
    'AC-002': 'rejected',
    'AC-003': 'skipped',
  })
})

const SUREFIRE =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd" version="3.0"'
const TRACE =
  '<stackTrace><![CDATA[org.opentest4j.AssertionFailedError: <failure/>\n\tat com.acme]]></stackTrace>'

test('Surefire writes parameters with types, nested classes as suites, and the tries of a test in one test case', async () => {
  const outer = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite ${SUREFIRE} name="com.acme.MoneyTest" time="0.071" tests="6" errors="1" skipped="1" failures="1">
  <properties/>
  <testcase name="roundsHalf_AC001(int)[1]" classname="com.acme.MoneyTest" time="0.035"/>
  <testcase name="roundsHalf_AC001(int)[2]" classname="com.acme.MoneyTest" time="0.014"/>
  <testcase name="flaky_AC002" classname="com.acme.MoneyTest" time="0.001">
    <flakyFailure message="first try ==&gt; expected: &lt;true&gt;" type="org.opentest4j.AssertionFailedError">${TRACE}<system-out><![CDATA[try 1]]></system-out></flakyFailure>
  </testcase>
  <testcase name="writes_AC003" classname="com.acme.MoneyTest" time="0.052">
    <failure message="never &lt;1&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[at com.acme]]></failure>
    <rerunFailure message="never &lt;1&gt;" type="org.opentest4j.AssertionFailedError">${TRACE}</rerunFailure>
  </testcase>
  <testcase name="stores_AC004" classname="com.acme.MoneyTest" time="0.0">
    <skipped message="no database"/>
  </testcase>
  <testcase name="throwsIt_AC005" classname="com.acme.MoneyTest" time="0.001">
    <error message="boom" type="java.lang.IllegalStateException"><![CDATA[at com.acme]]></error>
    <rerunError message="boom" type="java.lang.IllegalStateException">${TRACE}</rerunError>
  </testcase>
</testsuite>`
  const nested = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite ${SUREFIRE} name="com.acme.MoneyTest$WhenNegative$AndLarge" time="0.035" tests="3" errors="0" skipped="0" failures="0">
  <testcase name="rounds_AC006" classname="com.acme.MoneyTest$WhenNegative" time="0.005"/>
  <testcase name="again_AC007" classname="com.acme.MoneyTest$WhenNegative$AndLarge" time="0.008"/>
  <testcase name="again_AC007" classname="com.acme.MoneyTest$WhenNegative$AndLarge" time="0.003"/>
</testsuite>`
  // The suite of a class whose tests are all in nested classes is empty.
  const empty = `<testsuite ${SUREFIRE} name="com.acme.MoneyTest$WhenNegative" time="0.079" tests="0" errors="0" skipped="0" failures="0"/>`
  expect(
    await judge(
      [outer, nested, empty],
      ...['AC-001', 'AC-002', 'AC-003', 'AC-004', 'AC-005', 'AC-006', 'AC-007'],
      'AC-008: roundsHalf_AC001',
      'AC-009: MoneyTest$WhenNegative > rounds_AC006',
    ),
  ).toEqual({
    'AC-001': 'verified',
    'AC-002': 'verified',
    'AC-003': 'rejected',
    'AC-004': 'skipped',
    'AC-005': 'rejected',
    'AC-006': 'verified',
    'AC-007': 'verified',
    'AC-008': 'verified',
    'AC-009': 'verified',
  })
})

test('a passed test of 0 seconds counts in a suite of Surefire, which counts too few tests if it reruns some', async () => {
  const report = `<testsuite ${SUREFIRE} name="com.acme.MoneyTest" tests="1" failures="0">
  <testcase name="flaky_AC001" classname="com.acme.MoneyTest" time="0.001"><flakyFailure message="first"/></testcase>
  <testcase name="rounds_AC002" classname="com.acme.MoneyTest" time="0.0"/>
</testsuite>`
  expect(await judge([report], 'AC-001', 'AC-002')).toEqual({ 'AC-001': 'verified', 'AC-002': 'verified' })
})

test('one failed parameter of a parametrized test of Surefire rejects its criterion', async () => {
  const report = `<testsuite ${SUREFIRE} name="com.acme.MoneyTest" tests="2" failures="1">
  <testcase name="roundsHalf(int)[1]" classname="com.acme.MoneyTest" time="0.035"/>
  <testcase name="roundsHalf(int)[2]" classname="com.acme.MoneyTest" time="0.014"><failure message="odd" type="x"/></testcase>
</testsuite>`
  expect(await judge([report], 'AC-001: roundsHalf')).toEqual({ 'AC-001': 'rejected' })
})

test('jest-junit repeats the suites in the names, and a todo, which it does not count, proves nothing', async () => {
  const jestJunit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jest tests" tests="4" failures="1" errors="0" time="1.602">
  <testsuite name="rounding" errors="0" failures="1" skipped="1" timestamp="2026-11-29T00:14:39" time="1.056" tests="4">
    <testcase classname="rounding of halves AC-001 rounds 1 to even" name="rounding of halves AC-001 rounds 1 to even" time="0.011">
    </testcase>
    <testcase classname="rounding of halves AC-001 rounds 2 to even" name="rounding of halves AC-001 rounds 2 to even" time="0.001">
    </testcase>
    <testcase classname="rounding of halves AC-002 &lt;refuses&gt; text" name="rounding of halves AC-002 &lt;refuses&gt; text" time="0.012">
      <failure>Error: expect(received).toBe(expected) // Object.is equality

Expected: 2
    at new Promise (&lt;anonymous&gt;)</failure>
    </testcase>
    <testcase classname="rounding AC-003 stores it" name="rounding AC-003 stores it" time="0">
      <skipped/>
    </testcase>
    <testcase classname="rounding AC-004 prints it" name="rounding AC-004 prints it" time="0">
    </testcase>
  </testsuite>
</testsuites>`
  const criteria = ['AC-001', 'AC-002', 'AC-003', 'AC-004', 'AC-005: rounds * to even']
  expect(await judge([jestJunit], ...criteria)).toEqual({
    'AC-001': 'verified',
    'AC-002': 'rejected',
    'AC-003': 'skipped',
    'AC-004': 'skipped',
    'AC-005': 'verified',
  })
  // If the suite counts all five test cases, AC-004 passed in 0 seconds.
  const counted = jestJunit.replaceAll('tests="4"', 'tests="5"')
  expect(await judge([counted], 'AC-004')).toEqual({ 'AC-004': 'verified' })
  // Two tests with one name do not count as one, so the todo still exceeds the number of the suite.
  const repeated = jestJunit.replaceAll('rounds 2 to even', 'rounds 1 to even')
  expect(await judge([repeated], 'AC-004')).toEqual({ 'AC-004': 'skipped' })
})

test('pytest writes parameters, expected failures, skipped tests, and one test case for all reruns', async () => {
  const pytest = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="2" skipped="2" tests="8" time="0.041" timestamp="2026-11-29T00:14:39.123456+00:00" hostname="vm"><testcase classname="tests.test_money.TestRounding" name="test_half_ac_001[1-2]" time="0.001" /><testcase classname="tests.test_money.TestRounding" name="test_half_ac_001[a[0]-b]" time="0.001" />
<testcase classname="tests.test_money" name="test_known_ac_002" time="0.000"><skipped type="pytest.xfail" message="known" /></testcase>
<testcase classname="tests.test_money" name="test_fixed_ac_003" time="0.000"><failure message="[XPASS(strict)] known">[XPASS(strict)] known</failure></testcase>
<testcase classname="tests.test_money" name="test_later_ac_004" time="0.000"><skipped type="pytest.skip" message="no database">/src/tests/test_money.py:9: no database</skipped></testcase>
<testcase classname="tests.test_money" name="test_flaky_ac_005" time="0.002" />
<testcase classname="tests.test_money" name="test_left_ac_006" time="0.002"><failure message="assert 1 == 2">def test(): ...</failure></testcase><testcase classname="tests.test_money" name="test_left_ac_006" time="0.000"><error message="failed on teardown with &quot;OSError&quot;">def db(): ...</error></testcase>
</testsuite></testsuites>`
  const criteria = ['AC-001', 'AC-002', 'AC-003', 'AC-004', 'AC-005', 'AC-006']
  expect(await judge([pytest], ...criteria, 'AC-007: test_half_ac_001')).toEqual({
    'AC-001': 'verified',
    'AC-002': 'skipped',
    'AC-003': 'rejected',
    'AC-004': 'skipped',
    'AC-005': 'verified',
    'AC-006': 'rejected',
    'AC-007': 'verified',
  })
})

test('a test of pytest that fails in its call and in its teardown leaves the proof of the other tests', async () => {
  const failure = '<failure message="assert 1 == 2">def test(): ...</failure>'
  const error = '<error message="failed on teardown with &quot;OSError&quot;">def db(): ...</error>'
  const pytest = `<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="0" tests="2" time="0.041">
<testcase classname="tests.test_money" name="test_left_ac_001" time="0.002">${failure}</testcase>
<testcase classname="tests.test_money" name="test_quick_ac_002" time="0.000" />
<testcase classname="tests.test_money" name="test_left_ac_001" time="0.000">${error}</testcase>
</testsuite></testsuites>`
  const expected = { 'AC-001': 'rejected', 'AC-002': 'verified' }
  expect(await judge([pytest], 'AC-001', 'AC-002')).toEqual(expected)
})

const LAUGHS = Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "&l${i};&l${i};&l${i};">`).join('')
const HOSTILE: readonly [string, string][] = [
  ['entities of entities', `<!DOCTYPE t [<!ENTITY l0 "ha">${LAUGHS}]><testsuite name="&l20;"/>`],
  ['a file as an entity', '<!DOCTYPE t [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite name="&f;"/>'],
  ['10 MiB', `<testsuite>${' '.repeat(10 * 1024 * 1024)}</testsuite>`],
  ['2 million elements deep', `<testsuite><testcase>${'<a>'.repeat(2_000_000)}`],
  ['a million suites', '<testsuite>'.repeat(700_000)],
  ['100,000 attributes', `<testsuite ${Array.from({ length: 100_000 }, (_, i) => `a${i}="1"`).join(' ')}`],
  ['an endless comment', `<testsuite><!--${'- '.repeat(3_000_000)}`],
  ['an endless declaration', `<!DOCTYPE t [${'<!ENTITY a "b">'.repeat(400_000)}`],
  ['an endless reference', `<testsuite name="&${'a'.repeat(4_000_000)}`],
  ['a truncated name', '<testsuites><testsuite name="s"><testcase name="AC-001 pas'],
  ['a truncated end', '<testsuites><testsuite name="s"><testcase name="AC-001"/></testsuite></testsui'],
]

test.each(HOSTILE)(
  'a report with %s causes one error that names the file',
  { timeout: 30_000 },
  async (_, text) => {
    const good = '<testsuite name="s"><testcase name="AC-001"/></testsuite>'
    await expect(judge([good, text], 'AC-001')).rejects.toMatchObject({
      code: expect.stringMatching(/^(invalid_request|too_large)$/),
      message: expect.stringMatching(/^1\.xml: the JUnit report [^\n]{1,300}$/),
    })
  },
)
