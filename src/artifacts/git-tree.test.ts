import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listDifferences, readTree } from './git-tree.ts'

const base = mkdtempSync(path.join(tmpdir(), 'turngraph-tree-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let count = 0
const newFolder = (): string => {
  const folder = path.join(base, `${++count}`)
  mkdirSync(folder)
  return folder
}

const CLEAN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
const AUTHOR = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: folder,
    env: { ...CLEAN, ...AUTHOR },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

function write(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}

/** A repository with one commit of `src/a.ts` and `src/b.ts`. */
function newRepository(): string {
  const folder = newFolder()
  git(folder, 'init', '-q', '-b', 'main')
  write(folder, 'src/a.ts', 'a\n')
  write(folder, 'src/b.ts', 'b\n')
  write(folder, '.gitignore', 'dist/\n')
  commit(folder)
  return folder
}

function commit(folder: string): void {
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', 'c')
}

/** Reads the tree of a repository. */
async function read(folder: string) {
  const tree = await readTree(folder)
  if (tree === null) throw new Error('no repository')
  return tree
}

test('a committed state is the tree of HEAD, also from a folder below', async () => {
  const folder = newRepository()
  const expected = {
    tree: git(folder, 'rev-parse', 'HEAD^{tree}'),
    dirty: null,
    commit: git(folder, 'rev-parse', 'HEAD'),
  }
  expect(await readTree(folder)).toEqual(expected)
  expect(await readTree(path.join(folder, 'src'))).toEqual(expected)
})

test('a folder without a repository has no tree', async () => {
  expect(await readTree(newFolder())).toBeNull()
  expect(await readTree(path.join(base, 'missing'))).toBeNull()
})

test('a changed, an untracked and a deleted file make other digests, and a file with its old text none', async () => {
  const folder = newRepository()
  write(folder, 'src/a.ts', 'other\n')
  const changed = await read(folder)
  write(folder, 'src/c.ts', 'c\n')
  const untracked = await read(folder)
  rmSync(path.join(folder, 'src/b.ts'))
  const deleted = await read(folder)
  chmodSync(path.join(folder, 'src/c.ts'), 0o755)
  const executable = await read(folder)
  const digests = [changed, untracked, deleted, executable].map(({ dirty }) => dirty)
  expect(new Set(digests).size).toBe(4)
  for (const digest of digests) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(new Set([changed, untracked, deleted].map(({ tree }) => tree)).size).toBe(1)

  git(folder, 'checkout', '-q', '.')
  rmSync(path.join(folder, 'src/c.ts'))
  utimesSync(path.join(folder, 'src/a.ts'), 1, 1)
  expect((await read(folder)).dirty).toBeNull()
})

test('the digest does not depend on what is staged or on settings of diff', async () => {
  const folder = newRepository()
  write(folder, 'src/a.ts', 'other\n')
  write(folder, 'src/c.ts', 'c\n')
  symlinkSync('a.ts', path.join(folder, 'src/link'))
  const { dirty } = await read(folder)
  git(folder, 'add', 'src/c.ts')
  expect((await read(folder)).dirty).toBe(dirty)
  git(folder, 'add', '-A')
  for (const [name, value] of Object.entries({
    'diff.noprefix': 'true',
    'diff.renames': 'copies',
    'color.ui': 'always',
  }))
    git(folder, 'config', name, value)
  expect((await read(path.join(folder, 'src'))).dirty).toBe(dirty)
})

test('ignored files and files of Turngraph and GuardKit do not count', async () => {
  const folder = newRepository()
  for (const file of [
    'dist/a.js',
    '.turngraph/task.json',
    '.guardkit/autobuild/T/turn.json',
    'packages/a/.turngraph/x',
  ])
    write(folder, file, 'x')
  const before = await read(folder)
  expect(before.dirty).toBeNull()
  git(folder, 'add', '-f', '.guardkit')
  git(folder, 'commit', '-q', '-m', 'c')
  expect((await read(folder)).dirty).toBeNull()
  expect(await listDifferences(folder, before)).toEqual({ isSame: true, files: [] })
})

test('a renamed file differs by its old and its new name', async () => {
  const folder = newRepository()
  const before = await read(folder)
  git(folder, 'mv', 'src/a.ts', 'src/z.ts')
  expect(await listDifferences(folder, before)).toEqual({ isSame: false, files: ['src/a.ts', 'src/z.ts'] })
  commit(folder)
  expect(await listDifferences(folder, before)).toEqual({ isSame: false, files: ['src/a.ts', 'src/z.ts'] })
})

test('changes that are committed later are the same state', async () => {
  const folder = newRepository()
  write(folder, 'src/a.ts', 'other\n')
  write(folder, 'src/c.ts', 'c\n')
  const observed = await read(folder)
  commit(folder)
  expect((await read(folder)).tree).not.toBe(observed.tree)
  expect(await listDifferences(folder, observed)).toMatchObject({ isSame: true })
  write(folder, 'src/c.ts', 'd\n')
  expect(await listDifferences(folder, observed)).toEqual({ isSame: false, files: ['src/a.ts', 'src/c.ts'] })
})

test('a repository without a commit has the empty tree', async () => {
  const folder = newFolder()
  git(folder, 'init', '-q')
  const empty = await readTree(folder)
  expect(empty).toEqual({ tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', dirty: null, commit: null })
  write(folder, 'a', 'a')
  const { dirty } = await read(folder)
  expect(dirty).not.toBeNull()
  git(folder, 'add', 'a')
  expect((await read(folder)).dirty).toBe(dirty)
  git(folder, 'commit', '-q', '-m', 'c')
  expect(await listDifferences(folder, { tree: empty?.tree ?? '', dirty })).toMatchObject({ isSame: true })
})

test('a worktree has its own state', async () => {
  const folder = newRepository()
  const worktree = path.join(folder, '.guardkit/worktrees/TASK-1')
  git(folder, 'worktree', 'add', '-q', worktree, '-b', 'task')
  write(worktree, 'src/c.ts', 'c\n')
  expect((await read(worktree)).dirty).not.toBeNull()
  expect((await read(folder)).dirty).toBeNull()
})

test('a change in a submodule counts, and a submodule without files does not', async () => {
  const inner = newRepository()
  const folder = newRepository()
  git(folder, 'submodule', '--quiet', 'add', inner, 'lib')
  commit(folder)
  expect((await read(folder)).dirty).toBeNull()
  write(folder, 'lib/src/new.ts', 'x')
  const first = (await read(folder)).dirty
  write(folder, 'lib/src/new.ts', 'y')
  const second = (await read(folder)).dirty
  expect(first).not.toBeNull()
  expect(second).not.toBeNull()
  expect(second).not.toBe(first)
  commit(path.join(folder, 'lib'))
  expect((await read(folder)).dirty).not.toBeNull()

  const copy = newFolder()
  git(copy, 'clone', '-q', folder, '.')
  expect((await read(copy)).dirty).toBeNull()
})

test('a shallow clone has its tree, and cannot compare with an earlier one', async () => {
  const folder = newRepository()
  const first = await read(folder)
  write(folder, 'src/a.ts', 'other\n')
  commit(folder)
  const copy = newFolder()
  git(copy, 'clone', '-q', '--depth', '1', `file://${folder}`, '.')
  expect(await readTree(copy)).toEqual(await readTree(folder))
  expect(await listDifferences(copy, first)).toBeNull()
  expect(await listDifferences(folder, first)).toEqual({ isSame: false, files: ['src/a.ts'] })
  expect(await listDifferences(folder, { tree: '--output=/tmp/x', dirty: null })).toBeNull()
})

test('neither settings of the repository nor variables of git start a program or change the repository that is read', async () => {
  const folder = newRepository()
  const trace = path.join(folder, 'dist', 'started')
  mkdirSync(path.dirname(trace))
  const program = path.join(folder, 'dist', 'program.sh')
  writeFileSync(program, `#!/bin/sh\ntouch ${trace}\n`)
  chmodSync(program, 0o755)
  for (const name of [
    'core.fsmonitor',
    'diff.external',
    'diff.own.textconv',
    'diff.own.command',
    'core.pager',
  ])
    git(folder, 'config', name, program)
  write(folder, '.gitattributes', '* diff=own\n')
  const { dirty } = await read(folder)
  const other = newRepository()
  process.env.GIT_DIR = path.join(other, '.git')
  try {
    expect((await read(folder)).dirty).toBe(dirty)
  } finally {
    delete process.env.GIT_DIR
  }
  expect(dirty).not.toBeNull()
  expect(existsSync(trace)).toBe(false)
})

test('a folder with the files of a bare repository is read like any other folder, and starts no program', async () => {
  const outer = newRepository()
  git(outer, 'init', '-q', '--bare', 'bare')
  const folder = path.join(outer, 'bare')
  const trace = path.join(newFolder(), 'trace')
  git(folder, 'config', 'core.bare', 'false')
  git(folder, 'config', 'core.worktree', '.')
  write(folder, '.gitattributes', '* filter=own\n')
  git(folder, 'add', 'config')
  git(folder, 'config', 'filter.own.clean', `touch ${trace}; cat`)
  expect(await read(folder)).toEqual(await read(outer))
  expect(existsSync(trace)).toBe(false)
})

test('names with spaces, line breaks and colons are read as they are', async () => {
  const folder = newRepository()
  const before = await read(folder)
  for (const name of ['a b.ts', ':c.ts', 'd\ne.ts', 'ä.ts']) write(folder, name, 'x')
  expect(await listDifferences(folder, before)).toEqual({
    isSame: false,
    files: [':c.ts', 'a b.ts', 'd\ne.ts', 'ä.ts'],
  })
})

test('a file that another of its size and its time replaced is changed, whatever the repository says', async () => {
  const folder = newRepository()
  const place = path.join(folder, 'src/a.ts')
  utimesSync(place, 1_000_000, 1_000_000)
  git(folder, 'update-index', '--refresh')
  git(folder, 'config', 'core.trustCtime', 'false')
  git(folder, 'config', 'core.checkStat', 'minimal')
  write(folder, 'other', 'x\n')
  renameSync(path.join(folder, 'other'), place)
  utimesSync(place, 1_000_000, 1_000_000)
  expect((await readTree(folder))?.dirty).not.toBeNull()
})

test('a repository with the files of another folder as its working tree has no tree', async () => {
  const [folder, other] = [newRepository(), newRepository()]
  git(folder, 'config', 'core.worktree', other)
  write(folder, 'src/a.ts', 'changed\n')
  expect(await readTree(folder)).toBeNull()
  git(folder, 'config', 'core.worktree', folder)
  expect((await readTree(path.join(folder, 'src')))?.dirty).not.toBeNull()
})

test.each(['--assume-unchanged', '--skip-worktree'])(
  'a changed file counts, although `git update-index %s` hides it from git',
  async (mark) => {
    const folder = newRepository()
    const clean = await read(folder)
    const plain = newRepository()
    for (const repository of [folder, plain]) write(repository, 'src/a.ts', 'changed\n')
    git(folder, 'update-index', mark, 'src/a.ts')
    expect(git(folder, 'status', '--porcelain')).toBe('')
    const { dirty, tree } = await read(folder)
    expect(dirty).toBe((await read(plain)).dirty)
    expect(dirty).not.toBeNull()
    expect(await listDifferences(folder, clean)).toEqual({ isSame: false, files: ['src/a.ts'] })
    // The index of the repository keeps its mark, and an unchanged file with a mark is clean.
    expect(git(folder, 'status', '--porcelain')).toBe('')
    write(folder, 'src/a.ts', 'a\n')
    expect(await read(folder)).toEqual({ ...clean, tree })
  },
)

test('a missing file with a mark counts as deleted, unless a sparse checkout leaves it out', async () => {
  const folder = newRepository()
  git(folder, 'update-index', '--assume-unchanged', 'src/a.ts')
  rmSync(path.join(folder, 'src/a.ts'))
  expect((await read(folder)).dirty).not.toBeNull()
  git(folder, 'update-index', '--no-assume-unchanged', 'src/a.ts')
  git(folder, 'update-index', '--skip-worktree', 'src/a.ts')
  expect((await read(folder)).dirty).not.toBeNull()
  const sparse = newRepository()
  write(sparse, 'docs/a.md', 'a\n')
  commit(sparse)
  const clean = await read(sparse)
  git(sparse, 'sparse-checkout', 'set', 'docs')
  expect(existsSync(path.join(sparse, 'src/a.ts'))).toBe(false)
  expect(await read(sparse)).toEqual(clean)
})
