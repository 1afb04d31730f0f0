import type { CallOptions, TurngraphClient } from '../../client/client.ts'
import { operations } from '../../operations.ts'

/** A client whose calls end when the signal is aborted; a call with a signal of its own keeps that. */
export function abortingClient(client: TurngraphClient, signal: AbortSignal): TurngraphClient {
  const names = Object.keys(operations) as (keyof typeof operations)[]
  const calls = names.map((name) => {
    const call = client[name] as (input: unknown, options?: CallOptions) => Promise<unknown>
    return [name, (input: unknown, options?: CallOptions) => call(input, { signal, ...options })]
  })
  return { ...client, ...Object.fromEntries(calls) }
}
