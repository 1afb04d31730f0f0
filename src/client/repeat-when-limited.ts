/** Repeats a request that a service rejected for its rate, after the pause that the service asks for. */
import { setTimeout as sleep } from 'node:timers/promises'

type Refusable = { status: number; retryAfter: string | null }

/** @param mostMs maximum total pause of a request; if it does not suffice, the rejection is returned */
export async function repeatWhenLimited<T extends Refusable>(
  send: () => Promise<T>,
  mostMs: number,
  signal?: AbortSignal,
): Promise<T> {
  let leftMs = mostMs
  for (;;) {
    const answer = await send()
    const pauseMs = readPause(answer)
    if (pauseMs === null || pauseMs > leftMs) return answer
    leftMs -= pauseMs
    await sleep(pauseMs, undefined, { signal })
  }
}

/** Reads the pause in milliseconds; null for a date, which a proxy may send instead of seconds. */
const readPause = ({ status, retryAfter }: Refusable): number | null =>
  status === 429 && retryAfter !== null && /^\d{1,6}$/.test(retryAfter)
    ? Math.max(1, Number(retryAfter)) * 1_000
    : null
