/** Lists the open and gone issues of a world as of a turn. */
import * as z from 'zod'
import type { EntryPosition } from '../../core/pages.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { followIssues, type IssueLife } from '../../rules/issue-lives.ts'
import { readStates } from '../criteria/read-states.ts'
import {
  readTargetAsOf,
  SMALL_WORLD,
  snapshotFrom,
  snapshotRow,
  statementOfTarget,
  type Target,
} from '../criteria/snapshot.ts'
import type { Role } from '../criteria/views.ts'
import { issuesFor, issueView } from '../record/issues.ts'
import type { Issue } from '../record/record.ts'
import { requireNames } from '../scope/missing-name.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { areIssuesRead, judgementRow } from './judgement-row.ts'

export const ledgerStatements = statementOfTarget('issues/ledger')

export const ISSUE_STATES = ['open', 'gone'] as const

const MAX_OTHER_WORDINGS = 10

/** Life of an issue through the turns of a session (contract: specification.md, "Issues have a life"). */
export const issueLife = issueView.omit({ turn: true }).extend({
  signature: z
    .string()
    .describe(
      'of its category and its newest description without line numbers and the like: equal ones are one issue',
    ),
  times: z.number().describe('how often the turn that saw it last raised it'),
  wordings: z
    .number()
    .describe('number of its wordings; issues of one cause are one row, in the newest words'),
  otherWordings: z
    .array(z.object({ turn: z.number(), description: z.string() }))
    .describe(
      `its other wordings, each with the newest turn that used it, the newest first; at most ${MAX_OTHER_WORDINGS}`,
    ),
  openedInTurn: z.number(),
  lastSeenInTurn: z.number(),
  turns: z.array(z.number()).describe('in which it was raised, ascending'),
  state: z.enum(ISSUE_STATES).describe('gone: a later judged turn did not raise it'),
  goneInTurn: z.number().nullable().describe('null: it is open'),
})

export type IssueLifeView = z.output<typeof issueLife>
export type IssueAt = IssueLifeView & { position: number }

export type IssuesRequest = Target & {
  turn?: number | null | undefined
  state?: (typeof ISSUE_STATES)[number] | null | undefined
  role: Role
}

export const ledgerRow = snapshotRow.extend({ turnsOfWorld: z.number(), judgements: z.array(judgementRow) })

type LedgerRow = z.output<typeof ledgerRow>

/**
 * Lists the issues of a world in the order in which they were opened, after the position `after`.
 *
 * @param request `turn`: last turn that counts; default: the newest
 * @throws `not_found` if the task does not exist, `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const open = await listIssues(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', state: 'open', role: 'coach' }, { after: { turn: 0, position: -1 }, limit: 50 })
 */
export async function listIssues(
  store: Graph,
  request: IssuesRequest,
  { after, limit }: { after: EntryPosition | null; limit: number },
): Promise<IssueAt[]> {
  const graph = withOneDeadline(store)
  const { turn = null, state = null, role } = request
  const row = await readTargetAsOf(
    graph,
    ledgerStatements,
    request,
    turn,
    SMALL_WORLD,
    ledgerRow,
    areIssuesWhole,
  )
  if (row === null) return refuseUnknownTask(graph, request)
  const shown = followIssues(row.judgements)
    .filter(
      ({ turns: [opened], position }) =>
        after === null || (opened === after.turn ? position > after.position : opened > after.turn),
    )
    .filter(({ goneInTurn }) => state === null || (goneInTurn === null) === (state === 'open'))
    .slice(0, limit)
  const snapshot = snapshotFrom(row, turn)
  const states = await readStates(graph, snapshot, 'sticky')
  const show = issuesFor(states, snapshot.progress, role)
  return shown.map((life) => toView(life, show))
}

/** False if the read saw only part of a commit or of a replacement. */
export const areIssuesWhole = ({ world, turnsOfWorld, judgements }: LedgerRow): boolean =>
  turnsOfWorld === world.turnCount &&
  new Set(judgements.map(({ turn }) => turn)).size === judgements.length &&
  areIssuesRead(judgements)

/** Rejects an unknown task. A task without a world has no issues. */
async function refuseUnknownTask(graph: Graph, target: Target): Promise<IssueAt[]> {
  if (target.worldSlug != null) throw unknownWorld(target.project, target.worldSlug)
  await requireNames(graph, target)
  return []
}

function toView(
  { signature, wordings, wordingCount, otherWordings, turns, position, goneInTurn }: IssueLife<Issue>,
  show: ReturnType<typeof issuesFor>,
): IssueAt {
  const [newest, ...others] = show(wordings)
  if (newest === undefined) throw new Error(`issue ${signature} has no wording`)
  const named = new Map(
    [newest, ...others].flatMap(({ criterionIds, givenLabels }) =>
      criterionIds.map((label, i) => [label, givenLabels[i] ?? label] as const),
    ),
  )
  return {
    ...newest,
    criterionIds: [...named.keys()],
    givenLabels: [...named.values()],
    signature,
    times: wordings.length,
    wordings: wordingCount,
    otherWordings: otherWordings
      .slice(0, MAX_OTHER_WORDINGS)
      .map(({ turn, issue: { description } }) => ({ turn, description })),
    openedInTurn: turns[0],
    lastSeenInTurn: turns.at(-1) ?? turns[0],
    turns: [...turns],
    state: goneInTurn === null ? 'open' : 'gone',
    goneInTurn,
    position,
  }
}
