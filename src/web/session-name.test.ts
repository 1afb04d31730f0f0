import { expect, test } from 'vitest'
import { nameSession } from './session-name.ts'

test.each([
  ['%E3%82%BF%E3%82%B9%E3%82%AF-1', 'タスク-1'],
  ['TASK%E2%80%AE1%1B%5B2J', 'TASK1'],
  ['100%', '100%'],
])('the session %s has the name %s', (slug, name) => expect(nameSession(slug)).toBe(name))
