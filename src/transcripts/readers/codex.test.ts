import { describe, expect, test } from 'vitest'
import {
  context,
  event,
  exited,
  item,
  message,
  meta,
  output,
  placed,
  prompt,
  rolloutId,
  shell,
  tokens,
} from '../../../test/support/written-rollout.ts'
import { instant, linesOf, read, type Written } from '../../../test/support/written-transcript.ts'
import { sumUsage } from '../usage.ts'

const S1 = rolloutId(1)
const T1 = rolloutId(11)
const T2 = rolloutId(12)
const NAME = { sessionId: S1, agentId: null }

const started = (turnId: string): Written =>
  event('task_started', { turn_id: turnId, started_at: 1, model_context_window: 258_400 })
const ended = (turnId: string, more: Written = {}): Written =>
  event('task_complete', { turn_id: turnId, last_agent_message: 'Done', ...more })

const turnsOf = (lines: readonly Written[], cuts: readonly number[] = []) => {
  const reading = read(linesOf(placed(lines)), { name: NAME, cuts })
  return reading.sessions[S1] ?? []
}
const shapes = (lines: readonly Written[]) =>
  turnsOf(lines).map(({ id, kind, status, pattern }) => [id, kind, status, pattern])
const stepsOf = (lines: readonly Written[]) => turnsOf(lines).flatMap(({ steps }) => steps)

/** The outcome of one call with an output. */
const outcomeOf = (given: unknown, name = 'exec_command') => {
  const [step] = stepsOf([meta(S1), ...prompt('Go'), shell('c1', name), output('c1', given)])
  return [step?.[2], step?.[4]]
}

describe('turns of Codex', () => {
  test('a turn begins with a prompt, whose item and event are one, and not with a turn context', () => {
    const lines = [
      meta(S1),
      message('developer', 'You are an agent'),
      message('user', '<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>'),
      message('user', '# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>'),
      started(T1),
      context(T1),
      ...prompt('Fix the test'),
      context(T1),
      shell('c1'),
      output('c1', exited(0)),
      context(T1),
      message('assistant', 'It is fixed'),
      ended(T1, { duration_ms: 1234 }),
      started(T2),
      ...prompt('Now <b>more</b>').reverse(),
      context(T2),
      item('custom_tool_call', { status: 'completed', call_id: 'c2', name: 'apply_patch', input: 'x' }),
      item('custom_tool_call_output', {
        call_id: 'c2',
        output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nok',
      }),
    ]
    expect(shapes(lines)).toEqual([
      [T1, 'human', 'complete', 'exec_command'],
      [T2, 'human', 'open', 'apply_patch'],
    ])
    expect(turnsOf(lines)[0]).toMatchObject({ durationMs: 1234, durationSource: 'turn_duration' })
  })

  test('blocks that Codex adds to a prompt do not hide it, and a single image is a prompt', () => {
    const context = '<environment_context>x</environment_context>'
    const lines = [
      meta(S1),
      message('user', context, 'Fix it'),
      message('assistant', 'Hm'),
      item('message', { role: 'user', content: [{ type: 'input_image', image_url: 'data:' }] }),
      message('assistant', 'Nice'),
      message('user', '<turn_aborted>\nx\n</turn_aborted>'),
      message('user', '<hook_prompt hook_run_id="stop:1">go on</hook_prompt>'),
    ]
    expect(shapes(lines).map(([id]) => id)).toEqual([`${S1}:1`, `${S1}:2`])
  })

  test('a prompt that looks like a block begins a turn by its event', () => {
    expect(shapes([meta(S1), ...prompt('<task>fix</task>')])).toHaveLength(1)
  })

  test('a prompt while the turn runs begins a turn of its own', () => {
    const lines = [
      meta(S1),
      started(T1),
      ...prompt('a'),
      shell('c1'),
      output('c1', exited(0)),
      ...prompt('b'),
    ]
    expect(shapes(lines).map(([id]) => id)).toEqual([T1, `${T1}:2`])
  })

  test('two equal prompts without events are two turns only if something came between', () => {
    const one = [meta(S1), message('user', 'a'), event('user_message', { message: 'a' })]
    expect(shapes(one)).toHaveLength(1)
    expect(shapes([...one, message('assistant', 'b'), message('user', 'a')])).toHaveLength(2)
  })

  test('an interruption ends the turn, and its open calls are interrupted', () => {
    const lines = [
      meta(S1),
      started(T1),
      ...prompt('Go'),
      shell('c1'),
      event('turn_aborted', { turn_id: T1, reason: 'interrupted' }),
    ]
    expect(turnsOf(lines)).toMatchObject([
      { status: 'interrupted', steps: [['c1', 'exec_command', 'interrupted', false, null]] },
    ])
  })

  test('calls before the first prompt are a continuation', () => {
    expect(shapes([meta(S1), started(T1), shell('c1')])).toEqual([
      [`${S1}:${T1}/0`, 'continuation', 'open', 'exec_command'],
    ])
  })

  test('the thread of a subagent has turns of its own kind', () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: rolloutId(9), depth: 1 } } }
    const lines = placed([meta(S1, { source }), ...prompt('Look'), shell('c1')])
    const { sessions } = read(linesOf(lines), { name: { sessionId: rolloutId(9), agentId: S1 } })
    expect(sessions[`${rolloutId(9)}/${S1}`]).toMatchObject([{ kind: 'subagent', length: 1 }])
  })

  test('a file of a version before 0.32 has bare items and no times', () => {
    const lines = [
      { id: S1, timestamp: instant(0), instructions: null, git: {} },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: JSON.stringify({ output: 'no', metadata: { exit_code: 2, duration_seconds: 0.1 } }),
      },
    ]
    const { sessions, transcript } = read(linesOf(lines), { name: NAME })
    expect(sessions[S1]).toMatchObject([
      { id: `${S1}:1`, startedAt: null, steps: [['c1', 'shell', 'error', false, 'Exit code 2\nno']] },
    ])
    expect(transcript.counts.figures()).toMatchObject({ unknown: {}, unknownSubtypes: {}, badLines: 0 })
  })
})

describe('calls of Codex', () => {
  test.each([
    ['the unified shell', exited(1, 'it broke'), 'error', 'Exit code 1\nit broke'],
    ['the unified shell that is well', exited(0, 'Process exited with code 1'), 'ok', null],
    [
      'a process that runs on',
      'Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n',
      'ok',
      null,
    ],
    [
      'a freeform output',
      'Exit code: 124\nWall time: 10 seconds\nOutput:\ntimeout',
      'error',
      'Exit code 124\ntimeout',
    ],
    [
      'JSON with metadata',
      JSON.stringify({ output: 'bad', metadata: { exit_code: 3 } }),
      'error',
      'Exit code 3\nbad',
    ],
    ['JSON that is well', JSON.stringify({ output: 'x', metadata: { exit_code: 0 } }), 'ok', null],
    ['JSON of another tool', JSON.stringify({ exit_code: 3, success: false }), 'ok', null],
    [
      'a list',
      [{ type: 'input_text', text: exited(5, 'no') }, { type: 'input_image' }],
      'error',
      'Exit code 5\nno',
    ],
    ['a list that is well', [{ type: 'input_text', text: 'done' }], 'ok', null],
    ['an object without success', { content: 'words', success: false }, 'error', null],
    ['a patch that does not fit', 'apply_patch verification failed: Failed to find words', 'error', null],
    ['a refusal', 'exec command rejected by user: words', 'denied', null],
    ['an abortion', 'aborted by user after 2.1s', 'interrupted', null],
    ['plain text', 'it exited with Exit code: 1', 'ok', null],
    ['no output', null, 'ok', null],
  ])('the outcome of %s', (_name, given, status, error) => {
    expect(outcomeOf(given)).toEqual([status, error])
  })

  test('the answer of a person to a question is never stored', () => {
    expect(outcomeOf(exited(1, 'words'), 'request_user_input')).toEqual(['error', null])
  })

  test('calls are matched by their ids, and one with none is done with its record', () => {
    const lines = [
      meta(S1),
      ...prompt('Go'),
      shell('a'),
      item('local_shell_call', {
        call_id: 'b',
        status: 'completed',
        action: { type: 'exec', command: ['ls'] },
      }),
      output('b', exited(0)),
      output('a', exited(1, 'no')),
      item('web_search_call', { status: 'completed', action: { type: 'search', query: 'words' } }),
      item('web_search_call', { status: 'failed', action: { type: 'search', query: 'words' } }),
      item('function_call', { namespace: 'mcp__files__', name: 'read', arguments: '{}', call_id: 'm' }),
      event('mcp_tool_call_end', {
        call_id: 'm',
        invocation: {},
        result: { Ok: { content: [], is_error: true } },
      }),
      output('m', 'words'),
      item('function_call', { name: 'docs__find', arguments: '{}', call_id: 'n' }),
      event('mcp_tool_call_end', { call_id: 'n', invocation: {}, result: { Err: 'words' } }),
      item('tool_search_call', { call_id: 't', status: 'completed', arguments: {} }),
      item('tool_search_output', { call_id: 't', status: 'completed', tools: [] }),
      item('custom_tool_call', { name: 'apply_patch', input: '', call_id: 'p' }),
      event('patch_apply_end', { call_id: 'p', success: false, stderr: 'words' }),
    ]
    const steps = stepsOf(lines)
    expect(steps.map(([, tool, status, isParallel]) => [tool, status, isParallel])).toEqual([
      ['exec_command', 'error', true],
      ['local_shell', 'ok', true],
      ['web_search', 'ok', false],
      ['web_search', 'error', false],
      ['mcp__files__read', 'error', false],
      ['docs__find', 'error', false],
      ['tool_search', 'ok', false],
      ['apply_patch', 'error', false],
    ])
    expect(JSON.stringify(steps)).not.toContain('words')
  })

  test('items end the calls of newer versions, and a failed command of a script fails its call', () => {
    const completed = (type: string, more: Written): Written =>
      event('item_completed', { turn_id: T1, item: { type, ...more } })
    const ran = (id: string, code: number, text: string): Written =>
      completed('CommandExecution', {
        id,
        status: code === 0 ? 'completed' : 'failed',
        exit_code: code,
        aggregated_output: text,
      })
    const script = (id: string, ...within: Written[]): Written[] => [
      item('custom_tool_call', { name: 'exec', input: 'words', call_id: id }),
      ...within,
      item('custom_tool_call_output', {
        call_id: id,
        output: [{ type: 'input_text', text: 'Script completed\nOutput:\nwords' }],
      }),
    ]
    const lines = [
      meta(S1),
      message('user', '<b>Go</b>'),
      completed('UserMessage', { id: 'u', content: [{ type: 'text', text: '<b>Go</b>' }] }),
      shell('z'),
      ...script('a', ran('exec-1', 0, 'words'), ran('exec-2', 2, 'no'), ran('exec-2', 3, 'words')),
      output('z', exited(0)),
      ...script('b', ran('exec-3', 0, 'words')),
      ...script('c', completed('FileChange', { id: 'exec-4', status: 'declined', changes: {} })),
      shell('d'),
      shell('e'),
      ran('d', 1, 'no'),
      output('d', exited(1, 'no')),
      output('e', exited(0)),
      item('function_call', { name: 'docs__find', arguments: '{}', call_id: 'f' }),
      completed('McpToolCall', { id: 'f', status: 'failed', error: { message: 'words' } }),
      output('f', 'words'),
      ran('user-shell', 1, 'words'),
    ]
    const steps = stepsOf(lines)
    expect(steps.map(([, tool, status, , error]) => [tool, status, error])).toEqual([
      ['exec_command', 'ok', null],
      ['exec', 'error', 'Exit code 2\nno'],
      ['exec', 'ok', null],
      ['exec', 'denied', null],
      ['exec_command', 'error', 'Exit code 1\nno'],
      ['exec_command', 'ok', null],
      ['docs__find', 'error', null],
    ])
    expect(JSON.stringify(steps)).not.toContain('words')
  })
})

describe('tokens of Codex', () => {
  const usageOf = (lines: readonly Written[], cuts: (bytes: Buffer) => number[] = () => []) => {
    const bytes = linesOf(placed(lines))
    const { transcript } = read(bytes, { name: NAME, cuts: cuts(bytes) })
    return transcript.state().threads.flatMap(({ open }) => (open === null ? [] : [sumUsage(open.usage)]))
  }
  const counted = [
    meta(S1),
    context(T1),
    ...prompt('Go'),
    event('token_count', { info: null, rate_limits: null }),
    tokens([100, 60, 5], [100, 60, 5]),
    tokens([100, 60, 5], [100, 60, 5]),
    tokens([250, 160, 9], [150, 100, 4]),
    tokens([250, 160, 9], [150, 100, 4]),
  ]

  test('equal totals count once, and the input leaves out the cached tokens', () => {
    const sum = { models: ['gpt-x-codex'], inputTokens: 90, cacheReadTokens: 160, outputTokens: 9 }
    expect(usageOf(counted)).toMatchObject([sum])
    const everyLine = (bytes: Buffer) => [...bytes.keys()].filter((i) => bytes[i] === 10).map((i) => i + 1)
    expect(usageOf(counted, everyLine)).toMatchObject([sum])
  })

  test('a total that a later turn repeats counts for the earlier one', () => {
    expect(usageOf([...counted, ...prompt('More'), tokens([250, 160, 9], [150, 100, 4])])).toEqual([null])
  })
})

describe('rollouts of Codex in parts', () => {
  const lines = [
    meta(S1),
    started(T1),
    context(T1),
    ...prompt('Go'),
    item('reasoning', { summary: [], encrypted_content: 'x' }),
    shell('c1'),
    shell('c2'),
    output('c1', exited(0)),
    output('c2', exited(1)),
    item('web_search_call', { status: 'completed' }),
    tokens([10, 5, 1], [10, 5, 1]),
    ended(T1),
    ...prompt('More'),
    shell('c3'),
    output('c3', exited(0)),
  ]
  const bytes = linesOf(placed(lines))
  const whole = read(bytes, { name: NAME })

  test('any two cuts give the same turns', () => {
    for (let cut = 1; cut < bytes.length; cut += 37) {
      const cuts = [cut, Math.min(bytes.length - 1, cut + 311)]
      expect(read(bytes, { name: NAME, cuts, chunks: [97] }).sessions, `cut at ${cut}`).toEqual(
        whole.sessions,
      )
    }
  })

  test('a record cut off in the middle, with a whole one on the same line, loses only itself', () => {
    const all = placed(lines).map((record) => JSON.stringify(record))
    const torn = all.map((text, i) => (i === 5 ? text.slice(0, 60) : `${text}\n`)).join('')
    const { sessions, recoveredLines, badLines } = read(Buffer.from(torn), { name: NAME })
    expect(sessions).toEqual(whole.sessions)
    expect([recoveredLines, badLines]).toEqual([1, 1])
  })

  test('history that a file repeats changes nothing', () => {
    const again = placed(lines.slice(1, 13), 100)
    const { sessions } = read(Buffer.concat([bytes, linesOf(again)]), { name: NAME })
    expect(sessions[S1]?.map(({ id, length }) => [id, length])).toEqual(
      whole.sessions[S1]?.map(({ id, length }) => [id, length]),
    )
  })

  test('a fork repeats the turns of its session with their ids, also without turns of Codex', () => {
    const old = lines.filter((record) => !JSON.stringify(record).includes(T1))
    const parent = read(linesOf(placed(old)), { name: NAME }).sessions[S1] ?? []
    const fork = [meta(rolloutId(2), { forked_from_id: S1 }), ...old].map((record) => ({
      timestamp: instant(500),
      ...record,
    }))
    const next = placed([...prompt('Other'), shell('c9')], 600)
    const name = { sessionId: rolloutId(2), agentId: null }
    const turns = read(linesOf([...fork, ...next]), { name }).sessions[rolloutId(2)] ?? []
    expect(turns.map(({ id }) => id)).toEqual([...parent.map(({ id }) => id), `${rolloutId(2)}:3`])
    expect(parent.map(({ id }) => id)).toEqual([`${S1}:1`, `${S1}:2`])
  })
})
