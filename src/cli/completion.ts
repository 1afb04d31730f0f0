/** `turngraph completion`: prints what makes a shell complete the commands, their options and the words that options take. */
import { Argument, Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

const COMPLETION = 'completion'
/** The scripts call it at each Tab. */
const COMPLETE = 'complete'

export function addCompletion(program: Command): void {
  program
    .command(COMPLETION)
    .description('print the script that makes a shell complete this command line')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(turngraph completion bash)       in ~/.bashrc; it needs the package bash-completion
  source <(turngraph completion zsh)        in ~/.zshrc, after compinit
  turngraph completion fish | source        in ~/.config/fish/config.fish
  turngraph completion powershell | Out-String | Invoke-Expression
`,
    )
    .action(printScript)
  program
    .command(COMPLETE, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => printCompletions(program, words))
}

async function printScript(shell: (typeof SHELLS)[number]): Promise<void> {
  const { script } = await import('@bomb.sh/tab')
  script(shell, 'turngraph', 'turngraph')
}

async function printCompletions(program: Command, words: string[]): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander')
  // It adds both commands itself, and would so to each start: they move to a program of its own when they are asked for.
  const described = new Command(program.name())
  for (const command of program.commands)
    if (command.name() !== COMPLETION && command.name() !== COMPLETE) described.addCommand(command)
  tab(described, { completionCommandName: COMPLETION }).parse(words)
}
