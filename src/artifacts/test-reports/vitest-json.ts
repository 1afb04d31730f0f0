/** Reads the JSON report of vitest or Jest. Pure. */
import * as z from 'zod'
import type { ReportedTest, TestStatus } from '../../rules/map-tests.ts'
import { BrokenReport, joinName, MAX_DEPTH, TestList, toMilliseconds } from './reported-test.ts'

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string().nullish(),
      status: z.string().nullish(),
      message: z.string().nullish(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()).nullish(),
          title: z.string(),
          status: z.string(),
          duration: z.number().nullish(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

type FileResult = z.output<typeof report>['testResults'][number]

/** Words for tests that did not run. Any other word except `passed` is a failure. */
const NOT_RUN: ReadonlySet<string> = new Set(['skipped', 'pending', 'todo', 'disabled', 'focused'])

export function readVitestJson(text: string): ReportedTest[] {
  const parsed = report.safeParse(parseReport(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new BrokenReport(
      `is not a JSON report of vitest or Jest: ${issue?.path.join('.') || 'the text'}: ${issue?.message}`,
    )
  }
  const tests = new TestList()
  for (const file of parsed.data.testResults) addFile(tests, file)
  return tests.listWorstOfEach()
}

function parseReport(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BrokenReport(`is not JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** Adds the tests of a file. If only the file itself failed, as by an import or a hook, it is a failed test of its own. */
function addFile(tests: TestList, { name, status, message, assertionResults }: FileResult): void {
  // The report has absolute paths, which differ between machines.
  const file = name?.split(/[/\\]/).at(-1) ?? ''
  let hasFailed = false
  for (const { ancestorTitles, title, status: word, duration, failureMessages } of assertionResults) {
    const suites = ancestorTitles ?? []
    if (suites.length > MAX_DEPTH) throw new BrokenReport(`has suites more than ${MAX_DEPTH} levels deep`)
    const suite = suites.reduce((above, each) => joinName(above, each), joinName('', file))
    const result = toStatus(word)
    hasFailed ||= result === 'failed'
    tests.add(joinName(suite, title), result, toMilliseconds(duration), failureMessages?.[0] ?? null)
  }
  if (status === 'failed' && !hasFailed) tests.add(joinName('', file), 'failed', null, message ?? null)
}

function toStatus(word: string): TestStatus {
  if (word === 'passed') return 'passed'
  return NOT_RUN.has(word) ? 'skipped' : 'failed'
}
