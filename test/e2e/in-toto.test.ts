import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

const COMMIT = 'd20ace7968ba43c0219f62d71334c1095bab1602'

const ROUNDS = 'It rounds half to even everywhere'
const CACHED = 'Totals are cached for one day'

const observed = (criterion_id: string, exit_code: number, on: object) => ({
  criterion_id,
  status: exit_code === 0 ? 'verified' : 'rejected',
  source: 'command',
  observation: { command: ['npm', 'test'], exit_code, started_at: '2026-11-28T10:00:00Z', ...on },
})

test('export --format in-toto writes a statement for each criterion that was observed in a repository', async () => {
  const folder = temporaryFolder()
  const turngraph = commandsOn(folder)
  const file = path.join(folder, 'turn.json')
  const turn = {
    ...{ project: 'shop', feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, world_slug: 'w' },
    ...{ player_summary: 'All done', coach_decision: 'feedback' },
    verifications: [
      observed('AC-001', 0, { commit: COMMIT }),
      observed('AC-002', 1, { commit: COMMIT }),
      observed('AC-003', 0, {}),
      { criterion_id: 'AC-004', status: 'verified', evidence: 'I looked at it' },
    ],
  }
  writeFileSync(file, JSON.stringify(turn))
  await turngraph.run(['capture', file])
  const { code, stdout, stderr } = await turngraph.run([
    'export',
    '--project',
    'shop',
    '--format',
    'in-toto',
    '--world',
    'w',
  ])
  expect([code, stderr]).toEqual([0, '1 observation left out: outside of a git repository.\n'])
  const statements = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(statements).toMatchObject([
    {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { gitCommit: COMMIT } }],
      predicate: { result: 'PASSED', passedTests: ['AC-001'] },
    },
    { predicate: { result: 'FAILED', failedTests: ['AC-002'] } },
  ])
  const wrong = await turngraph.run(['export', '--format', 'in-toto'])
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
})

test('export --format in-toto resolves labels like the list of criteria, and includes what verify added later', async () => {
  const folder = temporaryFolder()
  const turngraph = commandsOn(folder)
  const run = (args: readonly string[], more: object = {}) => turngraph.run(args, { cwd: folder, ...more })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: folder })
  const task = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
  const listed = `---\nid: TASK-1\nfeature_id: FEAT-1\n---\n## Acceptance Criteria\n\n- [ ] AC-1: ${ROUNDS}\n- [ ] AC-2: ${CACHED}\n`
  writeFileSync(path.join(folder, 'TASK-1.md'), listed)
  git('init', '-q')
  git('add', 'TASK-1.md')
  git('commit', '-qm', 'Start')
  await run(['specify', 'TASK-1.md'])
  const turn = {
    ...task,
    ...{ turn_number: 1, world_slug: 'w', player_summary: 'All done', coach_decision: 'feedback' },
    promises: [
      { criterion_id: 'AC-2', criterion_text: ROUNDS, status: 'complete' },
      { criterion_id: 'AC-3', criterion_text: CACHED, status: 'complete' },
    ],
    verifications: [
      { criterion_id: 'AC-1', status: 'rejected', evidence: '0.5 becomes 1' },
      observed('AC-2', 0, { commit: COMMIT }),
    ],
  }
  await run(['capture'], { input: JSON.stringify(turn) })
  const statements = async () => {
    const { stdout } = await run(['export', '--format', 'in-toto', '--world', 'w'])
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => {
      const { result, configuration } = JSON.parse(line).predicate
      return [configuration[0].name, configuration[0].annotations.text, result]
    })
  }
  expect(await statements()).toEqual([['AC-2', CACHED, 'PASSED']])
  await run(['verify', '--world', 'w', '--criterion', 'AC-1', '--', 'true'])
  await run(['verify', '--world', 'w', '--criterion', 'AC-2', '--', 'false'])
  expect(await statements()).toEqual([
    ['AC-1', ROUNDS, 'PASSED'],
    ['AC-2', CACHED, 'FAILED'],
  ])
})
