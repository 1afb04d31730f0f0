import { expect, it } from 'vitest'
import { renderConfiguration } from './configuration.ts'

it('a setting replaces a line, adds one, or removes it when empty', () => {
  const text = renderConfiguration({
    folder: '/run',
    port: 7687,
    auth: false,
    settings: {
      'db.transaction.timeout': '1s',
      'db.lock.acquisition.timeout': '',
      'db.memory.transaction.max': '16m',
    },
  })
  expect(text).toContain('db.transaction.timeout=1s\n')
  expect(text).not.toContain('30s')
  expect(text).not.toContain('db.lock.acquisition.timeout')
  expect(text).toContain('db.memory.transaction.max=16m\n')
})
