import { describe, expect, test } from 'vitest'
import {
  calls,
  inWords,
  linesOf,
  placed,
  read,
  result,
  SESSION,
  says,
  system,
  turnsOf,
  user,
  type Written,
} from '../../test/support/written-transcript.ts'

/** The id of each record is `r` and its index. A turn is written as `id kind status: pattern`. */
type Rule = readonly [rule: string, records: Written[], turns: string[]]

const follows = (rules: readonly Rule[]) =>
  test.each(rules)('%s', (_, records, turns) => {
    expect(turnsOf(records).map(inWords)).toEqual(turns)
  })

const text = (words: string) => ({ type: 'text', text: words })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }
const document = { type: 'document', source: { type: 'base64', data: '' } }
const work = [calls('Read a'), result('a')]
const prompt = user('Fix it')
const clear = user('<command-name>/clear</command-name>\n<command-args></command-args>')
const bash = user('<bash-input>ls</bash-input>')
const skill = user('<command-message>review</command-message>\n<command-name>/review</command-name>')
const task = user('<task-notification>\n<task-id>b1</task-id>\n</task-notification>')
const interruption = user([text('[Request interrupted by user]')])
const p = (record: Written, promptId = 'p') => ({ ...record, promptId })

describe('a turn starts', () => {
  follows([
    ['at a string', [prompt, ...work], ['r0 human open: Read']],
    ['at the text blocks of an array', [user([text('Fix it')])], ['r0 human open']],
    ['at each prompt', [prompt, ...work, prompt], ['r0 human complete: Read', 'r3 human open']],
    ['at a single image', [user([image])], ['r0 human open']],
    ['at a single document', [user([document])], ['r0 human open']],
    ['at an image among dropped blocks', [user([text('<ide_selection>'), image])], ['r0 human open']],
    ['at a text next to dropped blocks', [user([text('<ide_diff>'), text('Do it')])], ['r0 human open']],
    ['at <ide as a word', [user([text('<ideas> first')])], ['r0 human open']],
    ['not at dropped blocks only', [user([text('<ide_opened_file>a')])], []],
    ['not at reminders', [user([text('<system-reminder>a'), text(' \n<system-reminder>b')])], []],
    ['not at a result', [prompt, ...work, result('a', {}, { promptId: 'q' })], ['r0 human open: Read']],
    [
      'not at a text next to a result',
      [user([{ type: 'tool_result', tool_use_id: 'x' }, text('Do it')])],
      [],
    ],
    ['not at empty texts', [user(''), user(' \n'), user([]), user([text('')]), { type: 'user' }], []],
    [
      'not at a copy of the start of the open turn',
      [prompt, ...work, { ...prompt, uuid: 'r0' }, calls('Edit b')],
      ['r0 human open: Read → Edit'],
    ],
    ['not at isMeta', [{ ...prompt, isMeta: true }], []],
    ['at a prompt with isMeta false', [{ ...prompt, isMeta: false }], ['r0 human open']],
    ['not at a summary', [{ ...prompt, isCompactSummary: true }], []],
    [
      'not at the output of a command',
      [user('<local-command-stdout>a'), user('<local-command-stderr>b')],
      [],
    ],
    [
      'not at the caveat of a command',
      [user('<local-command-caveat>a'), user('Caveat: The messages below')],
      [],
    ],
    ['not at the output of bash', [user('<bash-stdout>a</bash-stdout>'), user([text('<bash-stderr>b')])], []],
    ['not at a prompt that a hook stopped', [user('Operation stopped by hook: no')], []],
    ['at a text with a tag inside', [user('What is <bash-stdout>?')], ['r0 human open']],
    [
      'not without a uuid',
      [
        { ...prompt, uuid: undefined },
        { ...prompt, uuid: '' },
      ],
      [],
    ],
  ])
})

describe('the kind of a turn depends on the tag at its start', () => {
  follows([
    ['skill', [skill, ...work], ['r0 skill open: Read']],
    ['skill, in an array', [user([text('<command-message>a')])], ['r0 skill open']],
    ['command', [clear, ...work], ['r0 command open: Read']],
    [
      'command, with its message second',
      [user('<command-name>/a</command-name><command-message>a'), says('a')],
      ['r0 command open'],
    ],
    ['bash', [bash, ...work], ['r0 bash open: Read']],
    ['task_notification', [task], ['r0 task_notification open']],
    ['teammate', [user('<teammate-message teammate_id="lead">Go')], ['r0 teammate open']],
    ['the first text decides', [user([text('Do'), text('<bash-input>ls')])], ['r0 human open']],
    ['after blanks', [user(' \n<task-notification>')], ['r0 task_notification open']],
    ['not by a tag inside', [user('Run <bash-input>')], ['r0 human open']],
  ])

  test('a turn of a sidechain without a tag has the kind subagent', () => {
    const side = (record: Written) => ({ ...record, isSidechain: true, agentId: 'one' })
    const { sessions } = read(linesOf(placed([side(prompt), side(skill), side(task)])))
    expect(
      Object.values(sessions)
        .flat()
        .map(({ kind }) => kind),
    ).toEqual(['subagent', 'skill', 'task_notification'])
  })
})

describe('command and bash open lazily', () => {
  follows([
    ['are discarded without an answer', [clear, user('<local-command-stdout>ok')], []],
    [
      'without an answer they do not close the open turn',
      [prompt, calls('Read a'), bash, user('<bash-stdout>x'), result('a')],
      ['r0 human open: Read'],
    ],
    [
      'without an answer, later work belongs to the next turn',
      [prompt, clear, prompt, ...work],
      ['r0 human complete', 'r2 human open: Read'],
    ],
    [
      'an answer makes them turns and closes the previous turn',
      [prompt, ...work, clear, says('Done')],
      ['r0 human complete: Read', 'r3 command open'],
    ],
    ['the next command replaces a waiting one', [clear, bash, says('a')], ['r1 bash open']],
    ['a synthetic record is not an answer', [clear, says('No response', { model: '<synthetic>' })], []],
    ['a result is not an answer', [prompt, calls('Read a'), clear, result('a')], ['r0 human open: Read']],
    [
      'an interruption is not an answer and ends the previous turn',
      [prompt, clear, interruption],
      ['r0 human interrupted'],
    ],
    ['a discarded command takes no index', [clear, prompt], ['r1 human open']],
  ])

  test('indexes count only turns', () => {
    expect(turnsOf([clear, prompt, bash, prompt, clear, says('a')]).map(({ index }) => index)).toEqual([
      0, 1, 2,
    ])
  })

  // Regression test for defect 1: the records after a command were added to the previous turn.
  test('records between a command and its answer belong to the command', () => {
    const told = system('turn_duration', { durationMs: 9 })
    const turns = turnsOf([prompt, clear, told, says('Done')])
    expect(turns.map(({ id, durationMs }) => [id, durationMs])).toEqual([
      ['r0', 0],
      ['r1', 9],
    ])
  })
})

describe('promptId', () => {
  follows([
    [
      'of the open turn continues the turn',
      [p(prompt), ...work, p(prompt), calls('Edit b')],
      ['r0 human open: Read → Edit'],
    ],
    ['that is different starts a turn', [p(prompt), p(prompt, 'q')], ['r0 human complete', 'r1 human open']],
    [
      'of an earlier turn starts a turn',
      [p(prompt), p(prompt, 'q'), p(prompt)],
      ['r0 human complete', 'r1 human complete', 'r2 human open'],
    ],
    ['of a skill always starts a turn', [p(prompt), p(skill)], ['r0 human complete', 'r1 skill open']],
    [
      'of the skill continues its turn',
      [p(prompt), p(skill), p(prompt)],
      ['r0 human complete', 'r1 skill open'],
    ],
    ['of the open turn in a command continues the turn', [p(prompt), p(clear), says('a')], ['r0 human open']],
    [
      'of an interrupted turn starts a turn',
      [p(prompt), interruption, p(prompt)],
      ['r0 human interrupted', 'r2 human open'],
    ],
    [
      'that is missing is never equal',
      [prompt, { ...prompt, promptId: null }, p(prompt, '')],
      ['r0 human complete', 'r1 human complete', 'r2 human open'],
    ],
    [
      'is not needed for a task notification to start a turn',
      [prompt, calls('Read a'), task, result('a')],
      ['r0 human complete: Read', 'r2 task_notification open'],
    ],
    [
      'of the open turn in a task notification continues the turn',
      [p(prompt), calls('Read a'), p(task), calls('Edit b')],
      ['r0 human open: Read → Edit'],
    ],
    [
      'is missing in a continuation',
      [p(calls('Read a')), p(prompt)],
      ['r0 continuation complete: Read', 'r1 human open'],
    ],
  ])
})

describe('a continuation', () => {
  follows([
    ['opens if no turn is open', [...work, prompt], ['r0 continuation complete: Read', 'r2 human open']],
    [
      'opens after an interruption',
      [prompt, interruption, ...work],
      ['r0 human interrupted', 'r2 continuation open: Read'],
    ],
    [
      'opens at the first record, even if the call comes later',
      [says('Let me see'), ...work],
      ['r0 continuation open: Read'],
    ],
    ['is discarded without a call', [says('Hello'), prompt], ['r1 human open']],
    ['is discarded without a call at the end of the file', [says('Hello', { stop_reason: 'end_turn' })], []],
    [
      'is discarded without a call at an interruption',
      [says('Hello'), interruption, prompt],
      ['r2 human open'],
    ],
    ['is not opened by a synthetic record', [calls('Read a', { model: '<synthetic>' })], []],
    ['is not opened by a record without a uuid', [{ ...calls('Read a'), uuid: undefined }], []],
  ])

  test('a discarded continuation takes no index', () => {
    expect(turnsOf([says('a'), prompt, interruption, says('b'), prompt]).map(({ index }) => index)).toEqual([
      0, 1,
    ])
  })
})

describe('history that a compaction appends again', () => {
  const first = placed([prompt, ...work, interruption, prompt, calls('Edit b'), result('b')])
  const command = { ...clear, uuid: 'command' }
  const last = (records: Written[]) => read(linesOf(records)).sessions[SESSION]!.at(-1)!

  test('does not change the open turn', () => {
    const system_ = {
      ...system('turn_duration', { durationMs: 5 }),
      timestamp: first[1]!.timestamp,
      uuid: 'd',
    }
    expect(last([...first, ...first.slice(0, 4), system_])).toEqual(last(first))
    expect(last([...first, ...first])).toEqual(last(first))
  })

  test('does not change the open turn after an import that ended before the history', () => {
    const bytes = linesOf([...first, ...first])
    expect(read(bytes, { cuts: [linesOf(first).length] }).sessions).toEqual(read(linesOf(first)).sessions)
  })

  test('does not answer a command, and does not start a turn with an unanswered command', () => {
    const records = placed([prompt, ...work, command, prompt, ...work])
    expect(read(linesOf([...records, ...records])).sessions).toEqual(read(linesOf(records)).sessions)
    const compact = placed([prompt, ...work, says('Done'), { ...clear, uuid: 'compact' }])
    expect(read(linesOf([...compact, ...compact.slice(0, 4)])).sessions).toEqual(
      read(linesOf(compact)).sessions,
    )
  })

  test('does not end a command that was answered after a repeated record', () => {
    const records = placed([command, system('stop_hook_summary'), calls('Read a')])
    expect(last([...records, records[1]!])).toEqual(last(records))
  })

  test('does not move the end of the session back', () => {
    const { transcript } = read(linesOf([...first, ...first.slice(0, 2)]))
    expect(transcript.sessions()[0]!.thread.endedAt).toBe(first.at(-1)!.timestamp)
  })
})

describe('a message that another program sent', () => {
  test.each([
    ['peer', 'peer'],
    ['task-notification', 'task_notification'],
    ['coordinator', 'coordinator'],
    ['channel', 'channel'],
    ['some-new-kind', 'some_new_kind'],
    ['human', 'human'],
  ])('with origin %s begins a turn of kind %s', (kind, stored) => {
    expect(turnsOf([{ ...prompt, origin: { kind } }, ...work]).map(inWords)).toEqual([
      `r0 ${stored} open: Read`,
    ])
  })
})
