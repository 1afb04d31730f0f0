import { describe, expect, test } from 'vitest'
import {
  calls,
  failed,
  instant,
  linesOf,
  placed,
  read,
  result,
  says,
  turnsOf,
  user,
  type Written,
} from '../../test/support/written-transcript.ts'

const text = (words: string) => ({ type: 'text', text: words })
const prompt = user('Fix it')
const interruption = user('[Request interrupted by user]')

/** The outcome of the first turn's call, and the number of errors of the turn. */
function outcomeOf(records: Written[]) {
  const { steps, errors } = turnsOf(records)[0]!
  const [, , status, , error] = steps[0]!
  return { status, errors, error }
}

const ok = { status: 'ok', errors: 0, error: null }
const interrupted = { status: 'interrupted', errors: 0, error: null }
const denied = { status: 'denied', errors: 0, error: null }
const error = (message: string) => ({ status: 'error', errors: 1, error: message })

const STOP = "The user doesn't want to take this action right now. STOP what you are doing"
const REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected"
const SEVERAL = 'This Bash command contains multiple operations. The following part requires approval: rm'

describe('the outcome of a call', () => {
  test.each<[string, Written, object]>([
    ['no is_error', result('a'), ok],
    ['is_error false', result('a', { is_error: false, content: REJECTED }), ok],
    ['is_error that is not true', result('a', { is_error: 'true', content: 'x' }), ok],
    ['no content', result('a', { content: undefined }), ok],
    ['toolDenialKind without an error', result('a', {}, { toolDenialKind: 'user' }), ok],
    ['text of an interruption', failed('a', '[Request interrupted by user for tool use]'), interrupted],
    ['the same in a block', failed('a', [text('[Request interrupted by user]')]), interrupted],
    [
      'the same after an exit code',
      failed('a', 'Exit code 137\n[Request interrupted by user for tool use]'),
      interrupted,
    ],
    ['the same after Error:', failed('a', 'Error: Exit code 1\n[Request interrupted by user]'), interrupted],
    ['not now', failed('a', STOP), interrupted],
    [
      'an interruption within another text',
      failed('a', 'Exit code 1\nIt said [Request interrupted by user'),
      error('Exit code 1\nIt said'),
    ],
    ['proceed', failed('a', REJECTED), denied],
    ['permission', failed('a', 'Permission to use Bash with command rm has been denied.'), denied],
    [
      'requested permissions',
      failed('a', "Claude requested permissions to write to a.ts, but you haven't granted it yet."),
      denied,
    ],
    ['approval', failed('a', 'This command requires approval'), denied],
    ['several operations', failed('a', SEVERAL), denied],
    ['the same after Error:', failed('a', `Error: ${SEVERAL}`), denied],
    ['User rejected', failed('a', 'No', { toolUseResult: 'User rejected tool use' }), denied],
    ['User rejected, with nothing in the block', failed('a', '', { toolUseResult: 'User rejected' }), denied],
    ['toolDenialKind', failed('a', 'No', { toolDenialKind: 'automode' }), denied],
    ['toolDenialKind null', failed('a', 'Exit code 1', { toolDenialKind: null }), error('Exit code 1')],
    [
      'text of a denial after other lines',
      failed('a', 'Exit code 1\nIt needs Permission to use Bash'),
      error('Exit code 1\nIt needs Permission to use Bash'),
    ],
    ['a sibling', failed('a', 'Sibling tool call errored'), error('Sibling tool call errored')],
    ['a leading Error:', failed('a', 'Error: File does not exist.'), error('File does not exist.')],
    ['only one of them', failed('a', 'Error: Error: Exit code 1'), denied],
    ['a sentence typed at a permission prompt', failed('a', 'use the other file'), denied],
    ['the same with a plain result', failed('a', 'no', { toolUseResult: 'Error: no' }), denied],
    [
      'printed output of an unknown form',
      failed('a', 'Traceback (most recent call last):'),
      { ...error(''), error: null },
    ],
    [
      'blocks of text',
      failed('a', [text('Exit code 1'), { type: 'image' }, text('second')]),
      error('Exit code 1\nsecond'),
    ],
    [
      'a toolUseResult',
      failed('a', undefined, { toolUseResult: 'Error: Exit code 2' }),
      error('Exit code 2'),
    ],
    [
      'the block comes before a toolUseResult',
      failed('a', 'Exit code 1', { toolUseResult: 'Error: Two' }),
      error('Exit code 1'),
    ],
    [
      'a toolUseResult that is an object',
      failed('a', 'One', { toolUseResult: { stderr: 'Two' } }),
      { ...error(''), error: null },
    ],
  ])('%s', (_, record, outcome) => {
    expect(outcomeOf([prompt, calls('Bash a'), record])).toEqual(outcome)
  })

  test('pending without a result; interrupted if its turn was', () => {
    expect(outcomeOf([prompt, calls('Bash a')])).toEqual({ status: 'pending', errors: 0, error: null })
    expect(outcomeOf([prompt, calls('Bash a'), prompt])).toEqual({
      status: 'pending',
      errors: 0,
      error: null,
    })
    expect(outcomeOf([prompt, calls('Bash a'), interruption])).toEqual(interrupted)
    expect(outcomeOf([prompt, calls('Bash a'), interruption, result('a')])).toEqual(ok)
    expect(outcomeOf([prompt, calls('Bash a'), result('a'), interruption])).toEqual(ok)
    expect(outcomeOf([prompt, calls('Bash a'), result('b')]).status).toBe('pending')
  })

  test('the first result of a call counts', () => {
    expect(outcomeOf([prompt, calls('Bash a'), result('a'), failed('a', 'no')])).toEqual(ok)
  })

  test('each result of a record belongs to its own call', () => {
    const both = user([
      { type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'Exit code 1' },
      { type: 'tool_result', tool_use_id: 'a', content: [] },
    ])
    const [turn] = turnsOf([prompt, calls(['Bash a', 'Read b']), both])
    expect(turn!.steps.map(([id, , status]) => `${id} ${status}`)).toEqual(['a ok', 'b error'])
  })

  test('a result in a record of another thread is matched by its id', () => {
    const elsewhere = { ...result('a'), isSidechain: true, agentId: 'one' }
    expect(outcomeOf([prompt, calls('Task a'), elsewhere])).toEqual(ok)
  })

  test('a call has its duration and the agent that did its work', () => {
    const { transcript } = read(
      linesOf(placed([prompt, calls('Task a'), result('a', {}, { toolUseResult: { agentId: 'one' } })])),
    )
    expect(transcript.sessions()[0]!.open!.steps).toMatchObject([
      { id: 'a', tool: 'Task', startedAt: instant(1), durationMs: 1000, agentId: 'one' },
    ])
  })
})

describe('calls', () => {
  const ids = (records: Written[]) => turnsOf(records).map(({ steps }) => steps.map(([id]) => id).join(' '))
  const parallel = (records: Written[]) =>
    turnsOf(records).map(
      ({ parallelSteps, steps }) => `${parallelSteps}: ${steps.filter(([, , , is]) => is).map(([id]) => id)}`,
    )

  test('each block is a call, in the order of the file', () => {
    expect(ids([prompt, calls(['Read a', 'Grep b']), says('x'), calls('Edit c')])).toEqual(['a b c'])
  })

  test('an id within a response counts once', () => {
    const m = { id: 'msg_1' }
    expect(ids([prompt, calls('Read a', m), calls(['Read a', 'Grep b'], m), calls('Read b', m)])).toEqual([
      'a b',
    ])
    expect(ids([prompt, calls('Read a', m), prompt, calls(['Read a', 'Grep b'], m)])).toEqual(['a', 'b'])
    const copy = { uuid: 'u' }
    expect(ids([prompt, calls('Read a', {}, copy), calls('Read a', {}, copy)])).toEqual(['a'])
  })

  test('ids that repeat in every response are separate calls, each with its result', () => {
    const numbered = ['Read', 'Edit', 'Bash'].flatMap((tool, i) => [
      calls(`${tool} call_0`, { id: `msg_${i}` }),
      i === 1 ? failed('call_0', 'Exit code 1') : result('call_0'),
    ])
    const [first, second] = turnsOf([
      prompt,
      ...numbered,
      prompt,
      ...numbered
        .slice(0, 2)
        .map((r) => ({ ...r, requestId: 'q', message: { ...(r.message as object), id: 'later' } })),
    ])
    expect(first!.steps.map(([, tool, status]) => `${tool} ${status}`)).toEqual([
      'Read ok',
      'Edit error',
      'Bash ok',
    ])
    expect(second!.steps.map(([, tool, status]) => `${tool} ${status}`)).toEqual(['Read ok'])
  })

  test('a result belongs to the call in the record that it names', () => {
    const records = [
      prompt,
      calls('Read call_0', { id: 'm1' }, { uuid: 'one' }),
      calls('Edit call_0', { id: 'm2' }, { uuid: 'two' }),
      failed('call_0', 'Exit code 1', { sourceToolAssistantUUID: 'one', parentUuid: null }),
    ]
    expect(turnsOf(records)[0]!.steps.map(([, tool, status]) => `${tool} ${status}`)).toEqual([
      'Read error',
      'Edit pending',
    ])
  })

  test('a result older than the call that names another record belongs to another call', () => {
    const old = { ...result('call_0'), timestamp: instant(-5) }
    const statusOf = (parentUuid: string | null) =>
      outcomeOf([prompt, calls('Bash call_0'), { ...old, parentUuid }]).status
    expect(statusOf('earlier')).toBe('pending')
    // The clock was set back between the call and the result.
    expect(statusOf('r1')).toBe('ok')
    expect(statusOf(null)).toBe('ok')
  })

  // Regression test for defect 9. Contract: "every `tool_use` block (several in one record happen), once per
  // id".
  test('a call that is twice in one record counts once', () => {
    expect(ids([prompt, calls(['Read a', 'Read a'])])).toEqual(['a'])
  })

  test('a call with an empty id counts, and gets the result with the empty id', () => {
    const call = { message: { content: [{ type: 'tool_use', id: '', name: 'Read' }] } }
    expect(outcomeOf([prompt, { ...calls('Read a'), ...call }, failed('', 'Exit code 1')])).toMatchObject({
      status: 'error',
    })
  })

  test('a block without an id or of another type is not a call', () => {
    const odd = {
      message: {
        content: [
          { type: 'tool_use', name: 'Read' },
          { type: 'server_tool_use', id: 'x', name: 'Read' },
          null,
          'text',
        ],
      },
    }
    expect(ids([prompt, { ...calls('Read a'), ...odd }])).toEqual([''])
  })

  test('two or more calls of a response are parallel: calls of one record', () => {
    expect(parallel([prompt, calls(['Read a', 'Grep b']), calls('Edit c')])).toEqual(['2: a,b'])
  })

  test('records of a response are joined by message.id, even with other records between them', () => {
    const m = { id: 'msg_1' }
    expect(
      parallel([
        prompt,
        calls('Read a', m),
        result('a'),
        says('x'),
        calls('Grep b', m),
        calls('Edit c', { id: 'msg_2' }),
      ]),
    ).toEqual(['2: a,b'])
    expect(
      parallel([
        prompt,
        calls('Read a', m, { requestId: 'q' }),
        calls('Read b', { id: 'msg_2' }, { requestId: 'q' }),
      ]),
    ).toEqual(['0: '])
  })

  test('records without message.id are joined by requestId, otherwise by uuid', () => {
    const q = { requestId: 'q' }
    expect(parallel([prompt, calls('Read a', {}, q), calls('Grep b', {}, q)])).toEqual(['2: a,b'])
    expect(parallel([prompt, calls('Read a'), calls('Grep b')])).toEqual(['0: '])
    expect(
      parallel([prompt, calls('Read a', {}, { uuid: 'u' }), calls('Grep b', {}, { uuid: 'u' })]),
    ).toEqual(['2: a,b'])
  })

  test('calls are parallel only within their turn', () => {
    const m = { id: 'msg_1' }
    expect(parallel([prompt, calls('Read a', m), prompt, calls('Grep b', m)])).toEqual(['0: ', '0: '])
  })

  test('a copy of a call does not make calls parallel', () => {
    const m = { id: 'msg_1' }
    expect(parallel([prompt, calls('Read a', m), calls('Read a', m)])).toEqual(['0: '])
  })
})
