/** Declares the request and the answer of a continuation context (contract: turns.md). */
import * as z from 'zod'
import { LIMITS, name, wholeNumber } from '../../core/fields.ts'
import { POLICIES } from '../../rules/criterion-states.ts'
import {
  criterionCounts,
  criterionState,
  promisedCriterion,
  promisesView,
  ROLES,
  stallView,
  VERDICTS,
} from '../criteria/views.ts'
import { issueView, shownIssue } from '../record/issues.ts'
import { turnState } from '../record/record.ts'
import { knownTask } from '../scope/scope.ts'
import { SECTION_NAMES } from './section-names.ts'

/** Extent of the facts from other sessions in a context. */
export const ELSEWHERE = ['earlier', 'known', 'off'] as const

export const contextRequest = z.strictObject({
  project: name.nullish().describe("default: the connection's project"),
  featureId: name.nullish().describe('default: that of the world'),
  taskId: name.nullish().describe('default: that of the world'),
  currentTurn: wholeNumber(-LIMITS.turnNumber, LIMITS.turnNumber + 1).describe(
    'the turn that is about to begin',
  ),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
  role: z.enum(ROLES).default('player'),
  tokenBudget: wholeNumber(100, 100_000).default(2_000),
  perspectiveReset: z
    .union([z.stringbool(), z.boolean()], 'must be true or false')
    .default(false)
    .describe('true: all prior feedback and issues are left out'),
  policy: z.enum(POLICIES).default('sticky'),
  elsewhere: z
    .enum(ELSEWHERE)
    .default('earlier')
    .describe(
      'earlier: how the session of the task before this one ended; known: also what other sessions know; off: neither',
    ),
  asOf: z
    .enum(['now', 'turn'])
    .default('now')
    .describe(
      'turn: the context before the capture of the turn, by the records, names and merges of that time, without the ends of other sessions',
    ),
  sections: z
    .union([z.stringbool(), z.boolean()], 'must be true or false')
    .default(false)
    .describe('true: also the text by its sections, each with its tokens and with what was left out of it'),
})

/** Request after its task was found. */
export type ContextRequest = Omit<z.output<typeof contextRequest>, 'featureId' | 'taskId' | 'sections'> & {
  featureId: string
  taskId: string
  sections?: boolean
}

/** Prior turn for a role. A Player's view has no evidence and no internals of the verdict. */
export const priorTurn = turnState
  .omit({ createdAt: true, recordedBy: true })
  .partial({ verifications: true, gates: true, usage: true, extra: true })
  .extend({
    issues: z.array(shownIssue),
    promises: z.array(turnState.shape.promises.element.partial({ evidence: true })),
  })

export type PriorTurn = z.output<typeof priorTurn>

/** Newest judged turn, if the prior turn is not judged (error, deferred, unknown). */
export const lastJudged = turnState
  .pick({ coachDecision: true, coachFeedback: true, whatToTryNext: true })
  .extend({ turn: z.number() })

export type LastJudged = z.output<typeof lastJudged>

const withdrawnRange = z.object({
  fromTurn: z.number(),
  toTurn: z.number(),
  reason: z.string().nullable(),
  withdrawnAt: z.string(),
})

const triedTurn = z.object({
  turnNumber: z.number(),
  text: z.string().describe("the start of the Player's summary, in one line"),
})

/** End of the previous session of the task. Its verifications are shown but do not count. */
const earlierSession = z.object({
  worldSlug: z.string(),
  turns: z.number().describe('how many it has'),
  lastTurn: z.number(),
  lastDecision: turnState.shape.coachDecision,
  ...criterionCounts,
  total: z.number(),
  criteriaLeft: z.array(criterionState.pick({ criterionId: true, text: true })),
  openIssues: z
    .array(
      turnState.shape.issues.element.pick({ category: true, description: true }).extend({ turn: z.number() }),
    )
    .describe('the blocking ones, in the order in which they were opened'),
  verdict: z.enum(VERDICTS),
})

export type EarlierSession = z.output<typeof earlierSession>

/** Turn of another session of the project with its reason: it resolved an issue, or its Player learned something. */
const knownElsewhere = z.object({
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turn: z.number(),
  issues: z.array(z.string()).describe('open issues of this session that went in that turn'),
  summary: z.string().nullable().describe("the Player's, of a turn in which issues went"),
  lessons: z.array(z.string()),
  blockers: z.array(z.string()),
})

export type KnownElsewhere = z.output<typeof knownElsewhere>

const elsewhere = z.object({
  earlierSession: earlierSession.nullable().describe('only for the first turn of a session'),
  known: z
    .array(knownElsewhere)
    .describe(
      'five turns at most of other sessions: that got rid of an open issue of this one, that touched the same files or failed the same gate, that belong to a finished session of the feature',
    ),
})

/** Facts from other sessions. */
export type Elsewhere = z.output<typeof elsewhere>

const section = z.object({ section: z.string(), items: z.number() })

/** Section of the text of a context with its omissions. */
const writtenSection = z.object({
  section: z.enum(SECTION_NAMES),
  text: z
    .string()
    .describe(
      'as it stands in `context`, where an empty line is between two sections; empty: all was left out',
    ),
  tokens: z.number(),
  omitted: z.array(
    z.object({
      part: z.string().describe('what it is: as in the `omitted` of the whole'),
      text: z.string().describe('what is left out; of a text that was cut, its rest'),
      tokens: z.number(),
      reason: z.enum(['token_budget']),
    }),
  ),
})

export type WrittenSection = z.output<typeof writtenSection>

export const continuationContext = z.object({
  status: z.enum(['ok', 'first_turn', 'no_prior_turn']),
  ...knownTask,
  context: z.string().nullable().describe('the text for the prompt; null if nothing is known yet'),
  role: z.enum(ROLES),
  worldSlug: z.string().nullable(),
  currentTurn: z.number(),
  previousTurn: z.number().nullable(),
  gap: z.boolean().describe('true when the previous turn is not current_turn - 1'),
  prior: priorTurn.nullable(),
  lastJudged: lastJudged
    .nullable()
    .describe(
      'the newest judged turn, where the prior one judges nothing (error, deferred, unknown): its issues are among the issues',
    ),
  criteria: z.array(criterionState),
  promisedNotJudged: z
    .array(promisedCriterion)
    .describe('promised, and never named by a judge, whether they count or not'),
  triedBefore: z.array(triedTurn).describe('the turns before the prior one, newest first, at most 5'),
  withdrawn: z
    .array(withdrawnRange)
    .optional()
    .describe('turns after the newest one that rollbacks withdrew; absent if there are none'),
  promises: promisesView.nullable().describe('those that hold for the coming turn'),
  stall: stallView.nullable(),
  issues: z.array(issueView),
  elsewhere: elsewhere
    .optional()
    .describe('facts from other sessions; absent if there are none or if they were not requested'),
  included: z.array(section),
  omitted: z.array(section.extend({ reason: z.string() })).describe('what the budget left no room for'),
  tokens: z.object({ budget: z.number(), used: z.number() }).describe('of `context`, in o200k_base'),
  sections: z.array(writtenSection).optional().describe('only where they were asked for'),
})

export type ContinuationContext = z.output<typeof continuationContext>
