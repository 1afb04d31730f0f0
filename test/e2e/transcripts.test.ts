import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/core/exit-codes.ts'
import { bytesOf, sessionOf, turn } from '../support/transcript-import.ts'
import { instant, linesOf, says } from '../support/written-transcript.ts'
import { commandsOn, temporaryFolder } from './command.ts'

let home = ''
let folder = ''
let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  home = temporaryFolder()
  folder = path.join(home, 'projects', '-home-me-shop')
  mkdirSync(folder, { recursive: true })
  turngraph = commandsOn(home)
})

const write = (n: number, bytes: Buffer) => writeFileSync(path.join(folder, `${sessionOf(n)}.jsonl`), bytes)
const lines = (text: string) => text.trimEnd().split('\n')

const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']
const [S1, S2] = [sessionOf(1), sessionOf(2)]

const writeAll = () => {
  write(
    1,
    bytesOf(
      turn('a', LONG, { errors: { 5: 'Error: Exit code 1\nno such file /srv/app/a.ts' } }),
      turn('b', ['Bash', 'Bash', 'Read', 'Bash', 'Read'], { from: 100 }),
      turn('c', [], { from: 200 }),
    ),
  )
  write(
    2,
    bytesOf(
      turn('d', LONG, { from: 300 }),
      turn('e', [...LONG, 'Bash'], { from: 400 }),
      turn('f', ['Read'], { from: 500 }),
    ),
  )
}

/** Returns functions that run commands on the same files and return their output. */
async function everyCommand() {
  const noted = async (...args: string[]) => {
    const { code, stdout, stderr } = await turngraph.run(args)
    expect({ args, code, stderr: args.includes('--json') ? stderr : '' }).toEqual({
      args,
      code: 0,
      stderr: '',
    })
    return { stdout, note: stderr }
  }
  const run = async (...args: string[]) => (await noted(...args)).stdout
  const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'))
  return { noted, run, json }
}

describe.each(['directly', 'through a running server'])('%s', (way) => {
  beforeEach(async () => {
    writeAll()
    if (way !== 'directly') await turngraph.startService()
  })

  test('import transcripts reports what it read and stored, and a second import reads nothing', async () => {
    const { json, run } = await everyCommand()
    const bytes = [S1, S2].reduce((sum, id) => sum + Buffer.byteLength(readOf(id)), 0)
    const plan = { files: 2, skipped_files: 0, skipped: [], unread: {} }
    expect(await json('import', 'transcripts', folder, '--dry-run')).toEqual({
      ...plan,
      ...{ bytes, changed_files: 2 },
    })
    const first = await json('import', 'transcripts', folder)
    expect(await json('import', 'transcripts', folder, '--dry-run')).toEqual({
      ...plan,
      ...{ bytes: 0, changed_files: 0 },
    })
    expect(first).toEqual({
      files: 2,
      merged_turns: 0,
      sessions: 2,
      turns: 6,
      steps: 25,
      bytes,
      bad_lines: 0,
      recovered_lines: 0,
      redactions: 0,
      skipped_files: 0,
      skipped: [],
      unread: {},
      unknown: {},
      unknown_subtypes: {},
      unknown_fields: {},
      seconds: expect.any(Number),
    })
    expect(await json('import', 'transcripts', folder)).toMatchObject({
      bytes: 0,
      turns: 6,
      steps: 25,
      files: 2,
    })
    expect(lines(await run('import', 'transcripts', folder)).map((line) => line.split('\t'))).toEqual([
      ['IMPORTED', 'COUNT'],
      ['files', '2'],
      ['sessions', '2'],
      ['turns', '6'],
      ['steps', '25'],
      ['bytes read', '0'],
      ['bad lines', '0'],
      ['recovered lines', '0'],
      ['skipped files', '0'],
    ])
  })

  test('a dry run counts a new line when it is whole', async () => {
    const { json } = await everyCommand()
    await json('import', 'transcripts', folder)
    const added = linesOf(turn('g', ['Read'], { from: 600 }))
    const plan = () => json('import', 'transcripts', folder, '--dry-run')
    appendFileSync(path.join(folder, `${S1}.jsonl`), added.subarray(0, 20))
    expect(await plan()).toMatchObject({ bytes: 0, changed_files: 0 })
    appendFileSync(path.join(folder, `${S1}.jsonl`), added.subarray(20))
    expect(await plan()).toMatchObject({ bytes: added.length, changed_files: 1 })
  })

  test('import transcripts prints the number of masked secrets', async () => {
    const { json, run } = await everyCommand()
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const errors = { 0: `Error: 401 for ${secret}`, 1: `Error: ${secret} is no user` }
    write(1, bytesOf(turn('a', LONG, { errors })))
    expect(lines(await run('import', 'transcripts', folder))).toContain('secrets masked\t2')
    write(3, bytesOf(turn('g', ['Bash'], { errors })))
    expect(await json('import', 'transcripts', folder)).toMatchObject({ redactions: 1 })
  })
})

/** Answers of a service are tested in http-transcripts.test.ts; help-examples.test.ts runs each command on a service. */
describe('reports', () => {
  beforeEach(writeAll)

  test('turns prints the number of shorter turns that it leaves out', async () => {
    const { json, noted } = await everyCommand()
    await json('import', 'transcripts', folder)
    const { note } = await noted('turns')
    expect(note).toBe(
      'Left out: 1 turn with calls, but fewer than the configured number (TURNGRAPH_TURN_LENGTH_THRESHOLD). --min-length 0 lists all turns.\n',
    )
    const none = await noted('turns', '--session', S1, '--min-length', '7')
    expect(none).toEqual({
      stdout: '',
      note: 'No turn has that many calls. --min-length 0 lists all turns.\nLeft out: 2 turns with calls, but fewer than 7. --min-length 0 lists all turns.\n',
    })
    expect((await noted('turns', '--min-length', '0')).note).toBe('')
    expect((await noted('turns', '--pattern', 'Read')).note).toBe('')
  })

  test('turns, patterns, paths and desires print the tables of the seed, or JSON', async () => {
    const { json, run } = await everyCommand()
    await json('import', 'transcripts', folder)
    const pattern = 'Grep → Read{2+} → Edit → Bash'

    expect(lines(await run('turns'))).toEqual([
      'SESSION\tTURN\tLENGTH\tTOOLS',
      `${S2}\t1\t7\tGrep → Read×3 → Edit → Bash×2`,
      `${S1}\t0\t6\tGrep → Read×3 → Edit → Bash`,
      `${S2}\t0\t6\tGrep → Read×3 → Edit → Bash`,
      `${S1}\t1\t5\tBash×2 → Read → Bash → Read`,
    ])
    const turns = await json('turns')
    expect(turns[0]).toEqual({
      turn_id: 'e',
      session_id: S2,
      agent: 'claude-code',
      index: 1,
      kind: 'human',
      status: 'complete',
      started_at: instant(400),
      duration_ms: 15_000,
      length: 7,
      tools: [...LONG, 'Bash'],
      pattern: 'Grep → Read{2+} → Edit → Bash{2+}',
      errors: 0,
      parallel_steps: 0,
      models: [],
      effort: null,
      input_tokens: null,
      output_tokens: null,
      cache_read_tokens: null,
      cache_creation_tokens: null,
    })
    const ids = (items: { turn_id: string }[]) => items.map(({ turn_id }) => turn_id)
    expect(ids(turns)).toEqual(['e', 'a', 'd', 'b'])
    expect(ids(await json('turns', '--min-length', '0'))).toEqual(['e', 'a', 'd', 'b', 'f', 'c'])
    expect(ids(await json('turns', '--min-length', '0', '--session', S1))).toEqual(['a', 'b', 'c'])
    expect(ids(await json('turns', '--limit', '1'))).toEqual(['e'])
    expect(ids(await json('turns', '--since', '2026-01-02T00:05:00'))).toEqual(['e', 'd'])
    expect(ids(await json('turns', '--pattern', pattern))).toEqual(['a', 'd'])
    expect(ids(await json('turns', '--pattern', 'Read'))).toEqual(['f'])
    expect(lines(await run('turns', '--pattern', pattern))).toHaveLength(3)
    for (const form of ['Grep -> Read{2+} -> Edit -> Bash', 'Grep → Read×3 → Edit → Bash'])
      expect(ids(await json('turns', '--pattern', form)), form).toEqual(['a', 'd'])

    expect(lines(await run('turns', '--patterns'))).toEqual([
      'PATTERN\tCOUNT\tAVG_LENGTH\tSESSIONS',
      'Grep → Read{2+} → Edit → Bash\t2\t6.0\t2',
      'Bash{2+} → Read → Bash → Read\t1\t5.0\t1',
      'Grep → Read{2+} → Edit → Bash{2+}\t1\t7.0\t1',
    ])
    expect((await json('turns', '--patterns'))[0]).toEqual({ pattern, count: 2, avg_length: 6, sessions: 2 })

    expect(lines(await run('paths', '--turns'))).toEqual([
      'RANK\tPATTERN\tCOUNT\tAVG_TURN_LEN\tLONG_TURN_%',
      '1\tRead\t12\t5.0\t60%',
      '2\tBash\t7\t6.0\t75%',
      '3\tEdit\t3\t6.3\t100%',
      '4\tGrep\t3\t6.3\t100%',
    ])
    expect((await json('paths', '--turns', '--top', '1'))[0]).toEqual({
      tool_name: 'Read',
      count: 12,
      turns: 5,
      avg_turn_len: 5,
      long_turn_pct: 60,
    })
    expect(lines(await run('paths'))).toEqual([
      'RANK\tPATTERN\tCOUNT\tSESSIONS\tCATEGORY\tLAST_SEEN',
      '1\tBash: no such file <path>\t1\t1\ttool-error\t2026-01-02T00:00:00.000Z',
    ])

    write(3, linesOf(turn('g', LONG, { from: 700 })))
    await json('import', 'transcripts', folder)
    const error = `Repeated pattern: ${pattern} (avg 6.0 calls, seen 3 times across 3 sessions)`
    expect(await json('desires')).toEqual([
      {
        tool_name: 'Grep',
        error,
        category: 'turn-pattern',
        source: 'transcript-analysis',
        pattern,
        count: 3,
        avg_length: 6,
        sessions: 3,
        first_seen: instant(0),
        last_seen: instant(700),
      },
    ])
    expect(await run('desires')).toContain(error)
    expect(
      (await json('paths')).map(
        (each: { category: string; pattern: string }) => `${each.category} ${each.pattern}`,
      ),
    ).toEqual([`turn-pattern ${pattern}`, 'tool-error Bash: no such file <path>'])
  })

  test('cost shows tokens by model, and their price by a table of the user', async () => {
    const { json, run } = await everyCommand()
    const usage = { input_tokens: 1_000_000, output_tokens: 200_000, cache_read_input_tokens: 30 }
    write(3, bytesOf([...turn('g', [], { ends: false }), { ...says('Hm', { id: 'm1', usage }), uuid: 'g1' }]))
    await run('import', 'transcripts', folder)
    const prices = path.join(home, 'prices.json')
    writeFileSync(prices, JSON.stringify({ claude: { input: 3, output: 15 } }))
    const asked = ['cost', '--by', 'model', '--prices', prices]
    expect(lines(await run(...asked))[1]?.split(/\s+/)).toEqual([
      'claude-x',
      '1',
      '1000000',
      '200000',
      '30',
      '0',
      '6.00',
    ])
    expect(await json(...asked)).toMatchObject([{ name: 'claude-x', output_tokens: 200_000, dollars: 6 }])
    writeFileSync(prices, JSON.stringify({ claude: { input: 0.001, output: 0.015 } }))
    expect(lines(await run(...asked))[1]).toMatch(/ <0\.01$|\t<0\.01$/)
    writeFileSync(prices, JSON.stringify({ claude: { input: 3 } }))
    const { code, stderr } = await turngraph.run(asked)
    expect(code).toBe(EXIT.invalid.code)
    expect(stderr).toContain('claude.output')
    writeFileSync(prices, JSON.stringify({ other: { input: 3, output: 15 } }))
    expect(await run(...asked)).toContain('no price')
    expect(await json('cost', '--by', 'session')).toMatchObject([{ name: sessionOf(3), turns: 1 }])
  })

  test('the steps of a turn of a session are printed as text or JSON', async () => {
    const { noted, json } = await everyCommand()
    await json('import', 'transcripts', folder)
    const { stdout, note } = await noted('turns', '--session', S1, '--turn', '0')
    expect(lines(stdout)).toEqual([
      'STEP\tTOOL\tSTATUS\tPARALLEL\tDURATION_MS\tERROR',
      '0\tGrep\tok\t-\t1000\t-',
      ...[1, 2, 3].map((step) => `${step}\tRead\tok\t-\t1000\t-`),
      '4\tEdit\tok\t-\t1000\t-',
      '5\tBash\terror\t-\t1000\tExit code 1 no such file /srv/app/a.ts',
    ])
    expect(note).toBe('Steps of the same number under PARALLEL were called by one response.\n')
    const steps = await json('turns', '--session', S1, '--turn', '0')
    expect(steps).toHaveLength(6)
    expect(steps[5]).toEqual({
      sequence: 5,
      tool: 'Bash',
      status: 'error',
      is_parallel: false,
      parallel_group: null,
      duration_ms: 1000,
      error: 'Exit code 1\nno such file /srv/app/a.ts',
      agent_id: null,
    })
    for (const [args, code, said] of [
      [['--session', S1, '--turn', '9'], 4, 'has no turn 9'],
      [['--turn', '0'], 2, '--turn needs --session'],
      [['--session', S1, '--turn', '0', '--patterns'], 2, "cannot be used with option '--patterns'"],
    ] as const) {
      const refused = await turngraph.run(['turns', ...args])
      expect({ args, code: refused.code, stdout: refused.stdout }).toEqual({ args, code, stdout: '' })
      expect(refused.stderr).toContain(said)
    }
  })

  test('each report explains its counts below its table, not within it', async () => {
    const { noted, json } = await everyCommand()
    write(3, linesOf(turn('g', LONG, { from: 700 })))
    await json('import', 'transcripts', folder)
    const rest =
      '`turns --patterns` counts those from --min-length on. Patterns of a single tool come last.\n'
    const all =
      '`desires` and `paths` count all turns of a pattern, as --min-length 1 does. Patterns of a single tool come last.\n'
    for (const [args, note] of [
      [
        ['turns', '--patterns'],
        `COUNT is the turns from --min-length on (default: the configured threshold). ${all}`,
      ],
      [['turns', '--patterns', '--min-length', '6'], `COUNT is the turns of 6 or more calls. ${all}`],
      [['paths'], `COUNT is failed calls (tool-error), or all turns of a pattern (turn-pattern). ${rest}`],
      [
        ['paths', '--turns'],
        'COUNT is calls; AVG_TURN_LEN and LONG_TURN_% are of the turns with at least one of them, each once.\n',
      ],
      [['desires'], `Seen and averaged are all turns of a pattern. ${rest}`],
    ] as const) {
      const { stdout, note: said } = await noted(...args)
      expect(said).toBe(note)
      expect(stdout).not.toContain(note.trim())
    }
  })
})

const readOf = (id: string): Buffer =>
  id === S1
    ? bytesOf(
        turn('a', LONG, { errors: { 5: 'Error: Exit code 1\nno such file /srv/app/a.ts' } }),
        turn('b', ['Bash', 'Bash', 'Read', 'Bash', 'Read'], { from: 100 }),
        turn('c', [], { from: 200 }),
      )
    : bytesOf(
        turn('d', LONG, { from: 300 }),
        turn('e', [...LONG, 'Bash'], { from: 400 }),
        turn('f', ['Read'], { from: 500 }),
      )

describe('files', () => {
  test('import transcripts reads ~/.claude/projects by default, for the configured project', async () => {
    const projects = path.join(home, '.claude', 'projects', '-x')
    mkdirSync(projects, { recursive: true })
    writeFileSync(path.join(projects, `${S1}.jsonl`), bytesOf(turn('a', LONG)))
    const environment = { HOME: home, TURNGRAPH_PROJECT: 'shop' }
    const imported = await turngraph.run(['import', 'transcripts', '--json'], { environment })
    expect(JSON.parse(imported.stdout)).toMatchObject({ files: 1, turns: 1 })
    const elsewhere = await turngraph.run(['turns', '--json'])
    expect(JSON.parse(elsewhere.stdout)).toEqual([])
    const here = await turngraph.run(['turns', '--project', 'shop', '--json'])
    expect(JSON.parse(here.stdout)).toHaveLength(1)
  })

  test('import transcripts names and skips files that are no transcripts', async () => {
    writeAll()
    mkdirSync(path.join(folder, 'folder.jsonl'))
    symlinkSync(path.join(folder, `${S1}.jsonl`), path.join(folder, 'link.jsonl'))
    writeFileSync(path.join(folder, 'empty.jsonl'), '')
    writeFileSync(path.join(folder, 'agent-acompact-1.jsonl'), bytesOf(turn('x', ['Read'])))
    writeFileSync(path.join(folder, 'notes.txt'), 'none')
    writeFileSync(path.join(folder, 'other.jsonl'), '{"a":1}\n[]\nnonsense\n')
    const { code, stdout } = await turngraph.run(['import', 'transcripts', home, '--json'])
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({ files: 7, turns: 6, sessions: 2, skipped_files: 5 })
    expect(report.unread).toMatchObject({ '.txt': 1 })
    expect(report.skipped.map(({ file }: { file: string }) => path.basename(file)).sort()).toEqual(
      ['agent-acompact-1.jsonl', 'empty.jsonl', 'folder.jsonl', 'link.jsonl', 'other.jsonl'].sort(),
    )
    const named = await turngraph.run(['import', 'transcripts', path.join(folder, 'other.jsonl')])
    expect(named.code, 'a file that was named and cannot be used').toBe(EXIT.found.code)
  })

  test.each([
    ['of 300 characters', 'x'.repeat(300)],
    ['with a NUL', 'a\0b'],
    ['with half a character', 'a\ud800b'],
    ['of a step in a path', '..'],
    ['with a slash', 'a/b'],
  ])('a file whose session has an id %s stops no other one', async (_name, sessionId) => {
    writeAll()
    const named = linesOf(turn('z', ['Zip']).map((record) => ({ ...record, sessionId })))
    writeFileSync(path.join(folder, '0.jsonl'), named)
    const { code, stdout } = await turngraph.run(['import', 'transcripts', folder, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ files: 3, turns: 7 })
    const { stdout: shown } = await turngraph.run(['turns', '--min-length', '1', '--json'])
    const zip = JSON.parse(shown).find(({ turn_id }: { turn_id: string }) => turn_id === 'z')
    expect(zip).toMatchObject({ kind: 'human', tools: ['Zip'] })
  })

  test('a file whose session has a name with a hidden character is skipped with the reason, and stops no other one', async () => {
    writeAll()
    const named = linesOf(turn('z', ['Zip']).map((record) => ({ ...record, sessionId: 'a\u200bb' })))
    writeFileSync(path.join(folder, '0.jsonl'), named)
    const { code, stdout } = await turngraph.run(['import', 'transcripts', folder, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      files: 3,
      turns: 6,
      skipped: [{ file: expect.stringContaining('0.jsonl'), reason: expect.stringContaining('U+200B') }],
    })
  })

  test('a file that grew is read from its offset, and one that was truncated or replaced from the start', async () => {
    const run = async () =>
      JSON.parse((await turngraph.run(['import', 'transcripts', folder, '--json'])).stdout)
    const [whole, first] = [
      bytesOf(turn('a', LONG), turn('b', ['Read'], { from: 50 })),
      bytesOf(turn('a', LONG)),
    ]
    write(1, first)
    expect(await run()).toMatchObject({ bytes: first.length, turns: 1 })
    write(1, whole)
    expect(await run()).toMatchObject({ bytes: whole.length - first.length, turns: 2, steps: 7 })
    const cut = bytesOf(turn('a', ['Grep']))
    write(1, cut)
    expect(await run()).toMatchObject({ bytes: cut.length })
    const replaced = bytesOf(turn('a', ['Glob']))
    expect(replaced.length).toBe(cut.length)
    write(1, replaced)
    expect(await run()).toMatchObject({ bytes: replaced.length })
    const { stdout } = await turngraph.run(['turns', '--min-length', '1', '--json'])
    expect(JSON.parse(stdout).find(({ turn_id }: { turn_id: string }) => turn_id === 'a')).toMatchObject({
      tools: ['Glob'],
    })
    expect(await run()).toMatchObject({ bytes: 0 })
  })

  test('a missing path is an error that names it, and nothing is created', async () => {
    const { code, stdout, stderr } = await turngraph.run([
      'import',
      'transcripts',
      path.join(home, 'nowhere'),
    ])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('nowhere')
  })
})
