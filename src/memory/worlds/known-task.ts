import * as z from 'zod'

/** What an answer about a task that may not be stored yet says of it. */
export const knownTask = {
  taskKnown: z.boolean().describe('false: nothing is stored of the task; see `near`'),
  near: z.array(z.string()).optional().describe('only of a task that is not known: up to three near names'),
  taskMessage: z.string().optional().describe('only of a task that is not known: that, in a sentence'),
}

export type KnownTask = { taskKnown: boolean; near?: string[]; taskMessage?: string }
