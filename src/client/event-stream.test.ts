import { expect, test } from 'vitest'
import { TurngraphError } from '../core/errors.ts'
import { readEventStream } from './event-stream.ts'

const imported = (bytes: number): Response =>
  new Response(
    `id: ${bytes}\ndata: ${JSON.stringify({
      ...{ type: 'import', project: 'shop', version: bytes, changed_at: '2026-01-01T00:00:00Z' },
      ...{ session_id: 's-1', bytes, is_whole: true },
    })}\n\n`,
  )

const away = () => new TurngraphError('timeout', 'No answer came within 30 s.')

test('an interruption is reported once, however many attempts fail, and the next interruption again', async () => {
  const answers = [imported(1), away(), away(), imported(2), away(), imported(3)]
  const [told, cursors]: [string[], unknown[]] = [[], []]
  const events = readEventStream(
    { snapshot: true },
    {
      open: async ({ cursor }) => {
        cursors.push(cursor ?? null)
        const answer = answers.shift()
        if (answer instanceof Response) return answer
        throw answer
      },
      signal: new AbortController().signal,
      onAway: ({ message }) => told.push(message),
    },
  )
  const next = async () => (await events.next()).value
  expect([await next(), told]).toMatchObject([{ bytes: 1 }, []])
  expect([await next(), told]).toMatchObject([{ bytes: 2 }, [away().message]])
  expect([await next(), told]).toMatchObject([{ bytes: 3 }, [away().message, away().message]])
  expect(cursors).toEqual([null, '1', '1', '1', '2', '2'])
  await events.return(undefined)
})

test('the first failure is thrown, because the address may be wrong', async () => {
  const failing = readEventStream(
    {},
    { open: () => Promise.reject(away()), signal: new AbortController().signal },
  )
  await expect(failing.next()).rejects.toMatchObject({ code: 'timeout' })
})
