import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** `turngraph verify --status` in real repositories. The digest of a tree is tested in src/artifacts/git-tree.test.ts. */

const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']

const SPECIFICATION = `---
id: TASK-1
feature_id: FEAT-1
---
## Acceptance Criteria

- [ ] AC-001: \`true\` passes
`

const ENVIRONMENT = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_AUTHOR_NAME: 'T',
  GIT_AUTHOR_EMAIL: 't@example.org',
  GIT_COMMITTER_NAME: 'T',
  GIT_COMMITTER_EMAIL: 't@example.org',
}

function git(folder: string, ...args: string[]): void {
  const options = { cwd: folder, env: ENVIRONMENT, stdio: 'pipe' } as const
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], options)
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

function addRepositoryWithSubmodule(folder: string): void {
  const inner = temporaryFolder()
  addRepository(inner)
  addRepository(folder)
  git(folder, 'submodule', '--quiet', 'add', inner, 'lib')
  commit(folder)
}

type Row = {
  name: string
  /** Fills the folder in which the criterion is observed. */
  prepare: (folder: string) => void
  /** Changes the folder after the observation. Returns another folder if the status is read there. */
  change: (folder: string) => string | undefined
  expected: string
}

const SAME = '✓ AC-001: observed on this tree'
const earlier = (files: string): string => `○ AC-001: observed on an earlier tree, ${files}`
const UNKNOWN = earlier('which this repository does not have')

function addWorktree(folder: string): string {
  const worktree = path.join(temporaryFolder(), 'other')
  git(folder, 'worktree', 'add', '-q', worktree)
  return worktree
}

function addShallowClone(folder: string): string {
  const clone = temporaryFolder()
  git(clone, 'clone', '-q', '--depth', '1', `file://${folder}`, '.')
  return clone
}

const rows: Row[] = [
  {
    name: 'a committed state',
    prepare: addRepository,
    change: () => undefined,
    expected: SAME,
  },
  {
    name: 'a later commit',
    prepare: addRepository,
    change: (folder) => {
      write(folder, 'src/a.ts', 'b\n')
      commit(folder)
      return undefined
    },
    expected: earlier('1 file differs: src/a.ts'),
  },
  {
    name: 'a changed file',
    prepare: addRepository,
    change: (folder) => void write(folder, 'src/a.ts', 'b\n'),
    expected: earlier('1 file differs: src/a.ts'),
  },
  {
    name: 'a changed file that is committed after it was observed',
    prepare: (folder) => {
      addRepository(folder)
      write(folder, 'src/a.ts', 'b\n')
    },
    change: (folder) => void commit(folder),
    expected: SAME,
  },
  {
    name: 'an observed change that is gone',
    prepare: (folder) => {
      addRepository(folder)
      write(folder, 'src/a.ts', 'b\n')
    },
    change: (folder) => void write(folder, 'src/a.ts', 'a\n'),
    expected: earlier('with changes that are gone'),
  },
  {
    name: 'an untracked file',
    prepare: addRepository,
    change: (folder) => void write(folder, 'src/new.ts', ''),
    expected: earlier('1 file differs: src/new.ts'),
  },
  {
    name: 'ignored files and files of tools',
    prepare: addRepository,
    change: (folder) => {
      write(folder, 'built/a.js', '')
      write(folder, '.turngraph/x', '')
      write(folder, '.guardkit/x', '')
      return undefined
    },
    expected: SAME,
  },
  {
    name: 'a renamed file',
    prepare: addRepository,
    change: (folder) => {
      renameSync(path.join(folder, 'src/a.ts'), path.join(folder, 'src/b.ts'))
      git(folder, 'add', '.')
      return undefined
    },
    expected: earlier('2 files differ: src/a.ts, src/b.ts'),
  },
  {
    name: 'an unchanged submodule',
    prepare: addRepositoryWithSubmodule,
    change: () => undefined,
    expected: SAME,
  },
  {
    name: 'a change in a submodule',
    prepare: addRepositoryWithSubmodule,
    change: (folder) => void write(folder, 'lib/src/a.ts', 'b\n'),
    expected: earlier('1 file differs: lib'),
  },
  {
    name: 'a worktree with the same files',
    prepare: addRepository,
    change: addWorktree,
    expected: SAME,
  },
  {
    name: 'a worktree with other files',
    prepare: addRepository,
    change: (folder) => {
      const worktree = addWorktree(folder)
      write(worktree, 'src/a.ts', 'b\n')
      commit(worktree)
      return worktree
    },
    expected: earlier('1 file differs: src/a.ts'),
  },
  {
    name: 'a shallow clone of the observed commit',
    prepare: addRepository,
    change: addShallowClone,
    expected: SAME,
  },
  {
    name: 'a shallow clone without the observed commit',
    prepare: addRepository,
    change: (folder) => {
      write(folder, 'src/a.ts', 'b\n')
      commit(folder)
      return addShallowClone(folder)
    },
    expected: UNKNOWN,
  },
  {
    name: 'a folder that became a repository after the observation',
    prepare: addFiles,
    change: (folder) => void addRepository(folder),
    expected: '○ AC-001: observed on an unknown tree',
  },
]

/** A declared task with one turn. `observe` and `status` run in the given folder. */
async function declaredTask() {
  const user = commandsOn(temporaryFolder())
  const tasks = temporaryFolder()
  write(tasks, 'TASK-1.md', SPECIFICATION)
  expect((await user.run(['specify', path.join(tasks, 'TASK-1.md')])).code).toBe(0)
  const turn = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'Done' }
  expect((await user.run(['capture'], { input: JSON.stringify(turn) })).code).toBe(0)
  return {
    observe: (cwd: string) => user.run(['verify', ...task], { cwd }),
    status: (cwd: string) => user.run(['verify', ...task, '--status'], { cwd }),
  }
}

test.each(rows)('--status is right in $name', async ({ prepare, change, expected }) => {
  const { observe, status } = await declaredTask()
  const folder = temporaryFolder()
  prepare(folder)
  expect((await observe(folder)).code).toBe(0)
  const { code, stdout } = await status(change(folder) ?? folder)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${expected}\n` })
})

test('--status without a repository is one error', async () => {
  const { status } = await declaredTask()
  const { code, stdout, stderr } = await status(temporaryFolder())
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('--status compares trees, and this folder is in no git repository.')
})
