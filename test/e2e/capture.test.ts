import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

let home = ''
let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  home = temporaryFolder()
  turngraph = commandsOn(home)
})

const turn = (turn_number: number, more: object = {}) =>
  JSON.stringify({ feature_id: 'F', task_id: 'T', turn_number, player_summary: 'Built it', ...more })

describe('turngraph capture', () => {
  test('capture accepts a record in the form that `worlds turn --json` prints', async () => {
    await turngraph.run(['capture'], { input: turn(1, { coach_decision: 'Needs work!' }) })
    const read = await turngraph.run(['worlds', 'turn', 'T', '1', '--json'])
    expect(JSON.parse(read.stdout)).toMatchObject({ coach_decision_raw: 'Needs work!' })
    expect(await turngraph.run(['capture'], { input: read.stdout })).toEqual({
      code: 0,
      stdout: 'Already stored: turn 1 of world T\n',
      stderr: '',
    })
  })

  test('capture rejects two reports from standard input, of which it could read only one', async () => {
    const scope = ['--feature', 'F', '--task', 'T', '--turn', '1']
    const { code, stderr } = await turngraph.run(['capture', '--player', '-', '--coach', '-', ...scope], {
      input: '{"implementation_notes":"Built it"}',
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining('Only one report')])
  })

  test('capture accepts a turn state of GuardKit unchanged, and names the fields that it converts', async () => {
    const turnState = {
      id: 'TURN--1',
      feature_id: '',
      task_id: 'TASK-GK',
      turn_number: 1,
      player_summary: 'Implementation attempt',
      player_decision: 'approve',
      coach_decision: 'approve',
      started_at: '2026-03-09T20:03:14.679959',
      completed_at: '2026-03-09T20:03:14.679959',
    }
    const { stdout } = await turngraph.run(['capture', '-'], { input: JSON.stringify(turnState) })
    expect(stdout).toBe(
      'Stored turn 1 of world TASK-GK; feature_id is empty and no world names it; recorded under FEAT-UNKNOWN; player_decision "approve" is a Coach\'s decision; recorded as implemented\n',
    )
  })

  test('capture takes the reports of a turn as they were written, and warns of what does not fit', async () => {
    const player = {
      implementation_notes: 'Built it',
      completion_promises: [{ ac_id: 'AC-1', status: 'done' }],
    }
    const coach = { decision: 'approve', criteria_results: [{ criterion_id: 'AC-1', result: 'perfect' }] }
    await writeFile(path.join(home, 'p.json'), JSON.stringify(player))
    await writeFile(path.join(home, 'c.md'), `My verdict:\n\`\`\`json\n${JSON.stringify(coach)}\n\`\`\`\n`)
    const place = ['--feature', 'F', '--task', 'T', '--turn', '1']
    const files = ['--player', 'p.json', '--coach', 'c.md']
    expect(await turngraph.run(['capture', ...files, ...place])).toEqual({
      code: 0,
      stdout: 'Stored turn 1 of world T\n',
      stderr: [
        'Warning: coach_report: holds text around its JSON; the last fenced block of it is read',
        'Warning: verifications[0].status: "perfect" is not known; use verified, rejected, pending or unknown; recorded as unknown',
        'Made a new graph in ./graph.',
        '',
      ].join('\n'),
    })
    const again = await turngraph.run(['capture', ...files, ...place, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      created: false,
      player_summary: 'Built it',
      coach_decision: 'approved',
      promises: [{ criterion_id: 'AC-1', status: 'complete' }],
      warnings: [{}, {}].map(() => expect.any(String)),
    })
  })

  test.each([
    [['turn.json', '--world', 'w2'], '--world: only for reports.'],
    [['--task', 'T', '--turn', '1'], '--task, --turn: only for reports.'],
    [
      ['turn.json', '--player', 'p.json', '--task', 'T', '--turn', '1'],
      'turn.json is a record; it cannot be captured with reports.',
    ],
    [['--player', 'p.json', '--task', 'T'], 'The turn of the reports is not named.'],
  ])('capture %j is refused, because a part of it would be ignored', async (args, message) => {
    await writeFile(path.join(home, 'turn.json'), turn(1))
    await writeFile(path.join(home, 'p.json'), '{"implementation_notes":"Built it"}')
    const { code, stdout, stderr } = await turngraph.run(['capture', ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('capture accepts JSON lines, and prints an answer for each', async () => {
    const input = `${turn(1)}\r\n\n${turn(2)}\n${turn(1)}\n`
    expect(await turngraph.run(['capture'], { input })).toEqual({
      code: 0,
      stderr: 'Made a new graph in ./graph.\n',
      stdout: [
        'line 1: Stored turn 1 of world T',
        'line 3: Stored turn 2 of world T',
        'line 4: Already stored: turn 1 of world T',
        '',
      ].join('\n'),
    })
  })

  test('capture stores every record even if its output is no longer read', async () => {
    const file = path.join(home, 'turns.jsonl')
    await writeFile(file, Array.from({ length: 58 }, (_, index) => turn(index + 1)).join('\n'))
    const capturing = turngraph.start(['capture', file])
    capturing.stdout?.destroy() // as `| head -1` does
    capturing.stderr?.destroy()
    await once(capturing, 'exit')
    expect(capturing.exitCode).toBe(0)
    const { stdout } = await turngraph.run(['worlds', 'get', 'T', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ current_turn: 58 })
  })

  test('a broken first line of standard input does not stop the other lines', async () => {
    const told = await turngraph.run(['capture'], { input: `bad\n${turn(1)}\n` })
    expect(told).toMatchObject({ code: 2, stdout: 'line 2: Stored turn 1 of world T\n' })
    expect(told.stderr).toContain('1 of 2 lines was not stored: line 1.')
  })

  test('capture names each stored line and each invalid one, and stores all valid lines', async () => {
    const bad = [turn(2, { coach_decision: 'aproved' }), '{"feature_id":', turn(0), '[]']
    const input = [turn(1), ...bad, turn(3)].join('\n')
    const told = await turngraph.run(['capture'], { input })
    expect(told.code).toBe(2)
    expect(told.stdout).toBe('line 1: Stored turn 1 of world T\nline 6: Stored turn 3 of world T\n')
    expect(told.stderr).toContain(
      'line 2: the turn record: coach_decision: "aproved": did you mean "approved"?',
    )
    expect(told.stderr).toMatch(/^line 3: The line is no JSON/m)
    expect(told.stderr).toContain('4 of 6 lines were not stored: lines 2-5. Stored: lines 1, 6.')
    expect(told.stderr).toContain('hint: Mend lines 2-5. The whole file may be run again')
    expect(told.stderr).toContain('line 5: the turn record: must be of type object, and is an array')
    const asJson = await turngraph.run(['capture', '--json'], { input })
    const answers = asJson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ line, created, error }) => [line, created ?? error.code])).toEqual([
      [1, false],
      [2, 'invalid_request'],
      [3, 'invalid_request'],
      [4, 'invalid_request'],
      [5, 'invalid_request'],
      [6, false],
    ])
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'invalid_request',
      details: { stored: [1, 6] },
    })
  })

  test('capture reads a file named .jsonl as lines, and a record over many lines as one', async () => {
    const lines = path.join(home, 'turns.jsonl')
    await writeFile(lines, turn(1))
    expect((await turngraph.run(['capture', lines])).stdout).toBe('line 1: Stored turn 1 of world T\n')
    const input = JSON.stringify(JSON.parse(turn(2)), null, 2)
    expect((await turngraph.run(['capture'], { input })).stdout).toBe('Stored turn 2 of world T\n')
    const broken = await turngraph.run(['capture'], { input: input.replace('"F",', '"F"') })
    expect(broken).toMatchObject({ code: 2, stdout: '' })
    expect(broken.stderr).toContain('Standard input is no JSON at position')
  })

  test('--on-conflict supersede replaces the stored record, and the default, error, does not', async () => {
    await turngraph.run(['capture'], { input: turn(1) })
    const input = turn(1, { player_summary: 'Built another' })
    expect((await turngraph.run(['capture', '--on-conflict', 'error'], { input })).code).toBe(5)
    const replaced = await turngraph.run(['capture', '--on-conflict', 'supersede'], { input })
    expect(replaced).toMatchObject({ code: 0, stdout: 'Replaced turn 1 of world T\n' })
    expect((await turngraph.run(['capture', '--on-conflict', 'perhaps'], { input })).code).toBe(2)
  })

  test('capture stops at the first line for which the graph is unavailable', async () => {
    const environment = { TURNGRAPH_URL: 'http://127.0.0.1:9', TURNGRAPH_TOKEN: 'a-token-of-nobody' }
    const input = [turn(1), turn(2), turn(3)].join('\n')
    const told = await turngraph.run(['capture'], { input, environment })
    expect(told).toMatchObject({ code: 7, stdout: '' })
    expect(told.stderr).toContain(
      '1 of 3 lines was not stored: line 1. None was stored. Not tried: lines 2-3.',
    )
    const oneBad = await turngraph.run(['capture'], { input: `[]\n${input}`, environment })
    expect(oneBad).toMatchObject({ code: 7, stdout: '' })
    expect(oneBad.stderr).toContain(
      'hint: Mend line 1. Send lines 2-4 again. The whole file may be run again',
    )
  })
})

test('a folder instead of a file, and a missing file, are clear errors', async () => {
  const user = commandsOn(temporaryFolder())
  for (const command of ['capture', 'restore', 'specify']) {
    const ofFolder =
      command === 'specify'
        ? /^error: There is no specification in \./
        : /^error: \. is a folder; name a file\./
    expect((await user.run([command, '.'])).stderr).toMatch(ofFolder)
    expect((await user.run([command, 'none.json'])).stderr).toMatch(/^error: none\.json is not there\./)
  }
})
