// Declares the operation that lists sessions for people who look for one.
import * as z from 'zod'
import { name, project, text } from '../core/fields.ts'
import { cursorAt, page, pageFields } from '../core/pages.ts'
import { requireNames } from '../memory/worlds/missing-name.ts'
import { listSessions, session } from '../memory/worlds/sessions.ts'
import { flag, operation } from './operation.ts'
import { positionIn, worldCursor } from './world-cursor.ts'

const ORDER = 'last_activity'

export const sessionOperations = {
  listSessions: operation({
    summary:
      'The sessions of a project, the last active first: how far each is, how its turns ended, who holds it',
    scope: 'read',
    input: z.strictObject({
      project,
      featureId: name.nullish().describe('of this feature alone'),
      search: text
        .nullish()
        .describe('stands in the name of its feature, its task or its world, whatever the case'),
      running: flag.describe('only those with an active run or attempt'),
      notApproved: flag.describe('only those whose newest turn is not approved'),
      stalledOrOscillating: flag.describe('only sessions that stall analysis calls so'),
      limit: pageFields.limit,
      cursor: pageFields.cursor,
    }),
    output: page(session).describe(
      'a page may have fewer sessions than its limit where `stalled_or_oscillating` is asked for: next_cursor goes on',
    ),
    run: async (graph, { limit, cursor, ...filter }) => {
      const { sessions, next } = await listSessions(graph, filter, {
        after: worldCursor(ORDER, cursor),
        limit,
      })
      if (sessions.length === 0 && cursor == null) await requireNames(graph, filter)
      return { items: sessions, nextCursor: next === null ? null : cursorAt(positionIn(ORDER)(next)) }
    },
  }),
} as const
