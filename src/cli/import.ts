import type { Command } from 'commander'
import type { ImportReport } from '../artifacts/import-report.ts'
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { counted } from './counted.ts'
import { addImportTranscripts } from './import-transcripts.ts'
import { withJson, withProject } from './options.ts'
import { printJson, printSome } from './output.ts'

type ImportOptions = { project?: string; dryRun?: boolean; json?: boolean }

export function addImport(program: Command): void {
  const group = program.command('import').description('import what other programs have recorded')
  const autobuild = group
    .command('autobuild')
    .description('import Player and Coach reports as turns; importing again changes nothing')
    .argument('<path...>', 'folders that hold autobuild artifacts, at any depth')
    .option('--dry-run', 'read the folders and the graph, and write nothing')
    .addHelpText('after', '\nExample:\n  turngraph import autobuild ~/shop ~/till --project shop --dry-run\n')
    .action(importAutobuildFrom)
  withJson(withProject(autobuild))
  addImportTranscripts(group)
}

async function importAutobuildFrom(
  paths: string[],
  { project, dryRun = false, json = false }: ImportOptions,
): Promise<void> {
  const [{ importAutobuild }, { importReport }, { toWire }, { withClient }, { progressBar }] =
    await Promise.all([
      import('../artifacts/import.ts'),
      import('../artifacts/import-report.ts'),
      import('../core/wire-form.ts'),
      import('./connect.ts'),
      import('./progress.ts'),
    ])
  const bar = progressBar()
  const report = await withClient({ project, readsOnly: dryRun }, (client) =>
    importAutobuild(client, paths, {
      dryRun,
      onProgress: ({ phase, done, total }) =>
        bar.show(phase === 'reading' ? 'Reading' : 'Writing', done, total),
    }),
  )
    .catch((error: unknown) => {
      throw interrupted(error)
    })
    .finally(bar.stop)
  if (json) printJson(toWire(importReport, report))
  else await printReport(report, dryRun)
  // What could not be stored is in the report; a script shall not have to read it to notice.
  if (report.turnsFailed > 0) process.exitCode = EXIT.found.code
}

function interrupted(error: unknown): unknown {
  if (!(error instanceof TurngraphError) || error.exitCode !== EXIT.away.code) return error
  const hint = [error.hint, 'What was imported stays; the same command again goes on from there.']
    .join(' ')
    .trim()
  return new TurngraphError(error.code, error.message, { hint, details: error.details, cause: error })
}

async function printReport(report: ImportReport, dryRun: boolean): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    [dryRun ? 'would import' : 'imported', 'count'],
    [
      ['tasks', report.tasks],
      ['worlds', report.worlds],
      ['turns created', report.turnsCreated],
      ['turns unchanged', report.turnsUnchanged],
      ['turns superseded', report.turnsSuperseded],
      ['turns failed', report.turnsFailed],
      ['verifications', report.verifications],
      ['promises', report.promises],
      ['issues', report.issues],
      ['secrets masked', report.redactions],
    ],
  )
  printSome(
    'skipped',
    report.skipped.map(({ file, reason }) => `${file}: ${reason}`),
  )
  printSome(
    'warning',
    report.warnings.map(
      ({ task, turn, field, message }) =>
        `${task}${turn === null ? '' : ` turn ${turn}`}, ${field}: ${message}`,
    ),
  )
  printSome(
    'not read',
    report.unread.map(({ name, count, example }) => `${name}, ${counted(count, 'file')} (${example})`),
  )
  printSome(
    'not mapped',
    report.unmapped.map(
      ({ shape, key, count, example }) => `${shape} ${key}, ${counted(count, 'time')} (${example})`,
    ),
  )
}
