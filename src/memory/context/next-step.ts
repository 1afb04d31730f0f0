/** Answers what matters now in a session (contract: doors.md, section 1). */
import * as z from 'zod'
import { LIMITS, name } from '../../core/fields.ts'
import type { Graph } from '../../graph/port.ts'
import { isAllVerified, isCounted, isRequired } from '../../rules/criterion-states.ts'
import { writeNextStep } from '../../rules/next-step.ts'
import { countCriteria, NEVER_JUDGED } from '../../rules/notes.ts'
import { promisedNotListed } from '../../rules/specified-states.ts'
import { listTriedBefore } from '../../rules/tried-before.ts'
import { ROLES } from '../criteria/views.ts'
import { knownTask } from '../scope/scope.ts'
import { loadTurnContinuationContext } from './context.ts'
import type { ContextRequest, ContinuationContext } from './continuation.ts'
import { loadTokens } from './token-counter.ts'

export const nextStepRequest = z.strictObject({
  project: name.nullish().describe("default: the connection's project"),
  featureId: name.nullish().describe('default: that of the world'),
  taskId: name.nullish().describe('default: that of the world'),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
  role: z.enum(ROLES).default('player'),
})

export const nextStep = z.object({
  text: z
    .string()
    .describe(
      'what is proven, left and blocking, what was tried, and how to record proof; at most 300 tokens',
    ),
  worldSlug: z.string().nullable(),
  turnNumber: z.number().describe('the turn that comes next'),
  allVerified: z
    .boolean()
    .describe(
      'true: every required criterion is verified and not contested by a rejection with evidence of its own',
    ),
  ...knownTask,
})
type NextStep = Omit<z.output<typeof nextStep>, keyof typeof knownTask>

type Request = Pick<ContextRequest, 'featureId' | 'taskId' | 'worldSlug' | 'role'> & { project: string }

/** @throws `not_found` if the world does not exist; `store_unavailable`, `timeout` */
export async function loadNextStep(graph: Graph, request: Request): Promise<NextStep> {
  const [context, tokens] = await Promise.all([
    loadTurnContinuationContext(graph, {
      ...request,
      currentTurn: LIMITS.turnNumber + 1,
      tokenBudget: 100,
      perspectiveReset: false,
      policy: 'sticky',
      elsewhere: 'off',
      asOf: 'now',
    }),
    loadTokens(),
  ])
  const { worldSlug, criteria, promisedNotJudged, issues, triedBefore, stall, prior } = context
  const turnNumber = Math.min((context.previousTurn ?? 0) + 1, LIMITS.turnNumber)
  const left = criteria.filter((criterion) => isRequired(criterion) && whyLeft(criterion) !== null)
  const promised = promisedNotListed(criteria, promisedNotJudged)
  const counts = countCriteria(criteria)
  const text = writeNextStep(
    {
      turnNumber,
      approvedIn: prior?.coachDecision === 'approved' ? prior.turnNumber : null,
      worldSlug,
      counts,
      openManual: criteria.filter((each) => isCounted(each) && !isRequired(each) && each.state !== 'verified')
        .length,
      left: [
        ...left.map((criterion) => ({ ...nameOf(criterion), why: whyLeft(criterion) ?? '' })),
        ...promised.map((criterion) => ({ ...nameOf(criterion), why: NEVER_JUDGED })),
      ],
      blocking: issues.flatMap(({ severity, description }) => (severity === 'blocking' ? [description] : [])),
      tried: [...listTriedBefore(prior === null ? [] : [prior]), ...triedBefore],
      advice: stall?.shouldStop === true ? (stall.suggestion ?? null) : null,
      record: 'turngraph capture turn.json, or the tool capture_turn_state',
    },
    tokens.count,
  )
  return { text, worldSlug, turnNumber, allVerified: isAllVerified(criteria, promised) }
}

const nameOf = ({ criterionId, text }: { criterionId: string; text: string | null }) => ({
  criterionId,
  text: text === criterionId ? null : text,
})

type Criterion = ContinuationContext['criteria'][number]

/** Why a criterion still needs work; null if it is verified and nothing later contradicts it. */
function whyLeft({ state, contested, stale, lastTurn }: Criterion): string | null {
  if (state !== 'verified') return lastTurn === null ? state : `${state}, turn ${lastTurn}`
  if (contested !== null) return `contested in turn ${contested.turn}`
  return stale === undefined ? null : `stale since turn ${stale.turn}`
}
