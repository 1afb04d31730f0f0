/** `turngraph task`: names the task of a folder, for the sessions of Claude Code that start there. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { action, group, JSON_FORM, PROJECT } from './command.ts'
import { readFolderTask, readTaskOrReject } from './folder-task.ts'
import { printJson, printNote, printText } from './output.ts'

const addSet = action(
  {
    name: 'set',
    description: 'name the task of this folder; the next session that starts here is bound to it',
    arguments: { given: ['[task]', 'FEATURE/TASK (default: the task that is set already)'] },
    options: {
      featureId: ['--feature <id>', 'the feature, with --task'],
      taskId: ['--task <id>', 'the task, with --feature'],
      worldSlug: ['--world <slug>', "the world (default: the task's newest)"],
      ...PROJECT,
    },
    help: `It writes .turngraph/task.json. It ends the binding of the earlier session.

Examples:
  turngraph task set FEAT-1/TASK-1
  turngraph task set                  # the same task, for the next session`,
  },
  async ({ given, featureId, taskId, worldSlug, project }) => {
    const { findTaskFile, parseTask, shownTask, taskFileIn, writeTask } = await import('./hook-task.ts')
    const { makeDataFolder } = await import('../platform/data-folder/make-data-folder.ts')
    const { refuseUntrusted } = await import('../platform/data-folder/private-file.ts')
    const present = findTaskFile([process.cwd()])
    const [feature = featureId, task = taskId] = given === undefined ? [] : splitTask(given)
    const options = { project, feature_id: feature, task_id: task, world_slug: worldSlug }
    const named = Object.fromEntries(Object.entries(options).filter(([, name]) => name !== undefined))
    const chosen =
      Object.keys(named).length > 0
        ? (await readTaskOrReject(() => parseTask('The task', JSON.stringify(named)))).task
        : (await readFolderTask())?.task
    if (chosen === undefined)
      throw refuse('No task is set here.', 'Name one: turngraph task set FEATURE/TASK')
    const file = present ?? taskFileIn(process.cwd())
    refuseUntrusted(() => makeDataFolder(path.dirname(file)))
    writeTask(file, chosen, null)
    printText(`${shownTask(chosen)} in ${file}: the next session that starts here is bound to it.`)
  },
)

const addShow = action(
  {
    name: 'show',
    description: 'show the task that sessions of this folder are for, and the session that is bound to it',
    options: JSON_FORM,
  },
  async ({ json }) => {
    const { shownTask } = await import('./hook-task.ts')
    const { toOneLine } = await import('../rules/foreign-text.ts')
    const found = await readFolderTask(process.env.TURNGRAPH_TASK)
    if (json) return printJson(found && { ...found.task, file: found.file, session_id: found.sessionId })
    if (found === null) return printNote('No task is set here. Sessions get no context and no reminders.')
    const { task, file, sessionId } = found
    if (file === null)
      return printText(`${shownTask(task)}, by TURNGRAPH_TASK, for each session with this variable.`)
    const session =
      sessionId === null ? 'the next session that starts here' : `session ${toOneLine(sessionId)}`
    printText(`${shownTask(task)} in ${file}: for ${session}.`)
  },
)

const addClear = action(
  { name: 'clear', description: 'remove the task of this folder and the binding of its session' },
  async () => {
    const { findTaskFile } = await import('./hook-task.ts')
    const file = findTaskFile([process.cwd()])
    if (file === null) return printNote('No task is set here.')
    rmSync(file)
    printText(`Removed ${file}.`)
  },
)

export const addTask = group(
  { name: 'task', description: 'name the task that sessions of Claude Code in this folder work on' },
  [addSet, addShow, addClear],
)

function splitTask(given: string): string[] {
  const parts = given.split('/')
  if (parts.length === 2 && parts.every((part) => part !== '')) return parts
  throw refuse(`"${given}" is not FEATURE/TASK.`, 'Example: turngraph task set FEAT-1/TASK-1')
}

const refuse = (message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint })
