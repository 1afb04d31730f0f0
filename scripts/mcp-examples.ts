// Declares example calls of the MCP tools for docs/mcp-tools.json. A test runs them in the order of the tools there.

type Example = { description: string; arguments: Record<string, unknown> }

const trial = { world_slug: 'trial' }
const run = { ...trial, turn_run_id: '$turn_run_id' }
const task1 = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
const task2 = { feature_id: 'FEAT-2', task_id: 'TASK-2' }
const task3 = { feature_id: 'FEAT-3', task_id: 'TASK-3' }
const task4 = { feature_id: 'FEAT-4', task_id: 'TASK-4' }

/** Examples by the name of the tool. `$name` refers to that key of an earlier answer. */
export const MCP_EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  create_world: [
    {
      description: 'A session whose turns are simulated',
      arguments: { ...task1, ...trial, executor: 'trial' },
    },
  ],
  capture_turn_state: [
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
  ],
  capture_reports: [
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
  ],
  get_continuation_context: [
    { description: 'Before turn 2, for the Coach', arguments: { ...task2, current_turn: 2, role: 'coach' } },
  ],
  load_continuation_context: [
    { description: 'Before turn 2, for the Coach', arguments: { ...task2, current_turn: 2, role: 'coach' } },
  ],
  next_step: [{ description: 'The next step of a task', arguments: task2 }],
  get_criteria: [{ description: 'The criteria of a task', arguments: task2 }],
  recover_promises: [{ description: 'The promises for turn 2', arguments: { ...task2, turn: 2 } }],
  analyze_stall: [{ description: 'The progress of a task', arguments: task2 }],
  explain_turn: [{ description: 'The newest turn of a task', arguments: task2 }],
  declare_criteria: [
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
  ],
  get_specification: [{ description: 'The newest version', arguments: task3 }],
  list_issues: [{ description: 'The open issues of a task', arguments: { ...task2, state: 'open' } }],
  search_memory: [
    { description: 'Texts about unknown projects', arguments: { q: 'unknown project', limit: 5 } },
  ],
  list_worlds: [
    { description: 'The ten worlds that were last active', arguments: { order: 'last_activity', limit: 10 } },
  ],
  add_verifications: [
    {
      description: 'A person saw that a criterion of the newest turn holds',
      arguments: {
        ...task2,
        verifications: [
          { criterion_id: 'AC-001', status: 'verified', source: 'person', evidence: 'I opened the page' },
        ],
      },
    },
  ],
  rollback_world: [
    {
      description: 'All turns above turn 1',
      arguments: { world_slug: 'TASK-2', to_turn: 1, reason: 'wrong branch' },
    },
  ],
  list_turns: [{ description: 'The turns of a world', arguments: { ...trial, limit: 10 } }],
  list_transcript_steps: [
    {
      description: 'The first turn of a session that was imported (examples/transcripts)',
      arguments: { session_id: '5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01', index: 0 },
    },
  ],
  list_analyses: [{ description: 'All named analyses', arguments: {} }],
  run_analysis: [
    {
      description: 'The number of turns until approval',
      arguments: { name: 'turns-to-approval', limit: 10 },
    },
  ],
  query_graph: [
    { description: 'The schema of the graph', arguments: { schema: true } },
    {
      description: 'The number of turns of each world',
      arguments: {
        query:
          'MATCH (w:World) RETURN w.slug AS world, w.currentTurn AS turns ORDER BY turns DESC, world LIMIT $n',
        params: { n: 5 },
      },
    },
  ],
  run_turn: [
    { description: 'One attempt', arguments: trial },
    { description: 'One attempt, with an explicit count', arguments: { ...trial, turn_count: 1 } },
    {
      description: 'A run of three committed turns, in at most six attempts',
      arguments: { ...trial, turn_count: 3, max_attempts: 6 },
    },
  ],
  get_turn_status: [
    { description: 'The status of an attempt', arguments: { ...trial, attempt_id: '$attempt_id' } },
  ],
  get_turn_run_status: [
    { description: 'The status of a run', arguments: run },
    {
      description: 'The status of a run with its newest attempts',
      arguments: { ...run, include_attempts: true, attempt_limit: 5 },
    },
  ],
  list_attempts: [
    { description: 'The attempts of a world', arguments: trial },
    { description: 'The attempts of a run', arguments: run },
  ],
  cancel_turn_run: [
    { description: 'Cancellation with a reason', arguments: { ...run, reason: 'that is enough' } },
  ],
}
