/** Waits until a run or an attempt has ended, on the events of its session. */
import { setTimeout as pause } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import { printAway } from './output.ts'

type Status = { worldSlug: string; endedAt: string | null }

/** Interval of checks until the first event of the session. */
const ASK_AGAIN_MS = 2_000

/**
 * Checks the status whenever the session changes. Until the first event, also checks it every few seconds: a session that is
 * deleted before the stream begins causes no event.
 */
export async function untilEnded<S extends Status>(
  client: Pick<TurngraphClient, 'events'>,
  ask: () => Promise<S>,
  signal: AbortSignal,
): Promise<S> {
  const first = await ask()
  if (first.endedAt !== null) return first
  const { worldSlug } = first
  const done = new AbortController()
  const ending = joinSignals(signal, done.signal)
  const events = client.events({ worldSlug, snapshot: true }, { signal: ending, onAway: printAway })
  try {
    let next = events.next()
    for (let hasBegun = false; !signal.aborted; ) {
      const late = hasBegun ? [] : [pause(ASK_AGAIN_MS, null, { signal: ending }).catch(() => null)]
      const event = await Promise.race([next, ...late])
      if (event?.done) break
      const status = await ask()
      if (status.endedAt !== null) return status
      if (event === null) continue
      hasBegun = true
      next = events.next()
    }
  } finally {
    done.abort()
    await events.return() // closes the connection and its timer if the generator is paused at the last event
  }
  throw signal.reason ?? new TurngraphError('store_unavailable', 'The service went away.')
}
