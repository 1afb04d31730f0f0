import { type Command, InvalidArgumentError, Option } from 'commander'
import { TurngraphError } from '../core/errors.ts'

/** Options that several commands share, each with one meaning. */

export const withProject = (command: Command): Command =>
  command.addOption(
    new Option('--project <project>', 'default: TURNGRAPH_PROJECT, else that of the server').argParser(named),
  )

/** A task, and the world of it; a world alone says of which task it is. */
export const withTarget = (command: Command): Command =>
  command
    .option('--feature <id>', 'the feature (default: that of --world)', named)
    .option('--task <id>', 'the task (default: that of --world)', named)
    .option('--world <slug>', "default: the task's newest", named)

export type TargetOptions = {
  feature?: string
  task?: string
  world?: string
  project?: string
  json?: boolean
}

/** @throws `invalid_request` where neither a task nor a world is named */
export function targetOf({ feature, task, world }: TargetOptions) {
  if (world === undefined && (feature === undefined || task === undefined)) {
    throw new TurngraphError('invalid_request', 'It is not said which task is meant.', {
      hint: 'Name it with --feature and --task, or one of its worlds with --world.',
    })
  }
  return {
    ...(feature !== undefined && { featureId: feature }),
    ...(task !== undefined && { taskId: task }),
    ...(world !== undefined && { worldSlug: world }),
  }
}

export const withPolicy = (command: Command): Command =>
  command.addOption(
    new Option('--policy <policy>', 'what counts as verified (default: sticky)').choices([
      'sticky',
      'evidence',
      'latest',
    ]),
  )

export type PolicyOption = { policy?: 'sticky' | 'evidence' | 'latest' }

export const withJson = (command: Command): Command =>
  command.option('--json', 'print the wire form alone on standard output')

export const withPage = (command: Command): Command =>
  command
    .addOption(new Option('--limit <n>', 'one page of so many, 1 to 500 (default: all)').argParser(whole))
    .addOption(new Option('--cursor <cursor>', "where the page begins: the last page's next_cursor"))

export type PageOptions = { limit?: number; cursor?: string }

/** An empty name is an unset shell variable, not a wish for the default. */
export function named(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It is empty.')
}

export function whole(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
