import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findTaskFiles } from './find-task-files.ts'

const made: string[] = []
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true })
})

async function folderWith(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'tasks-')))
  made.push(root)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), text)
  }
  return root
}

const stating = (text: string, front = '') => `${front}# Task\n\n## Acceptance Criteria\n\n- ${text}\n`
const found = async (root: string, ids: string[], at = '') => {
  const { byTask, skipped } = await findTaskFiles([path.join(root, at)], new Set(ids))
  const texts = [...byTask].map(([id, { criteria, others }]) => `${id} ${criteria[0]?.text} ${others.length}`)
  return { texts: texts.sort(), skipped: skipped.map(({ reason }) => reason) }
}

test('the task of a file comes from its front matter, otherwise from the start of its name', async () => {
  const root = await folderWith({
    '.guardkit/autobuild/TASK-7/x': '',
    'tasks/backlog/TASK-7-retry.md': stating('seven'),
    'tasks/backlog/TASK-70.md': stating('seventy'),
    'tasks/backlog/TASK-7-B.md': stating('seven B'),
    'tasks/backlog/TASK-71.md': stating('a task that nobody asks for'),
    'tasks/backlog/TASK-8.md': stating('nine', '---\nid: TASK-9\n---\n'),
    'docs/TASK-8.md': stating('no task file'),
  })
  const texts = ['TASK-7 seven 0', 'TASK-7-B seven B 0', 'TASK-70 seventy 0', 'TASK-9 nine 0']
  const expected = { texts, skipped: [] }
  const ids = ['TASK-7', 'TASK-7-B', 'TASK-70', 'TASK-8', 'TASK-9']
  expect(await found(root, ids)).toEqual(expected)
  expect(await found(root, ids, '.guardkit/autobuild')).toEqual(expected)
})

test('the folder decides which of several files of a task counts, and files with other criteria are reported', async () => {
  const root = await folderWith({
    'shop/tasks/archive/TASK-1.md': stating('archived'),
    'shop/tasks/backlog/TASK-1.md': stating('in review'),
    'shop/tasks/in_review/a/TASK-1.md': stating('in review'),
    'shop/tasks/completed/TASK-1.md': stating('completed'),
    'shop/.guardkit/worktrees/W/tasks/in_progress/TASK-1.md': stating('a copy'),
    'shop/tasks/in_progress/node_modules/a/TASK-1.md': stating('another package'),
  })
  expect(await found(root, ['TASK-1'])).toEqual({ texts: ['TASK-1 in review 2'], skipped: [] })
})

const FOLDERS = ['in_progress', 'design_approved', 'in_review', 'blocked', 'completed', 'backlog', 'archive']

test.each(FOLDERS.slice(1).map((folder, i) => [FOLDERS[i] ?? '', folder] as const))(
  'a file in %s counts before a file in %s, and the first path before a second file in the same folder',
  async (first, second) => {
    const root = await folderWith({
      [`tasks/${second}/TASK-1.md`]: stating('second'),
      [`tasks/${first}/b/TASK-1.md`]: stating('first'),
      [`tasks/${first}/c/TASK-1.md`]: stating('another'),
    })
    expect(await found(root, ['TASK-1'])).toEqual({ texts: ['TASK-1 first 2'], skipped: [] })
  },
)

test('a file names the feature of its task, even without criteria; the order of folders decides between files', async () => {
  const front = (feature: string) => `---\nid: TASK-1\nfeature_id: ${feature}\n---\n`
  const root = await folderWith({
    'tasks/backlog/TASK-1.md': front('FEAT-2'),
    'tasks/in_progress/TASK-1.md': `${front('FEAT-1')}# Goal\n`,
    'tasks/in_progress/TASK-2.md': stating('two'),
  })
  const { features } = await findTaskFiles([root], new Set(['TASK-1', 'TASK-2']))
  expect([...features]).toEqual([['TASK-1', 'FEAT-1']])
})

test('a file without criteria is reported, and links are not followed', async () => {
  const root = await folderWith({
    'a/.guardkit/x': '',
    'b/tasks/TASK-1.md': '# Goal\n',
    'outside/TASK-2.md': stating('outside'),
  })
  await symlink(path.join(root, 'outside'), path.join(root, 'a/tasks'))
  await symlink(path.join(root, 'outside'), path.join(root, 'b/tasks/linked'))
  expect(await found(root, ['TASK-2'], 'a')).toEqual({ texts: [], skipped: [] })
  const { texts, skipped } = await found(root, ['TASK-1', 'TASK-2'], 'b')
  expect(texts).toEqual([])
  expect(skipped).toEqual(['states no criteria: it has no heading "Acceptance Criteria". Headings: "Goal".'])
})

test('a file of more than 1 MiB is not used, and is reported', async () => {
  const root = await folderWith({ 'tasks/TASK-1.md': stating('one') + ' '.repeat(1024 * 1024) })
  expect(await found(root, ['TASK-1'])).toEqual({
    texts: [],
    skipped: ['is larger than 1 MiB, which no task file is'],
  })
})
