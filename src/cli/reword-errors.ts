/** Replaces field names in the text of an error by the options and arguments of the command that was typed. */
import type { Command } from 'commander'
import { EVERY_PROBLEM, listProblems, type Problem, TurngraphError } from '../core/errors.ts'
import { shownNames } from './command.ts'

/** Commands whose input is a file or standard input, in which problems have the names of fields. */
const READ_FIELDS: readonly string[] = ['add', 'capture', 'hook', 'restore']
const MAX_SHOWN = 5

/** Returns the error with names of options instead of fields. `details` stay the same as at the other doors. */
export function withOptionNames(error: TurngraphError, command: Command | null): TurngraphError {
  const { code, details, cause } = error
  const problems = listProblems(error)
  if (command === null || problems.length === 0) return error
  const reword = READ_FIELDS.includes(command.name()) ? same : rewordFor(command)
  const isReworded = problems.some(({ path }) => reword(path) !== path)
  const shown = problems
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => (path === '' ? reword(message) : `${reword(path)}: ${reword(message)}`))
  const more = problems.length > shown.length ? ` (and ${problems.length - shown.length} more)` : ''
  return new TurngraphError(code, isReworded ? `${shown.join('; ')}${more}` : reword(error.message), {
    hint: hintFor(error, problems, reword),
    details,
    cause,
  })
}

const same = (text: string): string => text

function hintFor({ hint }: TurngraphError, problems: readonly Problem[], reword: (text: string) => string) {
  if (hint === null) return undefined
  if (hint !== EVERY_PROBLEM) return reword(hint)
  return problems.length > MAX_SHOWN ? `--json lists all ${problems.length} problems.` : undefined
}

/** Matches a text of one word, such as a path, and words that can only be field names. Skips quoted values. */
const FIELD = /^[a-zA-Z]+$|(?<!["'`\w])[a-z]+(?:(?:_[a-z]+)+|(?:[A-Z][a-z]+)+)\b/g

function rewordFor(command: Command): (text: string) => string {
  const shown = new Map(shownNames.get(command))
  const camelCase = (field: string) => field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  // The command prints the cursor of the next page with the option --cursor.
  const toField = (word: string) => (word === 'next_cursor' ? 'cursor' : camelCase(word))
  return (text) => text.replace(FIELD, (word) => shown.get(toField(word)) ?? word)
}
