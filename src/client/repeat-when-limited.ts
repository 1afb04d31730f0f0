/** Repeats a request that a service refused as one too many, after the pause that the service asks for. */
import { setTimeout as sleep } from 'node:timers/promises'

type Refusable = { status: number; retryAfter: string | null }

/** @param mostMs how long the pauses of one request may take together; where that is not enough, the refusal is the answer */
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

/** In milliseconds. A proxy may send a date instead of seconds: that refusal stays one. */
const readPause = ({ status, retryAfter }: Refusable): number | null =>
  status === 429 && retryAfter !== null && /^\d{1,6}$/.test(retryAfter)
    ? Math.max(1, Number(retryAfter)) * 1_000
    : null
