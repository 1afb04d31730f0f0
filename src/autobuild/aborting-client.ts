import { callOn, callsBy } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'

/** A client whose calls end when the signal is aborted; a call with a signal of its own keeps that. */
export const abortingClient = (client: TurngraphClient, signal: AbortSignal): TurngraphClient => ({
  ...client,
  ...callsBy((name, input, options) => callOn(client, name, input, { signal, ...options })),
})
