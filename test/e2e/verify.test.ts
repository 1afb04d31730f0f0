import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder, untilGone } from './command.ts'

/** `turngraph verify` with real processes. The behavior of one command is tested in src/verify. */

const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']

const SPECIFICATION = `---
id: TASK-1
feature_id: FEAT-1
---
## Acceptance Criteria

- [ ] AC-001: \`node ok.mjs\` passes
- [ ] AC-002: \`node bad.mjs\` exits 0
- [ ] AC-003: The page looks good
`

const TURN = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'All tests pass' }

/** A repository with two programs, a declared task and one turn. */
async function repository() {
  const folder = temporaryFolder()
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  write('ok.mjs', "console.log('fine')\n")
  write('bad.mjs', "console.error('token=ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2'); process.exit(3)\n")
  write('TASK-1.md', SPECIFICATION)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Start')
  const user = commandsOn(temporaryFolder())
  const run = (args: readonly string[], more: Parameters<typeof user.run>[1] = {}) =>
    user.run(args, { cwd: folder, ...more })
  expect((await run(['specify', 'TASK-1.md'])).code).toBe(0)
  expect((await run(['capture'], { input: JSON.stringify(TURN) })).code).toBe(0)
  const criteria = async () => {
    const { stdout } = await run(['criteria', ...task, '--json'])
    return JSON.parse(stdout).criteria as {
      criterion_id: string
      state: string
      basis: string | null
      observed_on?: object
    }[]
  }
  return { folder, user, run, git, criteria }
}

test('verify runs what the task declares, prints each command first, records what it saw, and exits with 10', async () => {
  const { run, git, criteria } = await repository()
  const { code, stdout, stderr } = await run(['verify', ...task])
  expect(stdout.split('\n')).toEqual([
    '✓ AC-001: verified, `node ok.mjs` exited with 0',
    '✗ AC-002: rejected, `node bad.mjs` exited with 3',
    expect.stringMatching(/^Recorded 2 verifications with turn 1 of /),
    '',
  ])
  expect(stderr.split('\n').slice(0, 4)).toEqual([
    'Runs AC-001: node ok.mjs',
    'fine',
    'Runs AC-002: node bad.mjs',
    'token=ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2', // the terminal gets the output as it is
  ])
  expect(code).toBe(10)
  const tree = git('rev-parse', 'HEAD^{tree}').trim()
  const states = await criteria()
  expect(states.map(({ criterion_id, state, basis }) => [criterion_id, state, basis])).toEqual([
    ['AC-001', 'verified', 'observed'],
    ['AC-002', 'rejected', null],
    ['AC-003', 'pending', null],
  ])
  expect(states[0]?.observed_on).toMatchObject({ tree, dirty: null })

  const only = await run(['verify', '--task', 'TASK-1', '--criterion', 'ac-1', '--json'])
  expect(only.code).toBe(0)
  const [seen] = JSON.parse(only.stdout).recorded.verifications
  expect(seen).toMatchObject({
    criterion_id: 'AC-001',
    status: 'verified',
    source: 'command',
    observation: { command: ['node', 'ok.mjs'], cwd: '.', exit_code: 0, output_tail: 'fine', tree },
  })
})

test('the recorded output has no secrets, and the state of the files is that before the command', async () => {
  const { run } = await repository()
  const { code, stdout } = await run([
    ...['verify', ...task, '--criterion', 'AC-002', '--json', '--'],
    ...[
      'node',
      '-e',
      "require('fs').writeFileSync('new.txt', ''); console.log('token=ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2')",
    ],
  ])
  expect(code).toBe(0)
  const [{ observation }] = JSON.parse(stdout).recorded.verifications
  expect(observation.output_tail).toMatch(/^token=/)
  expect(observation.output_tail).not.toContain('ghp_a1B2')
  expect(observation.dirty).toBeNull()
})

test('--dry-run prints the commands and runs none', async () => {
  const { folder, run, criteria } = await repository()
  const given = [
    '--dry-run',
    '--criterion',
    'AC-003',
    '--',
    'node',
    '-e',
    "require('fs').writeFileSync('x', '')",
  ]
  const { code, stdout } = await run(['verify', ...task, ...given])
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Would run AC-003: node -e 'require('\\''fs'\\'').writeFileSync('\\''x'\\'', '\\'''\\'')'\n`,
  })
  const all = await run(['verify', ...task, '--dry-run', '--json'])
  expect(JSON.parse(all.stdout)).toEqual({
    commands: [
      { criterion_ids: ['AC-001'], command: ['node', 'ok.mjs'] },
      { criterion_ids: ['AC-002'], command: ['node', 'bad.mjs'] },
    ],
  })
  expect(existsSync(path.join(folder, 'x'))).toBe(false)
  expect((await criteria()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
})

test('a shell reads a command only with --shell', async () => {
  const { run } = await repository()
  const verify = (...args: string[]) => run(['verify', ...task, '--criterion', 'AC-003', ...args])
  const refused = await verify('--', 'node ok.mjs | grep nothing')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('needs a shell for "|"')
  expect(refused.stderr).toContain('turngraph verify --shell')
  expect((await verify('--shell', '--', 'node ok.mjs | grep nothing')).code).toBe(10)
  expect((await verify('--shell', '--', 'node ok.mjs | grep fine')).code).toBe(0)
  for (const line of ['node no.mjs 2>&1 | tail -1', 'node no.mjs; echo done'])
    expect((await verify('--shell', '--', line)).code).toBe(10)
  expect((await verify('--', 'node ok.mjs')).code).toBe(0)
})

test('calls that prove nothing, or that have nothing to run, are refused before anything runs', async () => {
  const { run } = await repository()
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await run(['verify', ...args])
    return [code, stderr.split('\n')[0]?.replace(/^error: /, '')]
  }
  expect(await refusal(...task, '--', 'node', 'ok.mjs')).toEqual([2, 'The command proves no criterion.'])
  expect(await refusal(...task, '--criterion', 'AC-003')).toEqual([2, 'AC-003 declares no command.'])
  expect(await refusal(...task, '--criterion', 'AC-9')).toEqual([2, 'The task declares no criterion AC-9.'])
  expect(await refusal(...task, '--shell')).toEqual([2, '--shell is for a COMMAND behind `--`.'])
  expect(await refusal(...task, '--manual', 'AC-3')).toEqual([2, '--manual needs --reason.'])
  expect(await refusal(...task, '--timeout', 'soon')).toMatchObject([
    2,
    expect.stringContaining('such as 90s or 10m'),
  ])
  expect(await refusal('--task', 'TASK-9')).toEqual([
    4,
    'No task TASK-9 in project default. Did you mean TASK-1?',
  ])
})

test('a command that cannot be started proves nothing, and a time-out is a rejection', async () => {
  const { run, criteria } = await repository()
  const missing = await run(['verify', ...task, '--criterion', 'AC-003', '--', './no-such-program'])
  expect(missing.code).toBe(8)
  expect(missing.stderr).toContain('It proves nothing.')
  expect((await criteria())[2]?.state).toBe('pending')
  const late = await run([
    'verify',
    ...task,
    '--criterion',
    'AC-003',
    '--timeout',
    '1s',
    '--',
    'sleep',
    '1000',
  ])
  expect(late.code).toBe(10)
  expect(late.stdout).toContain(
    'AC-003: rejected, `sleep 1000` was ended by SIGTERM, because it took longer than 1 s',
  )
})

test("a person's word is recorded with its reason, as judged", async () => {
  const { run, criteria } = await repository()
  const { code } = await run(['verify', ...task, '--manual', 'AC-3', '--reason', 'I looked at the page'])
  expect(code).toBe(0)
  expect((await criteria())[2]).toMatchObject({ criterion_id: 'AC-003', state: 'verified', basis: 'judged' })
})

const REPORTED_TESTS = `import { expect, test } from 'vitest'
test('AC-001 adds', () => expect(1 + 1).toBe(2))
test('AC-002 subtracts', () => expect(2 - 1).toBe(7))
test.skip('AC-003 looks good', () => {})
test('another', () => {})
`

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Adds tests to the repository, runs vitest on them, and returns the names of its reports. */
async function runVitest(folder: string) {
  writeFileSync(path.join(folder, 'some.test.mjs'), REPORTED_TESTS)
  writeFileSync(path.join(folder, '.gitignore'), 'node_modules\nreports\n')
  if (!existsSync(path.join(folder, 'node_modules'))) symlinkSync(modules, path.join(folder, 'node_modules'))
  const reports = { junit: 'reports/junit.xml', vitestJson: 'reports/vitest.json', tap: 'reports/tests.tap' }
  const ended = spawnSync(
    process.execPath,
    [
      ...[path.join(modules, 'vitest/vitest.mjs'), 'run', '--root', folder, 'some.test.mjs'],
      ...['--reporter=junit', `--outputFile.junit=${reports.junit}`],
      ...['--reporter=json', `--outputFile.json=${reports.vitestJson}`],
      '--reporter=tap', // to standard output
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  expect(ended.status).toBe(1)
  writeFileSync(path.join(folder, reports.tap), ended.stdout)
  return reports
}

test('the reports of a real run of vitest prove and refute criteria, and list what they do not prove', async () => {
  const { folder, run, git, criteria } = await repository()
  const reports = await runVitest(folder)
  git('add', '.')
  git('commit', '-qm', 'Add tests')
  for (const option of ['junit', 'vitest-json', 'tap'] as const) {
    const file = option === 'vitest-json' ? reports.vitestJson : reports[option]
    const { code, stdout, stderr } = await run(['verify', ...task, `--${option}`, file])
    const format = option === 'vitest-json' ? 'vitest' : option
    expect({ code, stderr, lines: stdout.split('\n') }).toEqual({
      code: 10,
      stderr: '',
      lines: [
        `✓ AC-001: verified, ${format} report: 1 passed, 0 failed, 0 skipped`,
        expect.stringContaining(`✗ AC-002: rejected, ${format} report: 0 passed, 1 failed, 0 skipped; `),
        expect.stringMatching(/^○ AC-003: skipped tests prove nothing: .*AC-003 looks good$/),
        '1 test without a criterion',
        expect.stringMatching(/^Recorded 2 verifications with turn 1 of /),
        '',
      ],
    })
  }
  expect((await criteria()).map(({ state, basis }) => [state, basis])).toEqual([
    ['verified', 'observed'],
    ['rejected', null],
    ['pending', null],
  ])
  const again = await run(['verify', ...task, '--junit', reports.junit, '--json'])
  const { recorded, reports: summary } = JSON.parse(again.stdout)
  expect(again.code).toBe(10)
  expect(recorded.added).toBe(0)
  expect(recorded.verifications[0].observation).toMatchObject({
    tree: git('rev-parse', 'HEAD^{tree}').trim(),
    dirty: null,
    command: null,
    report: { format: 'junit' },
    tests: [{ name: expect.stringContaining('AC-001 adds'), status: 'passed' }],
  })
  expect(summary).toEqual({
    skipped: [{ criterion_id: 'AC-003', tests: [expect.stringContaining('AC-003 looks good')] }],
    unmapped: [],
    unused: 1,
  })
  const only = await run(['verify', ...task, '--criterion', 'ac-1', '--junit', reports.junit, reports.junit])
  expect(only).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ AC-001.*\n2 tests without/) })
})

test('--status names the tree on which each criterion was observed, and the files that differ', async () => {
  const { folder, run, git } = await repository()
  const status = async () => (await run(['verify', ...task, '--status'])).stdout.split('\n').slice(0, -1)
  expect(await status()).toEqual([
    '· AC-001: never observed',
    '· AC-002: never observed',
    '· AC-003: never observed',
  ])
  const { junit } = await runVitest(folder)
  expect((await run(['verify', ...task, '--junit', junit])).code).toBe(10)
  const onThisTree = [
    '✓ AC-001: observed on this tree',
    '✗ AC-002: never observed, rejected',
    '· AC-003: never observed',
  ]
  expect(await status()).toEqual(onThisTree)
  // The same files, committed by now.
  git('add', '.')
  git('commit', '-qm', 'Add tests')
  expect(await status()).toEqual(onThisTree)
  expect((await run(['verify', ...task, '--criterion', 'AC-001'])).code).toBe(0)
  for (let i = 0; i < 7; i++) writeFileSync(path.join(folder, `new-${i}.txt`), '')
  expect((await status())[0]).toBe(
    '○ AC-001: observed on an earlier tree, 7 files differ: new-0.txt, new-1.txt, new-2.txt, new-3.txt, new-4.txt and 2 more',
  )
  const { code, stdout } = await run([
    'verify',
    '--task',
    'TASK-1',
    '--criterion',
    'ac-1',
    '--status',
    '--json',
  ])
  expect(code).toBe(0)
  const tree = git('rev-parse', 'HEAD^{tree}').trim()
  expect(JSON.parse(stdout)).toMatchObject({
    as_of_turn: 1,
    tree,
    dirty: expect.stringMatching(/^sha256:/),
    criteria: [
      {
        criterion_id: 'AC-001',
        state: 'verified',
        seen: 'earlier_tree',
        observed_on: { tree, dirty: null },
        differing_files: Array.from({ length: 7 }, (_, i) => `new-${i}.txt`),
        differing_files_count: 7,
      },
    ],
  })
  const { world_slug } = JSON.parse(stdout)
  expect((await run(['verify', '--world', world_slug, '--status'])).stdout).toContain('○ AC-001')
})

test('tests of a file that was changed after the report are recorded without a tree', async () => {
  const { folder, run } = await repository()
  const { junit } = await runVitest(folder)
  writeFileSync(path.join(folder, 'ok.mjs'), "console.log('changed')\n")
  const later = new Date(Date.now() + 5_000)
  utimesSync(path.join(folder, 'ok.mjs'), later, later)
  const { stdout, stderr } = await run(['verify', ...task, '--junit', junit, '--json'])
  expect(stderr).toMatch(/^ok\.mjs was changed after the report was written\./)
  const [{ observation }] = JSON.parse(stdout).recorded.verifications
  expect(observation).toMatchObject({ tree: null, dirty: null, report: { format: 'junit' } })
  expect((await run(['verify', ...task, '--status'])).stdout).toContain(
    '○ AC-001: observed on an unknown tree',
  )
})

test('a tracked file that was deleted after the report counts as changed', async () => {
  const { folder, run } = await repository()
  const { junit } = await runVitest(folder)
  rmSync(path.join(folder, 'bad.mjs'))
  const later = new Date(Date.now() + 5_000)
  utimesSync(folder, later, later)
  const { stderr } = await run(['verify', ...task, '--junit', junit])
  expect(stderr).toMatch(/^bad\.mjs was changed after the report was written\./)
})

test('reports that are broken, missing, endless or prove nothing are refused with the name of the file', async () => {
  const { folder, run, criteria } = await repository()
  const write = (name: string, text: string | Buffer) => writeFileSync(path.join(folder, name), text)
  write('broken.xml', '<testsuite><testcase name="AC-001">')
  write('none.xml', '<testsuite><testcase name="other"/></testsuite>')
  write('latin.xml', Buffer.from('<testsuite><testcase name="AC-001 \xe4"/></testsuite>', 'latin1'))
  write('big.tap', Buffer.alloc(8 * 1024 * 1024 + 1, '#'))
  execFileSync('mkfifo', [path.join(folder, 'fifo.xml')])
  const answer = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(['verify', ...task, ...args])
    return [code, (stdout || stderr).split('\n')[0]?.replace(/^error: /, '')]
  }
  expect(await answer('--junit', 'broken.xml')).toEqual([
    2,
    expect.stringMatching(/^broken\.xml: the JUnit report is not well-formed XML/),
  ])
  expect(await answer('--junit', 'missing.xml')).toEqual([4, 'missing.xml is not there.'])
  expect(await answer('--junit', 'fifo.xml')).toEqual([2, 'fifo.xml is not a regular file.'])
  expect(await answer('--junit', 'latin.xml')).toEqual([2, 'latin.xml is not UTF-8.'])
  expect(await answer('--tap', 'big.tap')).toEqual([2, expect.stringContaining('big.tap is over the limit')])
  expect(await answer('--junit', 'none.xml')).toEqual([8, '· AC-001: no test names it'])
  expect(await answer('--junit', 'none.xml', '--', 'node')).toEqual([
    2,
    '--status and test reports run no command.',
  ])
  expect(await answer('--junit', 'none.xml', '--status')).toEqual([
    2,
    expect.stringContaining('cannot be used with'),
  ])
  expect((await criteria()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
})

const pytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

test.skipIf(!pytest)('the JUnit report of a real run of pytest proves and refutes criteria', async () => {
  const { folder, run } = await repository()
  writeFileSync(
    path.join(folder, 'test_some.py'),
    'def test_ac_001_adds():\n    assert 1 + 1 == 2\n\ndef test_ac_002_subtracts():\n    assert 2 - 1 == 7\n',
  )
  spawnSync('python3', ['-m', 'pytest', '-q', '--junitxml=junit.xml', 'test_some.py'], { cwd: folder })
  const { code, stdout } = await run(['verify', ...task, '--junit', 'junit.xml'])
  expect(code).toBe(10)
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    '✓ AC-001: verified, junit report: 1 passed, 0 failed, 0 skipped',
    expect.stringMatching(/^✗ AC-002: rejected, junit report: .*test_ac_002_subtracts: .*assert/),
    '· AC-003: no test names it',
  ])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the command with its children, and nothing is recorded', async (signal, exitCode) => {
  const { folder, user, criteria } = await repository()
  const script = `trap '' TERM INT HUP; echo $$; sh -c "trap '' TERM INT HUP; echo \\$\\$; while :; do sleep 1; done"`
  const args = ['verify', ...task, '--criterion', 'AC-003', '--', 'sh', '-c', script]
  const child = user.start(args, { cwd: folder })
  let printed = ''
  let isSent = false
  const pids = () => printed.split('\n').filter((line) => /^\d+$/.test(line))
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += String(chunk)
    if (pids().length !== 2 || isSent) return
    isSent = true
    child.kill(signal)
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(exitCode)
  expect(pids()).toHaveLength(2)
  for (const pid of pids()) await untilGone(pid)
  expect((await criteria())[2]?.state).toBe('pending')
})

test('observations that cannot be recorded are kept in a file, which --send records later', async () => {
  const { run, user, criteria } = await repository()
  const first = await user.serve()
  const environment = { TURNGRAPH_URL: first.url }
  // The command ends the service, so its result cannot be recorded.
  const kill = ['--', 'sh', '-c', `kill -9 ${first.child.pid}`]
  const inProject = { ...environment, TURNGRAPH_PROJECT: 'default' }
  const lost = await run(['verify', ...task, '--criterion', 'AC-003', ...kill], { environment: inProject })
  expect(lost.code).toBe(7)
  const [file = ''] = /\S*verifications-[\w-]+\.json/.exec(lost.stderr) ?? []
  expect(lost.stderr).toContain(`turngraph verify --send ${file}`)
  expect((await criteria())[2]?.state).toBe('pending')
  // The file names the project in which the command ran.
  for (const [other, environment] of [
    [['--project', 'other'], {}],
    [[], { TURNGRAPH_PROJECT: 'other' }],
  ] as const) {
    const wrong = await run(['verify', '--send', file, ...other], { environment })
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/ is for the project default, but \S+ names other\./),
    ])
  }
  const copy = path.join(temporaryFolder(), 'copy.json')
  writeFileSync(copy, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), project: 'a $b' }))
  const quoted = await run(['verify', '--send', copy, '--project', 'other'])
  expect(quoted.stderr).toContain(`turngraph verify --project 'a $b' --send ${copy}\n`)
  const sent = await run(['verify', '--send', file])
  expect(sent.code).toBe(0)
  expect(sent.stdout).toMatch(/^Recorded 1 verification with turn 1 of /)
  expect((await criteria())[2]).toMatchObject({ state: 'verified', basis: 'observed' })
  expect(readdirSync(path.dirname(file))).toEqual([])
})

test('a label without a specification is the criterion that the session knows by it', async () => {
  const { run } = await repository()
  const verifications = [
    { criterion_id: 'AC-001', criterion_text: 'It rounds half to even', status: 'rejected' },
  ]
  await run(['capture'], { input: JSON.stringify({ ...TURN, task_id: 'TASK-2', verifications }) })
  const other = ['--feature', 'FEAT-1', '--task', 'TASK-2']
  expect((await run(['verify', ...other, '--criterion', 'AC-1', '--', 'true'])).code).toBe(0)
  const { criteria } = JSON.parse((await run(['criteria', ...other, '--json'])).stdout)
  expect(criteria).toEqual([
    expect.objectContaining({ text: 'It rounds half to even', state: 'verified', basis: 'observed' }),
  ])
})

test('a command that an observation cannot have is refused before it runs', async () => {
  const { run } = await repository()
  const parts = Array.from({ length: 101 }, () => 'x')
  const { code, stdout, stderr } = await run([
    'verify',
    ...task,
    '--criterion',
    'AC-001',
    '--',
    'echo',
    ...parts,
  ])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('The command has more than 100 parts; send fewer, or put it into a script.')
  expect(stderr).not.toContain('Runs')
})

test('more observations than a request can have are recorded by a service in parts, also from the kept file', async () => {
  const { run, user } = await repository()
  const criteria = Array.from({ length: 600 }, (_, index) => ['--criterion', `AC-1${index}`]).flat()
  const print = `console.log('x'.repeat(2_048))`
  // TASK-2 declares no criteria, so a command may prove any.
  await run(['capture'], { input: JSON.stringify({ ...TURN, task_id: 'TASK-2' }) })
  const verify = ['verify', '--feature', 'FEAT-1', '--task', 'TASK-2', ...criteria, '--', 'node', '-e']
  const first = await user.serve()
  const kill = `${print}; process.kill(${first.child.pid}, 'SIGKILL')`
  const lost = await run([...verify, kill], { environment: { TURNGRAPH_URL: first.url } })
  expect(lost.code).toBe(7)
  const [file = ''] = /\S*verifications-[\w-]+\.json/.exec(lost.stderr) ?? []
  expect(statSync(file).size).toBeGreaterThan(1024 * 1024)
  const second = await user.serve()
  const environment = { TURNGRAPH_URL: second.url }
  const sent = await run(['verify', '--send', file], { environment })
  expect([sent.code, sent.stdout]).toEqual([
    0,
    expect.stringMatching(/^Recorded 600 verifications with turn 1 of /),
  ])
  const again = await run([...verify, print], { environment })
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringMatching(/\nRecorded 600 verifications with turn 1 of /),
  ])
})

test('observations that can neither be recorded nor kept end with the error of the service', async () => {
  const { run, user } = await repository()
  const { url, child } = await user.serve()
  const kill = ['--', 'sh', '-c', `kill -9 ${child.pid}`]
  writeFileSync(path.join(user.folder, 'unrecorded'), 'not a folder')
  const lost = await run(['verify', ...task, '--criterion', 'AC-003', ...kill], {
    environment: { TURNGRAPH_URL: url },
  })
  expect(lost.code).toBe(7)
  expect(lost.stderr).toContain(`could not be kept in ${path.join(user.folder, 'unrecorded')} either.`)
})
