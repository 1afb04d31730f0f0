import { expect, test } from 'vitest'
import { chooseFormat } from './formats.ts'
import { readSpecKit } from './spec-kit.ts'

const SPEC = `# Feature Specification: Cart

**Feature Branch**: \`001-cart\`

## User Scenarios & Testing *(mandatory)*

### User Story 1 - Fill the cart (Priority: P1)

A buyer adds books.

**Why this priority**: It is the shop.

**Acceptance Scenarios**:

1. **Given** an empty cart, **When** a buyer adds a book, **Then** the cart holds it
2. **Given** a sold-out book, **When** a buyer adds it, **Then** it is refused

---

### User Story 2 - Pay (Priority: P2)

**Acceptance Scenarios**:

1. **Given** a full cart, **When** a buyer pays, **Then** it is empty

### Edge Cases

- What happens if the shop is closed?

## Requirements *(mandatory)*

### Functional Requirements

- **FR-001**: System MUST hold books
- **FR-002**: System MUST log [NEEDS CLARIFICATION: where?]
  \`\`\`
  log.txt
  \`\`\`
- It is fast

| ID | Requirement | Priority |
|----|-------------|----------|
| NFR-001 | The page loads within 1 s | P1 |
| **SEC-01** | Cards are not stored | P1 |

### Key Entities

- **Book**: has a title

## Success Criteria *(mandatory)*

### Measurable Outcomes

- **SC-001**: 90 % of buyers pay
`
const PATH = 'specs/001-cart/spec.md'
const shown = (source: string) =>
  readSpecKit(source, { path: PATH }).tasks[0]?.criteria.map(
    ({ criterionId, text }) => `${criterionId}|${text}`,
  )

test('requirements, success criteria and acceptance scenarios are criteria, as items and rows', () => {
  const { tasks, warnings } = readSpecKit(SPEC, { path: PATH })
  expect(tasks).toMatchObject([{ featureId: '001-cart', taskId: '001-cart' }])
  expect(shown(SPEC)).toEqual([
    'US1.1|Given an empty cart, When a buyer adds a book, Then the cart holds it',
    'US1.2|Given a sold-out book, When a buyer adds it, Then it is refused',
    'US2.1|Given a full cart, When a buyer pays, Then it is empty',
    'FR-001|System MUST hold books',
    'FR-002|System MUST log [NEEDS CLARIFICATION: where?] log.txt',
    'NFR-001|The page loads within 1 s',
    'SEC-01|Cards are not stored',
    'SC-001|90 % of buyers pay',
  ])
  expect(warnings).toEqual([
    {
      line: 39,
      message: '"Functional Requirements" has 1 item without an id such as FR-001 that is not read',
    },
  ])
})

test('scenarios without a story, and labeled paragraphs and nested items, are read', () => {
  expect(shown('### Acceptance Scenarios\n1. **Given** a, **Then** b\n')).toEqual(['AS-1|Given a, Then b'])
  expect(
    shown('## Requirements\n\n**FR-1**: one\nand more\n\n- Group\n  - FR-2: two\n  - **FR-3**: three\n'),
  ).toEqual(['FR-2|two', 'FR-3|three', 'FR-1|one and more'])
})

test('acceptance criteria are read like scenarios, with their own labels if they have any, and a warning names other criteria', () => {
  const story = (number: number, ...items: string[]) =>
    `### User Story ${number} - Title\n\n**Acceptance Criteria**:\n- ${items.join('\n- ')}\n`
  const source = `${story(1, 'one', 'AC-1: two')}${story(2, '**AC-1**: three', 'AC-2: four')}
## Definition of Done\n- done\n\n## Review & Acceptance Checklist\n- [ ] No details\n`
  expect(shown(source)).toEqual(['US1.1|one', 'US1.AC-1|two', 'US2.AC-1|three', 'AC-2|four'])
  expect(readSpecKit(source, { path: PATH }).warnings).toEqual([
    { line: 12, message: '"Definition of Done" is not read: it has 1 item' },
  ])
})

test.each<[string, string, string[]]>([
  [
    'rows and paragraphs with a label, and items below an item without one',
    '## Acceptance Criteria\n| ID | Text |\n|---|---|\n| AC-1 | one |\n\nAC-2: two\n\n- Login\n  - FR-3: three\n',
    ['AC-1|one', 'AC-2|two', 'FR-3|three'],
  ],
  [
    'requirements together with acceptance criteria',
    '## Requirements & Acceptance Criteria\n| ID | Text |\n|---|---|\n| FR-001 | one |\n',
    ['FR-001|one'],
  ],
  [
    'acceptance criteria as the subject of a document',
    '# Feature Specification: Acceptance Criteria\n## Requirements\n- FR-001: one\n## Assumptions\n- All is well\n',
    ['FR-001|one'],
  ],
  [
    'acceptance scenarios with a label',
    '### User Story 2 - Title\n**Acceptance Scenarios**:\n1. AC-1: Given a\n',
    ['US2.1|AC-1: Given a'],
  ],
])('no criterion is lost or renamed in %s', (_what, source, expected) => {
  expect(shown(source)).toEqual(expected)
})

test('a table without labels below acceptance criteria is named', () => {
  const source = '## Acceptance Criteria\n- one\n\n| Given | Then |\n|---|---|\n| a | b |\n'
  expect(readSpecKit(source, { path: PATH }).warnings).toEqual([
    { line: 4, message: '"Acceptance Criteria" has 1 table that is not read' },
  ])
})

test('tasks that name acceptance criteria are read as tasks', () => {
  const source = '- [ ] T001 Write the acceptance criteria\n'
  expect(readSpecKit(source, { path: 'plan.md', tasks: true }).tasks.map(({ taskId }) => taskId)).toEqual([
    'T001',
  ])
})

test('the text of a row is in the column that its header names, or is the longest cell', () => {
  const long = 'because many buyers asked for it in the last year'
  const table = (...rows: string[]) => shown(`## Requirements\n\n${rows.join('\n')}\n`)
  expect(
    table(
      '| ID | **Requirement** | Rationale |',
      '|:---|---|---|',
      `| FR-1 | one | ${long} |`,
      `| FR-2 | two | ${long} |`,
      `| FR-3 | | ${long} |`,
    ),
  ).toEqual(['FR-1|one', 'FR-2|two', `FR-3|${long}`])
  expect(
    table(
      '| Requirement | Requirement | Description (short) | Requirement Type |',
      '|---|---|---|---|',
      `| FR-1 | Login | It logs in | ${long} |`,
    ),
  ).toEqual(['FR-1|It logs in'])
  expect(table('| ID | Metric | Target |', '|---|---|---|', `| SC-1 | rate | ${long} |`)).toEqual([
    `SC-1|${long}`,
  ])
})

test('a specification without any criteria is refused', () => {
  const { tasks, refused } = readSpecKit(
    '## Requirements\n\n### FR-001: Login\n\nThe system MUST log in.\n',
    { path: PATH },
  )
  expect([tasks, refused]).toEqual([[], expect.stringMatching(/^states no criteria: it has no requirement/)])
})

const TASKS = `# Tasks: Cart

## Phase 1

- [ ] T001 Create the cart in src/cart.ts
- [X] T002 [P] [US1] Add the page
- [-] T008b Drop the old page
- [ ] no task
`

test('each task of tasks.md is a task of the feature, if that is asked', () => {
  const path = 'specs/001-cart/tasks.md'
  expect(readSpecKit(TASKS, { path })).toEqual({
    tasks: [],
    warnings: [{ line: null, message: 'has 3 tasks; --tasks reads each' }],
  })
  const task = (taskId: string, text: string) => ({ featureId: '001-cart', taskId, criteria: [{ text }] })
  expect(readSpecKit(TASKS, { path, tasks: true }).tasks).toEqual([
    task('T001', 'Create the cart in src/cart.ts'),
    task('T002', 'Add the page'),
    task('T008b', 'Drop the old page'),
  ])
})

test('the path or the content shows the format', () => {
  expect(chooseFormat(PATH, '')).toBe('spec-kit')
  expect(chooseFormat('docs/cart.md', SPEC)).toBe('spec-kit')
  expect(readSpecKit(SPEC, { path: 'docs/cart.md' }).tasks[0]?.featureId).toBe('001-cart')
})
