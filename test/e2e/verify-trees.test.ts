import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/**
 * `turngraph verify --status` in real repositories: it compares the files of a folder with those that an earlier `turngraph verify`
 * observed. src/artifacts/git-tree.test.ts tests which files differ.
 */

const TASK_OPTIONS = ['--feature', 'FEAT-1', '--task', 'TASK-1']

const SPECIFICATION = `---
id: TASK-1
feature_id: FEAT-1
---
## Acceptance Criteria

- [ ] AC-001: \`true\` passes
`

/** Environment of git. Omits the variables of an enclosing git command, such as a hook, because they name another repository. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_AUTHOR_NAME: 'T',
  GIT_AUTHOR_EMAIL: 't@example.org',
  GIT_COMMITTER_NAME: 'T',
  GIT_COMMITTER_EMAIL: 't@example.org',
}

function git(folder: string, ...args: string[]): void {
  const options = { cwd: folder, env: ENVIRONMENT, stdio: 'pipe' } as const
  execFileSync('git', args, options)
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}

function commit(folder: string): void {
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'Change files')
}

function addFiles(folder: string): void {
  write(folder, 'src/a.ts', 'a\n')
  write(folder, '.gitignore', 'built/\n')
}

function addRepository(folder: string): void {
  addFiles(folder)
  git(folder, 'init', '-q')
  commit(folder)
}

type Case = {
  name: string
  /** Fills the folder in which `turngraph verify` observes the criterion. */
  prepare: (folder: string) => void
  /** Changes the folder after the observation. Returns another folder if the status is read there. */
  change: (folder: string) => string | undefined
  /** The line that `--status` prints. */
  expected: string
}

const SAME_FILES = '✓ AC-001: observed on this tree'
const describeEarlier = (files: string): string => `○ AC-001: observed on an earlier tree, ${files}`
const ABSENT_TREE = describeEarlier('which this repository does not have')

/** Clones only the newest commit, and returns the folder of the clone. */
function addShallowClone(folder: string): string {
  const clone = temporaryFolder()
  git(clone, 'clone', '-q', '--depth', '1', `file://${folder}`, '.')
  return clone
}

const cases: Case[] = [
  {
    name: 'an unchanged folder',
    prepare: addRepository,
    change: () => undefined,
    expected: SAME_FILES,
  },
  {
    name: 'a changed file',
    prepare: addRepository,
    change: (folder) => void write(folder, 'src/a.ts', 'b\n'),
    expected: describeEarlier('1 file differs: src/a.ts'),
  },
  {
    name: 'an observed change that was undone',
    prepare: (folder) => {
      addRepository(folder)
      write(folder, 'src/a.ts', 'b\n')
    },
    change: (folder) => void write(folder, 'src/a.ts', 'a\n'),
    expected: describeEarlier('with changes that are gone'),
  },
  {
    name: 'a renamed file',
    prepare: addRepository,
    change: (folder) => {
      renameSync(path.join(folder, 'src/a.ts'), path.join(folder, 'src/b.ts'))
      git(folder, 'add', '.')
      return undefined
    },
    expected: describeEarlier('2 files differ: src/a.ts, src/b.ts'),
  },
  {
    name: 'a shallow clone that lacks the observed commit',
    prepare: addRepository,
    change: (folder) => {
      write(folder, 'src/a.ts', 'b\n')
      commit(folder)
      return addShallowClone(folder)
    },
    expected: ABSENT_TREE,
  },
  {
    name: 'a folder that became a repository after the observation',
    prepare: addFiles,
    change: (folder) => void addRepository(folder),
    expected: '○ AC-001: observed on an unknown tree',
  },
]

/** Declares a task and captures its first turn. Returns two commands about the task. Each takes its working folder. */
async function declareTask() {
  const user = commandsOn(temporaryFolder())
  const tasks = temporaryFolder()
  write(tasks, 'TASK-1.md', SPECIFICATION)
  expect((await user.run(['specify', path.join(tasks, 'TASK-1.md')])).code).toBe(0)
  const turn = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'Done' }
  expect((await user.run(['capture'], { input: JSON.stringify(turn) })).code).toBe(0)
  return {
    observe: (cwd: string) => user.run(['verify', ...TASK_OPTIONS], { cwd }),
    status: (cwd: string) => user.run(['verify', ...TASK_OPTIONS, '--status'], { cwd }),
  }
}

test.each(cases)('--status compares the observed files with $name', async ({ prepare, change, expected }) => {
  const { observe, status } = await declareTask()
  const folder = temporaryFolder()
  prepare(folder)
  expect((await observe(folder)).code).toBe(0)
  const { code, stdout } = await status(change(folder) ?? folder)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${expected}\n` })
})

test('--status in a folder without a repository prints only an error', async () => {
  const { status } = await declareTask()
  const { code, stdout, stderr } = await status(temporaryFolder())
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('--status compares trees, and this folder is in no git repository.')
})
