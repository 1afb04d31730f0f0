// Reads the resources of a `subscriptions/listen` request of 2026-07-28.
import * as z from 'zod'

const listenRequest = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({
    notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
})

/** Returns the URIs of the request; null for another request, or for one that the SDK rejects. */
export function requestedUris(message: unknown): string[] | null {
  const request = listenRequest.safeParse(message)
  return request.success ? request.data.params.notifications.resourceSubscriptions : null
}
