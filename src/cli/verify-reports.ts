/** `turngraph verify --junit`, `--tap` and `--vitest-json`: records what the tests of reports prove. */
import { realpath, stat } from 'node:fs/promises'
import type { Reported, ReportSummary, ReportText } from '../artifacts/test-reports/verify-by-reports.ts'
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { plural } from '../core/plural.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { describeRunner } from '../verify/runner.ts'
import { printNote, printText } from './output.ts'
import { cannotRead, readReport } from './record-file.ts'
import type { Given } from './verify-options.ts'
import { printVerification, store } from './verify-store.ts'
import { readTask } from './verify-task.ts'

const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_ALL_BYTES = 64 * 1024 * 1024
const MAX_SHOWN = 3

type ReportFile = ReportText & { path: string; writtenAt: number }

/** Reads the reports in this process: a report may be larger than a request. */
export async function recordReports(given: Given): Promise<void> {
  const files = await readFiles(given)
  const { target, declared } = await readTask(given, false)
  const { verifyByReports } = await import('../artifacts/test-reports/verify-by-reports.ts')
  const { selectGiven } = await import('../verify/checks.ts')
  const chosen = given.criterionIds === undefined ? null : selectGiven([], given.criterionIds, declared)
  const isChosen = (id: string): boolean =>
    chosen === null || chosen.criteria.some(({ criterionId }) => criterionId === id)
  const criteria = declared.map(({ criterionId, ...criterion }) => ({ ...criterion, label: criterionId }))
  const { run, changedFile } = await describeRun(files)
  const read = await verifyByReports(criteria, files, run)
  const verifications = read.verifications.filter(({ criterionId }) => isChosen(criterionId))
  const summary = {
    skipped: read.summary.skipped.filter(({ criterionId }) => isChosen(criterionId)),
    unmapped: read.summary.unmapped.filter(isChosen),
    unused: read.summary.unused,
  }
  if (changedFile !== null)
    printNote(
      `${toOneLine(changedFile)} was changed after the report was written. The tests are recorded without a tree: run them again.`,
    )
  if (!given.json) {
    for (const verification of verifications) printVerification(verification)
    printSummary(summary)
  }
  if (verifications.length === 0) process.exitCode = EXIT.found.code
  if (verifications.some(({ status }) => status === 'rejected')) process.exitCode = EXIT.stop.code
  await store(verifications.length === 0 ? null : { ...target, verifications }, given, {
    reports: {
      skipped: summary.skipped.map(({ criterionId, tests }) => ({ criterion_id: criterionId, tests })),
      unmapped: summary.unmapped,
      unused: summary.unused,
    },
  })
}

async function readFiles({ junit = [], tap = [], vitestJson = [] }: Given): Promise<ReportFile[]> {
  const named = [
    ...junit.map((file) => ({ format: 'junit' as const, file })),
    ...tap.map((file) => ({ format: 'tap' as const, file })),
    ...vitestJson.map((file) => ({ format: 'vitest' as const, file })),
  ]
  const files: ReportFile[] = []
  let left = MAX_ALL_BYTES
  for (const { format, file } of named) {
    const read = await readFile(file)
    left -= Buffer.byteLength(read.text)
    if (left < 0)
      throw new TurngraphError('too_large', 'The reports are larger than 64 MiB.', {
        hint: 'Name fewer reports in one call.',
      })
    files.push({ format, place: file, ...read })
  }
  return files
}

async function readFile(file: string) {
  const text = await readReport(file, MAX_FILE_BYTES)
  try {
    const { mtimeMs } = await stat(file)
    return { text, path: await realpath(file), writtenAt: Math.min(mtimeMs, Date.now()) }
  } catch (error) {
    return cannotRead(file, error)
  }
}

/** Describes the test run. Its time is that of the newest report. Its files are those of the folder, unless one changed since. */
async function describeRun(
  files: readonly ReportFile[],
): Promise<{ run: Reported; changedFile: string | null }> {
  const { findFileChangedAfter, readTree } = await import('../artifacts/git-tree.ts')
  const times = files.map(({ writtenAt }) => writtenAt)
  const run = {
    startedAt: new Date(Math.max(...times)).toISOString(),
    ...describeRunner(),
  }
  const folder = process.cwd()
  const own = new Set(files.map(({ path }) => path))
  const changedFile = await findFileChangedAfter(folder, Math.min(...times), own)
  const tree = changedFile === null ? await readTree(folder) : null
  return { run: { ...run, ...(tree ?? {}) }, changedFile }
}

function printSummary({ skipped, unmapped, unused }: ReportSummary): void {
  for (const { criterionId, tests } of skipped) {
    const more = tests.length > MAX_SHOWN ? ` and ${tests.length - MAX_SHOWN} more` : ''
    const names = tests.slice(0, MAX_SHOWN).join(', ')
    printText(toOneLine(`○ ${criterionId}: skipped tests prove nothing: ${names}${more}`))
  }
  for (const criterionId of unmapped) printText(toOneLine(`· ${criterionId}: no test names it`))
  if (unused > 0) printText(`${plural(unused, 'test')} without a criterion`)
}
