import { describe, expect, test } from 'vitest'
import { chooseFormat } from './formats.ts'
import { readJson } from './json.ts'
import { readMarkdown } from './markdown.ts'

const read = (source: string, options: { nested?: boolean } = {}) =>
  readMarkdown(source, { path: 'f.md', ...options })
const criteriaOf = (source: string, options: { nested?: boolean } = {}) =>
  read(source, options).tasks[0]?.criteria ?? []
const stated = (list: string, options: { nested?: boolean } = {}) =>
  criteriaOf(`# A task\n\n## Acceptance Criteria\n\n${list}\n\n## Next\n\n- not one\n`, options)
const texts = (list: string, options: { nested?: boolean } = {}) =>
  stated(list, options).map(({ criterionId = '', text }) => `${criterionId}|${text}`)

describe('a task file in Markdown', () => {
  test.each<[string, string, string[]]>([
    ['boxes, ticked or not', '- [ ] one\n- [x] two\n- [X] three', ['|one', '|two', '|three']],
    [
      'boxes with other marks, or without a space after them',
      '- [/] AC-1: one\n- [>] two\n- [✅] three\n- [ x ] four\n- [ ]**AC-5** five\n- [a] six\n- [x](y) seven',
      ['AC-1|one', '|two', '|three', '|four', 'AC-5|five', '|[a] six', '|[x](y) seven'],
    ],
    ['round bullets', '- one\n• **AC-2**: two\n  and more', ['|one', 'AC-2|two and more']],
    ['bullets of an editor', '● one\n  ○ two\n▪ three\n  ◦ four', ['|one two', '|three four']],
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
    ['ids behind a check mark', '- ✅ AC-001: one\n- ☐ **AC-2**: two', ['AC-001|one', 'AC-2|two']],
    ['a bold id with more in it', '- **AC-6: six** of them', ['AC-6|**six** of them']],
    [
      'ids in lower case, and of many words',
      '- ac-3: one\n- AC-LOAD-TIME-01: two',
      ['ac-3|one', 'AC-LOAD-TIME-01|two'],
    ],
    ['ids before a dash, and in code', '- AC3 - one\n- `AC-1` two', ['AC3|one', 'AC-1|two']],
    [
      'ids before white space',
      '- [ ] AC-5 Totals are rounded\n- FR-7 `npm test` passes\n- AC-9 is met by US 50 States\n- US 50 States are listed',
      [
        'AC-5|Totals are rounded',
        'FR-7|`npm test` passes',
        '|AC-9 is met by US 50 States',
        '|US 50 States are listed',
      ],
    ],
    [
      'no id of two',
      '- US-1 AC-2 Sums are shown\n- US-1 AC-3: The list is sorted',
      ['|US-1 AC-2 Sums are shown', '|US-1 AC-3: The list is sorted'],
    ],
    [
      'texts that only look like an id',
      '- UTF-8: is read\n- AC is off\n- ACME-1: no\n- AC-3.5 s at most',
      ['|UTF-8: is read', '|AC is off', '|ACME-1: no', '|AC-3.5 s at most'],
    ],
    ['items without a text', '- one\n-\n- [ ] two', ['|one', '|two']],
    ['an item with text after an open box', '- [ ] TBD\n- [ ] two', ['|TBD', '|two']],
    ['a number at the start of a text', '- 404. is the answer', ['|404. is the answer']],
    ['boxes of nested items', '- [ ] one\n  - [x] in it\n    - [ ] deep', ['|one in it deep']],
    ['labels in nested marks', '- [ ] **`AC-1`**: **one** and _two_', ['AC-1|**one** and _two_']],
    ['two lists', '- one\n\nand also\n\n1. two', ['|one', '|two']],
    ['headings below it', '### Code\n- one\n### Docs\n- two', ['|one', '|two']],
    [
      'headings with a label, each with the content below it',
      '### AC-1: one\n**Given** a\n**When** b\n\n**Notes**\n- c\n\n### AC-002 (code)\n```gherkin\nGiven d\n```\n### AC-3: three\n### AC-4\n- e',
      ['AC-1|one: **Given** a **When** b Notes: c', 'AC-002|(code): Given d', 'AC-3|three', 'AC-4|e'],
    ],
    ['a check box below a heading with a label', '### AC-1: one\n- [ ] two', ['AC-1|one: two']],
    [
      'a heading with a label above a bold line',
      '### AC-1: one\n\n**Check**\n- a\n- b',
      ['AC-1|one Check: a b'],
    ],
    [
      'several items below a heading with a label',
      '### AC-7: group\n- [ ] one\n- AC-9: nine\n#### More\n- two\n### Docs\n- three',
      ['AC-7.1|one', 'AC-9|nine', 'AC-7.2|two', '|three'],
    ],
    [
      'an item with a label below a heading with a label',
      '### US-1: one\n- [ ] AC-3: two\n### US-2: three\n- [ ] AC-4: four',
      ['AC-3|two', 'AC-4|four'],
    ],
    [
      'several check boxes below a heading',
      '### Scenario: one\n- [ ] two\n- [ ] three\n### AC-1: four\nAbout it.\n#### Tests\n- [ ] five\n- [ ] six',
      ['|two', '|three', 'AC-1.1|five', 'AC-1.2|six'],
    ],
    ['steps with check boxes', '### AC-1: one\n- [ ] Given a\n- [ ] Then b', ['AC-1|one: Given a Then b']],
    [
      'items without a label above one with a label of their form',
      '### AC-1: group\n- one\n- AC-1.1: two\n- three\n#### AC-1.3: four',
      ['AC-1.2|one', 'AC-1.1|two', 'AC-1.4|three', 'AC-1.3|four'],
    ],
    [
      'headings of scenarios',
      '### **Scenario: login**\n- **Given** a\n- **Then** b\n### Scenario 2 - logout\nGiven c',
      ['|login: **Given** a **Then** b', '|logout: Given c'],
    ],
    ['a heading that begins with another word', '### Scenario-based tests\n- one\n- two', ['|one', '|two']],
    [
      'scenarios below a heading with a label',
      '### AC-1: group\n#### Scenario: a\nGiven b\n#### Scenario: c\n- **Given** d\n- e\n### AC-2: two',
      ['AC-1.1|a: Given b', 'AC-1.2|c: **Given** d e', 'AC-2|two'],
    ],
    [
      'paragraphs with a label',
      'About it.\n\n**AC-1**: one  \nand more\nAC-2: two\n- three',
      ['AC-1|one and more', 'AC-2|two', '|three'],
    ],
    [
      'scenarios with the same steps and other names',
      'Scenario: one\nGiven a\nThen b\n\nScenario: two\nGiven a\nThen b\n\nScenario: about both.',
      ['|one: Given a Then b', '|two: Given a Then b'],
    ],
    [
      'steps behind a paragraph with a label',
      '**AC-1**: one\n**Given** a\n**Then** b\n\nAC-2: two\n\nGiven c, then d\n\nGiven e\nThen f',
      ['AC-1|one **Given** a **Then** b', 'AC-2|two Given c, then d', '|Given e Then f'],
    ],
    [
      'paragraphs with the steps of a scenario',
      '**Given** a  \n**When** b\n\n**Then** c\n\nGiven this, it matters.\n\nGiven d\nThen e\n\nA note.',
      ['|**Given** a **When** b **Then** c', '|Given d Then e'],
    ],
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
  ])('skips the item %j without words, and names it', (empty) => {
    for (const lineEnd of ['\n', '\r\n']) {
      const list = ['- [ ] one', '- [x] two'].toSpliced(1, 0, empty)
      if (/^\d/.test(empty)) list.splice(0, 3, '1. [ ] one', empty, '3. [x] two')
      const source = ['# Acceptance criteria', '', ...list, ''].join(lineEnd)
      const { tasks, warnings } = read(source)
      expect(tasks[0]?.criteria).toEqual([{ text: 'one' }, { text: 'two' }])
      expect(warnings).toEqual([{ line: 4, message: 'an item has no words; it is skipped' }])
    }
  })

  test.each([
    '- [ ] ~~two~~',
    '- [-] ~~AC-2: two~~ (moved to TASK-7)',
    '- **AC-2**: ~~two~~ — deferred',
    '- ~~two~~ (see [it](a.md))',
  ])('leaves out the struck-out item %j, with a warning', (struck) => {
    const { tasks, warnings } = read(`# Acceptance criteria\n- ~~old~~ one\n${struck}\n- three`)
    expect(tasks[0]?.criteria).toEqual([{ text: '~~old~~ one' }, { text: 'three' }])
    expect(warnings).toEqual([{ line: 3, message: 'an item is struck out; it is not read' }])
  })

  test.each(['~~5 s~~ -> 3 s', '~~5 s~~ (2 s locally) 3 s'])(
    'reads the item %j, which is replaced',
    (text) => {
      expect(read(`# Acceptance criteria\n- ${text}`).tasks[0]?.criteria).toEqual([{ text }])
    },
  )

  test('rejects a list whose items have no words', () => {
    expect(read('# Acceptance Criteria\n- [ ]\n- [ ]')).toMatchObject({
      tasks: [],
      refused: expect.stringMatching(
        /^states no criteria: no item under its heading "Acceptance Criteria" has words\./,
      ),
    })
  })

  test('counts nested items as part of their parent, or as separate criteria', () => {
    const list = '- AC-1: one\n  - in it\n    - deep\n- two'
    expect(texts(list)).toEqual(['AC-1|one in it deep', '|two'])
    expect(texts(list, { nested: true })).toEqual(['AC-1|one', '|in it', '|deep', '|two'])
  })

  test('reads every matching heading, at any level and in any case, each to the next of its level', () => {
    const source =
      '# ACCEPTANCE  criteria for now\n- one\n## deeper\n- two\n# Notes\n- no\n## Acceptance criteria\n- three'
    expect(criteriaOf(source).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  })

  test('reads a bold line, a line with a colon and an item with the words of the heading as headings', () => {
    for (const title of [
      '**Acceptance Criteria:**',
      '__Acceptance criteria__',
      'Acceptance criteria:',
      '**Acceptance Criteria**:',
    ])
      expect(criteriaOf(`# Story\nAs a user\n${title}\n- one\n\n**Notes**\n- no`), title).toEqual([
        { text: 'one' },
      ])
    expect(criteriaOf('- **Story**: login\n- **Acceptance Criteria**:\n  - one\n  - two\n- no')).toEqual([
      { text: 'one' },
      { text: 'two' },
    ])
  })

  test('a label that two sections repeat gets the number of its section in front', () => {
    const section = (title: string, text: string) => `## ${title}\n### Acceptance Criteria\n- AC-1: ${text}\n`
    const idsOf = (source: string) => criteriaOf(source).map(({ criterionId }) => criterionId)
    expect(idsOf(section('Requirement 1', 'one') + section('Requirement 2', 'two'))).toEqual([
      'R1.AC-1',
      'R2.AC-1',
    ])
    expect(idsOf(section('User Story 3: Login', 'one') + section('User Story 4', 'two'))).toEqual([
      'US3.AC-1',
      'US4.AC-1',
    ])
    expect(idsOf(section('Login', 'one') + section('Logout', 'two'))).toEqual(['R1.AC-1', 'R2.AC-1'])
    expect(idsOf(section('Login', 'one'))).toEqual(['AC-1'])
  })

  test('a repeated text is read once, and a repeated or taken id is replaced, each with a warning', () => {
    const { tasks, warnings } = read('# Acceptance criteria\n- AC-2: one\n- two\n- AC-2: three\n- **One**.')
    expect(tasks[0]?.criteria).toEqual([
      { criterionId: 'AC-2', text: 'one' },
      { criterionId: 'AC-004', text: 'two' },
      { text: 'three' },
    ])
    expect(warnings).toEqual([
      { line: 5, message: 'an item repeats the text in line 2; it is read once' },
      { line: 4, message: 'the id AC-2 is taken in line 2; the item gets another one' },
    ])
  })

  test('names each section that looks like criteria and is not read, by its line in the file', () => {
    const source = [
      '---\nid: T\n---\n# Task\n\n## Acceptance Criteria\n\n- one\n\n| AC | text |\n|---|---|\n| AC-9 | nine |\n',
      '## Success Criteria\n\n- fast\n- small\n\n## Notes\n- no\n\n### Akzeptanzkriterien\n\nAlles.\n',
      '**Acceptance criteria:** it works\n\n## Done when\n',
    ].join('')
    expect(read(source).warnings).toEqual([
      { line: 6, message: '"Acceptance Criteria" has 1 table that is not read' },
      { line: 13, message: '"Success Criteria" is not read: it has 2 items' },
      { line: 21, message: '"Akzeptanzkriterien" is not read: it has 1 paragraph' },
      { line: 24, message: 'a paragraph of acceptance criteria is not read' },
    ])
  })

  test('leaves out the marks of a fence in an item, and keeps its lines', () => {
    expect(texts('- run\n  ```sh\n  npm test\n  ```\n- two')).toEqual(['|run npm test', '|two'])
  })

  test('refuses more criteria than a task may have', () => {
    const list = Array.from({ length: 2_001 }, (_, i) => `- case ${i}`).join('\n')
    expect(read(`# Acceptance criteria\n${list}`)).toMatchObject({
      tasks: [],
      refused: 'states 2001 criteria of one task; the limit is 2000',
    })
    expect(read(`# Acceptance criteria\n${'- same\n'.repeat(20_001)}`).refused).toBe(
      'has more than 20000 items of one task',
    )
  })

  test('ends at a heading of a level above', () => {
    const source = '# Task\n## Acceptance criteria\n- one\n# Notes\n- no criterion'
    expect(criteriaOf(source)).toEqual([{ text: 'one' }])
  })

  test('reads the task from the front matter', () => {
    const namesIn = (front: string) => read(`---\n${front}\n---\n# Acceptance criteria\n- one`).tasks[0]
    expect(namesIn('id: TASK-1 # the id\nfeature_id: "FEAT-1"')).toMatchObject({
      taskId: 'TASK-1',
      featureId: 'FEAT-1',
    })
    expect(namesIn("task_id: 'TASK-2'\r\ntitle: x")).toMatchObject({ taskId: 'TASK-2', featureId: null })
    expect(namesIn('id: null')).toMatchObject({ taskId: null })
    const withMark = '\uFEFF---\nid: TASK-3\n---\n# Acceptance criteria\n- one'
    expect(read(withMark).tasks[0]?.taskId, 'behind a byte order mark').toBe('TASK-3')
    expect(read('# Acceptance criteria\n- one').tasks[0]?.taskId).toBeNull()
  })

  test.each(['### Scenario: login', '### Requirement: login'])('may have the heading %j', (heading) => {
    const source = `# Task\n\n${heading}\n\nThe user logs in.\n\n## Acceptance criteria\n\n- one\n`
    expect(chooseFormat('tasks/TASK-1.md', source)).toBe('markdown')
  })

  test('names the missing heading if there are no criteria', () => {
    const refusal = (source: string) => read(source).refused
    expect(refusal('# Goal\n- one')).toBe(
      'states no criteria: it has no heading "Acceptance Criteria". Headings: "Goal"',
    )
    expect(refusal('# Acceptance Criteria\n\n| a |\n|---|\n| b |\n')).toContain(
      'states no criteria: there is no list under its heading "Acceptance Criteria".',
    )
    expect(refusal('')).toContain('Headings: none')
  })
})

test('an item that says to run a command declares it, and one that needs a shell is named in a warning', () => {
  const source =
    '# Acceptance Criteria\n\n- [ ] AC-1: `npm test -- -t "half up"` passes\n- Run `mypy src/`\n- `npm test`\n- `npm test | tee log` exits 0\n- `npm test` passes and `npm run lint` runs clean\n'
  const { tasks, warnings } = read(source)
  expect(tasks[0]?.criteria).toEqual([
    {
      criterionId: 'AC-1',
      text: '`npm test -- -t "half up"` passes',
      kind: 'command',
      command: ['npm', 'test', '--', '-t', 'half up'],
    },
    { text: 'Run `mypy src/`', kind: 'command', command: ['mypy', 'src/'] },
    { text: '`npm test`' },
    { text: '`npm test | tee log` exits 0' },
    { text: '`npm test` passes and `npm run lint` runs clean' },
  ])
  expect(warnings).toEqual([
    {
      line: 6,
      message:
        'the command `npm test | tee log` is not declared: it needs a shell for "|"; give it on the command line with `turngraph verify --shell`',
    },
    {
      line: 7,
      message:
        '2 commands are not declared: a criterion can have only one command; split the item, or put the commands into a script',
    },
  ])
})

test('a specification in JSON is taken as it is sent, also behind a byte order mark', () => {
  const json =
    '{"task_id": "TASK-1", "criteria": [{"criterion_id": "AC-1", "text": "one", "kind": "manual"}, "two"]}'
  const task = {
    taskId: 'TASK-1',
    featureId: null,
    criteria: [{ criterionId: 'AC-1', text: 'one', kind: 'manual' }, { text: 'two' }],
  }
  expect(readJson(json).tasks).toEqual([task])
  expect(readJson(`\uFEFF${json}`).tasks).toEqual([task])
  expect(readJson('[]').refused).toBe('has no list `criteria`')
  expect(readJson('- one').refused).toContain('is not JSON')
  expect(readJson('{"criteria": [{}]}').refused).toBe('has a criterion without a text: criteria[0]')
})
