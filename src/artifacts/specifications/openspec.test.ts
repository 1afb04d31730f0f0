import { expect, test } from 'vitest'
import { chooseFormat } from './formats.ts'
import { orderOfPlace, placeOf, readOpenSpec } from './openspec.ts'

const SPEC = `# cart Specification

## Purpose

Holds what a buyer wants.

## Requirements

### Requirement: Fill the cart

The cart SHALL hold books.

#### Scenario: A book is added

- **WHEN** a buyer adds a book
- **THEN** the cart holds it
- **AND** the sum is shown

#### Scenario: The book is sold out

- **GIVEN** no copy is left
- **WHEN** a buyer adds it
- **THEN** the cart refuses it

### Requirement: Empty the cart

The cart SHALL be emptied.

### Requirement: Show the sum

#### Scenario: Sum

- **WHEN** the cart has books
- **THEN** the sum is shown
`

const CHANGE = `## ADDED Requirements

### Requirement: Pay

#### Scenario: By card

- **WHEN** a buyer pays by card
- **THEN** the cart is empty

## MODIFIED Requirements

### Requirement: Add to the cart

#### Scenario: A book is added

- **WHEN** a buyer adds a book
- **THEN** the cart holds it once

### Requirement: Unknown

#### Scenario: New

- **THEN** it is read

## REMOVED Requirements

### Requirement: Show the sum

**Reason**: The page shows it.

## RENAMED Requirements

- FROM: \`### Requirement: Fill the cart\`
- TO: \`### Requirement: Add to the cart\`
`

const PATH = 'openspec/specs/cart/spec.md'
const OF_CHANGE = 'openspec/changes/add-payment/specs/cart/spec.md'
const texts = ({ tasks }: ReturnType<typeof readOpenSpec>) => tasks[0]?.criteria.map(({ text }) => text)

test('each scenario is a criterion: its name, then its steps; a requirement without one is named', () => {
  const read = readOpenSpec(SPEC, { path: PATH })
  expect(read.tasks).toMatchObject([{ featureId: 'cart', taskId: 'cart' }])
  expect(texts(read)).toEqual([
    'A book is added: WHEN a buyer adds a book THEN the cart holds it AND the sum is shown',
    'The book is sold out: GIVEN no copy is left WHEN a buyer adds it THEN the cart refuses it',
    'Sum: WHEN the cart has books THEN the sum is shown',
  ])
  expect(read.warnings).toEqual([
    { line: 25, message: 'the requirement "Empty the cart" has no scenario; it is not read' },
  ])
})

test('a change is read with what it changes: renamed, removed, modified and added', () => {
  const read = readOpenSpec(CHANGE, { path: OF_CHANGE, earlier: [SPEC] })
  expect(read.tasks).toMatchObject([{ featureId: 'cart', taskId: 'cart' }])
  expect(texts(read)).toEqual([
    'A book is added: WHEN a buyer adds a book THEN the cart holds it once',
    'By card: WHEN a buyer pays by card THEN the cart is empty',
    'New: THEN it is read',
  ])
  expect(read.warnings).toEqual([{ line: 19, message: 'the specification has no requirement "Unknown"' }])
})

test('a specification replaces the changes before it, and a change without one is read alone', () => {
  expect(texts(readOpenSpec(SPEC, { path: PATH, earlier: [CHANGE] }))).toHaveLength(3)
  const alone = readOpenSpec(CHANGE, { path: OF_CHANGE })
  expect(texts(alone)).toHaveLength(3)
  expect(alone.warnings).toEqual([
    { line: null, message: 'the specification is not there; only the scenarios of the change are read' },
  ])
  const removal = '## REMOVED Requirements\n\n- `### Requirement: Show the sum`\n'
  expect(texts(readOpenSpec(removal, { path: OF_CHANGE, earlier: [SPEC] }))).toHaveLength(2)
  expect(readOpenSpec(removal, { path: OF_CHANGE }).refused).toMatch(/^states no criteria/)
})

test('a path has one place, and the archive comes before the specification and its changes', () => {
  const archived = 'openspec/changes/archive/2026-01-02-first/specs/shop/cart/spec.md'
  expect(placeOf(archived)).toEqual({
    root: 'openspec/',
    capability: 'shop/cart',
    change: '2026-01-02-first',
    isArchived: true,
  })
  expect(placeOf(PATH)).toMatchObject({ root: 'openspec/', capability: 'cart', change: null })
  expect(placeOf(OF_CHANGE)).toMatchObject({ root: 'openspec/', change: 'add-payment', isArchived: false })
  expect(placeOf('openspec/specs/cart/design.md')).toBeNull()
  const order = [OF_CHANGE, PATH, archived.replace('shop/', '')].map((each) => {
    const place = placeOf(each)
    return place === null ? '' : orderOfPlace(place)
  })
  expect(order.toSorted()).toEqual(order.toReversed())
  expect([PATH, OF_CHANGE, archived].map((each) => chooseFormat(each, ''))).toEqual(Array(3).fill('openspec'))
  expect(chooseFormat('cart.md', SPEC)).toBe('openspec')
})

test('a warning names a section that looks like criteria and is outside of the requirements', () => {
  const { warnings } = readOpenSpec(`${SPEC}\n## Acceptance criteria\n\n- one\n`, { path: PATH })
  expect(warnings).toContainEqual({ line: 36, message: '"Acceptance criteria" is not read: it has 1 item' })
})
