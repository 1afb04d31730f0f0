/** `turngraph specify`: declares what must hold, from the file that states a task. */
import { TurngraphError } from '../core/errors.ts'
import { ask } from './ask.ts'
import { MAX_REQUEST_BYTES, readAtMost } from './bounded-input.ts'
import { action, SHARED } from './command.ts'
import { printText } from './output.ts'
import { whyUnreadable } from './record-file.ts'

export const addSpecify = action(
  {
    name: 'specify',
    description: 'declare what must hold in a task, from the file that states it',
    arguments: {
      file: ['<file>', 'Markdown with a list under "Acceptance Criteria", or JSON with `criteria`'],
    },
    options: {
      featureId: ['--feature <id>', 'the feature (default: `feature_id` of the file)'],
      taskId: ['--task <id>', 'the task (default: `id` of the file)'],
      nested: ['--nested', 'each nested item is a criterion of its own'],
      ...SHARED,
    },
    help: `The same list again is the same version; another one is the next version, and earlier ones stay.

Examples:
  turngraph specify tasks/backlog/TASK-1-retry.md
  turngraph specify criteria.json --feature FEAT-1 --task TASK-1`,
  },
  async ({ file = '', nested = false, featureId, taskId, ...shared }) => {
    const { parseSpecificationJson, parseTaskFile } = await import('../artifacts/task-file.ts')
    const source = await readSource(file)
    const stated = file.endsWith('.json')
      ? parseSpecificationJson(source, file)
      : parseTaskFile(source, file, { nested })
    const names = {
      featureId: featureId ?? stated.featureId ?? missing(file, 'feature_id', '--feature'),
      taskId: taskId ?? stated.taskId ?? missing(file, 'id', '--task'),
    }
    return ask(
      'declareCriteria',
      { ...names, criteria: stated.criteria as { text: string }[], source: { path: file } },
      shared,
      ({ version, created, total }) =>
        printText(
          `${created ? 'Declared' : 'There already:'} version ${version} of ${names.taskId}, ${total} ${total === 1 ? 'criterion' : 'criteria'}`,
        ),
    )
  },
)

async function readSource(file: string): Promise<string> {
  try {
    return (await readAtMost(file, MAX_REQUEST_BYTES)).toString('utf8')
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
