import { type Command, Option } from 'commander'
import type { CriteriaView } from '../memory/criteria/criteria.ts'
import { promisedNote } from '../memory/criteria/promised-note.ts'
import type { ShownCriterion } from '../memory/criteria/views.ts'
import { ask } from './ask.ts'
import { colours } from './colours.ts'
import {
  type PolicyOption,
  type TargetOptions,
  targetOf,
  whole,
  withJson,
  withPolicy,
  withProject,
  withTarget,
} from './options.ts'
import { printNote } from './output.ts'

type CriteriaOptions = TargetOptions & PolicyOption & { turn?: number; role?: 'player' | 'coach' }

export function addCriteria(program: Command): void {
  const criteria = program
    .command('criteria')
    .description('show what is proven: each criterion, where it stands, and its verdicts turn by turn')
    .option('--turn <n>', 'as of this turn, inclusive (default: the newest)', whole)
    .addOption(new Option('--role <role>', 'for whom (default: coach)').choices(['player', 'coach']))
    .addHelpText(
      'after',
      `
In the column of verdicts each character is a turn: ${LEGEND}.

Example:
  turngraph criteria --feature FEAT-1 --task TASK-1 --policy evidence
`,
    )
    .action(showCriteria)
  withPolicy(withTarget(criteria))
  withJson(withProject(criteria))
}

const showCriteria = (options: CriteriaOptions): Promise<void> => {
  const { turn, policy, role } = options
  return ask('listCriteria', { ...targetOf(options), turn, policy, role }, options, printCriteria)
}

const MARKS = { verified: '✓', rejected: '✗', pending: '○', unknown: '?' } as const
const LEGEND = '✓ verified, ✗ rejected, ○ pending, ? unknown, · not judged'
const TURNS_SHOWN = 20

async function printCriteria(view: CriteriaView): Promise<void> {
  if (view.criteria.length === 0) return printNote('No criterion counts yet.')
  const { beginning, printTable } = await import('./table.ts')
  const { green, red, yellow } = colours(process.stdout)
  const paintMarks = (text: string) =>
    text.replaceAll('✓', green('✓')).replaceAll('✗', red('✗')).replaceAll('○', yellow('○'))
  const paint = { verified: green, rejected: red, pending: yellow }
  const newest = Math.min(view.asOfTurn, Math.max(...view.criteria.map(({ lastTurn }) => lastTurn ?? 0)))
  const hasHistory = view.criteria.some(({ history }) => history !== undefined)
  printTable(
    ['criterion', 'state', 'since turn', ...(hasHistory ? ['verdicts'] : []), 'promise', 'text'],
    view.criteria.map((criterion) => [
      criterion.criterionId,
      { text: stateOf(criterion), paint: criterion.contested === null ? paint[criterion.state] : yellow },
      criterion.verifiedInTurn,
      ...(hasHistory ? [{ text: strip(criterion, newest), paint: paintMarks }] : []),
      criterion.promise === null ? null : `${criterion.promise.status} (turn ${criterion.promise.turn})`,
      beginning(criterion.text ?? '', 60),
    ]),
  )
  const promised = promisedNote(view.promisedNotJudged)
  const [verified, where] = [
    `${view.verified} of ${view.total} verified`,
    `world ${view.worldSlug} as of turn ${view.asOfTurn}`,
  ]
  printNote(
    promised === null
      ? `${verified} in ${where} (${view.policy}).`
      : `${verified}; ${promised} (${where}, ${view.policy}).`,
  )
}

const stateOf = ({ state, contested }: ShownCriterion): string =>
  contested === null ? state : `${state}, contested in turn ${contested.turn}`

/**
 * The last judge's verdict of each turn, up to the newest twenty that the history reaches back to; `…` stands for
 * those before.
 */
function strip({ history = [], historyOmitted = 0 }: ShownCriterion, newest: number): string {
  const verdicts = new Map(
    history.filter(({ source }) => source !== 'player').map(({ turn, status }) => [turn, MARKS[status]]),
  )
  // Of the oldest turn that is shown, other entries may be among those that are not.
  const reach = historyOmitted === 0 ? 1 : (history[0]?.turn ?? 0) + 1
  const first = Math.max(1, reach, newest - TURNS_SHOWN + 1)
  const turns = Array.from({ length: Math.max(0, newest - first + 1) }, (_, i) => first + i)
  return (first === 1 ? '' : '…') + turns.map((turn) => verdicts.get(turn) ?? '·').join('')
}
