import { expect, onTestFinished, test, vi } from 'vitest'
import { TurngraphError } from '../core/errors.ts'
import { readEventStream } from './event-stream.ts'

const textOf = (bytes: number): string =>
  `id: ${bytes}\ndata: ${JSON.stringify({
    ...{ type: 'import', project: 'shop', version: bytes, changed_at: '2026-01-01T00:00:00Z' },
    ...{ session_id: 's-1', bytes, is_whole: true },
  })}\n\n`

const imported = (bytes: number): Response => new Response(textOf(bytes))

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

test('a caller that needs minutes for an event keeps its connection, and a silent service loses it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const told: string[] = []
  const sent = new TransformStream<Uint8Array, Uint8Array>()
  const writer = sent.writable.getWriter()
  const answers = [new Response(sent.readable), imported(3)]
  const events = readEventStream(
    {},
    {
      open: async (_request, signal) => {
        signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => {}))
        return answers.shift() ?? Response.error()
      },
      signal: new AbortController().signal,
      onAway: ({ message }) => told.push(message),
    },
  )
  const next = async () => (await events.next()).value
  const send = (bytes: number) => void writer.write(new TextEncoder().encode(textOf(bytes))).catch(() => {})
  send(1)
  expect(await next()).toMatchObject({ bytes: 1 })
  await vi.advanceTimersByTimeAsync(180_000)
  send(2)
  expect([await next(), answers.length]).toMatchObject([{ bytes: 2 }, 1])
  const third = next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await third).toMatchObject({ bytes: 3 })
  expect(told).toEqual(['The service has said nothing for 45 s.'])
  await events.return(undefined)
})

test('a reconnection that is rejected for its rate is repeated', async () => {
  const limited = new TurngraphError('rate_limited', 'More than 600 requests in a minute.')
  const answers = [imported(1), limited, imported(2)]
  const events = readEventStream(
    {},
    {
      open: async () => {
        const answer = answers.shift()
        if (answer instanceof Response) return answer
        throw answer
      },
      signal: new AbortController().signal,
    },
  )
  expect((await events.next()).value).toMatchObject({ bytes: 1 })
  expect((await events.next()).value).toMatchObject({ bytes: 2 })
  await events.return(undefined)
})

test('the first failure is thrown, because the address may be wrong', async () => {
  const failing = readEventStream(
    {},
    { open: () => Promise.reject(away()), signal: new AbortController().signal },
  )
  await expect(failing.next()).rejects.toMatchObject({ code: 'timeout' })
})
