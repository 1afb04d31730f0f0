// Reads which resources a `subscriptions/listen` of 2026-07-28 asks for, and refuses one that asks for what it does not speak.
import * as z from 'zod'
import { declaresTasks, tasksNotDeclared } from './tasks.ts'

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

const listenToTasks = z.object({
  params: z.object({ notifications: z.object({ taskIds: z.array(z.string()).min(1) }), _meta: z.unknown() }),
})

/**
 * A status of tasks is not told (their runs are resources, which are), but who asks for it must speak the extension.
 *
 * @throws MissingRequiredClientCapabilityError
 */
export function refuseUndeclaredTasks(message: unknown): void {
  const request = listenToTasks.safeParse(message)
  if (request.success && !declaresTasks(request.data.params._meta)) throw tasksNotDeclared()
}
