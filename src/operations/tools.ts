// Declares the MCP tools with their inputs, answers and operations.
import * as z from 'zod'
import { invalidField } from '../core/errors.ts'
import { integerBetween, name } from '../core/fields.ts'
import { parseWire } from '../core/wire-form.ts'
import { removeProject } from '../memory/record/derived-keys.ts'
import { recordId } from '../runs/record.ts'
import { attemptList, attemptsOfTool } from '../runs/views.ts'
import { onlyReads } from './operation.ts'
import { type OperationName, operations } from './table.ts'

/**
 * Tool of the MCP server. The five tools of seed 001 have exactly its keys. The connection determines the project, so no tool
 * has that field (contract: runs.md). `scripts/mcp-examples.ts` has examples of calls.
 */
export type Tool = {
  name: string
  title: string
  description: string
  operation: OperationName
  /** Input schema in camelCase, like the input of the operation; the wire form derives from it. Rejects unknown keys. */
  input: z.ZodObject
  output: z.ZodType
  /** Chooses the operation and its input by the arguments; default: the operation of the tool with the arguments. */
  chooseOperation?: (given: Record<string, unknown>) => {
    operation: OperationName
    input: Record<string, unknown>
  }
  /** Builds the answer of the tool if its keys differ from the answer of the operation. */
  toAnswer?: (given: Record<string, unknown>, answered: unknown) => object
  /** Fixed input fields of the operation that the tool does not have. */
  fixed?: Record<string, unknown>
  /** Removes fields before parsing that a caller may send although no model is asked for them. */
  prepare?: (given: object) => object
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: false
  }
}

type ToolKind = 'reads' | 'writes' | 'writes once' | 'ends'

const hints = (kind: ToolKind): Tool['annotations'] => ({
  readOnlyHint: kind === 'reads',
  destructiveHint: kind === 'ends',
  idempotentHint: kind !== 'writes',
  openWorldHint: false,
})

const worldSlug = name.describe('the world: one autobuild session of a task')
const turnRunId = recordId
const attemptId = recordId

/**
 * Maximum size of a page. An answer contains it twice, with two bytes per quote in the text, so it has at most 4 MiB. Clients over
 * stdio accept 10 MiB.
 */
const MAX_PAGE_BYTES = Math.floor((4 * 1024 * 1024) / 3)

type Own = Partial<Omit<Tool, 'name' | 'title' | 'operation' | 'annotations'>> & { kind?: ToolKind }

const withoutProject = ({ input }: { input: z.ZodObject }): z.ZodObject => input.omit({ project: true })

/** @param own values that replace the summary, the input and the answer of the operation */
function toolOf(
  name: string,
  operation: OperationName,
  title: string,
  { kind = onlyReads(operations[operation].scope) ? 'reads' : 'writes once', ...own }: Own = {},
): Tool {
  const { summary, output } = operations[operation]
  return {
    name,
    title,
    description: `${summary}.`,
    operation,
    input: own.input ?? withoutProject(operations[operation]),
    output,
    annotations: hints(kind),
    ...own,
  }
}

/** Declares a list whose pages fit in an answer of MCP. */
function listTool(...tool: Parameters<typeof toolOf>): Tool {
  const made = toolOf(...tool)
  return { ...made, input: made.input.omit({ maxBytes: true }), fixed: { maxBytes: MAX_PAGE_BYTES } }
}

const { getTurnRunStatus, cancelTurnRun, getTurnStatus } = operations
/** Status without the lease: the tool has the keys of seed 001, and only the page shows the owner of a lease. */
const turnRunStatus = getTurnRunStatus.output.omit({ lease: true })

/** Tools of seed 001. */
export const CONSUMER_TOOLS: readonly Tool[] = [
  toolOf('run_turn', 'runTurn', 'Run turns', {
    kind: 'writes',
    description:
      'Starts one attempt at the next turn of a world or, with turn_count or max_attempts above 1, a durable turn run: one attempt after another until so many turns are committed. Answers at once; poll with the tool that poll_with names.',
  }),
  toolOf('get_turn_status', 'getTurnStatus', 'Status of an attempt', {
    description: 'One attempt: whether it is running, the turn that it produced, or why it failed.',
    input: z.strictObject({ worldSlug, attemptId }),
    output: getTurnStatus.output.omit({ lease: true }),
  }),
  toolOf('get_turn_run_status', 'getTurnRunStatus', 'Status of a turn run', {
    description: 'How far a turn run is: counters, the active attempt, progress, and how it ended.',
    input: z.strictObject({
      worldSlug,
      turnRunId,
      includeAttempts: z.boolean().default(false),
      attemptLimit: integerBetween(1, 100).default(20).describe('how many recent attempts'),
    }),
    output: turnRunStatus,
  }),
  toolOf('list_attempts', 'listAttempts', 'Attempts', {
    description: 'The newest 100 attempts of a world, or of one of its turn runs, newest first.',
    input: z.strictObject({ worldSlug, turnRunId: turnRunId.optional() }),
    output: attemptsOfTool,
    toAnswer: ({ worldSlug, turnRunId = null }, answered) => ({
      worldSlug,
      turnRunId,
      attempts: attemptList.parse(answered).items,
    }),
    fixed: { limit: 100, maxBytes: MAX_PAGE_BYTES },
  }),
  toolOf('cancel_turn_run', 'cancelTurnRun', 'Cancel a turn run', {
    kind: 'ends',
    description:
      'Ends a turn run: the attempt under way finishes, and none follows it. Again, or on a finished run, it changes nothing.',
    input: z.strictObject({ worldSlug, turnRunId, reason: cancelTurnRun.input.shape.reason }),
    output: turnRunStatus,
  }),
]

const queryArguments = operations.queryGraph.input.extend({
  query: operations.queryGraph.input.shape.query.optional(),
  schema: z
    .boolean()
    .default(false)
    .describe('true, without a query: answers the schema of the graph instead of rows'),
})

/** Chooses the operation of `query_graph`. @throws `invalid_request` unless exactly one of query and schema is given */
function chooseQueryOrSchema({ schema, ...input }: Record<string, unknown>) {
  if ((input.query === undefined) !== schema)
    throw invalidField('query', 'is needed, or schema: true without it', {
      hint: 'Give a statement in query, or schema: true to learn what the graph holds.',
    })
  return schema === true
    ? { operation: 'describeGraph' as const, input: {} }
    : { operation: 'queryGraph' as const, input }
}

const queryAnswer = operations.queryGraph.output.extend({
  schema: operations.describeGraph.output.optional().describe('only if it was asked for'),
})

/** Tools of the memory: the loop reads before a turn and writes after it, and analysts query. */
export const MEMORY_TOOLS: readonly Tool[] = [
  toolOf('create_world', 'createWorld', 'Create a world', { kind: 'writes' }),
  toolOf('capture_turn_state', 'captureTurnState', 'Capture a turn', { prepare: removeProject }),
  toolOf('capture_reports', 'captureReports', 'Capture the reports of a turn'),
  toolOf('get_continuation_context', 'loadTurnContinuationContext', 'Continuation context'),
  // Programs still call it by this name (contract: runs.md).
  toolOf('load_continuation_context', 'loadTurnContinuationContext', 'Continuation context', {
    description: 'Earlier name of get_continuation_context, with the same arguments and answer.',
  }),
  toolOf('next_step', 'getNextStep', 'What matters now'),
  toolOf('get_criteria', 'listCriteria', 'Criteria'),
  toolOf('recover_promises', 'recoverPromises', 'Promises'),
  toolOf('analyze_stall', 'loadStall', 'Stall analysis'),
  toolOf('explain_turn', 'explainTurn', 'Why a turn was not approved'),
  toolOf('declare_criteria', 'declareCriteria', 'Declare what must hold'),
  toolOf('get_specification', 'getSpecification', 'What must hold'),
  listTool('list_issues', 'listIssues', 'Issues'),
  toolOf('search_memory', 'search', 'Search the memory'),
  listTool('list_worlds', 'listWorlds', 'Worlds'),
  toolOf('add_verifications', 'addVerifications', 'Add verifications'),
  toolOf('rollback_world', 'rollbackWorld', 'Withdraw turns', { kind: 'ends' }),
  listTool('list_turns', 'listTurns', 'Turns'),
  listTool('list_transcript_steps', 'listTranscriptSteps', 'Steps of a transcript turn'),
  toolOf('list_analyses', 'listAnalyses', 'Named analyses'),
  toolOf('run_analysis', 'runAnalysis', 'Run a named analysis'),
  toolOf('query_graph', 'queryGraph', 'Query the graph', {
    description:
      'Runs one reading Cypher statement on the whole graph. Labels, relationship types and properties with their meanings: schema: true instead of a query, or the resource turngraph://schema.',
    input: queryArguments,
    output: queryAnswer,
    chooseOperation: chooseQueryOrSchema,
    toAnswer: ({ schema }, answered) =>
      schema === true
        ? { columns: [], rows: [], truncated: false, elapsedMs: 0, warnings: [], schema: answered }
        : (answered as object),
  }),
]

export const ALL_TOOLS: readonly Tool[] = [...MEMORY_TOOLS, ...CONSUMER_TOOLS]

/** Names of the tools that are listed by default. The list is short: each listed tool takes room in the context of a model. */
export const DEFAULT_TOOLS: readonly string[] = [
  'next_step',
  'get_continuation_context',
  'capture_turn_state',
  'get_criteria',
  'recover_promises',
  'add_verifications',
  'run_turn',
  'get_turn_run_status',
]

/** Name of a list of tools. A connection may also call a tool that its list does not have. */
export type ToolList = 'default' | 'all'

/** Parses the arguments of a tool as input of its operation. @throws `invalid_request` that names every invalid key */
export function parseArguments(
  { name, input, fixed, prepare }: Tool,
  given: unknown,
): Record<string, unknown> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  const prepared = isObject && prepare !== undefined ? prepare(given) : given
  return { ...(parseWire(input, prepared, name) as object), ...fixed }
}
