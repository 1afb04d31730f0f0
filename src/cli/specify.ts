/** `turngraph specify`: declares the criteria of a task from specification files, or shows the declared ones. */
import path from 'node:path'
import { FORMAT_NAMES } from '../artifacts/specifications/format-names.ts'
import type { SpecifiedFile, SpecifyReport } from '../artifacts/specifications/report.ts'
import type { Declaration, DeclaredTask } from '../artifacts/specifications/specify-files.ts'
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { isGone } from '../core/system-code.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { ask, type Frame } from './ask.ts'
import { readAtMost } from './bounded-input.ts'
import { action, SHARED } from './command.ts'
import { printJson, printList, printNote, printSome, printText } from './output.ts'
import { whyUnreadable } from './record-file.ts'
import { remedyFor } from './specification-remedy.ts'

const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_NAMED = 200

export const addSpecify = action(
  {
    name: 'specify',
    description: 'declare what must hold in tasks, from the files that state it',
    arguments: {
      path: ['[path...]', 'files, folders, or - for standard input with --format'],
    },
    options: {
      featureId: ['--feature <id>', 'the feature of what a file does not name itself'],
      taskId: ['--task <id>', 'the task of what a file does not name itself'],
      format: [
        '--format <format>',
        'how the files are written (default: by path and content)',
        { choices: FORMAT_NAMES },
      ],
      nested: ['--nested', 'each nested item is a criterion of its own', { conflicts: ['show', 'version'] }],
      tasks: ['--tasks', 'read each task of a spec-kit tasks.md'],
      dryRun: ['--dry-run', 'read the files, and declare nothing', { conflicts: ['show'] }],
      show: ['--show', 'show what the task declares, and declare nothing'],
      version: ['--at-version <n>', 'with --show: of this version (default: the newest)'],
      ...SHARED,
    },
    help: `The same list again is the same version; another one is the next version, and earlier ones stay.

Examples:
  turngraph specify tasks/backlog/TASK-1-retry.md
  turngraph specify tasks --feature FEAT-1 --dry-run
  turngraph specify criteria.json --feature FEAT-1 --task TASK-1
  turngraph specify --show --feature FEAT-1 --task TASK-1`,
  },
  async ({ path: paths = [], show = false, version, featureId, taskId, dryRun = false, ...given }) => {
    if (show === paths.length > 0) throw usage('Name a file or a folder, or give --show.')
    if (version !== undefined && !show) throw usage('--at-version is for --show.')
    if (show) return showSpecification({ featureId, taskId, version }, given)
    if (paths.includes('-') && given.format === undefined) throw usage('Standard input needs --format.')
    const { declareSpecifications, readSpecificationFiles } = await import(
      '../artifacts/specifications/specify-files.ts'
    )
    const read = await readSpecificationFiles(paths, { ...given, featureId, taskId, readFile })
    const { report } = read
    const { withClient } = await import('./connect.ts')
    const isToDeclare = !dryRun && read.declarations.length > 0
    const declared = isToDeclare
      ? await withClient({ project: given.project }, (client) => declareSpecifications(client, read, given))
      : []
    const isEmpty = (dryRun ? read.declarations : declared).length === 0
    if (isEmpty && !given.json) refuseOnly(report, paths)
    if (given.json) await printReport(report)
    else {
      if (dryRun) for (const each of read.declarations) printText(describePlan(each))
      for (const each of declared) printText(describeDeclared(each))
      printProblems(report)
    }
    if (report.files.some(({ refused }) => refused !== undefined)) process.exitCode = EXIT.found.code
  },
)

function refuseOnly({ files }: SpecifyReport, paths: readonly string[]): void {
  const [file] = files
  if (file === undefined) {
    throw new TurngraphError('not_found', `There is no specification in ${paths.join(', ')}.`, {
      hint: 'Write a list under a heading "Acceptance Criteria", or name the format with --format.',
    })
  }
  if (paths.length > 1 || files.length > 1 || file.refused === undefined || file.path !== paths[0]) return
  const shown = file.path === '-' ? 'Standard input' : file.path
  const hint = remedyFor(file) ?? 'Name a text file with acceptance criteria.'
  throw new TurngraphError('invalid_request', `${shown} ${file.refused}.`, {
    hint,
    details: { problems: [{ path: file.path, message: file.refused }] },
  })
}

async function printReport(report: SpecifyReport): Promise<void> {
  const { toWire } = await import('../core/wire-form.ts')
  const { specifyReport } = await import('../artifacts/specifications/report.ts')
  printJson(toWire(specifyReport, report))
}

const describePlan = ({ parts: [first], criteria }: Declaration): string =>
  `Would declare ${first?.taskId}, ${countCriteria(criteria.length)}`

const describeDeclared = ({ taskId, version, created, total, warnings }: DeclaredTask): string =>
  [
    `${created ? 'Declared' : 'There already:'} version ${version} of ${taskId}, ${countCriteria(total)}`,
    ...warnings,
  ].join('; ')

const countCriteria = (count: number): string => `${count} ${count === 1 ? 'criterion' : 'criteria'}`

function printProblems({ files }: SpecifyReport): void {
  printSome('warning', files.flatMap(describeWarnings), MAX_NAMED)
  printSome('not declared', files.flatMap(describeRefusal), MAX_NAMED)
}

const describeWarnings = ({ path: file, warnings }: SpecifiedFile): string[] =>
  warnings.map(({ line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`)

function describeRefusal(file: SpecifiedFile): string[] {
  if (file.refused === undefined) return []
  const remedy = remedyFor(file)
  return [`${file.path} ${file.refused}${remedy === null ? '' : `. ${remedy}`}`]
}

type Shown = { featureId?: string | undefined; taskId?: string | undefined; version?: number | undefined }

function showSpecification({ featureId, taskId, version }: Shown, frame: Frame): Promise<void> {
  if (featureId === undefined || taskId === undefined) throw usage('--show takes --feature and --task.')
  return ask('getSpecification', { featureId, taskId, version }, frame, (shown) => {
    const by = shown.recordedBy === null ? '' : ` with the token "${shown.recordedBy}"`
    printNote(`Version ${shown.version} of ${taskId}, declared ${shown.declaredAt}${by}`)
    return printList(shown.criteria, null, { criterion: 'criterionId', kind: 'kind', text: 'text' })
  })
}

const usage = (message: string): TurngraphError =>
  new TurngraphError('invalid_request', message, {
    hint: '`turngraph specify PATH` declares, `turngraph specify --show --feature F --task T` shows.',
  })

async function readFile(file: string): Promise<Buffer> {
  if (toOneLine(file) !== file) {
    throw new TurngraphError(
      'invalid_request',
      'The name of the file holds a line break or a hidden character.',
      { hint: `Rename it, for example to ${toOneLine(path.basename(file))}.` },
    )
  }
  try {
    return await readAtMost(file, MAX_FILE_BYTES)
  } catch (cause) {
    if (cause instanceof TurngraphError) throw cause
    const code = isGone(cause) ? 'not_found' : 'invalid_request'
    throw new TurngraphError(code, `${file} ${whyUnreadable(cause)}.`, {
      hint: 'Name files or folders.',
      cause,
    })
  }
}
