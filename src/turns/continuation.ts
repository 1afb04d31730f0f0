import { z } from 'zod'
import { POLICIES } from '../criteria/state.ts'
import { CRITERION_STATUSES, PROMISE_STATUSES, SOURCES, turnState } from './record.ts'
import { LIMITS, name, wholeNumber } from './text.ts'

/** What is asked for and what is answered as continuation context (contract: turns.md). */

export const ROLES = ['player', 'coach'] as const
export type Role = (typeof ROLES)[number]

export const contextRequest = z.strictObject({
  project: name.nullish().describe("default: the connection's project"),
  featureId: name,
  taskId: name,
  currentTurn: wholeNumber(-LIMITS.turnNumber, LIMITS.turnNumber + 1).describe(
    'the turn that is about to begin',
  ),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
  role: z.enum(ROLES).default('player'),
  tokenBudget: wholeNumber(100, 100_000).default(2_000),
  perspectiveReset: z
    .stringbool()
    .or(z.boolean())
    .default(false)
    .describe('true: all prior feedback and issues are left out'),
  policy: z.enum(POLICIES).default('sticky'),
})

export type ContextRequest = z.output<typeof contextRequest>

const criterionState = z.object({
  criterionId: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  aliases: z.array(z.object({ label: z.string(), source: z.string() })),
  state: z.enum(['verified', 'rejected', 'pending']),
  verifiedInTurn: z.number().nullable(),
  lastTurn: z.number().nullable(),
  contested: z.object({ turn: z.number(), reason: z.string().nullable().optional() }).nullable(),
  history: z
    .array(
      z.object({
        turn: z.number(),
        status: z.enum(CRITERION_STATUSES),
        source: z.enum(SOURCES),
        evidence: z.string().nullable(),
      }),
    )
    .optional()
    .describe('role coach only: the newest 20, oldest first'),
  historyOmitted: z.number().optional(),
  promise: z.object({ turn: z.number(), status: z.enum(PROMISE_STATUSES) }).nullable(),
})

export type ShownCriterion = z.output<typeof criterionState>

/** Issues as they are shown: the Player does not see what lies behind the verdict. */
const shownIssue = turnState.shape.issues.element.partial({ details: true })

/** The prior turn for a role: a Player's lacks what would give the judge away. */
export const priorTurn = turnState
  .omit({ createdAt: true })
  .partial({ verifications: true, gates: true, extra: true })
  .extend({ issues: z.array(shownIssue) })

export type PriorTurn = z.output<typeof priorTurn>

const section = z.object({ section: z.string(), items: z.number() })

export const continuationContext = z.object({
  status: z.enum(['ok', 'first_turn', 'no_prior_turn']),
  context: z.string().nullable().describe('the text for the prompt; null where there is no prior turn'),
  role: z.enum(ROLES),
  worldSlug: z.string().nullable(),
  currentTurn: z.number(),
  previousTurn: z.number().nullable(),
  gap: z.boolean().describe('true when the previous turn is not current_turn - 1'),
  prior: priorTurn.nullable(),
  criteria: z.array(criterionState),
  promises: z.null(),
  stall: z.null(),
  issues: z.array(shownIssue),
  included: z.array(section),
  omitted: z.array(section.extend({ reason: z.string() })),
})

export type ContinuationContext = z.output<typeof continuationContext>
