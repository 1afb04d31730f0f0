import { describe, expect, test } from 'vitest'
import {
  calls,
  failed,
  instant,
  inWords,
  linesOf,
  placed,
  read,
  result,
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
const work = [calls('Read a'), result('a')]
const prompt = user('Fix it')
const clear = user('<command-name>/clear</command-name>\n<command-args></command-args>')
const interruption = user([text('[Request interrupted by user]')])

const finals = ['end_turn', 'stop_sequence'].map((stop_reason) => says('Done', { stop_reason }))

describe('a turn ends', () => {
  follows([
    ['at an interruption', [prompt, ...work, interruption], ['r0 human interrupted: Read']],
    [
      'at an interruption that is written as a string',
      [prompt, user('[Request interrupted by user for tool use]')],
      ['r0 human interrupted'],
    ],
    [
      'not at an interruption without an open turn',
      [interruption, prompt, interruption, interruption],
      ['r1 human interrupted'],
    ],
    [
      'not at a final answer: later work belongs to the turn',
      [prompt, finals[0]!, ...work],
      ['r0 human open: Read'],
    ],
    ['not at a stop hook', [prompt, system('stop_hook_summary'), ...work], ['r0 human open: Read']],
    [
      'not at a compaction',
      [prompt, system('compact_boundary'), { ...prompt, isCompactSummary: true }, ...work],
      ['r0 human open: Read'],
    ],
    ['not at the end of the file', [prompt, ...work, says('Next')], ['r0 human open: Read']],
    ...finals.map(
      (final, i): Rule => [
        `complete at the end of the file after a final answer (${i})`,
        [prompt, ...work, final],
        ['r0 human complete: Read'],
      ],
    ),
    [
      'complete after a stop hook',
      [prompt, ...work, system('stop_hook_summary')],
      ['r0 human complete: Read'],
    ],
    [
      'complete after a duration',
      [prompt, ...work, system('turn_duration', { durationMs: 5 })],
      ['r0 human complete: Read'],
    ],
    [
      'not complete after another stop reason',
      [prompt, says('Too long', { stop_reason: 'max_tokens' })],
      ['r0 human open'],
    ],
    [
      'not complete with a call after the final answer',
      [prompt, finals[0]!, calls('Read a')],
      ['r0 human open: Read'],
    ],
    [
      'not complete with a call in the final answer',
      [prompt, calls('Read a', { stop_reason: 'end_turn' })],
      ['r0 human open: Read'],
    ],
    [
      'complete with a result after the final answer',
      [prompt, calls('Read a'), finals[0]!, result('a')],
      ['r0 human complete: Read'],
    ],
    [
      'not complete after a synthetic record',
      [prompt, says('x', { model: '<synthetic>', stop_reason: 'stop_sequence' })],
      ['r0 human open'],
    ],
    [
      'in the order of the file, whatever the times of its records',
      [{ ...prompt, timestamp: instant(90) }, ...work, { ...prompt, timestamp: instant(3) }],
      ['r0 human complete: Read', 'r3 human open'],
    ],
  ])
})

describe('the duration of a turn', () => {
  const durationOf = (records: Written[]) => {
    const { startedAt, durationMs, durationSource } = turnsOf(records)[0]!
    return [startedAt, durationMs, durationSource]
  }
  const told = (durationMs: unknown) => system('turn_duration', { durationMs })

  test('is the last turn_duration of the turn', () => {
    expect(durationOf([prompt, told(7), ...work, told(5000), says('x')])).toEqual([
      instant(0),
      5000,
      'turn_duration',
    ])
    expect(durationOf([prompt, told(0)])).toEqual([instant(0), 0, 'turn_duration'])
    for (const unusable of ['long', -5])
      expect(durationOf([prompt, told(unusable)])).toEqual([instant(0), 1000, 'timestamps'])
  })

  test('is the time from its start to its last record if there is no turn_duration', () => {
    expect(durationOf([prompt, ...work, says('x'), prompt])).toEqual([instant(0), 3000, 'timestamps'])
    expect(durationOf([prompt, ...work, interruption])).toEqual([instant(0), 3000, 'timestamps'])
    expect(durationOf([prompt])).toEqual([instant(0), 0, 'timestamps'])
  })

  test('includes the records after a discarded command, not the command itself', () => {
    expect(durationOf([prompt, says('x'), clear])).toEqual([instant(0), 1000, 'timestamps'])
    expect(durationOf([prompt, says('x'), clear, user('<local-command-stdout>')])).toEqual([
      instant(0),
      3000,
      'timestamps',
    ])
    expect(durationOf([prompt, says('x'), clear, user('<local-command-stdout>'), prompt])[1]).toBe(3000)
  })

  test('does not include records of other threads and skipped records', () => {
    const side = { ...prompt, isSidechain: true, agentId: 'one' }
    expect(durationOf([prompt, says('x'), side, { type: 'progress' }])).toEqual([
      instant(0),
      1000,
      'timestamps',
    ])
  })

  test('is unknown without a start', () => {
    expect(durationOf([{ ...prompt, timestamp: null }, says('x')])).toEqual([null, null, null])
    expect(durationOf([{ ...prompt, timestamp: 'soon' }, says('x')])).toEqual([null, null, null])
    expect(durationOf([prompt, says('x'), { ...says('y'), timestamp: undefined }])).toEqual([
      instant(0),
      1000,
      'timestamps',
    ])
  })
})

test('a result that comes after the next start still belongs to its call, and the turn is passed on again', () => {
  const records = [
    prompt,
    calls(['Read a', 'Grep b']),
    prompt,
    result('a'),
    failed('b', 'Exit code 1'),
    calls('Edit c'),
    prompt,
  ]
  const { sessions, handedOn } = read(linesOf(placed(records)))
  const turns = Object.values(sessions).flat()
  expect(turns[0]!.steps.map(([id, , status]) => [id, status])).toEqual([
    ['a', 'ok'],
    ['b', 'error'],
  ])
  expect(turns[0]).toMatchObject({ errors: 1, durationMs: 1000, status: 'complete' })
  expect(turns[1]!.steps.map(([id, , status]) => [id, status])).toEqual([['c', 'pending']])
  expect(handedOn).toBe(4)
})
