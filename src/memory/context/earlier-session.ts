/** Reads the end of the previous session of a task (contract: specification.md, "Other sessions know something"). */
import * as z from 'zod'
import { worldKey } from '../../core/keys.ts'
import { readWholeRow } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { isCounted } from '../../rules/criterion-states.ts'
import { followIssues } from '../../rules/issue-lives.ts'
import { countCriteria } from '../../rules/notes.ts'
import { readStates } from '../criteria/read-states.ts'
import { isStateWhole, newestSnapshot, snapshotColumns } from '../criteria/snapshot.ts'
import { stallAfter } from '../criteria/stall-analysis.ts'
import { areIssuesRead, judgementRow } from '../issues/judgement-row.ts'
import { keyOfTask } from '../scope/scope.ts'
import type { ContextRequest, EarlierSession } from './continuation.ts'

const earlierSession = statement('elsewhere/earlier-session')

const earlierSessionRow = z.object({ judgements: z.array(judgementRow), ...snapshotColumns })

type Request = ContextRequest & { project: string }

/** Reads the earlier session; null without one. The Player sees descriptions and a verdict, but no evidence (invariant 9). */
export async function readEarlierSession(
  graph: Graph,
  request: Request,
  worldSlug: string,
): Promise<EarlierSession | null> {
  const row = await readWholeRow(
    graph,
    earlierSession,
    { worldKey: worldKey(request.project, worldSlug), taskKey: keyOfTask(request) },
    earlierSessionRow,
    (found) =>
      isStateWhole(found) &&
      found.judgements.some(({ turn }) => turn === found.world.currentTurn) &&
      areIssuesRead(found.judgements),
  )
  if (row === null) return null
  const { world, judgements } = row
  const snapshot = newestSnapshot(row, null)
  const states = await readStates(graph, snapshot, request.policy)
  const stall = await stallAfter(graph, request, snapshot, states, false)
  const counted = states.filter(isCounted)
  const { contestedInTurns, ...counts } = countCriteria(states)
  const left = counted.filter(({ state }) => state !== 'verified')
  const open = followIssues(judgements).flatMap(({ wordings: [issue], goneInTurn, turns }) =>
    goneInTurn === null && issue.severity === 'blocking' ? [{ issue, turn: turns.at(-1) ?? turns[0] }] : [],
  )
  return {
    worldSlug: world.slug,
    turns: world.turnCount,
    lastTurn: world.currentTurn,
    lastDecision: judgements.find(({ turn }) => turn === world.currentTurn)?.coachDecision ?? 'unknown',
    ...counts,
    criteriaLeft: left.map(({ criterionId, text }) => ({ criterionId, text })),
    openIssues: request.perspectiveReset
      ? []
      : open.map(({ issue: { category, description }, turn }) => ({ turn, category, description })),
    verdict: stall.verdict,
  }
}
