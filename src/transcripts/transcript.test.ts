import { describe, expect, test } from 'vitest'
import {
  calls,
  failed,
  independentlyOf,
  instant,
  linesOf,
  outline,
  placed,
  read,
  result,
  SESSION,
  says,
  system,
  turnsOf,
  user,
  type Way,
  type Written,
} from '../../test/support/written-transcript.ts'
import { isCompaction } from './content.ts'
import { parseFileName, Transcript } from './transcript.ts'

const OTHER = '7d1a52f3-9f0e-4b3c-8a44-5e2b1c0d9f22'

/** All sessions of a file, with each turn as `id kind status: pattern`. */
const sessionsOf = (records: Written[], way: Way = {}) => outline(read(linesOf(placed(records)), way))

const side = (record: Written, more: Written = {}): Written => ({ ...record, isSidechain: true, ...more })
const by = (agentId: string, record: Written): Written => side(record, { agentId })
const prompt = user('Look around')

describe('a file is one session', () => {
  test.each([
    [`/p/${SESSION}.jsonl`, SESSION, null],
    [`${SESSION.toUpperCase()}.jsonl`, SESSION.toUpperCase(), null],
    ['/p/session.jsonl', null, null],
    [`/p/${SESSION}-copy.jsonl`, null, null],
    [`/${OTHER}/notes.jsonl`, null, null],
    ['/p/agent-a1b2.jsonl', null, 'a1b2'],
    [`/p/${SESSION}/subagents/agent-a1b2.jsonl`, SESSION, 'a1b2'],
    [`/p/${SESSION}/subagents/workflows/wf_1/agent-a1b2.jsonl`, SESSION, 'a1b2'],
    [`/p/${SESSION}/agent-a1b2.jsonl`, null, 'a1b2'],
    ['/p/subagents/agent-a-b.jsonl', null, 'a-b'],
    ['subagents/agent-a.jsonl', null, 'a'],
    [`/subagents/${SESSION}/subagents/agent-a.jsonl`, SESSION, 'a'],
    ['/p/agent-.jsonl', null, null],
  ])('%s', (file, sessionId, agentId) => {
    expect(parseFileName(file)).toEqual({ sessionId, agentId })
  })

  const unnamed = { name: parseFileName('/p/session.jsonl') }

  test('the name of a file determines its session, whatever the records contain', () => {
    expect(sessionsOf([{ ...prompt, sessionId: OTHER }, calls('Read a')])).toEqual({
      [SESSION]: ['r0 human open: Read'],
    })
  })

  describe('records of another session between the lines', () => {
    const other = (record: Written, more: Written = {}): Written => ({ ...record, sessionId: OTHER, ...more })
    const isOf = (records: Written[]) => {
      const bytes = linesOf(placed(records))
      const atOnce = outline(read(bytes))
      const cuts = [...bytes.keys()].filter((i) => bytes[i] === 0x0a).map((i) => i + 1)
      expect(outline(read(bytes, { cuts }))).toEqual(atOnce)
      expect(outline(independentlyOf(bytes))).toEqual(atOnce)
      return atOnce
    }

    test('are a session of their own if their parents are not records of the file', () => {
      expect(
        isOf([
          prompt,
          calls('Read a'),
          other(user('Elsewhere'), { parentUuid: null }),
          { ...result('a'), parentUuid: 'r1' },
          other(calls('Bash b'), { parentUuid: 'r2' }),
          { ...calls('Edit c'), parentUuid: 'r3' },
          other(result('b'), { parentUuid: 'r4' }),
        ]),
      ).toEqual({ [OTHER]: ['r2 human open: Bash'], [SESSION]: ['r0 human open: Read → Edit'] })
    })

    test('are a session of their own if their parent is in another file', () => {
      expect(isOf([prompt, calls('Read a'), other(calls('Bash b'), { parentUuid: 'elsewhere' })])).toEqual({
        [OTHER]: ['r2 continuation open: Bash'],
        [SESSION]: ['r0 human open: Read'],
      })
    })

    test('belong to the file if they continue from its records', () => {
      expect(isOf([prompt, calls('Read a'), other(user('Go on')), other(calls('Bash b'))])).toEqual({
        [SESSION]: ['r0 human complete: Read', 'r2 human open: Bash'],
      })
    })

    test('belong to the file if it begins with them, as a resumed session does', () => {
      expect(isOf([other(prompt), other(calls('Read a')), user('Go on'), calls('Bash b')])).toEqual({
        [SESSION]: ['r0 human complete: Read', 'r2 human open: Bash'],
      })
    })

    test('are 64 sessions at most; records of further ones belong to the file', () => {
      const foreign = Array.from({ length: 100 }, (_, i) => ({
        ...user('Go'),
        sessionId: `other-${i}`,
        parentUuid: 'elsewhere',
      }))
      const bytes = linesOf(placed([prompt, ...foreign]))
      const cuts = [bytes.length >> 1]
      for (const way of [{}, { cuts }]) expect(Object.keys(read(bytes, way).sessions)).toHaveLength(65)
    })

    test('change nothing of the file if they are not conversation', () => {
      const record = other({ type: 'progress' }, { parentUuid: 'elsewhere' })
      expect(isOf([prompt, calls('Read a'), record])).toEqual({ [SESSION]: ['r0 human open: Read'] })
    })

    test('have subagents of their own', () => {
      const agent = { isSidechain: true, agentId: 'one', parentUuid: null }
      expect(
        isOf([prompt, calls('Read a'), other(user('Look'), agent), other(calls('Grep b'), agent)]),
      ).toEqual({
        [`${OTHER}/one`]: ['r2 subagent open: Grep'],
        [SESSION]: ['r0 human open: Read'],
      })
    })
  })

  test('a file without a session in its name has the first sessionId in it, and what continues from it', () => {
    const records = [
      prompt,
      { ...calls('Read a'), sessionId: OTHER },
      by('one', { ...prompt, sessionId: OTHER }),
    ]
    expect(sessionsOf(records, unnamed)).toEqual({
      [SESSION]: ['r0 human open: Read'],
      [`${SESSION}/one`]: ['r2 subagent open'],
    })
  })

  test('a file that is read further stays the same session', () => {
    const bytes = linesOf(placed([prompt, { ...calls('Read a'), sessionId: OTHER }]))
    const cuts = [bytes.indexOf('\n') + 1]
    expect(outline(read(bytes, { ...unnamed, cuts }))).toEqual({ [SESSION]: ['r0 human open: Read'] })
  })

  // Regression test for defect 4: an extra session `(no session)`. Contract: "A record's sessionId never
  // separates threads."
  test('a file is the session of its first record that names one', () => {
    const records = [{ ...prompt, sessionId: undefined }, calls('Read a')]
    expect(sessionsOf(records, unnamed)).toEqual({ [SESSION]: ['r0 human open: Read'] })
  })

  // Regression test for defect 4. Contract: "else the first `sessionId` in it" includes the sessionId of a
  // skipped record.
  test('a skipped record may name the session of a file', () => {
    const records = [{ type: 'queue-operation', sessionId: OTHER }, prompt]
    expect(sessionsOf(records, unnamed)).toEqual({ [OTHER]: ['r1 human open'] })
  })

  test('a file with only skipped records is not a session', () => {
    expect(sessionsOf([{ type: 'summary' }, { type: 'progress' }, { type: 'new' }])).toEqual({})
  })
})

describe('threads', () => {
  test('a subagent’s file is a separate thread', () => {
    const name = parseFileName(`/p/${SESSION}/subagents/agent-one.jsonl`)
    expect(sessionsOf([by('one', prompt), by('one', calls('Read a'))], { name })).toEqual({
      [`${SESSION}/one`]: ['r0 subagent open: Read'],
    })
  })

  test('a subagent’s file next to older sessions belongs to its first sessionId', () => {
    expect(sessionsOf([by('one', prompt)], { name: parseFileName('/p/agent-one.jsonl') })).toEqual({
      [`${SESSION}/one`]: ['r0 subagent open'],
    })
  })

  test('records in the file of a subagent belong to it, even if they do not name it', () => {
    expect(sessionsOf([prompt], { name: parseFileName('agent-one.jsonl') })).toEqual({
      [`${SESSION}/one`]: ['r0 subagent open'],
    })
  })

  test('sidechains inside a file are separated by agentId; the Task is one step of the parent', () => {
    const records = [
      prompt,
      calls(['Task a', 'Task b']),
      by('one', prompt),
      by('two', prompt),
      by('one', calls('Read c')),
      by('two', calls('Grep d')),
      by('one', result('c')),
      result('a'),
      says('So', { stop_reason: 'end_turn' }),
    ]
    expect(sessionsOf(records)).toEqual({
      [SESSION]: ['r0 human complete: Task{2+}'],
      [`${SESSION}/one`]: ['r2 subagent open: Read'],
      [`${SESSION}/two`]: ['r3 subagent open: Grep'],
    })
  })

  const from = (parentUuid: string | null, record: Written) => side(record, { parentUuid })

  test('sidechains without agentId are in the thread of their parent, otherwise in a new one', () => {
    const records = [
      calls('Task t'),
      from('r0', prompt), // its parent is not in a sidechain
      from(null, prompt),
      from('r1', calls('Read a')),
      from('r2', calls('Grep b')),
      from('r3', result('a')),
      from('r5', calls('Edit c')),
      from('nowhere', prompt),
    ]
    expect(sessionsOf(records)).toEqual({
      [SESSION]: ['r0 continuation open: Task'],
      [`${SESSION}/r1`]: ['r1 subagent open: Read → Edit'],
      [`${SESSION}/r2`]: ['r2 subagent open: Grep'],
      [`${SESSION}/r7`]: ['r7 subagent open'],
    })
  })

  // Regression test for defect 5. Contract: "by `agentId`, else by the parent's sidechain thread": the parent
  // may have an agentId.
  test('a record belongs to its parent’s thread if the parent has an agentId', () => {
    expect(sessionsOf([by('one', prompt), from('r0', calls('Read a'))])).toEqual({
      [`${SESSION}/one`]: ['r0 subagent open: Read'],
    })
  })

  // Regression test for defect 6: all later threads without a parent were assigned to a record without a
  // uuid.
  test('a record without a uuid is not a parent', () => {
    const records = [{ ...from(null, says('x')), uuid: undefined }, from(null, prompt), from(null, prompt)]
    expect(sessionsOf(records)).toMatchObject({
      [`${SESSION}/r1`]: ['r1 subagent open'],
      [`${SESSION}/r2`]: ['r2 subagent open'],
    })
  })

  // Regression test for defect 7: only the last 512 records of all sidechains together were remembered.
  test('the newest record of a thread is found at any distance', () => {
    const busy = Array.from({ length: 600 }, (_, i) => from(`r${i + 1}`, says('on')))
    const records = [from(null, prompt), from(null, prompt), ...busy, from('r0', calls('Read a'))]
    expect(Object.keys(sessionsOf(records))).toEqual([`${SESSION}/r0`, `${SESSION}/r1`])
  })

  test('an interruption or a start in one thread does not change the other threads', () => {
    const records = [
      prompt,
      by('one', prompt),
      by('one', user('[Request interrupted by user]')),
      by('two', prompt),
      calls('Read a'),
    ]
    expect(sessionsOf(records)).toEqual({
      [SESSION]: ['r0 human open: Read'],
      [`${SESSION}/one`]: ['r1 subagent interrupted'],
      [`${SESSION}/two`]: ['r3 subagent open'],
    })
  })

  test('each thread has its times, its folder and its version', () => {
    const { transcript } = read(
      linesOf(
        placed([system('informational'), prompt, by('one', { ...prompt, cwd: '/srv/b', version: '2.1.1' })]),
      ),
    )
    const facts = transcript
      .sessions()
      .map(({ thread: { startedAt, endedAt, cwd, version } }) => [startedAt, endedAt, cwd, version])
    expect(facts).toEqual([
      [instant(0), instant(1), '/srv/app', '2.1.0'],
      [instant(2), instant(2), '/srv/b', '2.1.1'],
    ])
  })
})

describe('skipped threads', () => {
  const warmUp = user('Warmup')

  test('a sidechain without calls is skipped if its prompt is Warmup or missing', () => {
    const records = [
      by('one', warmUp),
      by('one', says('Ready')),
      by('two', says('Hello')),
      by('three', system('informational')),
    ]
    const { sessions, transcript } = read(linesOf(placed(records)))
    expect(sessions).toEqual({})
    expect(transcript.skipped).toBe(3)
  })

  test('a sidechain with another prompt or a call is kept, and so is the word in the main thread', () => {
    const records = [
      by('one', prompt),
      by('two', warmUp),
      by('two', calls('Read a')),
      by('three', calls('Grep b')),
      warmUp,
    ]
    expect(sessionsOf(records)).toEqual({
      [SESSION]: ['r4 human open'],
      [`${SESSION}/one`]: ['r0 subagent open'],
      [`${SESSION}/three`]: ['r3 continuation open: Grep'],
      [`${SESSION}/two`]: ['r1 subagent open: Read'],
    })
  })

  test('turns that wait for a call are passed on with the turn that has it', () => {
    const records = [
      by('one', warmUp),
      by('one', says('Ready')),
      by('one', prompt),
      by('one', calls('Read a')),
      by('one', prompt),
    ]
    expect(sessionsOf(records)).toEqual({
      [`${SESSION}/one`]: ['r0 subagent complete', 'r2 subagent complete: Read', 'r4 subagent open'],
    })
  })

  // Regression test for defect 8: r0 was missing, because held turns were passed on only when another turn
  // was closed.
  test('all held turns of a thread are passed on if its last turn makes it count', () => {
    const records = [
      by('one', warmUp),
      by('one', says('Ready')),
      by('one', prompt),
      by('one', calls('Read a')),
    ]
    expect(sessionsOf(records)).toEqual({
      [`${SESSION}/one`]: ['r0 subagent complete', 'r2 subagent open: Read'],
    })
  })

  test('agents that compact are recognized by their name', () => {
    expect(['acompact-1', 'acompact', 'a1', 'compact', ''].map(isCompaction)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

test('turns and states contain no texts: prompts, thinking, inputs, outputs, titles', () => {
  const words = 'canary'
  const thinking = {
    ...says(words),
    message: { content: [{ type: 'thinking', thinking: words, signature: words }] },
  }
  const records = [
    { type: 'summary', summary: words },
    user(words),
    thinking,
    {
      ...calls(['Bash a', 'Edit b', 'Read c', 'Task d']),
      message: { content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: words } }] },
    },
    result('a', { content: words }, { toolUseResult: { stdout: words } }),
    failed('b', `The user doesn't want to proceed with this tool use. ${words}`),
    by('one', user(words)),
    { type: 'last-prompt', lastPrompt: words },
    { type: 'queue-operation', content: words },
    user(`<command-name>${words}`),
  ]
  const told: unknown[] = []
  const transcript = new Transcript(parseFileName(`${SESSION}.jsonl`), {
    onTurn: (_, turn) => told.push(turn),
  })
  transcript.push(linesOf(placed([...records, says(words), user(words)])))
  transcript.end()
  told.push(transcript.sessions(), transcript.state())
  expect(JSON.stringify(told)).not.toContain(words)
})

describe('the remembered state', () => {
  const answered = (i: number) => [
    prompt,
    calls([`Read a${i}`, `Grep b${i}`]),
    result(`a${i}`),
    failed(`b${i}`, 'no'),
  ]
  const stateAfter = (turns: number) =>
    JSON.stringify(
      read(linesOf(placed(Array.from({ length: turns }, (_, i) => answered(i)).flat()))).transcript.state(),
    )

  test('the state does not grow with finished turns', () => {
    expect(stateAfter(1000).length - stateAfter(300).length).toBeLessThan(30)
  })

  test('the state does not grow with turns whose calls were answered late', () => {
    const records = [user('Go'), calls(['Read a', 'Grep b']), user('Next'), result('a'), result('b')]
    const unsettledAfter = (count: number) =>
      read(linesOf(placed(records.slice(0, count)))).transcript.state().threads[0]!.unsettled.length
    expect([3, 4, 5].map(unsettledAfter)).toEqual([1, 1, 0])
  })

  test('the state does not grow without end with calls that are never answered', () => {
    const records = Array.from({ length: 3000 }, (_, i) => [prompt, calls(`Read a${i}`)]).flat()
    const { transcript } = read(linesOf(placed(records)))
    expect(transcript.state().threads[0]!.unsettled.length).toBeLessThanOrEqual(100)
    expect(turnsOf(records)).toHaveLength(3000)
  })

  test('the returned state is a copy: reading further does not change it', () => {
    const transcript = new Transcript(parseFileName(`${SESSION}.jsonl`), { onTurn: () => {} })
    transcript.push(linesOf(placed([prompt, calls('Read a')])))
    const state = transcript.state()
    const told = JSON.stringify(state)
    transcript.push(linesOf(placed([result('a'), prompt])))
    expect(JSON.stringify(state)).toBe(told)
    const next = new Transcript(parseFileName(`${SESSION}.jsonl`), { state, onTurn: () => {} })
    next.push(linesOf(placed([result('a'), prompt])))
    expect(JSON.stringify(state)).toBe(told)
  })

  test('a call of an earlier import is not counted again', () => {
    const bytes = linesOf(
      placed([
        prompt,
        calls('Read a', { id: 'm' }),
        result('a'),
        prompt,
        calls(['Read a', 'Grep b'], { id: 'm' }),
      ]),
    )
    const cut = bytes.indexOf('\n', bytes.indexOf('"r3"')) + 1
    expect(read(bytes, { cuts: [cut] }).sessions).toEqual(read(bytes).sessions)
    expect(outline(read(bytes, { cuts: [cut] }))).toEqual({
      [SESSION]: ['r0 human complete: Read', 'r3 human open: Grep'],
    })
  })
})
