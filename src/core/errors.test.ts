import { expect, test } from 'vitest'
import { asTurngraphError, describeDiskFault, TurngraphError } from './errors.ts'

const ofTheEngine = (number: number) =>
  new Error(
    `Transaction error: I/O error on the WAL at /data/wal_0.log: whatever it says (os error ${number})`,
  )

test.each([
  [28, 'No space left in /data.'],
  [122, 'The disk quota is used up in /data.'],
  [30, 'The disk of /data is read-only.'],
  [27, 'A file in /data may not grow any further.'],
  [5, 'The disk of /data failed.'],
  [24, 'This process has too many files open.'],
  [23, 'This machine has too many files open.'],
])('the error %i of the engine is described as: %s', (number, message) => {
  const error = ofTheEngine(number)
  expect(describeDiskFault(error, '/data')).toBe(message)
  expect(describeDiskFault(new TurngraphError('store_unavailable', 'away', { cause: error }), '/data')).toBe(
    message,
  )
})

test('an error of Node names the folder of its file', () => {
  const error = Object.assign(new Error('ENOSPC'), { errno: -28, syscall: 'open', path: '/data/x.json' })
  expect(asTurngraphError(error)).toMatchObject({
    code: 'store_unavailable',
    message: 'No space left in /data.',
  })
})

test('an error that is not a fault of the disk stays a defect', () => {
  for (const error of [
    ofTheEngine(2),
    new Error('no space left'),
    Object.assign(new Error(), { errno: -2, syscall: 'open' }),
    'text',
  ])
    expect(asTurngraphError(error)).toMatchObject({ code: 'internal' })
})

test('an error does not quote secrets of the request', () => {
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
  const error = new TurngraphError('invalid_request', `no ${secret}`, {
    hint: `not ${secret}`,
    details: { problems: [{ path: secret, message: secret }] },
  })
  expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain(secret)
  expect(error.toWire().error).toMatchObject({ message: 'no [redacted]', hint: 'not [redacted]' })
})
