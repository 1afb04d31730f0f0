// Declares the operation on the issues of a session.
import * as z from 'zod'
import { entryPosition, page, pageFields, readPage } from '../core/pages.ts'
import { ROLES } from '../memory/criteria/views.ts'
import { ISSUE_STATES, issueLife, listIssues } from '../memory/issues/list-issues.ts'
import { resolveTarget } from '../memory/worlds/resolve-target.ts'
import { asOf, operation, target } from './operation.ts'

export const issueOperations = {
  listIssues: operation({
    summary: 'The issues of a session through its turns: which are open, which are gone, and since when',
    scope: 'read',
    roles: ['play', 'judge'],
    readsAsPlayer: true,
    input: z.strictObject({
      ...target,
      turn: asOf,
      state: z.enum(ISSUE_STATES).nullish().describe('default: both'),
      role: z.enum(ROLES).default('coach').describe('a player sees no details'),
      ...pageFields,
    }),
    output: page(issueLife),
    run: async (graph, { limit, cursor, maxBytes, ...input }) => {
      const request = await resolveTarget(graph, input)
      const { items, nextCursor } = await readPage(
        { limit, cursor, maxBytes },
        entryPosition,
        (after, limit) => listIssues(graph, request, { after, limit }),
        ({ openedInTurn: turn, position }) => ({ turn, position }),
      )
      return { items: items.map(({ position, ...issue }) => issue), nextCursor }
    },
  }),
} as const
