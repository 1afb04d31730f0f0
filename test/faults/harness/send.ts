import { toWire } from '../../../src/core/wire-form.ts'
import { operations } from '../../../src/operations/table.ts'
import type { TurnToSend } from './planned-turn.ts'

/** A plain HTTP exchange with everything that the client would hide. `status` 0: the connection broke. */
export type Exchange = {
  status: number
  retryAfter: string | null
  ms: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the service sent
  body: any
}

const GIVES_UP_AFTER_MS = 60_000

export const sendTurn = (url: string, turn: TurnToSend): Promise<Exchange> =>
  exchange(`${url}/v1/turns`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toWire(operations.captureTurnState.input, turn)),
  })

export async function exchange(url: string, init: RequestInit = {}): Promise<Exchange> {
  const began = performance.now()
  const since = () => performance.now() - began
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(GIVES_UP_AFTER_MS) })
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      ms: since(),
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
  } catch (error) {
    return {
      status: 0,
      retryAfter: null,
      ms: since(),
      body: `${error}: ${(error as Error).cause}`,
    }
  }
}
