import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { ERRORS } from '../../src/core/errors.ts'
import { EXIT } from '../../src/core/exit-codes.ts'
import { cli } from '../faults/harness/service-process.ts'
import { startFront } from '../support/front.ts'
import { commandsOn, temporaryFolder } from './command.ts'

let home = ''
let turngraph: ReturnType<typeof commandsOn>
beforeEach(() => {
  home = temporaryFolder()
  turngraph = commandsOn(home)
})

const turn = (turn_number: number, player_summary = 'Built it') =>
  JSON.stringify({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    turn_number,
    player_summary,
    coach_decision: 'feedback',
    acceptance_criteria_status: { 'AC-001': 'verified' },
  })
const captured = (number: number, summary?: string) =>
  turngraph.run(['capture'], { input: turn(number, summary) })
const context = ['context', '--feature', 'FEAT-1', '--task', 'TASK-1', '--turn', '2']

test('with an old Node, the program names the needed version and loads no other file', () => {
  const program = path.join(home, 'main.mjs')
  copyFileSync(cli, program)
  const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.18.3' })`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, program, '--version'])
  expect([status, `${stdout}`, `${stderr}`]).toEqual([
    2,
    '',
    'error: Turngraph needs Node 20.19 or later; this is 20.18.3.\nhint: See https://nodejs.org/\n',
  ])
})

describe('help', () => {
  const commandsIn = (help: string): string[] =>
    [...(help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, name = '']) => name,
    )

  test('the help shows ten commands with examples, and needs no store', async () => {
    const { code, stdout, stderr } = await turngraph.run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(commandsIn(stdout)).toEqual([
      'init',
      'serve',
      'capture',
      'context',
      'criteria',
      'verify',
      'stall',
      'watch',
      'import',
      'open',
    ])
    expect(stdout).toContain('Examples:')
    expect(readdirSync(home)).toEqual([])
  })

  test.each(['--help --all', '--all -h', 'help --all'])('%s lists every command', async (line) => {
    const { code, stdout } = await turngraph.run(line.split(' '))
    expect(code).toBe(0)
    const every = buildProgram()
      .commands.map((each) => each.name())
      .filter((name) => name !== 'complete')
    expect(commandsIn(stdout)).toEqual([...every, 'help'])
    expect((await turngraph.run(['--help'])).stdout).toContain(`lists all ${every.length} commands`)
  })

  test.each([
    ['serch', "unknown command 'serch'. Did you mean search?"],
    ['nxt', "unknown command 'nxt'. Did you mean next?"],
    ['crit', "unknown command 'crit'. Did you mean criteria?"],
    ['ver', "unknown command 'ver'. Did you mean verify or verifications?"],
    ['bogus', "unknown command 'bogus'.\n"],
    ['complet', "unknown command 'complet'. Did you mean completion?\n"],
    ['run strt', "unknown command 'strt'. Did you mean start?\n"],
    ['worlds lst', "unknown command 'lst'. Did you mean list?\n"],
    ['world show w', "unknown command 'show'.\nhint: The commands of worlds are list, create, get, "],
    ['worlds list w', "too many arguments for 'list'."],
    ['context --task T --trun 2', "unknown option '--trun'. Did you mean --turn?\n"],
    ['context --task T', "required option '--turn <n>' not specified\n"],
  ])(
    '`turngraph %s` suggests similar commands and options, including commands that the short help omits',
    async (line, says) => {
      const { code, stdout, stderr } = await turngraph.run(line.split(' '))
      expect([code, stdout]).toEqual([EXIT.invalid.code, ''])
      expect(stderr.replace(/\n +/g, '\n')).toContain(says)
    },
  )

  test('if the command line contains a folder or an option of init without `init`, the error shows the whole command', async () => {
    const folder = await turngraph.run(['.'])
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('turngraph init .\n')])
    const undo = await turngraph.run(['--undo'])
    expect([undo.code, undo.stderr]).toEqual([2, expect.stringContaining('turngraph init --undo\n')])
    const long = 'a'.repeat(300) // no file system has such a name
    const unreachable = await turngraph.run([long])
    expect([unreachable.code, unreachable.stderr]).toEqual([
      2,
      expect.stringContaining(`error: unknown command '${long}'.\nhint: `),
    ])
    for (const line of ['--bogus', '--project shop worlds']) {
      const other = await turngraph.run(line.split(' '))
      expect([other.code, other.stderr]).toEqual([2, expect.not.stringContaining('init')])
    }
  })

  test('the short help has examples of next, why and search', async () => {
    const { stdout } = await turngraph.run(['--help'])
    for (const name of ['next', 'why', 'search']) expect(stdout).toContain(`\n  turngraph ${name} `)
  })

  test('--all is for the help only', async () => {
    const { code, stderr } = await turngraph.run(['worlds', '--all'])
    expect(code).toBe(2)
    expect(stderr).toContain("unknown option '--all'")
    expect(commandsIn((await turngraph.run(['run', '--help'])).stdout)).toContain('start')
  })

  test('the help and the reference list every exit code of errors and commands', async () => {
    const { stdout } = await turngraph.run(['--help', '--all'])
    const reference = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')
    for (const { code, meaning } of Object.values(EXIT)) {
      expect(stdout).toMatch(new RegExp(`^ +${code}  ${meaning.slice(0, 20).replace(/[()+]/g, '.')}`, 'm'))
      expect(reference).toContain(`| ${code} | ${meaning} |`)
    }
    const codes = Object.values(EXIT).map(({ code }): number => code)
    for (const { exit } of Object.values(ERRORS)) expect(codes).toContain(exit)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('the version is that of the package', async () => {
    const { code, stdout } = await turngraph.run(['--version'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('capture and context', () => {
  test('a captured turn is in the context of the next turn', async () => {
    expect(await captured(1)).toMatchObject({ code: 0, stdout: 'Stored turn 1 of world TASK-1\n' })
    expect(await captured(1)).toMatchObject({ code: 0, stdout: 'Already stored: turn 1 of world TASK-1\n' })
    expect(await turngraph.run(context)).toEqual({
      code: 0,
      stderr: '',
      stdout: `## Previous Turn Summary (Turn 1)
**What was attempted**: Built it
**Coach decision**: feedback

**Acceptance Criteria Status**:
  ✓ AC-001: verified
`,
    })
  })

  test('next prints what matters now of the task that is named, or of the task of the folder', async () => {
    await captured(1)
    const text = `Turn 2 of session TASK-1 is next. 1 of 1 verified.
Tried before:
- Turn 1: Built it
Record the turn with its proofs: turngraph capture turn.json, or the tool capture_turn_state
`
    const said = { code: 0, stdout: text, stderr: '' }
    expect(await turngraph.run(['next', '--feature', 'FEAT-1', '--task', 'TASK-1'])).toEqual(said)
    const unset = await turngraph.run(['next'])
    expect([unset.code, unset.stdout]).toEqual([EXIT.invalid.code, ''])
    expect(unset.stderr).toBe(
      'error: No task is named, and none is set for this folder.\nhint: Add --world TASK-1. To set it once for this folder: turngraph task set FEATURE/TASK\n',
    )
    await turngraph.run(['task', 'set', 'FEAT-1/TASK-1'])
    expect(await turngraph.run(['next'])).toEqual(said)
    expect(await turngraph.run(['next', '--task', 'TASK-1'])).toEqual(said)
    const none = await turngraph.run(['next'], { environment: { TURNGRAPH_TASK: 'none' } })
    expect([none.code, none.stderr]).toEqual([
      EXIT.invalid.code,
      expect.stringContaining('No task is named, and TURNGRAPH_TASK is none.'),
    ])
  })

  const aboutOneTask = [
    ['why'],
    ['criteria'],
    ['stall'],
    ['issues'],
    ['context', '--turn', '2'],
    ['promises', '--turn', '2'],
    ['verify', '--dry-run', '--criterion', 'AC-001', '--', 'true'],
  ]
  test.each(aboutOneTask)('%s without a task uses the task of the folder', async (name, ...options) => {
    await captured(1)
    const run = (...target: string[]) => turngraph.run([name ?? '', ...target, ...options])
    const named = await run('--feature', 'FEAT-1', '--task', 'TASK-1')
    expect(named.code, named.stderr).toBe(0)
    const unset = await run()
    expect([unset.code, unset.stdout]).toEqual([EXIT.invalid.code, ''])
    expect(unset.stderr).toContain(
      'No task is named, and none is set for this folder.\nhint: Add --world TASK-1.',
    )
    expect(await run('--task', 'TASK-1')).toEqual(named)
    await turngraph.run(['task', 'set', 'FEAT-1/TASK-1'])
    expect(await run()).toEqual(named)
  })

  test('a task of two features requires --feature, and the error names both features', async () => {
    await captured(1)
    const other = { ...JSON.parse(turn(1)), feature_id: 'FEAT-2', world_slug: 'other' }
    await turngraph.run(['specify', '-', '--format', 'json', '--feature', 'FEAT-2', '--task', 'TASK-1'], {
      input: '[{"text": "It holds"}]',
    })
    expect((await turngraph.run(['capture'], { input: JSON.stringify(other) })).code).toBe(0)
    expect(await turngraph.run(['criteria', '--task', 'TASK-1'])).toEqual({
      code: EXIT.invalid.code,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: 2 features have a task TASK-1: FEAT-[12], FEAT-[12]\.\nhint: Name its feature with --feature\.\n$/,
      ),
    })
  })

  test('capture reads a record from a file, from - and from standard input', async () => {
    const file = path.join(home, 'turn.json')
    await writeFile(file, `\uFEFF${turn(1)}`)
    expect(await turngraph.run(['capture', file])).toMatchObject({ code: 0 })
    expect(await turngraph.run(['capture', '-'], { input: turn(2) })).toMatchObject({ code: 0 })
    const { stdout } = await turngraph.run(['worlds', 'turns', 'TASK-1'])
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['TURN', '1', '2', ''])
  })

  test('--json prints only the wire form on standard output', async () => {
    const stored = await turngraph.run(['capture', '--json'], { input: turn(1) })
    expect(stored.stderr).toBe('')
    expect(JSON.parse(stored.stdout)).toMatchObject({ world_slug: 'TASK-1', turn_number: 1, created: true })
    const loaded = await turngraph.run([...context, '--role', 'coach', '--json'])
    expect(loaded.stderr).toBe('')
    expect(JSON.parse(loaded.stdout)).toMatchObject({ status: 'ok', role: 'coach', previous_turn: 1 })
  })

  test('a missing prior turn is no error: nothing on standard output, exit code 0', async () => {
    const { code, stdout, stderr } = await turngraph.run(context)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('no turn before turn 2')
  })

  test('--project takes precedence over TURNGRAPH_PROJECT', async () => {
    const environment = { TURNGRAPH_PROJECT: 'till' }
    await turngraph.run(['capture', '--project', 'shop'], { input: turn(1), environment })
    const inShop = await turngraph.run(['worlds', '--json'], { environment: { TURNGRAPH_PROJECT: 'shop' } })
    expect(JSON.parse(inShop.stdout).items).toHaveLength(1)
    const inTill = await turngraph.run(['worlds', '--json'], { environment })
    expect(JSON.parse(inTill.stdout).items).toEqual([])
  })

  test('the error about a folder without a graph names the folder', async () => {
    const missing = await turngraph.run(['worlds'])
    expect(missing.stderr).toContain('There is no graph in ./graph yet')
    await captured(1)
    const { code, stderr } = await turngraph.run(['worlds', 'get', 'NOPE'])
    expect(code).toBe(4)
    expect(stderr).toContain('looked in: the graph in ./graph')
  })

  test('worlds shows last decision, proven, verdict and last activity, most recently active first', async () => {
    const finished = (world_slug: string, completed_at: string) =>
      turngraph.run(['capture'], {
        input: JSON.stringify({ ...JSON.parse(turn(1)), world_slug, completed_at }),
      })
    await finished('a-old', '2026-03-01T10:00:00Z')
    await finished('b-new', '2026-03-02T10:00:00Z')
    const { stdout } = await turngraph.run(['worlds'])
    expect(stdout).toBe(
      [
        'WORLD\tFEATURE\tTASK\tTURN\tLAST_DECISION\tPROVEN\tVERDICT\tLAST_ACTIVITY',
        'b-new\tFEAT-1\tTASK-1\t1\tfeedback\t1/1\tinsufficient_data\t2026-03-02T10:00:00Z',
        'a-old\tFEAT-1\tTASK-1\t1\tfeedback\t1/1\tfinished\t2026-03-01T10:00:00Z', // b-new is newer
        '',
      ].join('\n'),
    )
    const one = await turngraph.run(['worlds', 'get', 'a-old'])
    expect(one.stdout.split('\n')).toEqual([stdout.split('\n')[0], stdout.split('\n')[2], ''])
    const { items } = JSON.parse((await turngraph.run(['worlds', '--json'])).stdout)
    expect(items).toMatchObject([
      {
        world_slug: 'b-new',
        last_decision: 'feedback',
        verified: 1,
        criteria: 1,
        verdict: 'insufficient_data',
      },
      { world_slug: 'a-old', last_activity: '2026-03-01T10:00:00Z' },
    ])
  })

  test('a command that only reads does not create a graph', async () => {
    for (const command of [['worlds'], context, ['migrate', '--check'], ['config']])
      await turngraph.run(command)
    expect(readdirSync(home)).toEqual([])
  })
})

describe('the questions of a Coach', () => {
  const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']
  const judgedTurn = (turn_number: number, status: string, more: object = {}) =>
    JSON.stringify({
      feature_id: 'FEAT-1',
      task_id: 'TASK-1',
      turn_number,
      player_summary: `Attempt ${turn_number}`,
      coach_decision: 'feedback',
      verifications: [
        {
          criterion_id: 'AC-001',
          criterion_text: 'The parser keeps the last line',
          status,
          evidence: 'test_parse',
        },
      ],
      ...more,
    })
  const captureSession = async () => {
    const promises = [
      { criterion_id: 'AC-001', criterion_text: 'The parser keeps the last line', status: 'complete' },
    ]
    const issues = [{ severity: 'must_fix', category: 'tests', description: 'test_parse fails' }]
    await turngraph.run(['capture'], { input: judgedTurn(1, 'verified', { promises }) })
    await turngraph.run(['capture'], {
      input: judgedTurn(2, 'rejected', { issues, gates: { tests: 'failed' } }),
    })
  }

  test('criteria, promises, stall and why print text for people, or JSON', async () => {
    await captureSession()
    const criteria = await turngraph.run(['criteria', ...task])
    expect(criteria.stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['CRITERION', 'STATE', 'SINCE_TURN', 'VERDICTS', 'PROMISE', 'TEXT'],
      [
        'AC-001',
        'verified, contested in turn 2',
        '1',
        '✓✗',
        'complete (turn 1)',
        'The parser keeps the last line',
      ],
      [''],
    ])
    expect(criteria.stderr).toBe(
      "1 of 1 verified, 1 contested in turn 2, 1 in the judge's words (world TASK-1 as of turn 2, sticky).\n",
    )
    const promises = await turngraph.run(['promises', ...task, '--turn', '3'])
    expect(promises.stderr).toBe(
      'No completion_promises in current turn — recovered from player_turn_1.json (1 promises)\n',
    )
    expect(promises.stdout).toContain('AC-001\tAC-001\tcomplete')
    const recovery = async (role: string) =>
      (await turngraph.run(['context', ...task, '--turn', '3', '--role', role])).stderr
    expect([await recovery('coach'), await recovery('player')]).toEqual([promises.stderr, ''])
    const stall = await turngraph.run(['stall', ...task])
    expect(stall.stdout).toMatch(/^no_growth\n/)
    const issues = await turngraph.run(['issues', ...task])
    expect(issues.stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['STATE', 'SEVERITY', 'CATEGORY', 'OPENED_IN', 'LAST_SEEN_IN', 'TURNS', 'WORDINGS', 'ISSUE'],
      ['open', 'blocking', 'tests', '2', '2', '1', '1', 'test_parse fails'],
      [''],
    ])
    const why = await turngraph.run(['why', ...task])
    expect(
      why.stdout,
    ).toBe(`Session TASK-1, regressed: Not approved after 2 turns: the gate \`tests\` failed in 1 of 2 turns; turn 2 rejected AC-001. One verdict was reversed; 1 criterion was rejected with evidence.
Turn 2 of world TASK-1: feedback
What was tried: Attempt 2
Criteria rejected:
  - verified before: AC-001 — The parser keeps the last line — test_parse
Issues:
  - [blocking] tests: test_parse fails
Gates: tests failed
Verified: 1 of 1, 1 contested, 1 in the judge's words
`)
    const attention = await turngraph.run(['attention', '--exit-code'])
    expect([attention.code, attention.stdout]).toEqual([
      10,
      'TASK-1 (regressed): AC-001 was verified in turn 1 and rejected with evidence in turn 2.\n',
    ])
    const json = await turngraph.run(['attention', '--json'])
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([0, { items: [{ reason: 'refuted' }] }])
    for (const command of [
      ['criteria', ...task],
      ['promises', ...task, '--turn', '3'],
      ['stall', ...task],
      ['issues', ...task],
      ['search', 'parser'],
      ['why', ...task],
    ]) {
      const { code, stdout, stderr } = await turngraph.run([...command, '--json'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toBeTypeOf('object')
    }
  })

  test('proofs and promises survive a restart', async () => {
    await captureSession() // each command opens the graph again
    const { stdout } = await turngraph.run(['criteria', ...task, '--policy', 'evidence', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ policy: 'evidence', verified: 0, remaining: ['AC-001'] })
  })
})

describe('exit codes', () => {
  test('stall --exit-code is 0 while a session makes progress, and 10 if it should stop', async () => {
    const stall = (...more: string[]) => turngraph.run(['stall', '--world', 'TASK-1', ...more])
    const issues = [{ severity: 'must_fix', category: 'test', description: 'The same complaint' }]
    for (const turn_number of [1, 2, 3]) {
      const turn = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number, player_summary: 'Tried' }
      const judged = { coach_decision: 'feedback', acceptance_criteria_status: { A: 'rejected' }, issues }
      await turngraph.run(['capture'], { input: JSON.stringify({ ...turn, ...judged }) })
      if (turn_number < 3) expect((await stall('--exit-code')).code).toBe(0)
    }
    expect(await stall('--exit-code')).toMatchObject({
      code: 10,
      stdout: expect.stringMatching(/^stalled: stop\n/),
    })
    expect((await stall('--exit-code', '--json')).code).toBe(10)
    expect((await stall()).code).toBe(0)
    const wrapper = ['bash', '-c', '"$@" | true; exit "$PIPESTATUS"', '-']
    const unread = await turngraph.run(['stall', '--world', 'TASK-1', '--exit-code'], { wrapper })
    expect(unread.code, 'the reader of the pipe closes early').toBe(10)
    expect((await turngraph.run(['stall', '--help'])).stdout).toContain('[ $? -eq 10 ] && break')
  })

  const cases: [
    code: number,
    what: string,
    args: string[],
    input?: string,
    environment?: Record<string, string>,
  ][] = [
    [2, 'an unknown command', ['bogus']],
    [2, 'an unknown option', ['worlds', '--bogus']],
    [2, 'a missing option', ['context', '--feature', 'F', '--task', 'T']],
    [2, 'an empty project', ['worlds', '--project', '']],
    [2, 'neither a task nor a world', ['criteria', '--feature', 'F']],
    [2, 'a turn that is no number', ['context', '--feature', 'F', '--task', 'T', '--turn', 'two']],
    [2, 'a budget out of bounds', [...context, '--token-budget', '5']],
    [2, 'a record that does not fit', ['capture'], '{"feature_id":"FEAT-1","colour":"red"}'],
    [2, 'a record that is no JSON', ['capture'], '{"feature_id"'],
    [2, 'a record over 1 MiB', ['capture'], ' '.repeat(1024 * 1024 + 1)],
    [2, 'a setting that does not fit', ['worlds'], '', { TURNGRAPH_PORT: 'many' }],
    [2, 'a parameter that is given twice', ['query', 'RETURN $x', '--param', 'x=1', '--param', 'x=2']],
    [2, 'a parameter that begins like JSON', ['query', 'RETURN $x', '--param', 'x={bad']],
    [
      2,
      'a parameter with more digits than JSON keeps',
      ['query', 'RETURN $x', '--param', 'x=9007199254740993'],
    ],
    [4, 'an unknown world', ['worlds', 'get', 'TASK-9']],
    [4, 'the world of a context that is not there', ['context', '--world', 'TASK-9', '--turn', '1']],
    [4, 'a turn of an unknown task', ['why', '--feature', 'FEAT-1', '--task', 'TASK-9']],
    [4, 'the worlds of an unknown task', ['worlds', '--feature', 'FEAT-1', '--task', 'TASK-9']],
    [4, 'an analysis of an unknown project', ['query', '--preset', 'blockers', '--project', 'shpo']],
    [4, 'a doctor for an unknown project', ['doctor', '--project', 'shpo']],
    [4, 'a file that is not there', ['capture', '/nowhere/turn.json']],
    [4, 'a folder that is not there', ['import', 'autobuild', '/nowhere']],
    [4, 'a folder of transcripts that is not there', ['import', 'transcripts', '/nowhere']],
    [4, 'a specification that is not there', ['specify', '/nowhere/task.md']],
    [7, 'a server that is not there', ['worlds'], '', { TURNGRAPH_URL: 'http://127.0.0.1:9' }],
    [7, 'a Neo4j that is not there', ['worlds'], '', { TURNGRAPH_STORE: 'bolt://127.0.0.1:9' }],
  ]
  test.each(cases)('%i: %s', async (code, _what, args, input = '', environment = {}) => {
    const plain = await turngraph.run(args, { input, environment })
    expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code, stdout: '' })
    expect(plain.stderr).not.toMatch(/^\s+at /m)
    if (args.length === 0) return // that shows the help
    expect(plain.stderr).toMatch(/^error: /)
    const asJson = await turngraph.run([...args, '--json'], { input, environment })
    expect({ code: asJson.code, stdout: asJson.stdout }).toEqual({ code, stdout: '' })
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: expect.stringMatching(/^[a-z_]+$/),
      message: expect.any(String),
    })
  })

  const misnamed: [args: string[], text: string][] = [
    [['run', 'start', 'w', '--turns', '0'], 'error: --turns: must be a whole number from 1 to 100,000\n'],
    [
      ['run', 'start', 'w', '--max-attempts', '-1'],
      'error: --max-attempts: must be a whole number from 1 to 1,000,000\n',
    ],
    [['worlds', '--limit', '0'], 'error: --limit: must be a whole number from 1 to 500\n'],
    [['worlds', 'turn', 'w', '0'], 'error: <turn>: must be a whole number from 1 to 1,000,000\n'],
    [
      ['worlds', 'create', '--feature', 'F', '--task', 'T', '--lease-ttl-ms', '5'],
      'error: --lease-ttl-ms: must be a whole number from 1,000 to 86,400,000\n',
    ],
    [
      ['run', 'start', 'w', '--turns', '3', '--max-attempts', '1'],
      'error: --max-attempts: must be at least --turns (3)\nhint: Each committed turn takes an attempt; leave --max-attempts out for as many as --turns.\n',
    ],
    [
      [...context, '--token-budget', '5'],
      'error: --token-budget: must be a whole number from 100 to 100,000\n',
    ],
    [
      ['report', '--task', 'TASK-1'],
      'error: --feature is missing: a task is named by its feature and its own id.\nhint: Name it with --feature and --task, or',
    ],
    [['why', '--feature', 'FEAT-1'], 'error: --task is missing: '],
    [['worlds', '--limit', '501'], 'error: --limit: must be a whole number from 1 to 500\n'],
    [['paths', '--top', '-1'], 'error: --top: '],
    [['query', 'RETURN 1', '--timeout', '0'], 'error: --timeout: '],
    [
      ['forget', '--feature', 'FEAT-1'],
      'error: It is not clear what is to be forgotten.\nhint: Name a world with --world',
    ],
  ]
  test.each(misnamed)(
    'an error names the options that were typed, and no field of the wire: %j',
    async (args, text) => {
      await captured(1)
      const { code, stderr } = await turngraph.run(args)
      expect(code).toBe(2)
      expect(stderr.slice(0, text.length)).toBe(text)
      expect(stderr).not.toMatch(/details|extra|turn_count|max_attempts|[a-z][A-Z]/)
    },
  )

  test('an error about a record names its keys, suggests `extra`, and does not refer to details', async () => {
    const record = JSON.stringify({ ...JSON.parse(turn(0)), surplus: 1 })
    const { code, stderr } = await turngraph.run(['capture'], { input: record })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: the turn record: turn_number: .+; surplus: .+ in `extra`\n$/)
  })

  test('capture prints the number of masked secrets', async () => {
    const secret = (of: string) => `ghp_${of.repeat(36)}`.replace(/(.)\1/g, '$19')
    const one = await captured(1, `token ${secret('a')}`)
    const two = await captured(2, `tokens ${secret('b')} and ${secret('c')}`)
    expect([one.stdout, two.stdout]).toEqual([
      'Stored turn 1 of world TASK-1 (1 secret masked)\n',
      'Stored turn 2 of world TASK-1 (2 secrets masked)\n',
    ])
  })

  test('an unknown task is reported with similar names, and only the commands of loops exit with 0', async () => {
    await captured(1)
    const sentence = 'No task TASK-11 in feature FEAT-1 of project default. Did you mean TASK-1?\n'
    const task = ['--feature', 'FEAT-1', '--task', 'TASK-11']
    const first = await turngraph.run(['context', ...task, '--turn', '1'])
    expect([first.code, first.stdout]).toEqual([0, ''])
    expect(first.stderr).toBe(`${sentence}Turn 1 is the first: there is nothing before it.\n`)
    const said = { stdout: '', stderr: sentence }
    expect(await turngraph.run(['promises', ...task, '--turn', '1'])).toMatchObject({ ...said, code: 0 })
    expect(await turngraph.run(['criteria', ...task])).toMatchObject({ ...said, code: 4 })
    expect(await turngraph.run(['stall', ...task])).toMatchObject({ ...said, code: 4 })
    const why = await turngraph.run(['why', ...task])
    expect(why).toMatchObject({ code: 4, stdout: '' })
    expect(why.stderr).toContain(sentence)
    const asJson = await turngraph.run(['criteria', ...task, '--json'])
    expect([asJson.code, asJson.stderr]).toEqual([4, sentence])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ task_known: false, near: ['TASK-1'] })
    const byWorld = await turngraph.run(['criteria', '--world', 'TASK-1', '--json'])
    expect(JSON.parse(byWorld.stdout)).toMatchObject({ task_known: true, world_slug: 'TASK-1' })
  })

  test('every command with --project reports an unknown project with similar names', async () => {
    await captured(1)
    const commands = [
      ['worlds'],
      ['run', 'list'],
      ['run', 'start', 'TASK-1'],
      ['export'],
      ['query', '--preset', 'blockers'],
      ['doctor'],
      ['forget'],
      ['turns'],
      ['turns', '--patterns'],
      ['turns', '--pattern', 'Bash'],
      ['turns', '--session', 'one', '--turn', '0'],
      ['paths'],
      ['paths', '--turns'],
      ['desires'],
    ]
    for (const command of commands) {
      const { code, stdout, stderr } = await turngraph.run([...command, '--project', 'defalt'])
      expect([command, code, stdout]).toEqual([command, 4, ''])
      expect(stderr).toContain('There is no project defalt in this graph. Did you mean default?')
    }
    const asJson = await turngraph.run(['worlds', '--project', 'defalt', '--json'])
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'not_found',
      details: { near: ['default'] },
    })
    const { url } = await turngraph.startService()
    const token = readFileSync(path.join(turngraph.folder, 'token'), 'utf8').trim()
    const served = await fetch(`${url}/v1/worlds?project=nope`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([served.status, await served.json()]).toMatchObject([200, { items: [] }])
    expect((await turngraph.run(['run', 'list', '--project', 'defalt'])).code).toBe(4)
    expect((await turngraph.run(['run', 'list', '--project', 'default'])).code).toBe(0)
    const environment = { TURNGRAPH_PROJECT: 'till' }
    expect((await turngraph.run(['projects'], { environment })).stdout).toBe('PROJECT\ndefault\n')
    const unnamed = await turngraph.run(['worlds'], { environment })
    expect(unnamed).toMatchObject({
      code: 0,
      stderr: `There are no worlds of this project in the graph behind ${url}.\n`,
    })
  })

  test('the list of projects of an empty graph names the graph', async () => {
    const { code, stderr } = await turngraph.run(['projects'])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^There are no projects in the graph in .+\.\n/),
    ])
  })

  test('a capture of another record at a stored turn exits with 5', async () => {
    await captured(1)
    const again = await captured(1, 'Built something else')
    expect(again).toMatchObject({ code: 5, stdout: '' })
    expect(again.stderr).toContain('player_summary')
  })
})

describe('worlds', () => {
  test('worlds are created, listed, shown and deleted', async () => {
    const scope = ['--feature', 'FEAT-1', '--task', 'TASK-1']
    expect((await turngraph.run(['worlds', 'create', ...scope])).stdout).toBe('Created world TASK-1\n')
    expect((await turngraph.run(['worlds', 'create', ...scope])).stdout).toBe('Created world TASK-1.2\n')
    const listed = await turngraph.run(['worlds', ...scope, '--json'])
    const { items, next_cursor } = JSON.parse(listed.stdout)
    expect(items.map((world: { world_slug: string }) => world.world_slug)).toEqual(['TASK-1.2', 'TASK-1'])
    expect(next_cursor).toBeNull()
    const page = JSON.parse((await turngraph.run(['worlds', '--limit', '1', '--json'])).stdout)
    expect(page).toMatchObject({ items: [{ world_slug: 'TASK-1.2' }], next_cursor: expect.any(String) })
    expect(await turngraph.run(['worlds', 'delete', 'TASK-1.2'])).toMatchObject({ code: 0 })
    expect(await turngraph.run(['worlds', 'get', 'TASK-1.2'])).toMatchObject({ code: 4, stdout: '' })
  })

  test('worlds create without a slug sends an idempotency key, so that a repeat creates no second world', async () => {
    const { url } = await turngraph.startService()
    let sent = ''
    const TURNGRAPH_URL = await startFront(url, {
      answer: (request, _response, passOn) => {
        request.on('data', (chunk) => (sent += chunk))
        passOn()
      },
    })
    const keyOf = async (...more: string[]) => {
      sent = ''
      const args = ['worlds', 'create', '--feature', 'F', '--task', 'T', ...more]
      await turngraph.run(args, { environment: { TURNGRAPH_URL } })
      return JSON.parse(sent).idempotency_key
    }
    const key = await keyOf()
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(await keyOf()).not.toBe(key)
    expect(await keyOf('--idempotency-key', 'mine')).toBe('mine')
    expect(await keyOf('w')).toBeUndefined()
  })

  test('the projects of the graph are listed, one per line', async () => {
    await turngraph.run(['capture', '--project', 'till'], { input: turn(1) })
    await turngraph.run(['capture', '--project', 'shop'], { input: turn(1) })
    expect(await turngraph.run(['projects'])).toMatchObject({ code: 0, stdout: 'PROJECT\nshop\ntill\n' })
    expect(JSON.parse((await turngraph.run(['projects', '--json', '--limit', '1'])).stdout)).toMatchObject({
      items: [{ project: 'shop' }],
      next_cursor: expect.any(String),
    })
  })

  test('the turns of a world are listed and shown, with their superseded records', async () => {
    await captured(1)
    const other = JSON.stringify({ ...JSON.parse(turn(1, 'Built better')), on_conflict: 'supersede' })
    expect((await turngraph.run(['capture'], { input: other })).stdout).toBe(
      'Replaced turn 1 of world TASK-1\n',
    )
    const shown = await turngraph.run(['worlds', 'turn', 'TASK-1', '1', '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ turn_number: 1, player_summary: 'Built better' })
    const history = await turngraph.run(['world', 'history', 'TASK-1', '1', '--json'])
    expect(JSON.parse(history.stdout).items).toMatchObject([{ player_summary: 'Built it' }])
  })

  test('a rollback withdraws turns, and the history of their numbers says when and why', async () => {
    await captured(1)
    const back = ['worlds', 'rollback', 'TASK-1', '--to-turn', '0', '--reason', 'wrong branch']
    expect((await turngraph.run(back)).stdout).toBe('Withdrew 1 turn of world TASK-1; the next turn is 1\n')
    expect((await turngraph.run(back)).stdout).toBe('Withdrew 0 turns of world TASK-1; the next turn is 1\n')
    expect((await turngraph.run(['worlds', 'history', 'TASK-1', '1'])).stdout).toMatch(
      /WITHDRAWN.*REASON.*\n.*\t20\d\d-.*\twrong branch\t/,
    )
    expect((await turngraph.run(['worlds', 'rollback', 'TASK-1'])).code).toBe(2)
  })
})

test('specify shows the newest or an earlier specification of a task', async () => {
  const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']
  const file = path.join(home, 'criteria.json')
  for (const text of ['The old words are printed', 'A new criterion is met']) {
    await writeFile(file, JSON.stringify({ criteria: [{ text }] }))
    expect((await turngraph.run(['specify', file, ...task])).code).toBe(0)
  }
  const show = (...more: string[]) => turngraph.run(['specify', '--show', ...task, ...more])
  expect((await show()).stdout).toContain('A new criterion is met')
  expect((await show()).stderr).toContain('Version 2 of TASK-1, declared ')
  const old = JSON.parse((await show('--at-version', '1', '--json')).stdout)
  expect([old.version, old.criteria[0].text]).toEqual([1, 'The old words are printed'])
  expect((await show('--at-version', '9')).code).toBe(4)
  for (const wrong of [
    ['specify'],
    ['specify', file, '--show', ...task],
    ['specify', file, '--at-version', '1'],
    ['specify', '--show'],
  ])
    expect((await turngraph.run(wrong)).code, wrong.join(' ')).toBe(2)
})

describe('import autobuild', () => {
  beforeEach(async () => {
    const task = path.join(home, 'shop/autobuild/TASK-1')
    await mkdir(task, { recursive: true })
    await writeFile(
      path.join(task, 'player_turn_1.json'),
      '{"implementation_notes":"Built it","mood":"good"}',
    )
    await writeFile(path.join(task, 'coach_turn_1.json'), '{"decision":"approve"}')
    await writeFile(path.join(task, 'coach_turn_2.json'), '{"decision"')
  })
  const importShop = (...options: string[]) =>
    turngraph.run(['import', 'autobuild', path.join(home, 'shop'), ...options])

  test('an import prints its report, and writes nothing on a dry run', async () => {
    const dry = await importShop('--dry-run', '--json')
    expect(dry).toMatchObject({ code: 8, stderr: '' }) // a file was skipped
    expect(existsSync(turngraph.folder)).toBe(false)
    const report = JSON.parse(dry.stdout)
    expect(Object.keys(report)).toEqual([
      'tasks',
      'worlds',
      'turns_created',
      'turns_unchanged',
      'turns_superseded',
      'turns_failed',
      'specifications',
      'verifications',
      'promises',
      'issues',
      'unmapped',
      'unread',
      'skipped',
      'warnings',
      'redactions',
    ])
    expect(report).toMatchObject({ tasks: 1, turns_created: 1, unmapped: [{ key: 'mood' }], skipped: [{}] })
    expect(JSON.parse((await importShop('--json')).stdout)).toEqual(report)
    expect(JSON.parse((await importShop('--json')).stdout)).toMatchObject({
      turns_created: 0,
      turns_unchanged: 1,
    })
  })

  test('an import prints plain lines to a pipe, and the rest on standard error', async () => {
    const { stdout, stderr } = await importShop()
    expect(stdout).toContain('turns created\t1\n')
    expect(`${stdout}${stderr}`).not.toContain('\u001b')
    expect(stderr).toMatch(/^skipped: .*coach_turn_2\.json/m)
    expect(stderr).toMatch(/^not mapped: 1 key \(player mood\); --json lists all, with examples$/m)
  })

  test('the error about a folder without artifacts names the expected files', async () => {
    const empty = path.join(home, 'empty')
    await mkdir(empty, { recursive: true })
    const { code, stderr } = await turngraph.run(['import', 'autobuild', empty, '--dry-run'])
    expect(code).toBe(0)
    expect(stderr).toContain(`There is no task folder below ${empty}: one holds player_turn_N.json`)
  })

  test('an import uses a running server', async () => {
    const { url } = await turngraph.startService()
    expect(JSON.parse((await importShop('--json')).stdout)).toMatchObject({ turns_created: 1 })
    expect(JSON.parse((await importShop('--json')).stdout)).toMatchObject({
      turns_created: 0,
      turns_unchanged: 1,
    })
    expect((await fetch(`${url}/v1/worlds`)).status).toBe(401)
  })
})

describe('migrate and config', () => {
  test('migrate --check fails while a migration is pending, and changes nothing', async () => {
    expect(await turngraph.run(['migrate', '--check'])).toMatchObject({ code: 8 })
    expect(await turngraph.run(['migrate', '--check'])).toMatchObject({ code: 8 })
    expect(await turngraph.run(['migrate'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Applied V001/),
    })
    expect(await turngraph.run(['migrate', '--check'])).toMatchObject({ code: 0 })
    expect(await turngraph.run(['migrate'])).toMatchObject({ code: 0, stdout: 'The schema is current.\n' })
  })

  test('config shows the settings in effect, with masked secrets', async () => {
    const environment = {
      TURNGRAPH_STORE: 'neo4j://anna:hidden@db:7687',
      TURNGRAPH_NEO4J_PASSWORD: 'hidden',
      TURNGRAPH_TOKEN: 'hidden',
    }
    const { code, stdout } = await turngraph.run(['config'], { environment })
    expect(code).toBe(0)
    expect(stdout).not.toContain('hidden')
    expect(stdout).toMatch(/^TURNGRAPH_PORT\t7480\t/m)
    const asJson = await turngraph.run(['config', '--json'], { environment })
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      TURNGRAPH_NEO4J_PASSWORD: '****',
      TURNGRAPH_PORT: 7480,
    })
    expect(asJson.stdout).not.toContain('hidden')
  })

  test.each([
    'http://anna:hidden@127.0.0.1:7480',
    'https://anna:hidden@turngraph.example',
    'http://anna:hidden@:x',
    'turngraph.example',
  ])(
    'an unsuitable address in TURNGRAPH_URL causes one clear error that shows no user and no password: %s',
    async (url) => {
      const { code, stdout, stderr } = await turngraph.run(['worlds'], {
        environment: { TURNGRAPH_URL: url },
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr.match(/TURNGRAPH_URL .*/g)).toEqual([
        'TURNGRAPH_URL must be an address such as http://127.0.0.1:7480, without a user and a password',
      ])
      expect(stderr).not.toMatch(/anna|hidden/)
    },
  )
})

describe('the token', () => {
  test('the server creates a token that only its owner can read, and the commands of its data folder use it', async () => {
    const { url } = await turngraph.startService()
    expect(statSync(path.join(turngraph.folder, 'token')).mode & 0o777).toBe(0o600)
    expect(await captured(1)).toMatchObject({ code: 0 })
    const elsewhere = commandsOn(temporaryFolder())
    const environment = { TURNGRAPH_URL: url }
    expect(await elsewhere.run(['worlds'], { environment })).toMatchObject({ code: 3, stdout: '' })
    const wrong = { ...environment, TURNGRAPH_TOKEN: 'not-this-one-at-all' }
    expect(await elsewhere.run(['worlds'], { environment: wrong })).toMatchObject({ code: 3 })
  })
})

test('a data folder that is a file is one clear error', async () => {
  writeFileSync(turngraph.folder, '')
  const { code, stderr } = await captured(1)
  expect(code).not.toBe(0)
  expect(stderr).toContain(turngraph.folder)
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('query --show-cypher prints the complete statement of a preset with its parameters, without a graph', async () => {
  const turngraph = commandsOn(temporaryFolder())
  const run = (...args: string[]) => turngraph.run(['query', ...args])
  const { code, stdout, stderr } = await run(
    '--preset',
    'blockers',
    '--task',
    "T'1",
    '--project',
    'shop',
    '--show-cypher',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toBe('// What blocked most?')
  expect(lines).toEqual(
    expect.arrayContaining([
      ":param projectKey => 'shop';",
      ":param task => 'T\\'1';",
      ':param limit => 100;',
    ]),
  )
  expect(stdout).toContain('MATCH (:Project {key: $projectKey})')
  expect(lines.at(-1)).toMatch(/LIMIT \$limit;$/)
  expect(stdout).not.toContain('include')
  expect((await run('RETURN 1', '--show-cypher')).stderr).toContain('--show-cypher is for --preset.')
})

test('the output of query --show-cypher is valid for query, and --param changes one of its parameters', async () => {
  const { run } = commandsOn(temporaryFolder())
  await run(['capture'], { input: turn(1) })
  for (const preset of ['blockers', 'last-turn', 'never-verified']) {
    const asked = ['query', '--preset', preset, '--task', 'TASK-1', '--json']
    const { stdout: statement } = await run([...asked.slice(0, -1), '--show-cypher'])
    const pasted = await run(['query', statement, '--json'])
    expect(pasted).toMatchObject({ code: 0, stderr: '' })
    const { columns, rows } = JSON.parse((await run(asked)).stdout)
    expect(JSON.parse(pasted.stdout)).toMatchObject({ columns, rows })
  }
  const text = ":param a => 'one';\nRETURN $a AS a"
  expect((await run(['query', '-'], { input: text })).stdout).toBe('a\none\n')
  expect((await run(['query', text, '--param', 'a=two'])).stdout).toBe('a\ntwo\n')
})

test('a trailing slash of TURNGRAPH_URL is ignored', async () => {
  const turngraph = commandsOn(temporaryFolder())
  const { url } = await turngraph.startService()
  const environment = { TURNGRAPH_URL: `${url}/` }
  const { code, stdout } = await turngraph.run(['open'], { environment })
  expect([code, stdout.startsWith(`${url}/#code=`)]).toEqual([0, true])
})
