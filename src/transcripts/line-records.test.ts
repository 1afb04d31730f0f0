import { describe, expect, test } from 'vitest'
import {
  calls,
  linesOf,
  outline,
  placed,
  read,
  result,
  SESSION,
  says,
  system,
  user,
  type Written,
} from '../../test/support/written-transcript.ts'
import { readLine, type TranscriptRecord } from './line-records.ts'
import { ReadingCounts } from './reading-counts.ts'

const line = (text: string | Buffer, around = '') => {
  const bytes = Buffer.concat([Buffer.from(around), Buffer.from(text), Buffer.from(around)])
  const counts = new ReadingCounts()
  const records: TranscriptRecord[] = []
  const from = Buffer.byteLength(around)
  const isGood = readLine(bytes, from, bytes.length - from, counts, (record) => records.push(record))
  return {
    uuids: records.map(({ uuid }) => uuid),
    bad: counts.badLines,
    recovered: counts.recoveredLines,
    counts,
    isGood,
  }
}
const json = (uuid: string, more: Written = {}) => JSON.stringify({ type: 'user', uuid, ...more })
const good = (...uuids: string[]) => ({ uuids, bad: 0, recovered: 0 })
const [a, b, c] = ['a', 'b', 'c'].map((uuid) => json(uuid)) as [string, string, string]

describe('a line', () => {
  test.each([
    ['a record', a, good('a')],
    ['with blanks around', ` \t${a} \r`, good('a')],
    ['with a BOM', `\ufeff${a}`, good('a')],
    ['with a BOM and blanks', `\ufeff \0${a}`, good('a')],
    ['with NULs before and after', `\0\0${a}\0`, good('a')],
    ['empty', '', good()],
    ['of blanks and NULs', ' \0\t\0\r', good()],
    ['of a BOM', '\ufeff', good()],
    ['with blanks inside', '{ "uuid" : "a" ,\t"type" : "user" }', good('a')],
    ['two records', a + b, { uuids: ['a', 'b'], bad: 0, recovered: 1 }],
    ['three, one torn at its end', a + b + c.slice(0, -4), { uuids: ['a', 'b'], bad: 1, recovered: 1 }],
    [
      'a torn record and a whole one',
      `{"uuid":"x","message":{"content":"y"}${a}`,
      { uuids: ['a'], bad: 1, recovered: 1 },
    ],
    [
      'two torn ones with a whole one between',
      `{"x":{"y":1}${a}${c.slice(0, -1)}`,
      { uuids: ['a'], bad: 1, recovered: 1 },
    ],
    [
      'a record and a skipped one',
      `{"type":"progress","data":{}}${a}`,
      { uuids: ['a'], bad: 0, recovered: 1 },
    ],
    ['not at }{ in a string', json('a', { message: { content: '}{' } }), good('a')],
    [
      'not at }{ after an escaped quote',
      json('a', { x: '\\"}{"' }) + b,
      { uuids: ['a', 'b'], bad: 0, recovered: 1 },
    ],
    [
      'torn within a string',
      '{"type":"user","uuid":"x","message":{"content":"half a',
      { uuids: [], bad: 1, recovered: 0 },
    ],
    ['two with NULs between', `${a}\0\0${b}`, { uuids: ['a', 'b'], bad: 0, recovered: 1 }],
    [
      'two with NULs between, the first skipped',
      `{"type":"progress"}\0\0${b}`,
      { uuids: ['b'], bad: 0, recovered: 1 },
    ],
    ['torn within its type', '{"type":"progr}', { uuids: [], bad: 1, recovered: 0 }],
    ['torn, of a type that is skipped', '{"type":"progress","data":{"x', { uuids: [], bad: 1, recovered: 0 }],
    ['a record and words', `${a}oops`, { uuids: ['a'], bad: 1, recovered: 1 }],
    ['an array', `[${a}]`, { uuids: [], bad: 1, recovered: 0 }],
    ['a number', '1', { uuids: [], bad: 1, recovered: 0 }],
    ['null', 'null', { uuids: [], bad: 1, recovered: 0 }],
    ['a string', '"type"', { uuids: [], bad: 1, recovered: 0 }],
    ['words', 'Traceback (most recent call last):', { uuids: [], bad: 1, recovered: 0 }],
    ['braces', '}{}{', { uuids: [], bad: 1, recovered: 0 }],
    [
      'a record that was cut off in a list, before a skipped and a whole one',
      `{"uuid":"x","message":{"content":[{"type":"text","text":"y"},{"type":"progress","uuid":"p"}${a}`,
      { uuids: ['a'], bad: 1, recovered: 1 },
    ],
    [
      'a skipped record that was cut off before a whole one',
      `{"type":"summary","summary":"half a${json('a', { sessionId: 's' })}`,
      { uuids: ['a'], bad: 1, recovered: 1 },
    ],
    [
      'objects within a record that was cut off',
      '{"type":"user","uuid":"x","message":{"content":[{"type":"user","uuid":"y"},',
      { uuids: [], bad: 1, recovered: 0 },
    ],
  ])('%s', (_, text, expected) => {
    expect(line(text)).toMatchObject(expected)
    expect(line(text, '{"type":"user"}\n')).toMatchObject(expected)
    expect(line(text, '":{"')).toMatchObject(expected)
  })

  test.each(['{"parentUuid":null,', '{"type":"user",', '{"uuid":"b","type":"user",'])(
    'a record that was cut off does not hide the whole one that begins with %s',
    (start) => {
      const cutOff = '{"type":"user","uuid":"a","message":{"content":"half a'
      expect(line(`${cutOff}${start}"type":"user","uuid":"b"}`)).toMatchObject({
        uuids: ['b'],
        bad: 1,
        recovered: 1,
      })
    },
  )

  // Regression test for defect 2. Contract: "Trim NULs and blanks, drop a BOM": a file may begin with NULs
  // and then a BOM.
  test('a line with a BOM after NULs is read', () => {
    expect(line(`\0\0 \ufeff${a}`)).toMatchObject(good('a'))
  })

  test('reading a line returns whether it was one whole object', () => {
    expect([a, a + b, '', '[]', '{}'].map((text) => line(text).isGood)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })

  test('invalid UTF-8 becomes U+FFFD, and the record is read', () => {
    const [head, tail] = json('a|z').split('|') as [string, string]
    for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]) {
      const { uuids, bad } = line(Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]))
      expect(uuids).toEqual([expect.stringMatching(/^a\ufffd+z$/)])
      expect(bad).toBe(0)
    }
  })
})

describe('only the type at the top level decides', () => {
  test.each<[string, string, string[]]>([
    ['in a message before it', '{"message":{"type":"progress"},"uuid":"a","type":"user"}', ['a']],
    ['in a string before it', '{"x":"\\"type\\":\\"progress\\"","uuid":"a","type":"user"}', ['a']],
    ['in a string that ends with a backslash', '{"x":"\\\\","uuid":"a","type":"user"}', ['a']],
    ['in a data field before it', '{"data":{"type":"user","uuid":"x"},"uuid":"a","type":"progress"}', []],
    ['in a data field after it', '{"type":"progress","data":{"type":"user","uuid":"x"}}', []],
    ['in a list before it', '{"x":[{"type":"user"}],"type":"summary"}', []],
    [
      'in a list of other values before it',
      '{"x":[{"n":1,"type":"progress"}],"uuid":"a","type":"user"}',
      ['a'],
    ],
    ['as the beginning of a key', '{"typeOf":"progress","uuid":"a","type":"user"}', ['a']],
    ['as a value', '{"x":"type","y":"user","type":"summary"}', []],
    ['as part of a key', '{"subtype":"progress","mytype":"progress","uuid":"a","type":"user"}', ['a']],
    ['after numbers, null and true', '{"n":-1.5e3,"x":null,"y":true,"uuid":"a","type":"user"}', ['a']],
    ['as a value that is not a string', '{"type":null,"uuid":"x"}', []],
  ])('%s', (_, text, uuids) => {
    expect(line(text)).toMatchObject({ uuids, bad: 0, recovered: 0 })
  })

  test('the same words in tool inputs are ignored', () => {
    const records = [
      user('Go'),
      calls('Write a'),
      result('a', { content: '{"type":"progress"}\n{"type":"user"}' }),
    ]
    expect(outline(read(linesOf(placed(records))))).toEqual({ [SESSION]: ['r0 human open: Write'] })
  })

  test('a record that only copies a subagent is not part of the conversation', () => {
    const copy = { type: 'progress', data: { type: 'agent_progress', message: calls('Read x') } }
    expect(outline(read(linesOf(placed([user('Go'), copy, calls('Task a')]))))).toEqual({
      [SESSION]: ['r0 human open: Task'],
    })
  })
})

describe('unknown things are counted and are never an error', () => {
  const tallies = (...texts: string[]) => {
    const counts = new ReadingCounts()
    for (const text of texts) readLine(Buffer.from(text), 0, Buffer.byteLength(text), counts, () => {})
    return [counts.unknown, counts.unknownSubtypes, counts.unknownFields].map((tally) =>
      Object.entries(tally.counted()),
    )
  }

  test('types', () => {
    const names = ['__proto__', 'constructor', 'toString', 'new-type', 'new-type', '']
    expect(tallies(...names.map((type) => JSON.stringify({ type })), '{}', '{"type":7}')).toEqual([
      [
        ['', 1],
        ['(no type)', 2],
        ['__proto__', 1],
        ['constructor', 1],
        ['new-type', 2],
        ['toString', 1],
      ],
      [],
      [],
    ])
  })

  test('unknown types are counted at any place of the type', () => {
    expect(
      tallies('{"x":{},"type":"new-type"}', '{"x":{},"type":"progress"}', '{"type":"progress"}')[0],
    ).toEqual([['new-type', 1]])
  })

  test('subtypes and fields', () => {
    const [types, subtypes, fields] = tallies(
      JSON.stringify(system('stop_hook_summary')),
      JSON.stringify(system('__proto__', { newField: 1 })),
      '{"type":"user","uuid":"a","__proto__":1,"newField":{}}',
    )
    expect([types, subtypes]).toEqual([[], [['__proto__', 1]]])
    expect(fields).toEqual([
      ['system.newField', 1],
      ['user.__proto__', 1],
      ['user.newField', 1],
    ])
  })

  test('names are cut and limited in number, because other programs write them', () => {
    const [types] = tallies(
      ...Array.from({ length: 1000 }, (_, i) => JSON.stringify({ type: `${i}`.padEnd(10_000, 'x') })),
    )
    expect(types!.length).toBeLessThanOrEqual(200)
    expect(Math.max(...types!.map(([name]) => name.length))).toBeLessThanOrEqual(80)
  })
})

describe('the end of a file', () => {
  const file = linesOf(placed([user('Go'), calls('Read a'), result('a'), says('So')]))
  const ends = (bytes: Buffer) => {
    const { consumed, badLines, sessions } = read(bytes)
    return {
      pending: bytes.length - consumed,
      badLines,
      steps: Object.values(sessions).flat()[0]?.steps.length,
    }
  }

  test('a whole last line needs no newline', () => {
    expect(ends(file.subarray(0, -1))).toEqual({ pending: 0, badLines: 0, steps: 1 })
    expect(ends(Buffer.concat([file, Buffer.from('\ufeff{"type":"user"} \0')]))).toEqual({
      pending: 0,
      badLines: 0,
      steps: 1,
    })
  })

  test('a torn last line is pending, neither consumed nor bad', () => {
    const whole = file.lastIndexOf('{"parentUuid"')
    for (let cut = whole + 1; cut < file.length - 1; cut++) {
      expect(ends(file.subarray(0, cut))).toEqual({ pending: cut - whole, badLines: 0, steps: 1 })
    }
  })

  test.each(['1', '[]', 'null', 'words', '\0\0\0', ' '])('%j without a newline is pending', (text) => {
    expect(ends(Buffer.concat([file, Buffer.from(text)]))).toEqual({
      pending: text.length,
      badLines: 0,
      steps: 1,
    })
  })

  test('whole objects before an unfinished one are consumed', () => {
    expect(ends(Buffer.concat([file, Buffer.from('{}{}')])).pending).toBe(0)
    expect(ends(Buffer.concat([file, Buffer.from(`${a}{"x":"half`)])).pending).toBe(10)
  })

  test('an empty file has no records', () => {
    expect(read(Buffer.alloc(0))).toMatchObject({ sessions: {}, consumed: 0, badLines: 0 })
  })

  // Regression test for defect 3: took 18 s, and 70 s for 200 KB, because a torn tail was scanned once for
  // each of its NULs.
  test('a torn last line with 100 KB of NULs is pending too', () => {
    const tail = Buffer.concat([
      Buffer.from('{"type":"user","message":{"content":"'),
      Buffer.alloc(100 * 1024),
      Buffer.from('x'),
    ])
    expect(ends(Buffer.concat([file, tail]))).toEqual({ pending: tail.length, badLines: 0, steps: 1 })
  })
})

const answer = (block: object, more: Written = {}): Written => ({
  type: 'user',
  uuid: 'a',
  message: { role: 'user', content: [block] },
  ...more,
})

describe('characters outside ASCII', () => {
  test.each<[part: string, record: Written]>([
    ['a folder', { type: 'user', uuid: 'a', cwd: '/home/zoë' }],
    ['the name of an unknown field', { type: 'user', uuid: 'a', größe: 1 }],
    ['an id', { type: 'user', uuid: 'ä' }],
    ['a prompt', { type: 'user', uuid: 'a', message: { content: '\u00a0<command-name>' } }],
    ['a text of a prompt', answer({ type: 'text', text: 'Warmup\u2003' })],
    ['the model', { type: 'assistant', uuid: 'a', message: { model: 'modèle' } }],
    ['the id of a response', { type: 'assistant', uuid: 'a', message: { id: 'é' } }],
    ['the name of a tool', { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Ä' }] } }],
    ['the id of a call', { type: 'assistant', message: { content: [{ type: 'tool_use', id: 'é' }] } }],
    ['the call of a result', answer({ type: 'tool_result', tool_use_id: 'é' })],
    ['the agent of a result', answer({ type: 'tool_result' }, { toolUseResult: { agentId: 'é' } })],
    ['the sender', { type: 'user', uuid: 'a', origin: { kind: 'équipe' } }],
    ['an error', answer({ type: 'tool_result', is_error: true, content: 'Exit code 1\n✗ café' })],
  ])('stay as written in %s', (_, record) => {
    const bytes = Buffer.from(JSON.stringify(record))
    const records: TranscriptRecord[] = []
    readLine(bytes, 0, bytes.length, new ReadingCounts(), (found) => records.push(found))
    expect(records).toEqual([record])
  })

  test('in the output of a tool change nothing in the rest of the record', () => {
    const { uuids, isGood, bad } = line(
      JSON.stringify(answer({ type: 'tool_result', tool_use_id: 'x', content: '     1→import' })),
    )
    expect({ uuids, isGood, bad }).toEqual({ uuids: ['a'], isGood: true, bad: 0 })
  })
})

describe('the result of a call', () => {
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }]
  const start = { type: 'user', uuid: 'u', timestamp: '2026-03-08T14:07:00.397Z' }
  const message = { role: 'user', content }
  const records = (text: string) => {
    const bytes = Buffer.from(text)
    const found: TranscriptRecord[] = []
    const counts = new ReadingCounts()
    readLine(bytes, 0, bytes.length, counts, (record) => found.push(record))
    return { found, ...counts.figures() }
  }
  const stdout = 'x","agentId":"1"}{"sessionId":"2"},"toolUseResult":{"a":"\\"}'

  test.each<[string, Written]>([
    ['at the end', { message, toolUseResult: { stdout } }],
    [
      'before short fields',
      { message, toolUseResult: { file: { n: [1] } }, userType: 'external', slug: 'a-b' },
    ],
    ['without fields', { message, toolUseResult: {} }],
    ['with text that is not ASCII', { message, toolUseResult: { stdout: 'é → 日' } }],
  ])('is read without the content of its toolUseResult: %s', (_, fields) => {
    const record = { ...start, ...fields }
    expect(records(JSON.stringify(record)).found).toEqual([{ ...record, toolUseResult: {} }])
  })

  test.each<[string, Written]>([
    ['it names an agent', { message, toolUseResult: { totalTokens: 1, agentId: 'a1' } }],
    [
      'the call failed',
      { message: { content: [{ ...content[0], is_error: true }] }, toolUseResult: { stdout } },
    ],
    ['it is a text', { message, toolUseResult: 'User rejected' }],
    ['a field that turns need is not ASCII', { cwd: '/é', message, toolUseResult: { stdout } }],
    ['it is followed by an object', { toolUseResult: { stdout }, message }],
    ['it is followed by a value that is not a text', { message, toolUseResult: { stdout }, isMeta: true }],
    [
      'it is a field of another object',
      { message: { content: [{ ...content[0], toolUseResult: { a: 1 } }] } },
    ],
    ['the record is a prompt', { message: { content: 'Fix it' }, toolUseResult: { stdout } }],
    ['another field ends with its name', { message, lastToolUseResult: { a: 1 } }],
  ])('is read as a whole if %s', (_, fields) => {
    const record = { ...start, ...fields }
    expect(records(JSON.stringify(record)).found).toEqual([record])
  })

  test('is read with the next record on the same line, and the next one is read even if the result is cut off', () => {
    const next = { ...start, uuid: 'v', sessionId: 's', message, toolUseResult: { stdout } }
    const whole = JSON.stringify({ ...start, sessionId: 's', message, toolUseResult: { a: { b: 'c' } } })
    const read = (text: string) => records(text).found.map(({ uuid }) => uuid)
    expect(read(whole + JSON.stringify(next))).toEqual(['u', 'v'])
    for (const end of [-1, -2, -5, -12])
      expect(read(whole.slice(0, end) + JSON.stringify(next)), String(end)).toEqual(['v'])
  })

  test('is a bad line if it is cut off', () => {
    const whole = JSON.stringify({ ...start, message, toolUseResult: { a: { b: 'c' } }, slug: 'a-b' })
    for (const end of [-1, -3, -8, -13, -15, -16, -18])
      expect(records(whole.slice(0, end)), String(end)).toMatchObject({ found: [], badLines: 1 })
  })
})
