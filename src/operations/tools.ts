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
 * has that field (contract: runs.md).
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
  /** Example calls, which run in the order of the manifest. `$name` refers to that key of an earlier answer. */
  examples: readonly { description: string; arguments: Record<string, unknown> }[]
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
 * Maximum size of a page. An answer contains its content twice, and each quote takes two bytes in the text form: a page of a
 * third of 4 MiB makes an answer of 4 MiB. Clients over stdio accept 10 MiB.
 */
const MAX_PAGE_BYTES = Math.floor((4 * 1024 * 1024) / 3)

/** Removes the project from the input of an operation. */
const withoutProject = ({ input }: { input: z.ZodObject }): z.ZodObject => input.omit({ project: true })

const { runTurn, getTurnRunStatus, cancelTurnRun, getTurnStatus } = operations
/** Status without the lease: the tool has the keys of seed 001, and only the page shows the owner of a lease. */
const turnStatus = getTurnStatus.output.omit({ lease: true })
const turnRunStatus = getTurnRunStatus.output.omit({ lease: true })

const trial = { world_slug: 'trial' }
const run = { ...trial, turn_run_id: '$turn_run_id' }

/** Tools of seed 001. */
export const CONSUMER_TOOLS: readonly Tool[] = [
  {
    name: 'run_turn',
    title: 'Run turns',
    description:
      'Starts one attempt at the next turn of a world or, with turn_count or max_attempts above 1, a durable turn run: one attempt after another until so many turns are committed. Answers at once; poll with the tool that poll_with names.',
    operation: 'runTurn',
    input: withoutProject(runTurn),
    output: runTurn.output,
    annotations: hints('writes'),
    examples: [
      { description: 'One attempt', arguments: trial },
      { description: 'One attempt, said explicitly', arguments: { ...trial, turn_count: 1 } },
      {
        description: 'A run of three committed turns, in at most six attempts',
        arguments: { ...trial, turn_count: 3, max_attempts: 6 },
      },
    ],
  },
  {
    name: 'get_turn_status',
    title: 'Status of an attempt',
    description: 'One attempt: whether it is running, the turn that it produced, or why it failed.',
    operation: 'getTurnStatus',
    input: z.strictObject({ worldSlug, attemptId }),
    output: turnStatus,
    annotations: hints('reads'),
    examples: [{ description: 'The attempt', arguments: { ...trial, attempt_id: '$attempt_id' } }],
  },
  {
    name: 'get_turn_run_status',
    title: 'Status of a turn run',
    description: 'How far a turn run is: counters, the active attempt, progress, and how it ended.',
    operation: 'getTurnRunStatus',
    input: z.strictObject({
      worldSlug,
      turnRunId,
      includeAttempts: z.boolean().default(false),
      attemptLimit: integerBetween(1, 100).default(20).describe('how many recent attempts'),
    }),
    output: turnRunStatus,
    annotations: hints('reads'),
    examples: [
      { description: 'The run', arguments: run },
      {
        description: 'With its newest attempts',
        arguments: { ...run, include_attempts: true, attempt_limit: 5 },
      },
    ],
  },
  {
    name: 'list_attempts',
    title: 'Attempts',
    description: 'The newest 100 attempts of a world, or of one of its turn runs, newest first.',
    operation: 'listAttempts',
    input: z.strictObject({ worldSlug, turnRunId: turnRunId.optional() }),
    output: attemptsOfTool,
    toAnswer: ({ worldSlug, turnRunId = null }, answered) => ({
      worldSlug,
      turnRunId,
      attempts: attemptList.parse(answered).items,
    }),
    fixed: { limit: 100, maxBytes: MAX_PAGE_BYTES },
    annotations: hints('reads'),
    examples: [
      { description: 'Of the world', arguments: trial },
      { description: 'Of the run', arguments: run },
    ],
  },
  {
    name: 'cancel_turn_run',
    title: 'Cancel a turn run',
    description:
      'Ends a turn run: the attempt under way finishes, and none follows it. Again, or on a finished run, it changes nothing.',
    operation: 'cancelTurnRun',
    input: z.strictObject({ worldSlug, turnRunId, reason: cancelTurnRun.input.shape.reason }),
    output: turnRunStatus,
    annotations: hints('ends'),
    examples: [{ description: 'With a reason', arguments: { ...run, reason: 'that is enough' } }],
  },
]

const task1 = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
const task2 = { feature_id: 'FEAT-2', task_id: 'TASK-2' }

const task3 = { feature_id: 'FEAT-3', task_id: 'TASK-3' }
const task4 = { feature_id: 'FEAT-4', task_id: 'TASK-4' }

const memoryTool = (
  toolName: string,
  operation: OperationName,
  title: string,
  examples: Tool['examples'],
  kind: ToolKind = onlyReads(operations[operation].scope) ? 'reads' : 'writes once',
): Tool => ({
  name: toolName,
  title,
  description: `${operations[operation].summary}.`,
  operation,
  input: withoutProject(operations[operation]),
  output: operations[operation].output,
  annotations: hints(kind),
  examples,
})

/** Declares a list whose pages fit in an answer of MCP. */
function listTool(...tool: Parameters<typeof memoryTool>): Tool {
  const made = memoryTool(...tool)
  return { ...made, input: made.input.omit({ maxBytes: true }), fixed: { maxBytes: MAX_PAGE_BYTES } }
}

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
  memoryTool(
    'create_world',
    'createWorld',
    'Create a world',
    [
      {
        description: 'A session whose turns are simulated',
        arguments: { ...task1, ...trial, executor: 'trial' },
      },
    ],
    'writes',
  ),
  {
    ...memoryTool('capture_turn_state', 'captureTurnState', 'Capture a turn', [
      {
        description: 'A turn with one verified criterion and one promise',
        arguments: {
          ...task2,
          turn_number: 1,
          player_summary: 'Answers an unknown project with 404',
          coach_decision: 'feedback',
          acceptance_criteria_status: { 'AC-001': 'verified', 'AC-002': 'rejected' },
          promises: [{ criterion_id: 'AC-002', status: 'complete' }],
        },
      },
    ]),
    prepare: removeProject,
  },
  memoryTool('capture_reports', 'captureReports', 'Capture the reports of a turn', [
    {
      description: "A Player's and a Coach's report",
      arguments: {
        ...task4,
        turn_number: 1,
        player_report: {
          implementation_notes: 'Answers an unknown project with 404',
          completion_promises: [{ criterion_id: 'AC-001', status: 'complete' }],
        },
        coach_report: {
          decision: 'approve',
          criteria_verification: [{ criterion_id: 'AC-001', result: 'verified' }],
        },
      },
    },
  ]),
  memoryTool('get_continuation_context', 'loadTurnContinuationContext', 'Continuation context', [
    { description: 'Before turn 2, for the Coach', arguments: { ...task2, current_turn: 2, role: 'coach' } },
  ]),
  {
    ...memoryTool('load_continuation_context', 'loadTurnContinuationContext', 'Continuation context', [
      {
        description: 'Before turn 2, for the Coach',
        arguments: { ...task2, current_turn: 2, role: 'coach' },
      },
    ]),
    // Programs still call it by this name (contract: runs.md).
    description: 'Earlier name of get_continuation_context, with the same arguments and answer.',
  },
  memoryTool('next_step', 'getNextStep', 'What matters now', [
    { description: 'Of a task', arguments: task2 },
  ]),
  memoryTool('get_criteria', 'listCriteria', 'Criteria', [
    { description: 'What is proven', arguments: task2 },
  ]),
  memoryTool('recover_promises', 'recoverPromises', 'Promises', [
    { description: 'For turn 2', arguments: { ...task2, turn: 2 } },
  ]),
  memoryTool('analyze_stall', 'loadStall', 'Stall analysis', [
    { description: 'Does it get anywhere?', arguments: task2 },
  ]),
  memoryTool('explain_turn', 'explainTurn', 'Why a turn was not approved', [
    { description: 'The newest turn of a task', arguments: task2 },
  ]),
  memoryTool('declare_criteria', 'declareCriteria', 'Declare what must hold', [
    {
      description: 'Two criteria of a task',
      arguments: {
        ...task3,
        criteria: [
          { text: 'An unknown host is retried three times' },
          { text: 'The test suite passes', kind: 'command' },
        ],
      },
    },
  ]),
  memoryTool('get_specification', 'getSpecification', 'What must hold', [
    { description: 'The newest version', arguments: task3 },
  ]),
  listTool('list_issues', 'listIssues', 'Issues', [
    { description: 'What is still open', arguments: { ...task2, state: 'open' } },
  ]),
  memoryTool('search_memory', 'search', 'Search the memory', [
    { description: 'What was said about projects', arguments: { q: 'unknown project', limit: 5 } },
  ]),
  listTool('list_worlds', 'listWorlds', 'Worlds', [
    { description: 'Those that were last active', arguments: { order: 'last_activity', limit: 10 } },
  ]),
  memoryTool('add_verifications', 'addVerifications', 'Add verifications', [
    {
      description: 'A person saw that a criterion of the newest turn holds',
      arguments: {
        ...task2,
        verifications: [
          { criterion_id: 'AC-001', status: 'verified', source: 'person', evidence: 'I opened the page' },
        ],
      },
    },
  ]),
  memoryTool(
    'rollback_world',
    'rollbackWorld',
    'Withdraw turns',
    [
      {
        description: 'All turns above turn 1',
        arguments: { world_slug: 'TASK-2', to_turn: 1, reason: 'wrong branch' },
      },
    ],
    'ends',
  ),
  listTool('list_turns', 'listTurns', 'Turns', [
    { description: 'The turns of a world', arguments: { ...trial, limit: 10 } },
  ]),
  listTool('list_transcript_steps', 'listTranscriptSteps', 'Steps of a transcript turn', [
    {
      description: 'The first turn of a session that was imported (examples/transcripts)',
      arguments: { session_id: '5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01', index: 0 },
    },
  ]),
  memoryTool('list_analyses', 'listAnalyses', 'Named analyses', [
    { description: 'All of them', arguments: {} },
  ]),
  memoryTool('run_analysis', 'runAnalysis', 'Run a named analysis', [
    { description: 'How the tasks went', arguments: { name: 'turns-to-approval', limit: 10 } },
  ]),
  {
    name: 'query_graph',
    title: 'Query the graph',
    description:
      'Runs one reading Cypher statement on the whole graph. Labels, relationship types and properties with their meanings: schema: true instead of a query, or the resource turngraph://schema.',
    operation: 'queryGraph',
    input: queryArguments,
    output: queryAnswer,
    chooseOperation: chooseQueryOrSchema,
    toAnswer: ({ schema }, answered) =>
      schema === true
        ? { columns: [], rows: [], truncated: false, elapsedMs: 0, warnings: [], schema: answered }
        : (answered as object),
    annotations: hints('reads'),
    examples: [
      { description: 'What the graph holds', arguments: { schema: true } },
      {
        description: 'How many turns each world has',
        arguments: {
          query:
            'MATCH (w:World) RETURN w.slug AS world, w.currentTurn AS turns ORDER BY turns DESC, world LIMIT $n',
          params: { n: 5 },
        },
      },
    ],
  },
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
