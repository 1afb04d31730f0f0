import { expect, test } from 'vitest'
import { chooseFormat } from './formats.ts'
import { readKiro } from './kiro.ts'

const PATH = 'shop/.kiro/specs/cart/requirements.md'
const read = (source: string, path = PATH) => readKiro(source, { path })
const shown = (source: string) =>
  read(source).tasks[0]?.criteria.map(({ criterionId, text }) => `${criterionId}|${text}`)

const REQUIREMENTS = `# Requirements Document

## Introduction

The cart of the shop. WHEN it is empty, it is hidden.

## Requirements

### Requirement 1: Fill the cart

**User Story:** As a buyer, I want to add a book, so that I can buy it.

#### Acceptance Criteria

1. WHEN a buyer adds a book THEN the cart SHALL hold it
2. IF the book is sold out THEN the cart SHALL
   refuse it
   \`\`\`json
   {"reason": "sold out"}
   \`\`\`
   - with a reason

### Requirement 2

**User Story:** As a buyer, I want to see the sum.

#### Acceptance Criteria

1. THE cart SHALL show the sum

### Notes

- Prices WHEN shown are rounded
`

test('each item of each requirement is a criterion with the number of both', () => {
  expect(read(REQUIREMENTS)).toMatchObject({
    tasks: [{ featureId: 'cart', taskId: 'cart' }],
    warnings: [{ line: 31, message: '"Notes" is not read: it has 1 item' }],
  })
  expect(shown(REQUIREMENTS)).toEqual([
    'R1.1|WHEN a buyer adds a book THEN the cart SHALL hold it',
    'R1.2|IF the book is sold out THEN the cart SHALL refuse it {"reason": "sold out"} with a reason',
    'R2.1|THE cart SHALL show the sum',
  ])
})

test('headings may be in any language, and items may be numbered paragraphs', () => {
  expect(
    shown('## 要件\n\n### 要件1: 買う\n\n#### 受け入れ基準\n\n1. WHEN 追加する THEN カートは保持する\n'),
  ).toEqual(['R1.1|WHEN 追加する THEN カートは保持する'])
  expect(
    shown(
      '### Requisito 3 — Pagar\n\n1.1 THE cart SHALL\nbe paid\n\n**3.2** WHEN paid, it SHALL close\n3.3. THE end',
    ),
  ).toEqual(['R1.1|THE cart SHALL be paid', 'R3.2|WHEN paid, it SHALL close', 'R3.3|THE end'])
})

test('a requirement without numbered items has its bullets', () => {
  expect(shown('### Requirement 1\n#### Acceptance Criteria\n- WHEN a THEN b\n- WHEN c THEN d\n')).toEqual([
    'R1.1|WHEN a THEN b',
    'R1.2|WHEN c THEN d',
  ])
})

test('a bullet next to numbered items is a criterion with a default id if it is EARS, and is named otherwise', () => {
  const source =
    '### Requirement 1\n1. WHEN a THEN b\n- WHEN c THEN it SHALL d\n- a note\n\n2. WHEN e THEN f\n'
  expect(shown(source)).toEqual([
    'R1.1|WHEN a THEN b',
    'undefined|WHEN c THEN it SHALL d',
    'R1.2|WHEN e THEN f',
  ])
  expect(read(source).warnings).toEqual([
    { line: 4, message: 'an item without a number is not read: it has no SHALL, WHEN or WHILE' },
  ])
})

test('an item below a heading without a number has a default id', () => {
  expect(shown('## Expected Behavior\n\n2.1 WHEN a THEN b\n\n1. WHEN c THEN d\n')).toEqual([
    'R2.1|WHEN a THEN b',
    'undefined|WHEN c THEN d',
  ])
})

test('of a bug fix, the expected and the unchanged behavior are criteria, and the defect is named', () => {
  const source = `# Bugfix Requirements Document

## Bug Analysis

### Current Behavior (Defect)

1.1 WHEN the cart is empty THEN the page crashes

### Expected Behavior (Correct)

2.1 WHEN the cart is empty THEN the page SHALL say so

### Unchanged Behavior (Regression Prevention)

3.1 WHEN the cart has books THEN the page SHALL CONTINUE TO list them
`
  expect(shown(source)).toEqual([
    'R2.1|WHEN the cart is empty THEN the page SHALL say so',
    'R3.1|WHEN the cart has books THEN the page SHALL CONTINUE TO list them',
  ])
  expect(read(source).warnings).toEqual([
    { line: 5, message: '"Current Behavior (Defect)" is not read: it has 1 item' },
  ])
})

test('the path or the headings show the format', () => {
  expect(chooseFormat(PATH, '')).toBe('kiro')
  expect(chooseFormat('.kiro\\specs\\cart\\bugfix.md', '')).toBe('kiro')
  expect(chooseFormat('docs/requirements.md', REQUIREMENTS)).toBe('kiro')
  expect(chooseFormat('docs/requirements.md', '# Acceptance criteria')).toBe('markdown')
  expect(read('# Requirements').refused).toMatch(/^states no criteria: it has no heading of a requirement/)
})

test('a requirement with more items than a list takes is refused', () => {
  const items = '1. THE cart SHALL hold\n'.repeat(20_001)
  expect(read(`### Requirement 1\n\n${items}`).refused).toBe('has more than 20000 items of one task')
})

test('a warning names acceptance criteria that are outside of the requirements', () => {
  const source =
    '# Requirement 1\n\n## Requirement 1\n\n1. THE cart SHALL open\n\n## Acceptance Criteria\n\n- It is fast\n'
  expect(readKiro(source, { path: PATH }).warnings).toEqual([
    { line: 7, message: '"Acceptance Criteria" is not read: it has 1 item' },
  ])
})

test('an item takes the number after its check box', () => {
  const source =
    '### Requirement 3\n\n- [ ] 3.2 WHEN a THEN b\n- [x] **3.4** WHEN c THEN d\n- [ ] 3.7 reads d\n'
  expect(shown(source)).toEqual(['R3.2|WHEN a THEN b', 'R3.4|WHEN c THEN d', 'R3.7|reads d'])
})

test('a warning names a table and a paragraph of a requirement with criteria that are not read', () => {
  const source = `### Requirement 1

**User Story:** As a buyer, I want a cart, so that I can buy.

| # | Criterion |
| - | --- |
| 1.1 | THE cart SHALL open |

THE cart SHALL close

1. THE cart SHALL hold
`
  expect(shown(source)).toEqual(['R1.1|THE cart SHALL hold'])
  expect(read(source).warnings).toEqual([
    { line: 5, message: '"Requirement 1" has 1 table that is not read' },
    { line: 9, message: '"Requirement 1" has 1 paragraph that is not read' },
  ])
})
