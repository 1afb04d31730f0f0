// Declares the operations on the memory of turns: capture, context, criteria, worlds and the records themselves.
import * as z from 'zod'
import { readTurnReports, turnReports } from '../artifacts/turn-reports.ts'
import { parseCursor, toCursor } from '../core/cursor.ts'
import { invalidField } from '../core/errors.ts'
import { IDEMPOTENCY_KEY, LIMITS, name, project, text, wholeNumber } from '../core/fields.ts'
import { worldKey } from '../core/keys.ts'
import { entryPosition, LARGE_RECORDS, page, pageFields, readPage } from '../core/pages.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { listProjects } from '../maintenance/whole-graph.ts'
import { rollbackAnswer, rollbackRequest, rollbackWorld } from '../memory/capture/rollback.ts'
import { loadTurnContinuationContext } from '../memory/context/context.ts'
import { contextRequest, continuationContext } from '../memory/context/continuation.ts'
import { loadNextStep, nextStep, nextStepRequest } from '../memory/context/next-step.ts'
import { explainTurn, whyView } from '../memory/context/why.ts'
import { criteriaView, criterionHistory, listCriteria, listedEntry } from '../memory/criteria/criteria.ts'
import { recoverPromises } from '../memory/criteria/promises.ts'
import { loadStall } from '../memory/criteria/stall-analysis.ts'
import { criterionState, promisesView, ROLES, stallView } from '../memory/criteria/views.ts'
import { changesDigest, gitId } from '../memory/record/observation.ts'
import { captureRequest, turnState } from '../memory/record/record.ts'
import { requireNames } from '../memory/scope/missing-name.ts'
import { knownTask } from '../memory/scope/scope.ts'
import { declareCriteria } from '../memory/specification/declare.ts'
import { criteriaByTurn, listCriteriaByTurn } from '../memory/worlds/criteria-by-turn.ts'
import {
  addTokensToWorlds,
  listedWorld,
  listWorlds,
  tokenCounts,
  WORLD_ORDERS,
  worldPositions,
} from '../memory/worlds/list-worlds.ts'
import { historicTurn, listTurns, readTurn, turnHistory } from '../memory/worlds/read-turns.ts'
import { readOfTask, resolveTarget } from '../memory/worlds/resolve-target.ts'
import { runSettingsRequest } from '../memory/worlds/run-settings.ts'
import { readWorldTokens } from '../memory/worlds/turn-tokens.ts'
import { getWorldProgress, type WorldProgress, worldProgress } from '../memory/worlds/world-progress.ts'
import {
  createWorld,
  createWorldRequest,
  deleteWorld,
  refuseOtherWorld,
  setWorld,
  world,
} from '../memory/worlds/worlds.ts'
import { POLICIES } from '../rules/criterion-states.ts'
import { logRecovery } from '../rules/notes.ts'
import { compareTrees, SEEN_ON } from '../rules/seen-on-tree.ts'
import { captureFor } from './capture-for-caller.ts'
import { asOf, flag, operation, ROLE_SCOPES, target, turnNumber, worldSlug } from './operation.ts'

export const captureAnswer = turnState.extend({
  created: z.boolean().describe('false: the same record stood there already'),
  superseded: z.boolean().describe('true: it took the place of another record'),
  worldCreated: z.boolean().describe('true: this capture made its world'),
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      "of a world that was made: the task exists in another feature too; of a field that is recorded differently, such as a Coach's decision in player_decision; of a label: letters of another alphabet look like it",
    ),
  redactions: z.number().describe('how many secrets were masked in what was sent'),
})

const seenCriterion = criterionState.extend({
  seen: z
    .enum(SEEN_ON)
    .optional()
    .describe('only with `tree`: observed on this tree, on an earlier one, or never'),
})

const hasWorld = ({ worldSlug }: { worldSlug: string | null }): boolean => worldSlug !== null

export const memoryOperations = {
  captureTurnState: operation({
    summary: 'Store a turn with its verifications, promises, issues and gates',
    scope: 'write',
    roles: ['play', 'judge'],
    input: captureRequest,
    output: captureAnswer,
    run: async (graph, input, { caller }) => {
      const { turn, warnings, ...answer } = await captureFor(caller, graph, input)
      return { ...turn, ...answer, ...(warnings.length > 0 && { warnings }) }
    },
  }),
  captureReports: operation({
    summary: "Store a turn from its Player's and Coach's reports as they were written",
    scope: 'write',
    roles: ['play', 'judge'],
    input: turnReports,
    output: captureAnswer.extend({
      warnings: z
        .array(z.string())
        .describe('of each field that does not fit, with what fits; and those of a capture'),
    }),
    run: async (graph, input, { caller }) => {
      const { request, warnings } = await readTurnReports(input)
      const { turn, ...answer } = await captureFor(caller, graph, { ...request, project: input.project })
      return { ...turn, ...answer, warnings: [...warnings, ...answer.warnings] }
    },
  }),
  loadTurnContinuationContext: operation({
    summary: 'What the next turn needs to know: the prior turn and all that was verified so far',
    scope: 'read',
    roles: ['play', 'judge'],
    readsAsPlayer: true,
    input: contextRequest,
    output: continuationContext,
    run: async (graph, input, { log }) => {
      const context = await readOfTask(
        graph,
        input,
        (request) => loadTurnContinuationContext(graph, request),
        hasWorld,
      )
      logRecovery(log, context)
      return context
    },
  }),
  getNextStep: operation({
    summary: 'What matters now in a session: what is proven, left and blocking, in at most 300 tokens',
    scope: 'read',
    roles: ['play', 'judge'],
    readsAsPlayer: true,
    input: nextStepRequest,
    output: nextStep,
    run: (graph, input) => readOfTask(graph, input, (request) => loadNextStep(graph, request), hasWorld),
  }),
  listCriteria: operation({
    summary: 'What is proven: the criteria that count, where each stands, and for the Coach why',
    scope: 'read',
    roles: ROLE_SCOPES,
    readsAsPlayer: true,
    input: z.strictObject({
      ...target,
      turn: asOf,
      policy: z.enum(POLICIES).nullish().describe('default: sticky; observed with `tree`'),
      role: z.enum(ROLES).default('coach'),
      tree: gitId.nullish().describe('git tree with which each criterion is compared'),
      dirty: changesDigest.nullish().describe('with `tree`: SHA-256 of the uncommitted changes; null: none'),
    }),
    output: criteriaView.extend({ ...knownTask, criteria: z.array(seenCriterion) }),
    run: async (graph, { tree = null, dirty = null, policy: requestedPolicy, ...input }) => {
      const policy = requestedPolicy ?? (tree === null ? 'sticky' : 'observed')
      if (tree === null && dirty !== null) throw invalidField('dirty', 'needs `tree`')
      if (tree !== null && policy !== 'observed') throw invalidField('policy', 'must be observed with `tree`')
      const asked = { ...input, policy }
      const view = await readOfTask(graph, asked, (request) => listCriteria(graph, request), hasWorld)
      if (tree === null) return view
      const criteria = view.criteria.map((criterion) => ({
        ...criterion,
        seen: compareTrees(criterion.observedOn, { tree, dirty }),
      }))
      return { ...view, criteria }
    },
  }),
  listCriteriaByTurn: operation({
    summary: 'What each turn of a world said of its criteria: the matrix of criteria over turns',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({ project, worldSlug }),
    output: criteriaByTurn,
    run: (graph, input) => listCriteriaByTurn(graph, input.project, input.worldSlug),
  }),
  getCriterionHistory: operation({
    summary: 'All that was ever said of a criterion in a world, oldest first',
    scope: 'read',
    roles: ['judge'],
    largeRecords: true,
    input: z.strictObject({
      project,
      key: z.string().max(4096).describe("a criterion's key"),
      worldSlug: name.nullish().describe('default: the newest world of the task'),
      observed: flag.describe('true: only verdicts with an observation, each with it'),
      ...pageFields,
    }),
    output: page(listedEntry),
    run: async (graph, { limit, cursor, maxBytes, ...input }) => {
      const { items, nextCursor } = await readPage(
        { limit, cursor, maxBytes },
        entryPosition,
        (after, limit) => criterionHistory(graph, input, { after, limit }),
        ({ turn, position }) => ({ turn, position }),
        LARGE_RECORDS,
      )
      return { items: items.map(({ position, ...entry }) => entry), nextCursor }
    },
  }),
  recoverPromises: operation({
    summary: 'What the Player promised: in this turn, else in the newest earlier one that has promises',
    scope: 'read',
    roles: ['play', 'judge'],
    input: z.strictObject({ ...target, turn: wholeNumber(1, LIMITS.turnNumber) }),
    output: promisesView.extend(knownTask),
    run: async (graph, input, { log }) => {
      const promises = await readOfTask(
        graph,
        input,
        (request) => recoverPromises(graph, request),
        ({ source }) => source !== 'none' || input.worldSlug != null,
      )
      logRecovery(log, { promises })
      return promises
    },
  }),
  loadStall: operation({
    summary: 'Whether a session still gets anywhere, and what to look at if not',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({ ...target, turn: asOf, policy: z.enum(POLICIES).default('sticky') }),
    output: stallView.extend(knownTask),
    run: (graph, input) =>
      readOfTask(
        graph,
        input,
        (request) => loadStall(graph, request),
        ({ window, criteriaLeft }) => input.worldSlug != null || window > 0 || criteriaLeft.length > 0,
      ),
  }),
  explainTurn: operation({
    summary: 'What was tried in a turn, and why it was not approved',
    scope: 'read',
    roles: ['play', 'judge'],
    readsAsPlayer: true,
    input: z.strictObject({
      ...target,
      turn: turnNumber.nullish().describe('default: the newest'),
      role: z.enum(ROLES).default('coach').describe('a player sees no evidence, no gate and no details'),
    }),
    output: whyView,
    run: async (graph, input) => explainTurn(graph, await resolveTarget(graph, input)),
  }),
  listProjects: operation({
    summary: 'The projects of the graph that the caller may read, by name',
    scope: 'read',
    roles: ROLE_SCOPES,
    input: z.strictObject({ ...pageFields }),
    output: page(z.object({ project: z.string() })),
    run: (graph, window, { onlyProject = null }) =>
      readPage(
        window,
        z.string(),
        async (after) => {
          const names = await listProjects(graph, after)
          return names
            .filter((name) => name !== after && (onlyProject ?? name) === name)
            .map((name) => ({ project: name }))
        },
        (last) => last.project,
      ),
  }),
  createWorld: operation({
    summary: 'Create a world: one autobuild session of a task',
    scope: 'write',
    input: createWorldRequest.extend({
      idempotencyKey: z
        .string()
        .regex(IDEMPOTENCY_KEY, 'must have 1 to 256 visible ASCII characters, for example a UUID')
        .nullish()
        .describe(
          'a repeat with the same key answers the world of the first call; REST takes the header Idempotency-Key too',
        ),
    }),
    output: world.extend({ created: z.boolean() }),
    run: async (graph, { criteria, idempotencyKey, ...input }, { idempotencyKey: header, runs }) => {
      if (input.executor != null) runs.executors.find(input.executor)
      if (criteria != null) {
        await refuseOtherWorld(graph, input)
        await declareCriteria(graph, { ...input, criteria })
      }
      const made = await createWorld(graph, input, { requestId: idempotencyKey ?? header ?? null })
      return { ...made.world, created: made.created }
    },
  }),
  listWorlds: operation({
    summary:
      'The worlds (sessions) of a project, a feature or a task: how far each has come, how its turns ended, who holds it',
    scope: 'read',
    roles: ROLE_SCOPES,
    input: z.strictObject({
      project,
      featureId: name.nullish(),
      taskId: name.nullish(),
      search: text
        .nullish()
        .describe('a part of the name of its feature, its task or its world, ignoring case'),
      running: flag.describe('only those with an active run or attempt'),
      notApproved: flag.describe('only those whose newest turn is not approved'),
      stalledOrOscillating: flag.describe('only those that stall analysis calls so'),
      order: z
        .enum(WORLD_ORDERS)
        .default('world_slug')
        .describe('`world_slug`, ascending, or `last_activity`, newest first; default: world_slug'),
      withoutTokens: flag.describe('omits the token counts of the sessions, so that no transcript is read'),
      ...pageFields,
    }),
    output: page(listedWorld).describe(
      'a page may have fewer worlds than its limit where `stalled_or_oscillating` is asked for: next_cursor goes on',
    ),
    run: async (store, { limit, cursor, maxBytes, order, withoutTokens, ...filter }) => {
      const graph = withOneDeadline(store)
      const position = worldPositions[order]
      const toPosition = ({ worldSlug, lastActivity }: Pick<WorldProgress, 'worldSlug' | 'lastActivity'>) =>
        order === 'world_slug' ? { worldSlug } : { worldSlug, lastActivity }
      const { worlds: listed, next } = await listWorlds(graph, filter, {
        order,
        after: parseCursor(position, cursor),
        limit,
      })
      const worlds = withoutTokens
        ? listed.map((each) => ({ ...each, tokens: null }))
        : await addTokensToWorlds(graph, listed)
      if (worlds.length === 0 && cursor == null) await requireNames(graph, filter)
      const window = { limit: Math.max(worlds.length, 1), cursor, maxBytes }
      const { items, nextCursor } = await readPage(window, position, async () => worlds, toPosition)
      return { items, nextCursor: nextCursor ?? (next === null ? null : toCursor(toPosition(next))) }
    },
  }),
  getWorld: operation({
    summary: 'One world, with how far it has come',
    scope: 'read',
    roles: ROLE_SCOPES,
    input: z.strictObject({
      project,
      worldSlug,
      tokens: flag.describe('adds the token counts of the session and of each turn'),
    }),
    output: worldProgress.extend({
      tokens: tokenCounts
        .nullable()
        .optional()
        .describe('only with `tokens`: the sum of its turns, as in the list; null if none are known'),
      turnTokens: z
        .array(tokenCounts.extend({ turn: z.number() }))
        .optional()
        .describe(
          'only with `tokens`, and not for a Player: the tokens of each turn whose tokens are known, ascending',
        ),
    }),
    run: async (store, { project, worldSlug, tokens }) => {
      const graph = withOneDeadline(store)
      const progress = await getWorldProgress(graph, project, worldSlug)
      return tokens
        ? { ...progress, ...(await readWorldTokens(graph, worldKey(project, worldSlug))) }
        : progress
    },
  }),
  setWorld: operation({
    summary: 'Change when the runs of a world stop, pause and resume; null takes a value away',
    scope: 'write',
    input: z.strictObject({ project, worldSlug, ...runSettingsRequest }),
    output: world,
    run: (graph, { project, worldSlug, ...settings }) => setWorld(graph, project, worldSlug, settings),
  }),
  deleteWorld: operation({
    summary: 'Mark a world deleted; its slug stays taken',
    scope: 'write',
    input: z.strictObject({ project, worldSlug }),
    output: world,
    run: (graph, input) => deleteWorld(graph, input.project, input.worldSlug),
  }),
  rollbackWorld: operation({
    summary: 'Withdraw the newest turns of a world: they leave every view but the history of their numbers',
    scope: 'write',
    input: rollbackRequest,
    output: rollbackAnswer,
    run: (graph, input) => rollbackWorld(graph, input),
  }),
  listTurns: operation({
    summary: 'The turns of a world, ascending, as full records',
    scope: 'read',
    roles: ['judge'],
    largeRecords: true,
    input: z.strictObject({ project, worldSlug, ...pageFields }),
    output: page(turnState),
    run: (graph, { project, worldSlug, ...window }) =>
      readPage(
        window,
        z.int(),
        (after, limit) => listTurns(graph, project, worldSlug, { after: after ?? 0, limit }),
        (last) => last.turnNumber,
        LARGE_RECORDS,
      ),
  }),
  getTurn: operation({
    summary: 'One turn, as it was stored',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({ project, worldSlug, turnNumber }),
    output: turnState,
    run: (graph, input) => readTurn(graph, input.project, input.worldSlug, input.turnNumber),
  }),
  getTurnHistory: operation({
    summary: 'The records that once stood at a turn, newest first',
    scope: 'read',
    roles: ['judge'],
    largeRecords: true,
    input: z.strictObject({ project, worldSlug, turnNumber, ...pageFields }),
    output: page(historicTurn),
    run: async (graph, { project, worldSlug, turnNumber, ...window }) => {
      const { items, nextCursor } = await readPage(
        window,
        z.int(),
        (at, limit) => {
          const before = at ?? Number.MAX_SAFE_INTEGER
          return turnHistory(graph, project, worldSlug, turnNumber, { before, limit })
        },
        (last) => last.revision,
        LARGE_RECORDS,
      )
      return { items: items.map(({ revision, ...turn }) => turn), nextCursor }
    },
  }),
} as const
