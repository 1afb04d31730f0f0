import { expect, test } from 'vitest'
import { canonicalInstant, compareInstants } from './instants.ts'

test.each([
  ['2026-05-01T08:15:30.123456', '2026-05-01T08:15:30.123456Z'],
  ['2026-05-01 08:15:30', '2026-05-01T08:15:30Z'],
  ['2026-05-01T08:15:30+02:00', '2026-05-01T06:15:30Z'],
  ['2026-05-01T08:15:30-0530', '2026-05-01T13:45:30Z'],
  [' 2026-05-01T08:15z ', '2026-05-01T08:15:00Z'],
])('%s is the instant %s', (text, iso) => {
  expect(canonicalInstant(text)).toBe(iso)
})

test.each([
  ...['', 'yesterday', '2026-02-31', '2026-01-01T24:00:00', '2026-13-41T00:00:00', '1773092615'],
  ...['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01'], // the year in UTC does not have four digits
  ...['2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00-00:60'],
])('"%s" is not an instant', (text) => {
  expect(canonicalInstant(text)).toBeNull()
})

test('an instant without a fraction comes first in its second', () => {
  const inOrder = [
    '2026-05-01T08:15:30Z',
    '2026-05-01T08:15:30.123Z',
    '2026-05-01T08:15:30.123456Z',
    '2026-05-01T08:15:31Z',
  ]
  expect(inOrder.toReversed().sort(compareInstants)).toEqual(inOrder)
})
