/** `turngraph specify`: declares what must hold, from the file that states a task, or shows what was declared. */
import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { ask, type Frame } from './ask.ts'
import { MAX_REQUEST_BYTES, readAtMost } from './bounded-input.ts'
import { action, SHARED } from './command.ts'
import { printList, printNote, printText } from './output.ts'
import { whyUnreadable } from './record-file.ts'

export const addSpecify = action(
  {
    name: 'specify',
    description: 'declare what must hold in a task, from the file that states it',
    arguments: {
      file: ['[file]', 'Markdown with a list under "Acceptance Criteria", or JSON with `criteria`'],
    },
    options: {
      featureId: ['--feature <id>', 'the feature (default: `feature_id` of the file)'],
      taskId: ['--task <id>', 'the task (default: `id` of the file)'],
      nested: ['--nested', 'each nested item is a criterion of its own', { conflicts: ['show', 'version'] }],
      show: ['--show', 'show what the task declares, and declare nothing'],
      version: ['--at-version <n>', 'with --show: of this version (default: the newest)'],
      ...SHARED,
    },
    help: `The same list again is the same version; another one is the next version, and earlier ones stay.

Examples:
  turngraph specify tasks/backlog/TASK-1-retry.md
  turngraph specify criteria.json --feature FEAT-1 --task TASK-1
  turngraph specify --show --feature FEAT-1 --task TASK-1`,
  },
  async ({ file, nested = false, show = false, version, featureId, taskId, ...shared }) => {
    if (show === (file !== undefined)) throw usage('Name a file, or give --show.')
    if (version !== undefined && !show) throw usage('--at-version is for --show.')
    if (file === undefined) return showSpecification({ featureId, taskId, version }, shared)
    const { describeEmptyItems, parseSpecificationJson, parseTaskFile } = await import(
      '../artifacts/task-file.ts'
    )
    const source = await readSource(file)
    const stated = file.endsWith('.json')
      ? parseSpecificationJson(source, file)
      : parseTaskFile(source, file, { nested })
    const emptyItems = describeEmptyItems(stated)
    // Only people need the warning, and scripts read both outputs of this command as one.
    if (emptyItems !== null && process.stderr.isTTY === true) printNote(`${file}: ${emptyItems}`)
    const names = {
      featureId: featureId ?? stated.featureId ?? missing(file, 'feature_id', '--feature'),
      taskId: taskId ?? stated.taskId ?? missing(file, 'id', '--task'),
    }
    return ask(
      'declareCriteria',
      { ...names, criteria: stated.criteria as { text: string }[], source: { path: file } },
      shared,
      ({ version, created, total, warnings = [] }) =>
        printText(
          [
            `${created ? 'Declared' : 'There already:'} version ${version} of ${names.taskId}, ${total} ${total === 1 ? 'criterion' : 'criteria'}`,
            ...warnings,
          ].join('; '),
        ),
    )
  },
)

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
    hint: '`turngraph specify FILE` declares, `turngraph specify --show --feature F --task T` shows.',
  })

async function readSource(file: string): Promise<string> {
  if (toOneLine(file) !== file) {
    throw new TurngraphError(
      'invalid_request',
      'The name of the file holds a line break or a hidden character.',
      {
        hint: `Rename it, for example to ${toOneLine(path.basename(file))}.`,
      },
    )
  }
  try {
    const bytes = await readAtMost(file, MAX_REQUEST_BYTES)
    if (isUtf8(bytes)) return bytes.toString('utf8')
    throw new TurngraphError('invalid_request', `${file} is not UTF-8.`, { hint: 'Save it as UTF-8.' })
  } catch (cause) {
    if (cause instanceof TurngraphError) throw cause
    throw new TurngraphError('invalid_request', `${file} ${whyUnreadable(cause)}.`, {
      hint: 'Name one file; `turngraph import autobuild` declares those of a repository.',
      cause,
    })
  }
}

function missing(file: string, field: string, flag: string): never {
  throw new TurngraphError('invalid_request', `${file} names no ${field}.`, {
    hint: `Give ${flag}, or \`${field}\` in its front matter.`,
  })
}
