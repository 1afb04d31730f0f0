/** Runs test runners and reads the reports that they write. Skips the runners that this machine does not have. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { verifyByReports } from '../../src/artifacts/test-reports/verify-by-reports.ts'

const base = mkdtempSync(path.join(tmpdir(), 'turngraph-reports-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Writes a project, runs its tests, and judges six criteria by the JUnit files in a folder. */
async function judge(files: Record<string, string>, command: readonly string[], reports = '.') {
  const folder = mkdtempSync(path.join(base, 'p-'))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  const [program = '', ...args] = command
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const ended = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' })
  const place = path.join(folder, reports)
  const written = existsSync(place) ? readdirSync(place).filter((file) => file.endsWith('.xml')) : []
  expect(written, `${ended.stdout}${ended.stderr}`).not.toEqual([])
  const texts = written
    .filter((file) => file !== 'pom.xml')
    .map((file) => ({
      format: 'junit' as const,
      text: readFileSync(path.join(place, file), 'utf8'),
      place: file,
    }))
  const criteria = [1, 2, 3, 4].map((number) => ({ label: `AC-00${number}`, text: `It does ${number}` }))
  const { verifications, summary } = await verifyByReports(criteria, texts, {
    startedAt: '2026-11-28T10:00:00Z',
  })
  return {
    ...Object.fromEntries(verifications.map(({ criterionId, status }) => [criterionId, status])),
    skipped: summary.skipped.map(({ criterionId }) => criterionId),
    unmapped: summary.unmapped,
  }
}

const EXPECTED = { 'AC-001': 'verified', 'AC-002': 'rejected', skipped: ['AC-003'], unmapped: ['AC-004'] }

test('the JUnit report of node:test has nested suites, and a todo proves nothing', async () => {
  const text = `import { describe, it } from 'node:test'
describe('money', () => { describe('rounding', () => {
  it('AC-001 rounds half to even', () => {})
  it('AC-002 refuses <text>', () => { throw new Error('\\u001b[31mno\\u001b[0m & never') })
  it.todo('AC-003 is stored')
}) })`
  const args = ['--test', '--test-reporter=junit', '--test-reporter-destination=report.xml', 'money.test.mjs']
  expect(await judge({ 'money.test.mjs': text }, [process.execPath, ...args])).toEqual(EXPECTED)
})

test.skipIf(!has('python3', '-m', 'pytest', '--version'))(
  'the JUnit report of pytest contains parameters, expected failures and skipped tests',
  async () => {
    const text = `import pytest
class TestMoney:
    @pytest.mark.parametrize("given", ["a[0]", "b-c", "<d>"])
    def test_ac_001_rounds(self, given):
        assert given
    @pytest.mark.parametrize("given", [1, 2])
    def test_ac_002_refuses(self, given):
        assert given == 1
@pytest.mark.xfail
def test_ac_003_known():
    assert False
@pytest.mark.skip(reason="no database")
def test_ac_003_later():
    assert False
`
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--junitxml=report.xml', 'test_money.py']
    expect(await judge({ 'test_money.py': text }, ['python3', ...args])).toEqual(EXPECTED)
  },
)

test.skipIf(!has('gotestsum', '--version') || !has('go', 'version'))(
  'the JUnit report of gotestsum has subtests',
  async () => {
    const text = `package money
import "testing"
func TestRounding(t *testing.T) { t.Run("AC-001 half to even", func(t *testing.T) {}) }
func TestRefuses(t *testing.T) { t.Run("AC-002 text", func(t *testing.T) { t.Error("got <1>") }) }
func TestStores_AC003(t *testing.T) { t.Skip("no database") }
`
    const files = { 'go.mod': 'module example.com/money\n\ngo 1.20\n', 'money_test.go': text }
    expect(await judge(files, ['gotestsum', '--junitfile', 'report.xml'])).toEqual(EXPECTED)
  },
)

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>acme</groupId><artifactId>money</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
<dependencies><dependency>
<groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version>
</dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build>
</project>`
const MAVEN = ['mvn', '--offline', '--quiet', '--batch-mode', '-Dproject.build.sourceEncoding=UTF-8']
const JUNIT = 'package acme; import org.junit.jupiter.api.*;'

/** Returns true if Maven has its plugins and JUnit, so that it can run tests without the network. */
function canRunMaven(): boolean {
  if (!has('mvn', '--version')) return false
  const folder = mkdtempSync(path.join(base, 'maven-'))
  mkdirSync(path.join(folder, 'src/test/java'), { recursive: true })
  writeFileSync(path.join(folder, 'pom.xml'), POM)
  writeFileSync(path.join(folder, 'src/test/java/ATest.java'), `${JUNIT} class ATest { @Test void a() {} }`)
  const [program = '', ...args] = [...MAVEN, 'test']
  return spawnSync(program, args, { cwd: folder }).status === 0
}

test.skipIf(!canRunMaven())(
  'the reports of Surefire have parameters, nested classes, a flaky test and failed reruns',
  { timeout: 120_000 },
  async () => {
    const money = `${JUNIT} import org.junit.jupiter.params.*; import org.junit.jupiter.params.provider.*;
class MoneyTest {
  static int tries;
  @ParameterizedTest @ValueSource(ints = {1, 2}) void rounds_AC001(int given) {}
  @Test void flaky_AC001() { Assertions.assertTrue(++tries > 1, "first <try>"); }
  @Test void refuses_AC002() { Assertions.fail("no & never"); }
}`
    const stored = `${JUNIT} class StoredTest {
  @Nested class WhenNegative { @Test void rounds_AC001() {} }
  @Nested class WhenLarge { @Disabled("no database") @Test void stores_AC003() {} }
}`
    const files = {
      'pom.xml': POM,
      'src/test/java/acme/MoneyTest.java': money,
      'src/test/java/acme/StoredTest.java': stored,
    }
    const command = [...MAVEN, '-Dsurefire.rerunFailingTestsCount=1', 'test']
    expect(await judge(files, command, 'target/surefire-reports')).toEqual(EXPECTED)
  },
)

/** Returns the folder of the global packages if it has jest and jest-junit. */
function findJest(): string | null {
  const folder = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout?.trim() ?? ''
  return ['jest', 'jest-junit'].every((name) => existsSync(path.join(folder, name))) ? folder : null
}
const jest = findJest()

test.skipIf(jest === null)(
  'the report of jest-junit has nested suites and parameters, and a todo proves nothing',
  { timeout: 60_000 },
  async () => {
    const text = `describe('money', () => { describe('rounding', () => {
  test.each([1, 2])('AC-001 rounds %d to even', () => {})
  it('AC-002 refuses <text>', () => { throw new Error('\\u001b[31mno\\u001b[0m & never') })
  it.skip('AC-003 is stored', () => {})
}) })`
    // jest-junit writes a todo as a passed test of 0 seconds, also in a file without other tests.
    const later = "test.todo('AC-003 is printed')"
    const files = { 'package.json': '{}', 'money.test.js': text, 'later.test.js': later }
    const reporter = `--reporters=${path.join(jest ?? '', 'jest-junit')}`
    const command = [process.execPath, path.join(jest ?? '', 'jest/bin/jest.js'), '--ci', reporter]
    expect(await judge(files, command)).toEqual(EXPECTED)
  },
)
