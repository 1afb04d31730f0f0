import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { bytesOf, sessionOf, turn } from '../support/transcript-import.ts'
import { linesOf, says, user } from '../support/written-transcript.ts'
import { AS_OTHERS, commandsOn, temporaryFolder } from './command.ts'

let home = ''
let shop = ''
let turngraph: ReturnType<typeof commandsOn>
const given = () => ({ cwd: shop, environment: { CLAUDE_CONFIG_DIR: path.join(home, 'claude') } })
const init = (args: readonly string[]) => turngraph.run(args, given())

beforeEach(() => {
  home = temporaryFolder()
  turngraph = commandsOn(home)
  shop = path.join(home, 'shop')
  mkdirSync(shop)
})

function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

function writeSession(): void {
  const task = path.join(shop, '.guardkit/autobuild/TASK-1')
  const promise = {
    criterion_id: 'AC-001',
    criterion_text: 'It parses',
    status: 'complete',
    evidence: 'parse.test.ts covers all of the cases and passes',
  }
  const verification = {
    criterion_id: 'AC-001',
    criterion_text: 'It parses',
    result: 'verified',
    notes: 'parse.test.ts covers all of the cases and passes',
  }
  for (const number of [1, 2]) {
    write(path.join(task, `player_turn_${number}.json`), {
      implementation_notes: `Wrote part ${number}`,
      completion_promises: [promise],
    })
    write(path.join(task, `coach_turn_${number}.json`), {
      decision: number === 2 ? 'approve' : 'feedback',
      validation_results: {},
      criteria_verification: [verification],
    })
  }
  write(
    path.join(shop, 'tasks/backlog/TASK-2.md'),
    '---\nid: TASK-2\nfeature_id: FEAT-1\n---\n# Search\n\n## Acceptance Criteria\n\n- [ ] AC-001: It finds words\n',
  )
}

test('init shows the own figures of a folder and imports everything once, without changing a file', async () => {
  writeSession()
  const claude = path.join(home, 'claude/projects', realpathSync(shop).replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(claude, { recursive: true })
  writeFileSync(path.join(claude, `${sessionOf(1)}.jsonl`), bytesOf(turn('a', ['Read', 'Edit'])))
  const filesBefore = contentsOf(shop)
  const { code, stdout } = await init(['init', '--yes', '--no-serve'])
  expect(code).toBe(0)
  expect(stdout).toContain('1 session with 2 turns, specifications of 1 task, 1 transcript.')
  expect(stdout).toContain('1 session, 2 turns.')
  expect(stdout).toContain('In this project 1 turn came after everything was proven.')
  expect(stdout).toContain("1 of 1 proofs are in the Player's own words.")
  expect(stdout).toContain('1 turn of transcripts.')
  const again = JSON.parse((await init(['init', '--yes', '--json'])).stdout)
  expect(again).toMatchObject({
    plan: { sessions: 1, turns: 2, specifications: 1, transcripts: 1 },
    imported: {
      sessions: 1,
      turns: 2,
      turns_after_all_was_proven: 1,
      verified: 1,
      in_players_words: 1,
      left_out: 0,
    },
  })
  expect(contentsOf(shop)).toEqual(filesBefore)
})

test('turngraph without arguments is init, and imports nothing without a terminal', async () => {
  writeSession()
  const { code, stdout, stderr } = await turngraph.spawn([], given())
  expect([code, stdout]).toEqual([
    0,
    `Found in ${realpathSync(shop)}: 1 session with 2 turns, specifications of 1 task.\n`,
  ])
  expect(stderr).toContain(`turngraph init ${realpathSync(shop)} --yes`)
  expect(readdirSync(home)).not.toContain('graph')
})

test('init without a terminal only prints what it found, also if a store is away or has all of it', async () => {
  writeSession()
  const environment = {
    CLAUDE_CONFIG_DIR: path.join(home, 'claude'),
    TURNGRAPH_URL: 'http://127.0.0.1:9', // no service has this port
  }
  const away = await turngraph.run(['init'], { cwd: shop, environment })
  expect(away.code, away.stderr).toBe(0)
  expect((await init(['init', '--yes', '--no-serve'])).code).toBe(0)
  const { code, stdout, stderr } = await init(['init'])
  expect([code, stdout]).toEqual([0, away.stdout])
  expect(stderr).toContain('Nothing was imported.')
})

test('init of an empty folder names what it looks for', async () => {
  const { code, stdout } = await init(['init', '--yes'])
  expect(code).toBe(0)
  expect(stdout).toContain('There is nothing to import')
  expect(stdout).toContain('player_turn_N.json')
  expect((await init(['init', 'missing'])).code).toBe(4)
})

test('init imports the rest if some files cannot be used, and names each of them with its reason', async () => {
  writeSession()
  const broken = path.join(shop, '.guardkit/autobuild/TASK-1/coach_turn_3.json')
  write(broken, '{"decision"')
  const { code, stdout, stderr } = await init(['init', '--yes', '--no-serve'])
  expect(code).toBe(0)
  expect(stdout).toContain('1 session, 2 turns.')
  expect(stderr).toMatch(new RegExp(`^Left out: ${realpathSync(broken)} .+\\.$`, 'm'))
})

test('init names ten files that it leaves out, with the remedy of a feature file, and counts the others', async () => {
  write(path.join(shop, 'cart page.feature'), 'Feature: f\n  Scenario: s\n    Given x\n')
  for (let i = 10; i <= 20; i++) write(path.join(shop, `bad${i}.feature`), 'no scenario\n')
  write(path.join(shop, 'notes.md'), 'no criteria\n')
  write(path.join(shop, 'TASK-1.md'), '## Acceptance Criteria\n\n- [ ] It holds\n')
  const { code, stderr } = await init(['init'])
  expect(code).toBe(0)
  const notes = stderr.split('\n').filter((line) => line.startsWith('Left out: '))
  expect(notes).toHaveLength(11)
  expect(notes[0]).toContain(
    'bad10.feature states no criteria: it has no scenario. Write a `Scenario:` for each criterion.',
  )
  expect(notes[10]).toMatch(/^Left out: 3 other files\. To list all of them, run .*turngraph specify /)
})

test('the remedy that init names for a feature file without a task declares its scenario', async () => {
  write(path.join(shop, 'cart page.feature'), 'Feature: f\n  Scenario: A book is added\n    Given x\n')
  write(path.join(shop, 'TASK-1.md'), '## Acceptance Criteria\n\n- [ ] It holds\n')
  const { stderr } = await init(['init', '--yes', '--no-serve'])
  const file = path.join(realpathSync(shop), 'cart page.feature')
  const remedy = `turngraph specify '${file}' --feature FEATURE --task TASK`
  expect(stderr).toContain(
    `Left out: ${file} names no feature_id and no id. A .feature file cannot name its task. Run \`${remedy}\`.`,
  )
  expect(stderr).toContain('TASK-1.md names no feature_id and no id. Run `turngraph specify ')
  expect(stderr).toContain('or write `feature_id` and `id` into its front matter.')
  const { code, stdout } = await init(['specify', file, '--feature', 'FEATURE', '--task', 'TASK'])
  expect([code, stdout]).toEqual([0, 'Declared version 1 of TASK, 1 criterion\n'])
})

test('init names the command that lists an artifact of a task without turns, also if there is no session', async () => {
  write(path.join(shop, '.guardkit/autobuild/TASK-1/task_work_results.json'), '{}')
  write(
    path.join(shop, 'tasks/TASK-1.md'),
    '---\nid: TASK-1\nfeature_id: FEAT-1\n---\n## Acceptance Criteria\n\n- [ ] It holds\n',
  )
  const { code, stderr } = await init(['init', '--yes', '--no-serve'])
  expect(code).toBe(0)
  expect(stderr).toContain('task_work_results.json its folder holds no turn.')
  expect(stderr).toMatch(
    /^Not imported, of files and turns: 1\. To list them, run `turngraph import autobuild \S+ --dry-run`\.$/m,
  )
})

test('a folder that cannot be read is named once with the remedy, and the exit code is that of an import', async () => {
  writeSession()
  const closed = path.join(shop, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0)
  onTestFinished(() => chmodSync(closed, 0o700))
  const environment = { CLAUDE_CONFIG_DIR: path.join(home, 'claude') }
  const run = (args: readonly string[], cwd = shop) =>
    turngraph.run(args, { cwd, environment, wrapper: AS_OTHERS })
  const { code, stdout, stderr } = await run(['init', '--yes', '--no-serve'])
  expect((await run(['import', 'autobuild', shop])).code).toBe(8)
  expect([code, stdout]).toEqual([8, expect.stringContaining('1 session, 2 turns.')])
  const named = `Left out: ${realpathSync(closed)} cannot be read: EACCES. Allow this user to read it, and run the command again.`
  expect(stderr.split('\n').filter((line) => line.includes('closed'))).toEqual([named])
  const alone = await run(['init', closed], home)
  expect([alone.code, alone.stdout]).toEqual([
    8,
    `Nothing to import was found in ${closed}, because some of it cannot be read.\n`,
  ])
  expect(alone.stderr.split('\n')[0]).toBe(named.replace(realpathSync(closed), closed))
  const below = await run(['init', path.join(closed, 'inner')], home)
  expect([below.code, below.stderr]).toEqual([4, expect.stringContaining('inner" cannot be read: EACCES.')])
  const noFolder = await run(['init', path.join(shop, 'tasks/backlog/TASK-2.md')], home)
  expect([noFolder.code, noFolder.stderr]).toEqual([4, expect.stringContaining('There is no folder at')])
})

test('init counts the transcripts that the named command lists, without agents that only warmed up', async () => {
  writeSession()
  const claude = path.join(home, 'claude/projects', realpathSync(shop).replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(claude, { recursive: true })
  writeFileSync(path.join(claude, `${sessionOf(1)}.jsonl`), bytesOf(turn('a', ['Read'])))
  const warmUp = [user('Warmup'), says('Ready')].map((record) => ({
    ...record,
    isSidechain: true,
    agentId: 'a1',
    sessionId: sessionOf(1),
  }))
  writeFileSync(path.join(claude, 'agent-a1.jsonl'), linesOf(warmUp))
  const quiet = await init(['init', '--yes', '--no-serve'])
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining('Not imported')])
  const imported = await init(['import', 'transcripts', claude, '--json'])
  expect(JSON.parse(imported.stdout).skipped).toEqual([
    { file: path.join(claude, 'agent-a1.jsonl'), reason: 'its agent only warmed up' },
  ])
  writeFileSync(path.join(claude, 'notes.jsonl'), '{"a":1}\n')
  const { stderr } = await init(['init', '--yes', '--no-serve'])
  const [, count, command = ''] =
    /Not imported, of files and turns: (\d+). To list them, run `turngraph ([^`]*)`\.$/m.exec(stderr) ?? []
  expect(command).toBe(`import transcripts ${claude} --dry-run`)
  const listed = await init([...command.split(' '), '--json'])
  expect([count, JSON.parse(listed.stdout).skipped]).toEqual([
    '1',
    [{ file: path.join(claude, 'notes.jsonl'), reason: expect.any(String) }],
  ])
})

test('init with a token that may only read shows the figures and names the parts that it left out', async () => {
  writeSession()
  const claude = path.join(home, 'claude/projects', realpathSync(shop).replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(claude, { recursive: true })
  writeFileSync(path.join(claude, `${sessionOf(1)}.jsonl`), bytesOf(turn('a', ['Read'])))
  const { url } = await turngraph.startService()
  const create = (scope: string) =>
    turngraph.run(['token', 'create', '--name', scope.replace(',', '-'), '--scope', scope])
  const [reader, analyst] = [
    (await create('read')).stdout.trim(),
    (await create('read,analyst')).stdout.trim(),
  ]
  const by = (token: string, ...args: string[]) =>
    turngraph.run(['init', '--yes', '--no-serve', ...args], {
      cwd: shop,
      environment: {
        CLAUDE_CONFIG_DIR: path.join(home, 'claude'),
        TURNGRAPH_URL: url,
        TURNGRAPH_TOKEN: token,
      },
    })
  const isKnown = (token: string) =>
    fetch(`${url}/v1/caller`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status)
  await expect.poll(() => isKnown(analyst), { timeout: 30_000 }).toBe(200)
  const first = await by(reader)
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('1 session, 0 turns.')])
  expect(first.stderr).toContain('Left out, because the token does not allow it: the import (scope write).')
  expect((await init(['init', '--yes', '--no-serve'])).code).toBe(0)
  const second = await by(reader)
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('1 session, 2 turns.')])
  expect(second.stdout).toContain("1 of 1 proofs are in the Player's own words.")
  expect(second.stdout).not.toContain('came after everything was proven')
  expect(second.stderr).toContain(
    'Left out, because the token does not allow it: the update of the desires (scope write), the number of turns after everything was proven (scope analyst).',
  )
  const { imported } = JSON.parse((await by(analyst, '--json')).stdout)
  expect(imported).toMatchObject({
    turns: 2,
    turns_after_all_was_proven: 1,
    not_allowed: ['the update of the desires (scope write)'],
  })
})

function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      return [file, readFileSync(file, 'utf8')]
    }),
  )
}
