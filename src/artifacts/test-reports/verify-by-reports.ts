/** Turns test reports into verifications with observations (contract: evidence.md, "Test reports"). */
import { createHash } from 'node:crypto'
import { TurngraphError } from '../../core/errors.ts'
import { scrub } from '../../core/scrub/scrub.ts'
import type { ObservationInput } from '../../memory/record/observation.ts'
import { cutLine } from '../../rules/cut-line.ts'
import {
  mapTests,
  type ReportedTest,
  type ReportFormat,
  type TestedCriterion,
  TooManyPatterns,
} from '../../rules/map-tests.ts'
import { describeObservation } from '../../rules/observation.ts'
import { readTestReport } from './read-test-report.ts'

export type ReportText = {
  format: ReportFormat
  text: string
  place: string
}

/** Time and files of the run of the tests. */
export type Reported = Pick<ObservationInput, 'startedAt' | 'tree' | 'dirty' | 'commit' | 'runner' | 'host'>

type Declared = TestedCriterion & { label: string; text: string }

export type ReportedVerification = {
  criterionId: string
  criterionText: string
  status: 'verified' | 'rejected'
  source: 'command'
  evidence: string
  observation: ObservationInput
}

export type ReportSummary = {
  /** Criteria whose tests were all skipped, with these tests. */
  skipped: { criterionId: string; tests: string[] }[]
  unmapped: string[]
  unused: number
}

/** Maximum number of tests in an observation. Failed ones come first. */
const MAX_OBSERVED_TESTS = 2_000
const MAX_EVIDENCE_CHARACTERS = 600
const MAX_NAMED = 3
const MAX_SKIPPED = 20

/**
 * Builds a verification for each criterion that a test names. All tests of a criterion count together, from all reports.
 * @throws `invalid_request` if a report is broken, `too_large` if a report is too large or the criteria have too many patterns
 *   for it
 */
export async function verifyByReports(
  criteria: readonly Declared[],
  reports: readonly ReportText[],
  reported: Reported,
): Promise<{ verifications: ReportedVerification[]; summary: ReportSummary }> {
  const origins = new Map<ReportedTest, ReportText>()
  for (const report of reports)
    for (const test of await readTestReport(report.format, report.text, report.place))
      origins.set(test, report)
  const { mapped, unmapped, unused } = map(criteria, [...origins.keys()])
  const verifications: ReportedVerification[] = []
  for (const { criterion, holds, tests } of mapped) {
    if (holds === null) continue
    const observation: ObservationInput = {
      ...reported,
      report: describeReports([...new Set(tests.flatMap((test) => origins.get(test) ?? []))]),
      tests: selectTests(tests).map(({ name, status, durationMs }) => ({ name, status, durationMs })),
    }
    verifications.push({
      criterionId: criterion.label,
      criterionText: criterion.text,
      status: holds ? 'verified' : 'rejected',
      source: 'command',
      evidence: await describeTests(observation, tests),
      observation,
    })
  }
  return {
    verifications,
    summary: {
      skipped: mapped.flatMap(({ criterion, tests }) => {
        const names = tests.flatMap(({ name, status }) => (status === 'skipped' ? [name] : []))
        return names.length === 0
          ? []
          : [{ criterionId: criterion.label, tests: names.slice(0, MAX_SKIPPED) }]
      }),
      unmapped: unmapped.map(({ label }) => label),
      unused,
    },
  }
}

function map<C extends Declared>(criteria: readonly C[], tests: readonly ReportedTest[]) {
  try {
    return mapTests(criteria, tests)
  } catch (error) {
    if (!(error instanceof TooManyPatterns)) throw error
    throw new TurngraphError(
      'too_large',
      `${tests.length} tests are too many for the names of tests that ${criteria.length} criteria declare.`,
      { hint: 'Split the report, or use labels such as AC-001 in the names of tests.' },
    )
  }
}

const rank = { failed: 0, passed: 1, skipped: 2 } as const

const selectTests = (tests: readonly ReportedTest[]): ReportedTest[] =>
  tests.toSorted((a, b) => rank[a.status] - rank[b.status]).slice(0, MAX_OBSERVED_TESTS)

function describeReports(reports: readonly ReportText[]): { format: ReportFormat; digest: string } {
  const hash = createHash('sha256')
  for (const { text } of reports) hash.update(text)
  return { format: reports[0]?.format ?? 'junit', digest: `sha256:${hash.digest('hex')}` }
}

/** Masks secrets before it cuts: half of a secret is not recognized. */
async function describeTests(observation: ObservationInput, tests: readonly ReportedTest[]): Promise<string> {
  const failed = tests.filter(({ status }) => status === 'failed')
  const named = failed
    .slice(0, MAX_NAMED)
    .map(({ name, message }) => (message === undefined ? name : `${name}: ${message}`))
  const text = [describeObservation(observation), ...named].join('; ')
  const { scrubbed } = await scrub({ text })
  return cutLine(scrubbed.text, MAX_EVIDENCE_CHARACTERS)
}
