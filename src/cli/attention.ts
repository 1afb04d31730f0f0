/** `turngraph attention`: lists the sessions that need a person. */
import { EXIT } from '../core/exit-codes.ts'
import type { OperationOutput } from '../operations/table.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { command, JSON_FORM, PAGE } from './command.ts'
import { printLines, printText } from './output.ts'

export const addAttention = command({
  name: 'attention',
  description: 'list the sessions that need a person, the most urgent first, with the reason',
  operation: 'listAttention',
  options: {
    ...PAGE,
    exitCode: ['--exit-code', `exit with ${EXIT.stop.code} if a session needs a person, with 0 if none does`],
    ...JSON_FORM,
    project: ['--project <project>', 'default: TURNGRAPH_PROJECT, otherwise all projects'],
  },
  help: `Examples:
  turngraph attention
  turngraph attention --json`,
  beside: ({ items }, { exitCode }) => {
    if (exitCode && items.length > 0) process.exitCode = EXIT.stop.code
  },
  print: printAttention,
})

function printAttention({ items }: OperationOutput<'listAttention'>): void {
  if (items.length === 0) printText('No session needs you.')
  const hasProjects = new Set(items.map(({ project }) => project)).size > 1
  for (const { project, worldSlug, outcome, sentence } of items) {
    const name = hasProjects ? `${toOneLine(project)} ${toOneLine(worldSlug)}` : toOneLine(worldSlug)
    printLines(`${name} (${outcome}): ${sentence}`)
  }
}
