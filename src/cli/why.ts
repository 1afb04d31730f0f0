/** `turngraph why`: explains what was tried in a turn, and why it was not approved. */

import type { WhyView } from '../memory/context/why.ts'
import { describeBases } from '../rules/basis.ts'
import { describeRepeats, groupByCause } from '../rules/causes.ts'
import { describeAgent } from '../rules/describe-agent.ts'
import { toBlock, toOneLine } from '../rules/foreign-text.ts'
import { contestedNote, promisedNote } from '../rules/notes.ts'
import { ask } from './ask.ts'
import { command, ROLES, SHARED, TASK } from './command.ts'
import { printLines, printText } from './output.ts'

export const addWhy = command({
  name: 'why',
  description: 'say what was tried in a turn, and why it was not approved',
  operation: 'explainTurn',
  options: {
    turn: ['--turn <n>', 'the turn (default: the newest)'],
    role: ['--role <role>', 'for whom (default: coach)', ROLES],
    ...TASK,
    ...SHARED,
  },
  help: 'Example:\n  turngraph why --feature FEAT-1 --task TASK-1 --turn 3',
  async print(why, { role, project }) {
    if (role !== 'player') await printSummary(why, project)
    printWhy(why)
  },
})

/** Prints the outcome and the summary of the session. Not for a Player, who sees no gate. */
const printSummary = ({ worldSlug }: WhyView, project: string | undefined): Promise<void> =>
  ask('getSessionSummary', { worldSlug }, { project }, ({ outcome, summary }) =>
    printLines(`Session ${worldSlug}, ${outcome}: ${summary}`),
  )

const KINDS = { new: 'new', again: 'again', lost: 'verified before' } as const

function printWhy(why: WhyView): void {
  const line = (name: string, content: string | null) => {
    if (content !== null && content !== '') printText(`${name}: ${content}`)
  }
  const list = (name: string, items: readonly string[]) => {
    if (items.length > 0) printLines([`${name}:`, ...items.map((item) => `  - ${item}`)].join('\n'))
  }
  const criterion = ({ criterionId, text, evidence }: WhyView['won'][number]) =>
    [criterionId, text, evidence]
      .map((part) => toOneLine(part ?? ''))
      .filter((part) => part !== '')
      .join(' — ')
  const judged = why.judge === undefined ? '' : `, judged by ${toOneLine(describeAgent(why.judge))}`
  printText(`Turn ${why.turn} of world ${why.worldSlug}: ${why.coachDecision}${judged}`)
  line('What was tried', why.playerSummary)
  line('Feedback', why.coachFeedback)
  list(
    'Criteria rejected',
    why.rejected.map((rejected) => `${KINDS[rejected.kind]}: ${criterion(rejected)}`),
  )
  const rejected = new Set(why.rejected.map(({ key }) => key))
  list('Criteria lost', why.lost.filter(({ key }) => !rejected.has(key)).map(criterion))
  list('Criteria won', why.won.map(criterion))
  list(
    'Issues',
    groupByCause(why.issues).map((group) => {
      const [{ severity, category, description, suggestion }] = group
      const about = category === null ? '' : ` ${toOneLine(category)}:`
      const suggested = suggestion === null ? '' : `\n      Suggestion: ${toOneLine(suggestion)}`
      return `[${severity}]${about} ${toBlock(description)}${describeRepeats(group)}${suggested}`
    }),
  )
  list('Blockers found', why.blockersFound.map(toBlock))
  const gates = Object.entries(why.gates ?? {})
  line('Gates', gates.map(([name, status]) => `${name} ${status}`).join(', '))
  const promised = promisedNote(why.promisedNotJudged)
  line(
    'Verified',
    [`${why.verified} of ${why.total}${contestedNote(why.contested)}`, ...describeBases(why)].join(', ') +
      (promised === null ? '' : `; ${promised}`),
  )
  line('Suggested next', why.whatToTryNext)
}
