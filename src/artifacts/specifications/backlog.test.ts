import { expect, test } from 'vitest'
import { readBacklog } from './backlog.ts'
import { chooseFormat } from './formats.ts'

const TASK = `---
id: task-7
title: Fill the cart
status: To Do
labels: []
milestone: shop-1
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
A buyer adds books.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 A book is added
- [x] #3 A sold-out book is refused
<!-- AC:END -->

## Definition of Done
<!-- DOD:BEGIN -->
- [ ] #1 Tests pass
<!-- DOD:END -->

## Success Criteria

- Fast
`
const shown = (source: string) =>
  readBacklog(source, { path: '' }).tasks[0]?.criteria.map(
    ({ criterionId, text }) => `${criterionId}|${text}`,
  )

test('criteria and the definition of done have ids of their own', () => {
  expect(shown(TASK)).toEqual(['#1|A book is added', '#3|A sold-out book is refused', 'DoD#1|Tests pass'])
  expect(readBacklog(TASK, { path: '' })).toMatchObject({
    tasks: [{ featureId: 'shop-1', taskId: 'task-7' }],
    warnings: [{ line: 26, message: '"Success Criteria" is not read: it has 1 item' }],
  })
})

test('an old file without marks has its headings, and its ids are the places', () => {
  expect(shown('---\nid: task-8\n---\n## Acceptance Criteria\n\n- [ ] One\n- [ ]\n- [x] Three\n')).toEqual([
    '#1|One',
    '#3|Three',
  ])
  expect(readBacklog('## Notes\n', { path: '' }).refused).toMatch(/^states no criteria/)
})

test('the path or the marks show the format; a folder of GuardKit with that name does not', () => {
  expect(chooseFormat('backlog/tasks/task-7 - Fill-the-cart.md', '')).toBe('backlog')
  expect(chooseFormat('a.md', TASK)).toBe('backlog')
  expect(chooseFormat('tasks/backlog/TASK-7-cart.md', '')).toBe('markdown')
})
