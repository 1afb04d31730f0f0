import { expect, test } from 'vitest'
import { readBeads, splitLoose } from './beads.ts'
import { chooseFormat, readSpecification } from './formats.ts'
import type { ReadOptions } from './stated.ts'

const read = (value: unknown, options: Partial<ReadOptions> = {}) => {
  const source = JSON.stringify(value)
  return readSpecification(chooseFormat('a.json', source), source, { path: 'a.json', ...options })
}
const shown = ({ tasks }: Awaited<ReturnType<typeof read>>) =>
  tasks.map(
    ({ featureId, taskId, criteria }) =>
      `${featureId}/${taskId}: ${criteria.map(({ criterionId = '', text }) => `${criterionId} ${text}`)}`,
  )

test('each issue of beads with acceptance criteria is a task, and the others are counted', () => {
  const lines = [
    {
      id: 'shop-1',
      title: 'Cart',
      acceptance_criteria: '- A book is added\n- A sold-out book is refused',
      status: 'open',
    },
    { id: 'shop-2', title: 'Sum', acceptance_criteria: 'The sum is shown\\nThe tax is shown' },
    { id: 'shop-3', title: 'No criteria' },
    { id: 'shop-4', title: 'Deleted', status: 'tombstone', acceptance_criteria: 'no' },
  ]
  const source = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"id": \n`
  expect(chooseFormat('.beads/issues.jsonl', source)).toBe('beads')
  const stated = readBeads(source)
  expect(shown(stated)).toEqual([
    'null/shop-1:  A book is added, A sold-out book is refused',
    'null/shop-2:  The sum is shown, The tax is shown',
  ])
  expect(stated.warnings).toEqual([
    { line: 5, message: 'is not a JSON object; it is not read' },
    { line: null, message: '1 of 4 issues states no acceptance_criteria' },
  ])
  expect(readBeads(JSON.stringify(lines)).tasks).toEqual(stated.tasks)
  expect(readBeads('').refused).toBe('states no criteria: no issue has acceptance_criteria')
})

test('criteria of beads are items and lines; headings, marks of fences and lines that lead to a list are none', () => {
  expect(
    splitLoose(
      '## Must\n\nThese hold:\n- one\n  more\n- [ ] two\n\n**Later**\n\nThree holds\n```sh\nnpm test\n```',
    ),
  ).toEqual(['one\nmore', '[ ] two', 'Three holds', 'npm test'])
  expect(splitLoose('In C:\\new\\nIt opens')).toEqual(['In C:\\new', 'It opens'])
  for (const text of ['Lines end with \\n on each system', "Splits at '\\n' and at `\\r\\n`, not at \\t"])
    expect(splitLoose(text)).toEqual([text])
  const folded = '- one\n<details><summary>More</summary>\n\n- two\n</details>\n<details>Three holds'
  expect(splitLoose(folded)).toEqual(['one', 'two', 'Three holds'])
  expect(splitLoose('It starts\nA \\n. It ends')).toEqual(['It starts', 'A \\n. It ends'])
})

test('each task of task-master has a criterion of its own and of each subtask; a tag is part of the feature', async () => {
  const tasks = [
    {
      id: 1,
      title: 'Cart',
      details: 'Hold books',
      testStrategy: 'Add a book',
      subtasks: [
        { id: 1, title: 'Page', details: 'Write the page' },
        { id: 2, title: 'Sum' },
        { id: 3, title: '', details: 'add a book.' },
      ],
    },
    { id: 2, title: 'Pay', testStrategy: '' },
  ]
  const tagged = { master: { tasks }, later: { tasks: tasks.slice(1) } }
  const stated = await read(tagged)
  expect(shown(stated)).toEqual([
    'master/1: 1 Add a book,1.1 Write the page,1.2 Sum',
    'master/2: 2 Pay',
    'later/2: 2 Pay',
  ])
  expect(stated.warnings).toEqual([
    { line: null, message: 'master: task 1: an item repeats the text; it is read once' },
  ])
  expect(shown(await read(tagged, { featureId: 'shop' }))[2]).toBe('shop/later/2: 2 Pay')
  expect(shown(await read({ tasks }, { featureId: 'shop' }))[1]).toBe('shop/2: 2 Pay')
})

test('an issue of GitHub is Markdown; its feature is a label or the milestone, and its warnings have no line', async () => {
  const body = '### Acceptance criteria\r\n\r\n- [ ] A book is added\r\n- [ ] a book is added\r\n'
  const issue = {
    body,
    number: 12,
    labels: [{ name: 'bug' }, { name: 'feature: cart' }],
    milestone: { title: 'v1' },
  }
  const stated = await read(issue)
  expect(shown(stated)).toEqual(['cart/12:  A book is added'])
  expect(stated.warnings).toEqual([{ line: null, message: 'an item repeats the text; it is read once' }])
  expect(shown(await read({ ...issue, labels: [] }))).toEqual(['v1/12:  A book is added'])
  expect(shown(await read({ body, number: 3 }))).toEqual(['null/3:  A book is added'])
  expect((await read({ body: 'Broken', number: 4 })).refused).toMatch(/^states no criteria/)
  expect((await read([issue, { body: '', number: 5 }])).warnings.at(-1)?.message).toMatch(
    /^issue 5: states no criteria/,
  )
})
