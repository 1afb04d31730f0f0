/** Reads test reports in all formats (contract: evidence.md, "Observations"). */
import { TurngraphError } from '../../core/errors.ts'
import type { ReportedTest, ReportFormat } from '../../rules/map-tests.ts'
import { readJunit } from './junit.ts'
import { BrokenReport, MAX_REPORT_BYTES } from './reported-test.ts'
import { readTap } from './tap.ts'
import { readVitestJson } from './vitest-json.ts'

const READERS: Readonly<
  Record<ReportFormat, { title: string; read: (text: string) => ReportedTest[] | Promise<ReportedTest[]> }>
> = {
  junit: { title: 'JUnit report', read: readJunit },
  tap: { title: 'TAP report', read: readTap },
  vitest: { title: 'JSON report', read: readVitestJson },
}

/**
 * @param place file or field of the report, for the error
 * @throws `invalid_request` if the report is broken or too large, `too_large` above 8 MiB
 * @example await readTestReport('tap', 'ok 1 - rounds half to even\n1..1') // [{ name: 'rounds half to even', status: 'passed', …
 *   }]
 */
export async function readTestReport(
  format: ReportFormat,
  text: string,
  place: string = format,
): Promise<ReportedTest[]> {
  const { title, read } = READERS[format]
  if (Buffer.byteLength(text) > MAX_REPORT_BYTES)
    throw new TurngraphError('too_large', `${place}: the ${title} is larger than 8 MiB.`, {
      hint: 'Split the report, or leave out the output of the tests.',
    })
  try {
    return await read(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (!(error instanceof BrokenReport)) throw error
    throw new TurngraphError('invalid_request', `${place}: the ${title} ${error.message}.`, {
      hint: 'Check that the test run wrote the whole file.',
      details: { problems: [{ path: place, message: `the ${title} ${error.message}` }] },
    })
  }
}
