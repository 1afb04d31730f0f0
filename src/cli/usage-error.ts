/** Explains a command line that the parser rejected. */
import { type Command, type CommanderError, Help } from 'commander'
import { TurngraphError } from '../core/errors.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { kindOf } from '../platform/folders.ts'
import { quoteForShell } from '../rules/command-line.ts'

const HELP = '`turngraph --help` lists the commands, `turngraph COMMAND --help` its options.'

export function usageError(error: CommanderError, program: Command, args: readonly string[]): TurngraphError {
  const [first = '', second = ''] = args
  const called = findCommand(program, first)
  const [group, name] =
    called === undefined || called.commands.length === 0 ? [program, first] : [called, second]
  const command = findCommand(group, name)
  if (UNKNOWN_COMMAND.includes(error.code) && command === undefined && !name.startsWith('-'))
    return new TurngraphError(
      'invalid_request',
      describeUnknownName('command', name, findSimilarCommands(group, name)),
      {
        hint:
          group === program
            ? hintFor(name)
            : `The commands of ${group.name()} are ${renderCommandNames(group)}.`,
      },
    )
  // The parser checks that each required option is present before it looks for unknown options.
  const misspelled =
    error.code === 'commander.missingMandatoryOptionValue' ? findUnknownOption(command, args) : undefined
  if (misspelled !== undefined) return new TurngraphError('invalid_request', misspelled, { hint: HELP })
  const isOfInit =
    findCommand(program, 'init')?.options.some(({ long }) => long === first) &&
    !args.some((arg) => findCommand(program, arg))
  const hint =
    error.code === 'commander.unknownOption' && isOfInit
      ? `It is an option of init: turngraph init ${args.map(quoteForShell).join(' ')}`
      : HELP
  return new TurngraphError('invalid_request', error.message.replace(/^error: /, ''), { hint })
}

/** Codes of unknown commands. If a group has a default command, the parser takes an unknown command as its argument. */
const UNKNOWN_COMMAND = ['commander.unknownCommand', 'commander.excessArguments']

const findCommand = (group: Command, name: string): Command | undefined =>
  group.commands.find((command) => command.name() === name || command.aliases().includes(name))

const describeUnknownName = (kind: 'command' | 'option', name: string, near: readonly string[]): string =>
  `unknown ${kind} '${name}'.${didYouMean(near)}`

const hintFor = (name: string): string =>
  kindOf(name) === 'folder' ? `To look in this folder: turngraph init ${quoteForShell(name)}` : HELP

const MAX_SUGGESTIONS = 3

/** Returns the commands that begin with a text, or similar commands if there are none. */
function findSimilarCommands(group: Command, text: string): string[] {
  const names = listCommandNames(group)
  const matches = names.filter((name) => name.startsWith(text.toLowerCase()))
  return matches.length > 0 && matches.length <= MAX_SUGGESTIONS ? matches : nearNames(text, names)
}

/** Lists the names of all commands, including those that the short help omits. */
const listCommandNames = (group: Command): string[] =>
  Help.prototype.visibleCommands.call(new Help(), group).map((command) => command.name())

const renderCommandNames = (group: Command): string =>
  listCommandNames(group)
    .filter((name) => name !== 'help')
    .join(', ')

function findUnknownOption(command: Command | undefined, args: readonly string[]): string | undefined {
  const options = (command?.options ?? []).flatMap(({ long }) => long ?? [])
  const given = args.flatMap((arg) => /^--\w[^=]*/.exec(arg)?.[0] ?? [])
  const unknown = given.find((option) => !options.includes(option))
  return unknown && describeUnknownName('option', unknown, nearNames(unknown, options))
}
