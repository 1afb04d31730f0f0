/** `turngraph issues`: lists the issues of a session with their state. */
import type { IssueLifeView } from '../memory/issues/list-issues.ts'
import { command, PAGE, ROLES, SHARED, TASK } from './command.ts'
import { printList } from './output.ts'
import { colors } from './terminal.ts'

export const addIssues = command({
  name: 'issues',
  description: 'list what the Coach complained of through the turns: which issues are open, which are gone',
  operation: 'listIssues',
  options: {
    turn: ['--turn <n>', 'as of this turn, inclusive (default: the newest)'],
    state: ['--state <state>', 'those that are open or gone (default: both)', { choices: ['open', 'gone'] }],
    role: ['--role <role>', 'for whom (default: coach)', ROLES],
    ...TASK,
    ...PAGE,
    ...SHARED,
  },
  help: 'Example:\n  turngraph issues --feature FEAT-1 --task TASK-1 --state open',
  print: ({ items }) => printIssues(items),
})

async function printIssues(issues: readonly IssueLifeView[]): Promise<void> {
  const { beginning } = await import('./table.ts')
  const { green, yellow } = colors(process.stdout)
  await printList(issues, 'There is no such issue.', {
    state: ({ state, goneInTurn }) => ({
      text: goneInTurn === null ? state : `${state} (turn ${goneInTurn})`,
      paint: state === 'open' ? yellow : green,
    }),
    severity: 'severity',
    category: 'category',
    'opened in': 'openedInTurn',
    'last seen in': 'lastSeenInTurn',
    turns: ({ turns }) => turns.length,
    wordings: 'wordings',
    issue: ({ description, times }) => `${beginning(description, 80)}${times === 1 ? '' : ` ×${times}`}`,
  })
}
