import { describe, expect, test } from 'vitest'
import { parseSpecificationJson, parseTaskFile } from './task-file.ts'

const stated = (list: string, options: { nested?: boolean } = {}) =>
  parseTaskFile(
    `# A task\n\n## Acceptance Criteria\n\n${list}\n\n## Next\n\n- not one\n`,
    'TASK-1.md',
    options,
  ).criteria
const texts = (list: string, options: { nested?: boolean } = {}) =>
  stated(list, options).map(({ criterionId = '', text }) => `${criterionId}|${text}`)

describe('a task file in Markdown', () => {
  test.each<[string, string, string[]]>([
    ['boxes, ticked or not', '- [ ] one\n- [x] two\n- [X] three', ['|one', '|two', '|three']],
    ['a box alone on its line', '- [ ]\n  one\n- [x]\n  two', ['|one', '|two']],
    ['stars and pluses', '* one\n* two', ['|one', '|two']],
    ['numbers', '1. one\n2. two\n10) three', ['|one', '|two', '|three']],
    ['lines that go on', '- one\n  and more\n- two\nlazily', ['|one and more', '|two lazily']],
    ['paragraphs of an item', '- one\n\n  and a second\n\n- two', ['|one and a second', '|two']],
    ['ids before a colon', '- AC-3: one\n- AC-LOAD-01: two', ['AC-3|one', 'AC-LOAD-01|two']],
    [
      'bold ids',
      '- **AC-003** one\n- **AC-4**: two\n- **AC-5:** three\n- __AC-6__ — four',
      ['AC-003|one', 'AC-4|two', 'AC-5|three', 'AC-6|four'],
    ],
    ['a bold id with more in it', '- **AC-6: six** of them', ['AC-6|**six** of them']],
    [
      'ids in lower case, and of many words',
      '- ac-3: one\n- AC-LOAD-TIME-01: two',
      ['ac-3|one', 'AC-LOAD-TIME-01|two'],
    ],
    ['ids before a dash, and in code', '- AC3 - one\n- `AC-1` two', ['AC3|one', 'AC-1|two']],
    [
      'texts that only look like an id',
      '- UTF-8: is read\n- AC is off\n- ACME-1: no\n- AC-3.5 s at most',
      ['|UTF-8: is read', '|AC is off', '|ACME-1: no', '|AC-3.5 s at most'],
    ],
    ['items without a text', '- one\n-\n- [ ] two', ['|one', '|two']],
    ['an item with text after an open box', '- [ ] TBD\n- [ ] two', ['|TBD', '|two']],
    ['labels in nested marks', '- [ ] **`AC-1`**: **one** and _two_', ['AC-1|**one** and _two_']],
    ['two lists', '- one\n\nand also\n\n1. two', ['|one', '|two']],
    ['headings below it', '### Code\n- one\n### Docs\n- two', ['|one', '|two']],
    ['fenced code', '```\n- no\n## Acceptance\n```\n- one', ['|one']],
    ['marks within', '- [ ] `a.ts` **exports** _b_', ['|`a.ts` **exports** _b_']],
    ['Windows line ends', '- [ ] one\r\n- [ ] two\r\n', ['|one', '|two']],
    ['tabs', '-\tone\n\t- deep', ['|one deep']],
    ['emoji', '- \u{1f9e9} fits', ['|\u{1f9e9} fits']],
  ])('reads %s', (_, list, expected) => {
    expect(texts(list)).toEqual(expected)
  })

  test.each([
    '- [ ]',
    '- [ ]   ',
    '* [ ]',
    '+ []',
    '1. [ ]',
    '- [x]',
    '-\t[ ]\t',
    '- [ ] **',
    '- [ ] …',
    '- [ ] <!-- fill in -->',
    '- **AC-4**',
    '-',
  ])('skips the item %j without words, and counts it', (empty) => {
    for (const lineEnd of ['\n', '\r\n']) {
      const list = ['- [ ] one', '- [x] two'].toSpliced(1, 0, empty)
      if (/^\d/.test(empty)) list.splice(0, 3, '1. [ ] one', empty, '3. [x] two')
      const source = ['# Acceptance criteria', '', ...list, ''].join(lineEnd)
      const { criteria, emptyItems } = parseTaskFile(source, 'f.md')
      expect([criteria, emptyItems]).toEqual([[{ text: 'one' }, { text: 'two' }], 1])
    }
  })

  test('rejects a list whose items have no words', () => {
    expect(() => parseTaskFile('# Acceptance Criteria\n- [ ]\n- [ ]', 'f.md')).toThrow(
      'f.md states no criteria: no item under its heading "Acceptance Criteria" has words.',
    )
  })

  test('counts nested items as part of their parent, or as separate criteria', () => {
    const list = '- AC-1: one\n  - in it\n    - deep\n- two'
    expect(texts(list)).toEqual(['AC-1|one in it deep', '|two'])
    expect(texts(list, { nested: true })).toEqual(['AC-1|one', '|in it', '|deep', '|two'])
  })

  test('reads from the first matching heading, at any level and in any case, to the next of its level', () => {
    const source = '# ACCEPTANCE  criteria for now\n- one\n## deeper\n- two\n# Acceptance criteria\n- three'
    expect(parseTaskFile(source, 'f.md').criteria.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  test('ends at a heading of a level above', () => {
    const source = '# Task\n## Acceptance criteria\n- one\n# Notes\n- no criterion'
    expect(parseTaskFile(source, 'f.md').criteria).toEqual([{ text: 'one' }])
  })

  test('reads the task from the front matter', () => {
    const file = (front: string) => parseTaskFile(`---\n${front}\n---\n# Acceptance criteria\n- one`, 'f.md')
    expect(file('id: TASK-1 # the id\nfeature_id: "FEAT-1"')).toMatchObject({
      taskId: 'TASK-1',
      featureId: 'FEAT-1',
    })
    expect(file("task_id: 'TASK-2'\r\ntitle: x")).toMatchObject({ taskId: 'TASK-2', featureId: null })
    expect(file('id: null')).toMatchObject({ taskId: null })
    const withMark = '\uFEFF---\nid: TASK-3\n---\n# Acceptance criteria\n- one'
    expect(parseTaskFile(withMark, 'f.md').taskId, 'behind a byte order mark').toBe('TASK-3')
    expect(parseTaskFile('# Acceptance criteria\n- one', 'f.md').taskId).toBeNull()
  })

  test('names the missing heading if there are no criteria', () => {
    expect(() => parseTaskFile('# Goal\n- one', 'tasks/f.md')).toThrow(
      'tasks/f.md states no criteria: it has no heading "Acceptance Criteria". Headings: "Goal".',
    )
    expect(() => parseTaskFile('# Acceptance Criteria\n\n| a |\n|---|\n| b |\n', 'f.md')).toThrow(
      'f.md states no criteria: there is no list under its heading "Acceptance Criteria".',
    )
    expect(() => parseTaskFile('', 'f.md')).toThrow('Headings: none.')
  })
})

test('a specification in JSON is taken as it is sent', () => {
  const json =
    '{"task_id": "TASK-1", "criteria": [{"criterion_id": "AC-1", "text": "one", "kind": "manual"}, "two"]}'
  expect(parseSpecificationJson(json, 'f.json')).toEqual({
    taskId: 'TASK-1',
    featureId: null,
    emptyItems: 0,
    criteria: [{ criterionId: 'AC-1', text: 'one', kind: 'manual' }, { text: 'two' }],
  })
  expect(() => parseSpecificationJson('[]', 'f.json')).toThrow('f.json has no list `criteria`.')
  expect(() => parseSpecificationJson('- one', 'f.json')).toThrow('f.json is not JSON')
})
