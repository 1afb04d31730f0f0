/** `turngraph completion`: prints a script with which a shell completes commands, options and their values. */
import { Command } from 'commander'
import { action } from './command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

const COMPLETION = 'completion'
/** Command that the scripts call at each Tab. */
const COMPLETE = 'complete'

export const addCompletion = action(
  {
    name: COMPLETION,
    description: 'print the script that makes a shell complete this command line',
    arguments: { shell: ['<shell>', 'which one', { choices: SHELLS }] },
    help: `Examples:
  source <(turngraph completion bash)       in ~/.bashrc; it needs the package bash-completion
  source <(turngraph completion zsh)        in ~/.zshrc, after compinit
  turngraph completion fish | source        in ~/.config/fish/config.fish
  turngraph completion powershell | Out-String | Invoke-Expression`,
  },
  async ({ shell = 'bash' }) => {
    const { script } = await import('@bomb.sh/tab')
    script(shell, 'turngraph', 'turngraph')
  },
)

export const addComplete = (program: Command): Command =>
  action(
    { name: COMPLETE, description: '', hidden: true, arguments: { words: ['[words...]', ''] } },
    ({ words = [] }) => printCompletions(program, words),
  )(program)

async function printCompletions(program: Command, words: string[]): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander')
  // The library adds both commands, which would slow down each start. Adds them to a separate program on demand.
  const described = new Command(program.name())
  const [first = ''] = words
  const typed = program.commands.find(
    (command) => words.length > 1 && [command.name(), ...command.aliases()].includes(first),
  )
  for (const command of program.commands) {
    // The library takes an option from the first command that has one of this name.
    if (typed !== undefined && command !== typed) continue
    if (command.name() === COMPLETION || command.name() === COMPLETE) continue
    described.addCommand(command)
    // The library does not know aliases of commands.
    const alias = words.findIndex((word) => command.aliases().includes(word))
    if (alias === 0) words[alias] = command.name()
  }
  if (words.includes('--preset')) {
    const { listAnalyses } = await import('../analysis/named-analyses.ts')
    const query = described.commands.find((command) => command.name() === 'query')
    query?.options.find(({ long }) => long === '--preset')?.choices(listAnalyses().map(({ name }) => name))
  }
  tab(described, { completionCommandName: COMPLETION }).parse(words)
}
