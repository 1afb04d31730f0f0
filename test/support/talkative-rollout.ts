import { context, event, item, message, meta, output, placed, rolloutId, tokens } from './written-rollout.ts'
import { linesOf, type Written } from './written-transcript.ts'

/** A session of Codex with words in all places where Codex writes text. Only the output of a failed command may be stored. */
export function talkativeRollout(canary: (place: string) => string): Buffer {
  const call = (id: string, name: string): Written[] => [
    item('function_call', { name, call_id: id, arguments: JSON.stringify({ cmd: canary('arguments') }) }),
  ]
  const failedCalls = [
    `apply_patch verification failed: ${canary('patch-failure')}`,
    `exec command rejected by user: ${canary('codex-rejection')}`,
    `aborted by user after 1s ${canary('codex-abort')}`,
    `failed to parse function arguments: ${canary('codex-parse')}`,
    { content: canary('codex-content'), success: false },
    [
      { type: 'input_text', text: canary('codex-list') },
      { type: 'input_image', image_url: canary('codex-image') },
    ],
    JSON.stringify({ output: `The user said: ${canary('codex-said')}`, metadata: { exit_code: 1 } }),
    JSON.stringify({ output: canary('codex-well'), metadata: { exit_code: 0 } }),
    `Chunk ID: ${canary('codex-chunk')}\nProcess exited with code 0\nOutput:\n${canary('codex-output')}`,
    `Command: ${canary('codex-command')}\nExit code: 1\nOutput:\nthe command broke`,
  ]
  const lines = [
    meta(rolloutId(7), {
      instructions: canary('codex-instructions'),
      base_instructions: { text: canary('codex-base') },
      git: { branch: canary('codex-branch') },
    }),
    message('developer', canary('codex-developer')),
    message('user', `<environment_context>${canary('codex-environment')}</environment_context>`),
    message('user', `# AGENTS.md instructions for /x\n\n${canary('codex-agents')}`),
    context(rolloutId(8), { user_instructions: canary('codex-user-instructions') }),
    message('user', canary('codex-prompt')),
    event('user_message', {
      message: canary('codex-prompt-event'),
      text_elements: [canary('codex-element')],
    }),
    item('reasoning', {
      summary: [{ type: 'summary_text', text: canary('codex-summary') }],
      content: [{ type: 'reasoning_text', text: canary('codex-reasoning') }],
      encrypted_content: canary('codex-encrypted'),
    }),
    event('agent_reasoning', { text: canary('codex-reasoning-event') }),
    message('assistant', canary('codex-answer')),
    event('agent_message', { message: canary('codex-answer-event') }),
    ...failedCalls.flatMap((given, i) => [...call(`x${i}`, 'shell'), output(`x${i}`, given)]),
    ...call('asks', 'request_user_input'),
    output('asks', `Exit code: 1\nOutput:\n${canary('codex-answer-of-a-person')}`),
    item('custom_tool_call', { name: 'apply_patch', call_id: 'p1', input: canary('codex-patch') }),
    event('patch_apply_end', {
      call_id: 'p1',
      success: false,
      stdout: canary('codex-stdout'),
      stderr: canary('codex-stderr'),
      changes: { [canary('codex-file')]: {} },
    }),
    item('local_shell_call', { call_id: 'l1', action: { type: 'exec', command: [canary('codex-exec')] } }),
    event('exec_command_end', {
      call_id: 'l1',
      exit_code: 0,
      stdout: canary('codex-exec-stdout'),
      aggregated_output: canary('codex-aggregated'),
    }),
    item('web_search_call', { status: 'completed', action: { query: canary('codex-query') } }),
    event('web_search_end', { call_id: 'w', query: canary('codex-query-event') }),
    ...call('m1', 'mcp__x__y'),
    event('mcp_tool_call_end', {
      call_id: 'm1',
      invocation: { arguments: { a: canary('codex-mcp-input') } },
      result: { Err: canary('codex-mcp-error') },
    }),
    tokens([10, 5, 1], [10, 5, 1]),
    event('task_complete', { turn_id: 't', last_agent_message: canary('codex-last') }),
    event('turn_aborted', { reason: canary('codex-reason') }),
    {
      type: 'compacted',
      payload: { message: canary('compacted'), replacement_history: [canary('history')] },
    },
    { type: 'later_type', payload: { text: canary('codex-unknown') } },
    item('later_item', { text: canary('codex-unknown-item') }),
    event('later_event', { text: canary('codex-unknown-event') }),
    { type: 'message', role: 'user', content: canary('codex-bare-prompt') },
    ...call('open', 'shell'),
  ]
  return Buffer.concat([
    linesOf(placed(lines)),
    Buffer.from(`{"timestamp":"x","type":"response_item","payload":{"text":"${canary('codex-torn')}\n`),
    Buffer.from(`{"type":"response_item","payload":{"text":"${canary('codex-pending')}`),
  ])
}
