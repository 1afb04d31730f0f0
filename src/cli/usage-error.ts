/** Explains a command line that the parser rejected. */
import { type Command, type CommanderError, Help } from 'commander'
import { TurngraphError } from '../core/errors.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { kindOf } from '../platform/folders.ts'
import { quoteForShell } from '../rules/command-line.ts'

const HELP = '`turngraph --help` lists the commands, `turngraph COMMAND --help` its options.'

/** @param args the command line without the name of the program */
export function usageError(error: CommanderError, program: Command, args: readonly string[]): TurngraphError {
  const message = error.message.replace(/^error: /, '')
  const [first = ''] = args
  if (error.code === 'commander.unknownCommand' && findCommand(program, first) === undefined) {
    const hint =
      kindOf(first) === 'folder' ? `To look in this folder: turngraph init ${quoteForShell(first)}` : HELP
    return new TurngraphError('invalid_request', `${message}.${didYouMean(nearCommands(program, first))}`, {
      hint,
    })
  }
  const isOfInit =
    findCommand(program, 'init')?.options.some(({ long }) => long === first) &&
    !args.some((arg) => findCommand(program, arg))
  const hint =
    error.code === 'commander.unknownOption' && isOfInit
      ? `It is an option of init: turngraph init ${args.map(quoteForShell).join(' ')}`
      : HELP
  return new TurngraphError('invalid_request', message, { hint })
}

const findCommand = (program: Command, name: string): Command | undefined =>
  program.commands.find((command) => command.name() === name || command.aliases().includes(name))

const MAX_SUGGESTIONS = 3

/** Returns the commands that begin with a text, or similar commands if there are none. */
function nearCommands(program: Command, text: string): string[] {
  // The short help leaves out most commands; a suggestion may be any of them.
  const names = Help.prototype.visibleCommands.call(new Help(), program).map((command) => command.name())
  const matches = names.filter((name) => name.startsWith(text.toLowerCase()))
  return matches.length > 0 && matches.length <= MAX_SUGGESTIONS ? matches : nearNames(text, names)
}
