import { expect, test } from 'vitest'
import { contextFileNames } from './context-file.ts'

test('a pattern names one file of each role', () => {
  const nameOf = contextFileNames('{task}-{turn}-{role}.md')
  expect(nameOf({ task: 'TASK-1', turn: 3, role: 'coach' })).toBe('TASK-1-3-coach.md')
  expect(contextFileNames('.next.{role}')({ task: 'TASK-1', turn: 3, role: 'player' })).toBe('.next.player')
})

test.each([
  ['../{role}.md', 'leaves the folder of the task'],
  ['/tmp/{role}.md', 'leaves the folder of the task'],
  ['a\\{role}.md', 'leaves the folder of the task'],
  ['context.md', 'has no {role}'],
  ['{role}-{feature}.md', 'a placeholder that is not known: {feature}'],
  ['{role}_turn_{turn}.json', 'names an artifact'],
])('%s is refused: it %s', (pattern, why) => {
  expect(() => contextFileNames(pattern)).toThrow(why)
})
