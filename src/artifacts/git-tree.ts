/**
 * Reads the state of a repository by git: the tree of HEAD, and a digest of what differs from it (contract: evidence.md,
 * "Observations"). Two states with the same tree and digest have the same files, whether changes are committed or not.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readlink } from 'node:fs/promises'
import path from 'node:path'
import { systemCode } from '../core/system-code.ts'
import { withHiddenFiles } from './hidden-files.ts'
import { type GitRun, openGit } from './run-git.ts'

export type Tree = { tree: string; dirty: string | null; commit: string | null }

/** Folders of tools. Their files are no part of the work. */
const TOOL_FOLDERS: ReadonlySet<string> = new Set(['.turngraph', '.guardkit'])
const MAX_DEPTH = 5
/** Maximum bytes of files that are read. Further files count by their size and time. */
const MAX_READ_BYTES = 512 * 1024 * 1024

/**
 * Reads the tree of the repository that contains a folder. Returns the empty tree if there is no commit, and null if there is no
 * repository or no git.
 * @example await readTree('.') // { tree: '4b825dc…', dirty: null, commit: 'd20ace7…' }
 */
export const readTree = (folder: string): Promise<Tree | null> => readTreeBelow(folder, MAX_DEPTH)

async function readTreeBelow(folder: string, depth: number): Promise<Tree | null> {
  const git = await openGit(folder)
  if (git === null) return null
  const [head, headTree] = await Promise.all(
    ['HEAD^{commit}', 'HEAD^{tree}'].map((name) => git.tryRun(['rev-parse', '--verify', '--quiet', name])),
  )
  const tree = (headTree ?? (await git.run(['hash-object', '-t', 'tree', '--stdin']))).trim()
  const changes = await listChanges(git, tree, depth)
  return { tree, dirty: digestOf(changes), commit: head?.trim() ?? null }
}

export type Differences = {
  isSame: boolean
  files: string[]
}

/** Compares the files of a folder with an earlier tree; null if the repository lacks the tree, as after a shallow clone. */
export async function listDifferences(
  folder: string,
  from: { tree: string; dirty: string | null },
): Promise<Differences | null> {
  const git = await openGit(folder)
  if (git === null || !/^[0-9a-f]{4,64}$/.test(from.tree)) return null
  const tree = await git.tryRun(['rev-parse', '--verify', '--quiet', `${from.tree}^{tree}`])
  if (tree === null) return null
  const changes = await listChanges(git, tree.trim(), MAX_DEPTH)
  return { isSame: digestOf(changes) === from.dirty, files: changes.map(({ file }) => file) }
}

/**
 * Finds a file that was changed after a time. Ignored files do not count. A tracked file that is gone counts if its folder
 * changed since.
 */
export async function findFileChangedAfter(
  folder: string,
  timeMs: number,
  except: ReadonlySet<string>,
): Promise<string | null> {
  const git = await openGit(folder)
  if (git === null) return null
  const listed = await git.run(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of splitNames(listed).filter(isWork)) {
    const place = path.join(git.root, file)
    const stats = await lstat(place).catch(() => null)
    if (stats === null || stats.isDirectory() || stats.mtimeMs <= timeMs || except.has(place)) continue
    return file
  }
  const deleted = await git.run(['ls-files', '-z', '--deleted'])
  for (const file of splitNames(deleted).filter(isWork))
    if ((await changeTimeAbove(path.join(git.root, file))) > timeMs) return file
  return null
}

async function changeTimeAbove(place: string): Promise<number> {
  const folder = path.dirname(place)
  const stats = await lstat(folder).catch(() => null)
  return stats?.mtimeMs ?? (folder === place ? 0 : changeTimeAbove(folder))
}

const isWork = (file: string): boolean => !file.split('/').some((part) => TOOL_FOLDERS.has(part))

/** A file that differs from a tree. `content` is empty for a deleted file. */
type Change = { file: string; content: string }

function digestOf(changes: readonly Change[]): string | null {
  if (changes.length === 0) return null
  const hash = createHash('sha256')
  for (const { file, content } of changes) hash.update(`${file}\0${content}\0`)
  return `sha256:${hash.digest('hex')}`
}

/** Lists the tracked files that differ from a tree, and the untracked files that are not ignored, by name. */
async function listChanges(git: GitRun, tree: string, depth: number): Promise<Change[]> {
  const diff = [
    ...[
      'diff',
      '--raw',
      '-z',
      '--no-abbrev',
      '--no-renames',
      '--no-relative',
      '--no-ext-diff',
      '--no-textconv',
    ],
    ...['--ignore-submodules=dirty', tree, '--'],
  ]
  const [raw, others, staged] = await Promise.all([
    withHiddenFiles(git, (whole) => whole.run(diff)),
    git.run(['ls-files', '-z', '--others', '--exclude-standard']),
    git.run(['ls-files', '-z', '--stage']),
  ])
  const submodules = readSubmodules(staged)
  const names = new Set([...readRawDiff(raw), ...splitNames(others), ...submodules])
  const budget = { bytes: MAX_READ_BYTES }
  const changes: Change[] = []
  const files = [...names].filter(isWork)
  const inTree = submodules.length === 0 ? new Map<string, string>() : await readSubmodulesOfTree(git, tree)
  for (const file of files.sort()) {
    const content = await readContent(path.join(git.root, file), budget, depth)
    if (content !== null && content !== inTree.get(file))
      changes.push({ file: file.replace(/\/$/, ''), content })
  }
  return changes
}

const splitNames = (output: string): string[] => output.split('\0').filter((name) => name !== '')

/** `:100644 100644 <id> <id> M` and the name, each with a NUL behind it. */
const readRawDiff = (output: string): string[] =>
  splitNames(output).filter((part, i) => i % 2 === 1 || !part.startsWith(':'))

const SUBMODULE = '160000'

/** `160000 <id> 0`, a tab and the name. */
const readSubmodules = (output: string): string[] =>
  splitNames(output).flatMap((line) => (line.startsWith(SUBMODULE) ? line.slice(line.indexOf('\t') + 1) : []))

/** The content of each submodule that a tree has, if nothing is changed in it. */
async function readSubmodulesOfTree(git: GitRun, tree: string): Promise<ReadonlyMap<string, string>> {
  const output = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree])
  return new Map(
    splitNames(output).flatMap((line) => {
      const [, commit, name] = /^160000 commit ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      return commit === undefined || name === undefined ? [] : [[name, toSubmodule(commit, null)] as const]
    }),
  )
}

const toSubmodule = (commit: string | null, dirty: string | null): string =>
  `${SUBMODULE} ${commit} ${dirty ?? 'clean'}`

/**
 * Returns the kind of a file and a digest of its bytes: empty if it does not exist, null for a submodule without files. A file
 * that this user may not read, or that exceeds the budget, counts by its size and time.
 */
async function readContent(file: string, budget: { bytes: number }, depth: number): Promise<string | null> {
  const stats = await lstat(file).catch(() => null)
  if (stats === null) return ''
  if (stats.isSymbolicLink()) return `120000 ${await readlink(file)}`
  if (stats.isDirectory()) return readRepositoryBelow(file, depth)
  const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755'
  budget.bytes -= stats.size
  const bySize = `${mode} ${stats.size} ${stats.mtimeMs}`
  if (!stats.isFile() || budget.bytes < 0) return bySize
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '' // a command that is still running removed it
    return bySize
  }
  return `${mode} ${hash.digest('hex')}`
}

/** A submodule, or a repository that is not tracked. */
async function readRepositoryBelow(folder: string, depth: number): Promise<string | null> {
  const isOwn = (await lstat(path.join(folder, '.git')).catch(() => null)) !== null
  const state = isOwn && depth > 0 ? await readTreeBelow(folder, depth - 1) : null
  return state === null ? null : toSubmodule(state.commit, state.dirty)
}
