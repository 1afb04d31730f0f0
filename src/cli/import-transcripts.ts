import { homedir } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import type { FilesImport } from '../transcripts/import-report.ts'
import { counted } from './counted.ts'
import { withJson, withProject } from './options.ts'
import { printJson, printSome } from './output.ts'

type TranscriptOptions = { project?: string; json?: boolean }

export function addImportTranscripts(group: Command): void {
  const transcripts = group
    .command('transcripts')
    .description('read the transcripts of Claude Code: their structure, never a word of them')
    .argument('[path...]', 'folders of transcripts or files (default: ~/.claude/projects)')
    .addHelpText(
      'after',
      '\nExample:\n  turngraph import transcripts ~/.claude/projects/-home-me-shop --project shop\n',
    )
    .action(importTranscriptsFrom)
  withJson(withProject(transcripts))
}

async function importTranscriptsFrom(
  paths: string[],
  { project, json = false }: TranscriptOptions,
): Promise<void> {
  const [{ importFiles }, { withTranscripts }, { progressBar }, { toWire }, { transcriptOperations }] =
    await Promise.all([
      import('../transcripts/import-files.ts'),
      import('./connect.ts'),
      import('./progress.ts'),
      import('../core/wire-form.ts'),
      import('../operations/transcripts.ts'),
    ])
  const bar = progressBar()
  const from = paths.length > 0 ? paths : [path.join(homedir(), '.claude', 'projects')]
  const report = await withTranscripts({ project }, (store, into) =>
    importFiles(store, from, {
      project: into,
      onProgress: (done, total) => bar.show('Reading', done, total),
    }),
  ).finally(bar.stop)
  if (json) printJson(toWire(transcriptOperations.importTranscripts.output, report))
  else await printReport(report)
}

async function printReport(report: FilesImport): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    ['imported', 'count'],
    [
      ['files', report.files],
      ['sessions', report.sessions],
      ['turns', report.turns],
      ['steps', report.steps],
      ['bytes read', report.bytes],
      ['bad lines', report.badLines],
      ['recovered lines', report.recoveredLines],
      ['skipped files', report.skippedFiles],
      ...(report.redactions > 0 ? [['secrets masked', report.redactions] as const] : []),
    ],
  )
  printSome(
    'skipped',
    report.skipped.map(({ file, reason }) => `${file}: ${reason}`),
  )
  printSome(
    'not read',
    Object.entries(report.unread).map(([extension, count]) => `${counted(count, 'file')} ${extension}`),
  )
  const unknown = [
    ...Object.entries(report.unknown).map(([type, times]) => `type ${type}, ${counted(times, 'time')}`),
    ...Object.entries(report.unknownSubtypes).map(
      ([type, times]) => `subtype ${type}, ${counted(times, 'time')}`,
    ),
    ...Object.entries(report.unknownFields).map(
      ([field, times]) => `field ${field}, ${counted(times, 'time')}`,
    ),
  ]
  printSome('not known', unknown)
}
