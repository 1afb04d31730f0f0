/** `turngraph worlds turns|turn|history`: shows the turns of a world; `turngraph turns` shows the turns of transcripts. */
import type { TurnState } from '../memory/record/record.ts'
import { describeAgent } from '../rules/describe-agent.ts'
import { toBlock, toOneLine } from '../rules/foreign-text.ts'
import { command, PAGE, parseWhole, SHARED } from './command.ts'
import { printLines, printList } from './output.ts'

const WORLD = { worldSlug: ['<slug>', ''] } as const
const TURN = { ...WORLD, turnNumber: ['<turn>', 'its number', { parse: parseWhole }] } as const

export const addWorldTurns = command({
  name: 'turns',
  description: "list a world's turns",
  operation: 'listTurns',
  arguments: WORLD,
  options: { ...PAGE, ...SHARED },
  print: ({ items }, { worldSlug }) => printTurns(items, `World ${worldSlug} has no turns.`),
})

export const addTurn = command({
  name: 'turn',
  description: 'show a turn as it was stored',
  operation: 'getTurn',
  arguments: TURN,
  options: SHARED,
  print(_turn, _given, wire) {
    for (const [field, value] of Object.entries(wire() as object))
      if (!isEmpty(value)) printLines(`${field}:${Array.isArray(value) ? '' : ' '}${shown(value)}`)
  },
})

export const addHistory = command({
  name: 'history',
  description: 'list the records that once stood at a turn, newest first',
  operation: 'getTurnHistory',
  arguments: TURN,
  options: { ...PAGE, ...SHARED },
  print: ({ items }, { worldSlug, turnNumber }) =>
    printTurns(items, `Turn ${turnNumber} of world ${worldSlug} has no earlier records.`),
})

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Formats a value. A list follows below its name, one entry per line. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => `\n  - ${shown(entry)}`).join('')
  if (typeof value !== 'object' || value === null) return toBlock(String(value))
  return Object.entries(value)
    .filter(([, item]) => !isEmpty(item))
    .map(
      ([key, item]) => `${toOneLine(key)}: ${Array.isArray(item) ? item.map(shown).join(', ') : shown(item)}`,
    )
    .join('; ')
}

type Withdrawn = { withdrawnAt?: string | undefined; withdrawnReason?: string | undefined }

async function printTurns(turns: readonly (TurnState & Withdrawn)[], none: string): Promise<void> {
  const { beginning } = await import('./table.ts')
  return printList(turns, none, {
    turn: 'turnNumber',
    player: 'playerDecision',
    coach: 'coachDecision',
    ...(turns.some(({ judge }) => judge !== undefined) && {
      'judged by': describeJudge,
    }),
    verified: countVerified,
    issues: ({ issues }) => issues.length,
    completed: 'completedAt',
    ...(turns.some(({ withdrawnAt }) => withdrawnAt !== undefined) && {
      withdrawn: 'withdrawnAt',
      reason: 'withdrawnReason',
    }),
    summary: ({ playerSummary }) => beginning(playerSummary, 60),
  })
}

const describeJudge = ({ judge }: TurnState): string => (judge === undefined ? '' : describeAgent(judge))

function countVerified({ acceptanceCriteriaStatus, verifications }: TurnState): string {
  const statuses = [...Object.values(acceptanceCriteriaStatus), ...verifications.map(({ status }) => status)]
  return `${statuses.filter((status) => status === 'verified').length}/${statuses.length}`
}
