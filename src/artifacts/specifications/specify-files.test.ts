import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { TurngraphError } from '../../core/errors.ts'
import type { SpecifyReport } from './report.ts'
import { declareSpecifications, type ReadFilesOptions, readSpecificationFiles } from './specify-files.ts'

const made: string[] = []
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true })
})

async function folderWith(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'specifications-')))
  made.push(root)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), text)
  }
  return root
}

const stating = (texts: string[], front = '') =>
  `${front}# Task\n\n## Acceptance Criteria\n\n${texts.map((text) => `- ${text}\n`).join('')}`
const front = (taskId: string) => `---\nid: ${taskId}\nfeature_id: F\n---\n`

const read = (paths: string[], options: Partial<ReadFilesOptions> = {}) =>
  readSpecificationFiles(paths, { readFile: (file) => readFile(file), ...options })
const specify = async (paths: string[], options: Partial<ReadFilesOptions> = {}) =>
  (await read(paths, options)).report

const shown = ({ files }: SpecifyReport, root: string) =>
  files.map(({ path: file, format, tasks, warnings, refused }) =>
    [
      path.relative(root, file),
      format,
      ...tasks.map(
        ({ featureId, taskId, criteria }) =>
          `${featureId}/${taskId} ${criteria.map(({ criterionId }) => criterionId)}`,
      ),
      ...warnings.map(({ line, message }) => `${line}: ${message}`),
      ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ].join(' | '),
  )

test('a folder is read with its .kiro folder, and without other hidden folders and files without criteria', async () => {
  const root = await folderWith({
    'README.md': '# Shop\n## Requirements\n- Node 20\n',
    'docs/TASK-1.md': stating(['one', 'two'], front('TASK-1')),
    '.kiro/specs/cart/requirements.md':
      '### Requirement 1\n#### Acceptance Criteria\n1. THE cart SHALL hold\n',
    '.cache/TASK-2.md': stating(['no'], front('TASK-2')),
    'node_modules/a/TASK-3.md': stating(['no'], front('TASK-3')),
  })
  expect(shown(await specify([root]), root)).toEqual([
    '.kiro/specs/cart/requirements.md | kiro | cart/cart R1.1',
    'docs/TASK-1.md | markdown | F/TASK-1 AC-001,AC-002',
  ])
})

test('a Markdown file of a folder with too many parts is refused, and one without criteria is left out', async () => {
  const root = await folderWith({
    'long.md': stating(['one'], front('TASK-1')) + '- a\n'.repeat(100_000),
    'notes.md': '- a\n'.repeat(10),
  })
  expect(shown(await specify([root]), root)).toEqual([
    'long.md | markdown | refused: has more than 100000 headings, items and paragraphs',
  ])
})

test('a link, and a folder or file that cannot be read, are reported, and the others are read', async () => {
  const root = await folderWith({
    'a/TASK-1.md': stating(['one'], front('TASK-1')),
    'closed/TASK-2.md': stating(['two'], front('TASK-2')),
    'latin.md': '',
  })
  await writeFile(path.join(root, 'latin.md'), Buffer.from([0xe9]))
  await symlink(path.join(root, 'a'), path.join(root, 'linked'))
  await symlink(path.join(root, 'a/TASK-1.md'), path.join(root, 'TASK-1.md'))
  await chmod(path.join(root, 'closed'), 0)
  const report = await specify([root]).finally(() => chmod(path.join(root, 'closed'), 0o700))
  expect(shown(report, root)).toEqual(
    expect.arrayContaining([
      'TASK-1.md |  | refused: is a link; links are not followed',
      'linked |  | refused: is a link; links are not followed',
      'a/TASK-1.md | markdown | F/TASK-1 AC-001',
      'latin.md |  | refused: is not UTF-8',
    ]),
  )
  const closed = shown(report, root).filter((line) => line.startsWith('closed'))
  expect(closed).toEqual([
    process.getuid?.() === 0
      ? 'closed/TASK-2.md | markdown | F/TASK-2 AC-001'
      : 'closed |  | refused: cannot be read: EACCES',
  ])
})

test('of several files that name one task, the folder of its state decides, and the others are reported', async () => {
  const root = await folderWith({
    'tasks/backlog/TASK-1.md': stating(['old'], front('TASK-1')),
    'tasks/completed/TASK-1.md': stating(['new'], front('TASK-1')),
    'tasks/zzz/TASK-1.md': stating(['new'], front('TASK-1')),
  })
  const chosen = path.join(root, 'tasks/completed/TASK-1.md')
  expect(shown(await specify([root]), root)).toEqual([
    `tasks/backlog/TASK-1.md | markdown | F/TASK-1 AC-001 | refused: TASK-1 is read from ${chosen}, which states other criteria`,
    'tasks/completed/TASK-1.md | markdown | F/TASK-1 AC-001',
    `tasks/zzz/TASK-1.md | markdown | F/TASK-1 AC-001 | null: TASK-1 is read from ${chosen}, which states the same`,
  ])
})

test('the flags name what a file does not name, and files without a task are parts of one', async () => {
  const root = await folderWith({
    'a.md': stating(['one', 'both']),
    'b.md': stating(['AC-1: two', 'both']),
    'c.md': stating(['three'], front('TASK-9')),
  })
  expect(shown(await specify([root], { featureId: 'F' }), root)).toEqual([
    'a.md | markdown | F/null AC-001,AC-002 | refused: names no id',
    'b.md | markdown | F/null AC-1,AC-002 | refused: names no id',
    'c.md | markdown | F/TASK-9 AC-001',
  ])
  const declared: string[] = []
  const client = {
    declareCriteria: async ({
      taskId,
      criteria,
    }: {
      taskId: string
      criteria: { criterionId?: string; text: string }[]
    }) => {
      declared.push(`${taskId}: ${criteria.map(({ criterionId = '', text }) => `${criterionId} ${text}`)}`)
      return { version: 1, created: true, total: criteria.length }
    },
    getSpecification: () => Promise.reject(new Error('not asked')),
  }
  const stated = await read([root], { featureId: 'G', taskId: 'T' })
  await declareSpecifications(client, stated, {})
  expect(declared).toEqual(['T: AC-004 one, both,AC-1 two', 'TASK-9:  three'])
  expect(shown(stated.report, root)).toEqual([
    'a.md | markdown | G/T AC-004,AC-002',
    'b.md | markdown | G/T AC-002,AC-1 | null: an item repeats the text; it is read once',
    'c.md | markdown | F/TASK-9 AC-001 | null: --feature is not used: the file itself names the feature | null: --task is not used: the file itself names its tasks',
  ])
  expect(stated.report.files.map(({ tasks }) => tasks[0]?.version)).toEqual([1, 1, 1])
})

const openSpec = (...scenarios: string[]) =>
  scenarios
    .map((name) => `### Requirement: ${name}\n\n#### Scenario: ${name}\n\n- **THEN** it holds\n`)
    .join('\n')

test('an archived change, the specification and a change of OpenSpec are versions, and a repetition declares none', async () => {
  const root = await folderWith({
    'openspec/changes/add-b/specs/cart/spec.md': `## ADDED Requirements\n${openSpec('b')}`,
    'openspec/changes/archive/2026-01-01-a/specs/cart/spec.md': `## ADDED Requirements\n${openSpec('a')}`,
    'openspec/specs/cart/spec.md': `# cart\n## Requirements\n${openSpec('a', 'c')}`,
  })
  const versions: { criterionId: string; text: string; kind: string }[][] = []
  const client = {
    declareCriteria: async ({ criteria }: { criteria: { criterionId?: string; text: string }[] }) => {
      versions.push(criteria.map(({ text }, i) => ({ criterionId: `AC-00${i + 1}`, text, kind: 'code' })))
      return { version: versions.length, created: true, total: criteria.length }
    },
    getSpecification: async () => {
      const criteria = versions.at(-1)
      if (criteria === undefined) throw new TurngraphError('not_found', 'none')
      return { version: versions.length, criteria }
    },
  }
  const declare = async (place: string) => {
    const stated = await read([path.join(root, place)])
    await declareSpecifications(client, stated, {})
    return stated.report.files.map(({ tasks }) => [
      tasks[0]?.criteria.map(({ text }) => text[0]).join(''),
      tasks[0]?.version,
    ])
  }
  expect(await declare('')).toEqual([
    ['a', 1],
    ['ac', 2],
    ['acb', 3],
  ])
  expect(await declare('')).toEqual([
    ['a', null],
    ['ac', null],
    ['acb', 3],
  ])
  expect(versions).toHaveLength(3)
  expect(await declare('openspec/changes/add-b/specs/cart/spec.md')).toEqual([['acb', 4]])
})
