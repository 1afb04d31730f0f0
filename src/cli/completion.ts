/** `turngraph completion`: prints what makes a shell complete the commands, their options and the words that options take. */
import { Command } from 'commander'
import { action } from './command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

const COMPLETION = 'completion'
/** The scripts call it at each Tab. */
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
  // It adds both commands itself, and would so to each start: they move to a program of its own when they are asked for.
  const described = new Command(program.name())
  for (const command of program.commands) {
    if (command.name() === COMPLETION || command.name() === COMPLETE) continue
    described.addCommand(command)
    // It knows a command by its name alone.
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
