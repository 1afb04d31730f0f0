/** `turngraph import`: imports autobuild artifacts, and the transcripts of coding agents. */
import path from 'node:path'
import type { ImportReport } from '../artifacts/import-report.ts'
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { groupBy } from '../core/group-by.ts'
import { plural } from '../core/plural.ts'
import type { FilesImport, PlannedImport } from '../transcripts/import-files.ts'
import { action, group, SHARED } from './command.ts'
import { printJson, printNote, printSome } from './output.ts'

const addAutobuild = action(
  {
    name: 'autobuild',
    description: 'import Player and Coach reports as turns; importing again changes nothing',
    arguments: {
      path: [
        '<path...>',
        'folders with autobuild artifacts (TASK/player_turn_N.json, TASK/coach_turn_N.json), at any depth',
      ],
    },
    options: {
      dryRun: ['--dry-run', 'read the folders and the graph, and write nothing'],
      specifications: ['--no-specifications', 'do not declare what the files of the tasks say must hold'],
      ...SHARED,
    },
    help: 'Example:\n  turngraph import autobuild ~/shop ~/till --project shop --dry-run',
  },
  async ({ path: paths = [], project, dryRun = false, specifications = true, json }) => {
    const { importAutobuild } = await import('../artifacts/import.ts')
    const { importReport } = await import('../artifacts/import-report.ts')
    const { toWire } = await import('../core/wire-form.ts')
    const { withClient } = await import('./connect.ts')
    const { withProgress } = await import('./progress.ts')
    const report = await withProgress((show) =>
      withClient({ project, readsOnly: dryRun }, (client) =>
        importAutobuild(client, paths, {
          dryRun,
          specifications,
          onProgress: ({ phase, done, total }) =>
            show(phase === 'reading' ? 'Reading' : 'Writing', done, total),
        }),
      ),
    ).catch((error: unknown) => {
      throw withResumeHint(error)
    })
    if (json) printJson(toWire(importReport, report))
    else await printAutobuild(report, dryRun)
    if (report.tasks === 0 && report.skipped.length === 0)
      printNote(
        `There is no task folder below ${paths.join(', ')}: one holds player_turn_N.json, coach_turn_N.json or turn_state_turn_N.json.`,
      )
    // The report lists unreadable and unstored files. The exit code shows scripts that there are some.
    if (report.turnsFailed > 0 || report.skipped.length > 0) process.exitCode = EXIT.found.code
  },
)

const addTranscripts = action(
  {
    name: 'transcripts',
    description: 'read the transcripts of Claude Code and Codex: their structure, never a word of them',
    arguments: {
      path: ['[path...]', 'folders of transcripts or files (default: ~/.claude/projects, ~/.codex/sessions)'],
    },
    options: {
      dryRun: ['--dry-run', 'find what is new in the files, and write nothing'],
      ...SHARED,
    },
    help: 'Example:\n  turngraph import transcripts ~/.claude/projects/-home-me-shop --project shop --dry-run',
  },
  async ({ path: paths = [], project, dryRun = false, json }) => {
    const { importFiles, planImport, plannedImport } = await import('../transcripts/import-files.ts')
    const { withTranscripts } = await import('./connect.ts')
    const { limitHeapGrowth } = await import('./limit-heap.ts')
    const { withProgress } = await import('./progress.ts')
    const { toWire } = await import('../core/wire-form.ts')
    const { transcriptOperations } = await import('../operations/transcripts.ts')
    const { transcriptFolders } = await import('./agent-folders.ts')
    const from = paths.length > 0 ? paths : transcriptFolders()
    limitHeapGrowth()
    // A folder may contain other files, but a file that the user named should have been read.
    const named = new Set(paths.map((each) => path.resolve(each)))
    const checkFound = ({ files, skipped }: Pick<FilesImport, 'files' | 'skipped'>) => {
      if (files === 0 && skipped.length === 0)
        printNote(
          `There is no transcript below ${from.join(', ')}: it is a .jsonl file of Claude Code or Codex, or an ATIF document.`,
        )
      if (skipped.some(({ file }) => named.has(path.resolve(file)))) process.exitCode = EXIT.found.code
    }
    if (dryRun) {
      const plan = await withTranscripts({ project, readsOnly: true }, (store, into) =>
        planImport(store, from, into),
      )
      if (json) printJson(toWire(plannedImport, plan))
      else await printPlan(plan)
      return checkFound(plan)
    }
    const report = await withProgress((show) =>
      withTranscripts({ project }, (store, into) =>
        importFiles(store, from, {
          project: into,
          onProgress: (done, total) => show('Reading', done, total),
        }),
      ),
    )
    if (json) printJson(toWire(transcriptOperations.importTranscripts.output, report))
    else await printTranscripts(report)
    checkFound(report)
  },
)

export const addImport = group({ name: 'import', description: 'import what other programs have recorded' }, [
  addAutobuild,
  addTranscripts,
])

function withResumeHint(error: unknown): unknown {
  if (!(error instanceof TurngraphError) || error.exitCode !== EXIT.away.code) return error
  const hint = [error.hint, 'What was imported stays; the same command again goes on from there.']
    .join(' ')
    .trim()
  return new TurngraphError(error.code, error.message, { hint, details: error.details, cause: error })
}

async function printAutobuild(report: ImportReport, dryRun: boolean): Promise<void> {
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
      ['specifications', report.specifications],
      ['verifications', report.verifications],
      ['promises', report.promises],
      ['issues', report.issues],
      ['secrets masked', report.redactions],
    ],
  )
  printRefused(report)
  printSome('warning', describeWarnings(report.warnings), MAX_NAMED)
  printSome(
    'not read',
    report.unread.map(({ name, count, example }) => `${name}, ${plural(count, 'file')} (${example})`),
  )
  if (report.unmapped.length > 0) printNote(unmappedNote(report.unmapped))
}

/** Maximum number of files and turns that are named: a bad file among good ones must not hide behind "more". */
const MAX_NAMED = 200

function describeWarnings(warnings: ImportReport['warnings']): string[] {
  const byTurn = groupBy(warnings, ({ task, turn }) => `${task}${turn === null ? '' : ` turn ${turn}`}`)
  return [...byTurn].map(([where, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more warning')})`
    return `${where}, ${first?.field}: ${first?.message}${more}`
  })
}

/** Describes the keys that a turn has no field for. The note is short, so that the counts stay on the screen. */
function unmappedNote(unmapped: ImportReport['unmapped']): string {
  const byCount = unmapped.toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
  const named = byCount.slice(0, KEYS_NAMED).map(({ shape, key }) => `${shape} ${key}`)
  const more = byCount.length > named.length ? ` and ${byCount.length - named.length} more` : ''
  return `not mapped: ${plural(unmapped.length, 'key')} (${named.join(', ')}${more}); --json lists all, with examples`
}

const KEYS_NAMED = 5

const printRefused = ({ skipped }: Pick<ImportReport, 'skipped'>): void =>
  printSome(
    'skipped',
    skipped.map(({ file, reason }) => `${file}: ${reason}`),
    MAX_NAMED,
  )

async function printPlan(plan: PlannedImport): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    ['would import', 'count'],
    [
      ['files', plan.files],
      ['new or changed files', plan.changedFiles],
      ['bytes to read', plan.bytes],
      ['skipped files', plan.skippedFiles],
    ],
  )
  printSkipped(plan)
}

function printSkipped({ skipped, unread }: Pick<FilesImport, 'skipped' | 'unread'>): void {
  printRefused({ skipped })
  printSome(
    'not read',
    Object.entries(unread).map(([extension, count]) => `${plural(count, 'file')} ${extension}`),
  )
}

async function printTranscripts(report: FilesImport): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    ['imported', 'count'],
    [
      ['files', report.files],
      ['sessions', report.sessions],
      ['turns', report.turns],
      ['steps', report.steps],
      ...(report.mergedTurns > 0 ? [['merged turns', report.mergedTurns] as const] : []),
      ['bytes read', report.bytes],
      ['bad lines', report.badLines],
      ['recovered lines', report.recoveredLines],
      ['skipped files', report.skippedFiles],
      ...(report.redactions > 0 ? [['secrets masked', report.redactions] as const] : []),
    ],
  )
  printSkipped(report)
  const unknown = { type: report.unknown, subtype: report.unknownSubtypes, field: report.unknownFields }
  printSome(
    'not known',
    Object.entries(unknown).flatMap(([kind, counts]) =>
      Object.entries(counts).map(([name, times]) => `${kind} ${name}, ${plural(times, 'time')}`),
    ),
  )
}
