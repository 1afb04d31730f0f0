import { instant, type Written } from './written-transcript.ts'

/** Trajectories for tests, in the form of ATIF 1.7. */

const step = (id: number, source: string, more: Written = {}): Written => ({
  step_id: id,
  timestamp: instant(id),
  source,
  message: 'canary-atif-message-word',
  ...more,
})

const call = (id: string, name: string): Written => ({
  tool_call_id: id,
  function_name: name,
  arguments: { path: 'canary-atif-arguments-word' },
})

/** A session of two prompts, with parallel calls, a failed command and a subagent. */
export const trajectory = (more: Written = {}): Written => ({
  schema_version: 'ATIF-v1.7',
  session_id: 'run-1',
  trajectory_id: 'trajectory-1',
  agent: { name: 'gemini-cli', version: '0.9.0', model_name: 'gemini-x' },
  notes: 'canary-atif-notes-word',
  steps: [
    step(1, 'system'),
    step(2, 'user'),
    step(3, 'agent', {
      reasoning_content: 'canary-atif-reasoning-word',
      tool_calls: [call('a', 'read_file'), call('b', 'run_shell')],
      observation: {
        results: [
          { source_call_id: 'a', content: 'canary-atif-output-word' },
          { source_call_id: 'b', content: 'Exit code: 2\nOutput:\nthe shell broke' },
        ],
      },
      metrics: { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 60, cost_usd: 0.1 },
    }),
    step(4, 'agent', { model_name: 'gemini-y', metrics: { prompt_tokens: 20, completion_tokens: 3 } }),
    step(5, 'user'),
    step(6, 'agent', {
      tool_calls: [call('c', 'delegate')],
      observation: {
        results: [{ source_call_id: 'c', subagent_trajectory_ref: [{ trajectory_id: 'child' }] }],
      },
    }),
  ],
  subagent_trajectories: [
    {
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'child',
      agent: { name: 'gemini-cli', version: '0.9.0' },
      steps: [step(1, 'user'), step(2, 'agent', { tool_calls: [call('d', 'search')] })],
    },
  ],
  ...more,
})

/** Writes a trajectory with a canary in each field that can hold text of an agent. Only the output of a failed command may be stored. */
export function talkativeTrajectory(canary: (place: string) => string): Buffer {
  const told = (id: number, source: string, more: Written = {}): Written => ({
    ...step(id, source, more),
    message: canary(`atif-${source}`),
    extra: { note: canary('atif-extra') },
  })
  const failures: unknown[] = [
    `exec command rejected by user: ${canary('atif-rejection')}`,
    `aborted by user after 1s ${canary('atif-abort')}`,
    `The user doesn't want to proceed with this tool use. ${canary('atif-denial')}`,
    `Exit code: 1\nOutput:\nThe user said: ${canary('atif-said')}`,
    `Exit code: 130\nOutput:\n[Request interrupted by user for tool use]\n${canary('atif-interrupted')}`,
    `failed to parse function arguments: ${canary('atif-parse')}`,
    [
      { type: 'text', text: canary('atif-part') },
      { type: 'image', source: { path: canary('atif-image') } },
    ],
    { success: false, content: canary('atif-content') },
    'Exit code: 1\nOutput:\nthe trajectory broke',
  ]
  const document = trajectory({
    notes: canary('atif-notes'),
    final_metrics: { extra: { note: canary('atif-metrics') } },
    extra: { note: canary('atif-document') },
    steps: [
      told(1, 'system'),
      told(2, 'user'),
      told(3, 'agent', {
        reasoning_content: canary('atif-reasoning'),
        tool_calls: failures.map((_, i) => ({
          tool_call_id: `x${i}`,
          function_name: 'shell',
          arguments: { command: canary('atif-arguments') },
        })),
        observation: {
          results: failures.map((content, i) => ({ source_call_id: `x${i}`, content })),
        },
      }),
      told(4, 'agent', { observation: { results: [{ content: canary('atif-no-call') }] } }),
      told(5, 'later-source'),
    ],
    subagent_trajectories: [
      {
        schema_version: 'ATIF-v1.7',
        trajectory_id: 'child',
        agent: { name: 'gemini-cli', version: '0.9.0', extra: { note: canary('atif-agent') } },
        notes: canary('atif-child-notes'),
        steps: [told(1, 'user'), told(2, 'agent')],
      },
    ],
  })
  return Buffer.from(
    `${JSON.stringify(document)}\n{"schema_version":"ATIF-v1.7","notes":"${canary('atif-torn')}`,
  )
}
