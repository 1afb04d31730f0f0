/** Shows git the files that `git update-index` hides from it. */
import { copyFile, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inChunks } from '../core/group-by.ts'
import type { GitRun } from './run-git.ts'

/** Maximum characters of the names in one call of git. */
const MAX_CHARACTERS = 50_000

/**
 * Calls `work` with a git that compares all files. `--assume-unchanged` and `--skip-worktree` make git report a changed file as
 * unchanged. Removes these marks in a copy of the index. Files that a sparse checkout leaves out keep theirs.
 */
export async function withHiddenFiles<T>(git: GitRun, work: (git: GitRun) => Promise<T>): Promise<T> {
  const hidden = await listHidden(git)
  if (hidden.length === 0) return work(git)
  const folder = await mkdtemp(path.join(tmpdir(), 'turngraph-index-'))
  try {
    const index = path.join(folder, 'index')
    const own = (await git.run(['rev-parse', '--git-path', 'index'])).replace(/\r?\n$/, '')
    await copyFile(path.resolve(git.root, own), index)
    const copy = git.withIndex(index)
    for (const names of inChunks(hidden, MAX_CHARACTERS, (name) => name.length + 1))
      for (const mark of ['--no-assume-unchanged', '--no-skip-worktree'])
        await copy.run(['update-index', mark, '--', ...names])
    return await work(copy)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lists the marked files. A line of git is a letter (lower case: `--assume-unchanged`, `S`: `--skip-worktree`) and a name. */
async function listHidden(git: GitRun): Promise<string[]> {
  const listed = (await git.run(['ls-files', '-v', '-z'])).split('\0').filter((line) => /^[a-zS]/.test(line))
  if (listed.length === 0) return []
  // Without a sparse checkout, a marked file that does not exist was deleted.
  const setting = await git.tryRun(['config', '--type=bool', 'core.sparseCheckout'])
  const isSparse = setting?.trim() === 'true'
  const hidden: string[] = []
  for (const line of listed) {
    const [mark, name] = [line.slice(0, 1), line.slice(2)]
    const isLeftOut = isSparse && mark.toUpperCase() === 'S' && (await isAbsent(path.join(git.root, name)))
    if (!isLeftOut) hidden.push(name)
  }
  return hidden
}

const isAbsent = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => false,
    () => true,
  )
