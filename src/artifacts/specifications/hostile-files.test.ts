import { expect, test } from 'vitest'
import type { FormatName } from './format-names.ts'
import { readSpecification } from './formats.ts'
import type { Stated } from './stated.ts'

const read = (format: FormatName, text: string): Promise<Stated> =>
  readSpecification(format, text, { path: '', tasks: true })

const numbered = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join('')

const nested = (depth: number): string => numbered(depth, (i) => `${' '.repeat(i)}- x\n`)

const SCENARIO = 'Feature: f\nScenario: a\nGiven x\n'

/** Files so long that cubic or quadratic time exceeds the limit of a test. */
const REFUSED: readonly [string, FormatName, string][] = [
  ['space behind bold words', 'markdown', `**a**${' '.repeat(1_000_000)}b`],
  ['space within bold words', 'markdown', `**a${' '.repeat(1_000_000)}b**`],
  ['a requirement of two lines', 'openspec', `Requirement:${' '.repeat(1_000_000)}a\nb\n===\n`],
  ['a scenario of two lines', 'openspec', `Scenario:${' '.repeat(1_000_000)}a\nb\n===\n`],
  ['lines within 1,000 nested items', 'markdown', `${nested(1_000)}${'b\n'.repeat(2_000_000)}`],
  ['lines that continue an item', 'backlog', `## Acceptance Criteria\n- a\n${'b\n'.repeat(500_000)}`],
  ['tags that alternate with examples', 'gherkin', `${SCENARIO}${'@a\nExamples:\n|a|\n'.repeat(60_000)}`],
  ['a long text within 1,000 nested items', 'spec-kit', `FR-1\n\n${nested(1_000)}${'word '.repeat(200_000)}`],
]

test.each(REFUSED)('%s: a file of format %s is refused in linear time', async (_name, format, text) => {
  const { tasks, refused } = await read(format, text)
  expect(tasks).toEqual([])
  expect(refused).toMatch(/^states no criteria/)
})

test.each<[string, FormatName, string]>([
  ['headings', 'kiro', '#\n'],
  ['headings', 'backlog', '#\n'],
  ['items', 'spec-kit', '*\n'],
  ['items', 'openspec', '- a\n'],
  ['nested items', 'markdown', `- a\n${' - b\n'.repeat(9)}`],
  ['paragraphs', 'github-issue', 'a\n\n'],
])('a file with more than 100,000 %s is refused by format %s', async (_kind, format, fragment) => {
  const blocks = fragment.split('\n').filter((line) => line !== '').length
  const write = (count: number): string => {
    const body = fragment.repeat(count / blocks)
    return format === 'github-issue' ? JSON.stringify({ number: 1, body }) : body
  }
  const issue = format === 'github-issue' ? 'has the issue 1, which ' : ''
  const excess = `${issue}has more than 100000 headings, items and paragraphs`
  expect((await read(format, write(100_000))).refused).not.toBe(excess)
  expect(await read(format, write(100_010))).toEqual({
    ...{ tasks: [], warnings: [], refused: excess },
    isTooLong: true,
  })
})

test('the reason names the issue, or the earlier file of a change, that has too many parts', async () => {
  const long = '- a\n'.repeat(100_001)
  const issues = [
    { id: 'bd-1', acceptance_criteria: '- It answers' },
    { id: 'bd-2', acceptance_criteria: long },
  ]
  expect((await read('beads', JSON.stringify(issues))).refused).toBe(
    'has the issue bd-2, which has more than 100000 headings, items and paragraphs',
  )
  const change = '## ADDED Requirements\n### Requirement: A\n#### Scenario: s\n- WHEN x\n'
  expect((await readSpecification('openspec', change, { path: '', earlier: [long] })).refused).toBe(
    'builds on a file that has more than 100000 headings, items and paragraphs',
  )
})

test('a feature file of more than 256 KiB is read by its scenario lines, with a warning', async () => {
  const file = (lines: number) => `${SCENARIO}${'\n'.repeat(lines)}Scenario: second\nGiven y`
  expect((await read('gherkin', file(200_000))).warnings).toEqual([])
  const { tasks, warnings } = await read('gherkin', file(256 * 1024))
  expect(tasks[0]?.criteria).toHaveLength(2)
  const message = 'has more than 262144 characters; the file is read by its scenario lines'
  expect(warnings).toEqual([{ line: null, message }])
})

test.each<[FormatName, string]>([
  ['backlog', `## Acceptance Criteria\n- ${'a '.repeat(40_000)}`],
  ['gherkin', `${SCENARIO}${'And y\n'.repeat(20_000)}`],
  ['markdown', `## Acceptance Criteria\n- ${'. '.repeat(40_000)}`],
])('an item of more than 64 KiB is skipped in format %s, even if it has no words', async (format, text) => {
  expect((await read(format, text)).warnings).toEqual([
    { line: 2, message: 'an item is longer than 64 KiB; it is not read' },
  ])
})

test('an item without words has the label of its first nested item', async () => {
  const { tasks } = await read('spec-kit', '## Requirements\n\n- [ ]\n  - FR-001: It answers\n')
  expect(tasks[0]?.criteria.map(({ criterionId }) => criterionId)).toEqual(['FR-001'])
})

test('an outline with many placeholders and many tables of examples is read in linear time', async () => {
  const examples = numbered(20_000, (i) => `Examples:\n| a |\n| ${i} |\n`)
  const { tasks } = await read(
    'gherkin',
    `Feature: f\nScenario Outline: ${'<a>'.repeat(100_000)}\nGiven x\n${examples}`,
  )
  expect(tasks).toEqual([])
})

test('the first 100 examples of all tables name an outline', async () => {
  const examples = numbered(300, (i) => `Examples:\n| a |\n| name ${i} |\n`)
  const { tasks } = await read('gherkin', `Feature: f\nScenario Outline: <a>\nGiven x\n${examples}`)
  expect(tasks[0]?.criteria[0]?.tests).toHaveLength(100)
})

test('a file with too many tags in a row is read by its scenario lines, with a warning', async () => {
  const tags = (count: number) => `Feature: f\nScenario: first\nGiven x\n${'@a\n\n'.repeat(count)}`
  const { tasks, warnings } = await read('gherkin', `${tags(60_000)}Scenario: second\nGiven y\n`)
  expect(tasks[0]?.criteria).toHaveLength(2)
  expect(warnings).toEqual([
    { line: 4, message: 'has more than 1000 lines of tags in a row; the file is read by its scenario lines' },
  ])
  expect((await read('gherkin', `${tags(400)}Scenario: second\nGiven y\n`)).warnings).toEqual([])
})

test('a file of 500,000 lines that are not JSON is refused with one warning', async () => {
  expect(await read('beads', '{}\n'.concat('-\n'.repeat(500_000)))).toEqual({
    tasks: [],
    warnings: [{ line: 2, message: 'is not a JSON object; it is not read' }],
    refused: 'has more than 1000 lines or values that are not JSON objects',
  })
})

test('a few lines that are not JSON refuse no file of beads', async () => {
  const issue = JSON.stringify({ id: 'bd-1', acceptance_criteria: '- It answers' })
  const { tasks, warnings } = await read('beads', `${'-\n'.repeat(1_000)}${issue}\n`)
  expect(tasks).toHaveLength(1)
  expect(warnings).toHaveLength(1_000)
})

test.each<FormatName>(['markdown', 'backlog'])(
  'each of 200,000 paragraphs of criteria that %s does not read has a warning',
  async (format) => {
    expect((await read(format, 'Acceptance criteria: x\n'.repeat(200_000))).warnings).toHaveLength(200_000)
  },
)
