// Reads which resources a `subscriptions/listen` of 2026-07-28 asks for.
import * as z from 'zod'

const listenRequest = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({
    notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
})

/** Null where it is no such request, or one that the SDK refuses. */
export function requestedUris(message: unknown): string[] | null {
  const request = listenRequest.safeParse(message)
  return request.success ? request.data.params.notifications.resourceSubscriptions : null
}
