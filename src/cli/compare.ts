/** `turngraph compare`: shows two sessions side by side. */
import type { OperationOutput } from '../operations/table.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { command, SHARED } from './command.ts'
import { printList, printText } from './output.ts'

export const addCompare = command({
  name: 'compare',
  description: 'show two sessions side by side, and say in one sentence how they differ',
  operation: 'compareWorlds',
  arguments: {
    a: ['<world>', 'the slug of one session'],
    b: ['<other>', 'the slug of the other'],
  },
  options: SHARED,
  help: 'Example:\n  turngraph compare TASK-1 TASK-2',
  print: printComparison,
})

type Comparison = OperationOutput<'compareWorlds'>
type Session = Comparison['a']

const ROWS: readonly [label: string, show: (session: Session) => string][] = [
  ['task', ({ featureId, taskId }) => toOneLine(`${featureId}/${taskId}`)],
  ['turns', ({ turns }) => `${turns}`],
  ['last decision', ({ lastDecision }) => lastDecision ?? '-'],
  ['criteria verified', ({ verified, criteria }) => `${verified} of ${criteria}`],
  ['contested', ({ contested }) => `${contested}`],
  ['gains', ({ gains }) => gains.map(({ turn, gained }) => `+${gained} in turn ${turn}`).join(', ') || '-'],
  ['all verified in', ({ allVerifiedIn }) => (allVerifiedIn === null ? '-' : `turn ${allVerifiedIn}`)],
  ['reversals', ({ reversals }) => `${reversals}`],
  [
    'failed gates',
    ({ failedGates }) =>
      failedGates.map(({ gate, turns }) => `${toOneLine(gate)} ×${turns}`).join(', ') || '-',
  ],
  ['issues', ({ issues, openIssues }) => `${issues}, ${openIssues} open`],
  ['open and blocking', ({ openBlocking }) => `${openBlocking}`],
  ['seconds', ({ seconds }) => (seconds === null ? 'unknown' : `${Math.round(seconds)}`)],
]

async function printComparison({ a, b, sentence }: Comparison): Promise<void> {
  const rows = ROWS.map(([label, show]) => ({ label, a: show(a), b: show(b) }))
  await printList(rows, null, {
    '': 'label',
    [`A: ${toOneLine(a.worldSlug)}`]: 'a',
    [`B: ${toOneLine(b.worldSlug)}`]: 'b',
  })
  printText(sentence)
}
