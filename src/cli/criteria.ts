/** `turngraph criteria`: shows the proven criteria. */

import type { CriteriaView } from '../memory/criteria/criteria.ts'
import type { ShownCriterion } from '../memory/criteria/views.ts'
import { describeBases, noteBasis } from '../rules/basis.ts'
import { countCriteria, describeCounts, describeState, promisedNote } from '../rules/notes.ts'
import { command, POLICY, ROLES, SHARED, TASK } from './command.ts'
import { printList, printNote } from './output.ts'
import { colors } from './terminal.ts'

const LEGEND = '✓ verified, ✗ rejected, ○ pending, ? unknown, · not judged'

export const addCriteria = command({
  name: 'criteria',
  description: 'show what is proven: each criterion, where it stands, and its verdicts turn by turn',
  operation: 'listCriteria',
  options: {
    turn: ['--turn <n>', 'as of this turn, inclusive (default: the newest)'],
    role: ['--role <role>', 'for whom (default: coach)', ROLES],
    ...TASK,
    ...POLICY,
    ...SHARED,
  },
  help: `In the column of verdicts each character is a turn: ${LEGEND}.

Example:
  turngraph criteria --feature FEAT-1 --task TASK-1 --policy evidence`,
  print: printCriteria,
})

const MARKS = { verified: '✓', rejected: '✗', pending: '○', unknown: '?' } as const
const TURNS_SHOWN = 20

async function printCriteria(view: CriteriaView): Promise<void> {
  const none = `No criterion counts yet${view.worldSlug === null ? '' : ` in world ${view.worldSlug}`}.`
  if (view.criteria.length === 0) return printNote(none)
  const { beginning } = await import('./table.ts')
  const { green, red, yellow } = colors(process.stdout)
  const paintMarks = (text: string) =>
    text.replaceAll('✓', green('✓')).replaceAll('✗', red('✗')).replaceAll('○', yellow('○'))
  const paint = { verified: green, rejected: red, pending: yellow }
  const newest = Math.min(view.asOfTurn, Math.max(...view.criteria.map(({ lastTurn }) => lastTurn ?? 0)))
  const hasHistory = view.criteria.some(({ history }) => history !== undefined)
  await printList(view.criteria, none, {
    criterion: 'criterionId',
    state: (criterion) => ({
      text: describeState(criterion, noteBasis(criterion.basis)),
      paint: criterion.contested === null ? paint[criterion.state] : yellow,
    }),
    'since turn': 'verifiedInTurn',
    ...(hasHistory && {
      verdicts: (criterion: ShownCriterion) => ({ text: strip(criterion, newest), paint: paintMarks }),
    }),
    promise: ({ promise }) => promise && `${promise.status} (turn ${promise.turn})`,
    text: ({ text }) => beginning(text ?? '', 60),
  })
  const promised = promisedNote(view.promisedNotJudged)
  const forPeople = view.manual?.length ?? 0
  const counts = countCriteria(view.criteria)
  const verified = [
    describeCounts(counts),
    ...(forPeople === 0 ? [] : [`${forPeople} for a person`]),
    ...describeBases(counts),
  ].join(', ')
  const where =
    view.worldSlug === null
      ? 'a task without a world so far'
      : `world ${view.worldSlug} as of turn ${view.asOfTurn}`
  printNote(`${verified}${promised === null ? '' : `; ${promised}`} (${where}, ${view.policy}).`)
}

/** Renders the last judge's verdict of each turn, for the newest turns that the history covers; `…` marks omitted turns. */
function strip({ history = [], historyOmitted = 0 }: ShownCriterion, newest: number): string {
  const verdicts = new Map(
    history.filter(({ source }) => source !== 'player').map(({ turn, status }) => [turn, MARKS[status]]),
  )
  // Starts after the oldest turn of the history, because some of its entries may be omitted.
  const reach = historyOmitted === 0 ? 1 : (history[0]?.turn ?? 0) + 1
  const first = Math.max(1, reach, newest - TURNS_SHOWN + 1)
  const turns = Array.from({ length: Math.max(0, newest - first + 1) }, (_, i) => first + i)
  return (first === 1 ? '' : '…') + turns.map((turn) => verdicts.get(turn) ?? '·').join('')
}
