import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('a log line contains no secret, neither in its text nor in the causes of an error', () => {
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
  const lines: string[] = []
  const to = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLog('info', to)
  log.warn({ reason: `TOKEN=${secret}` }, `asked with ${secret}`)
  log.error({ err: new Error('failed', { cause: new Error(`no access for ${secret}`) }) }, 'a defect')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain(secret)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: 'asked with [redacted]' })
})
