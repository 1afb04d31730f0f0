// Declares the operations that look back at recorded sessions: compare and replay.
import * as z from 'zod'
import { compareWorlds } from '../analysis/compare.ts'
import { MAX_REPLAYED_TURNS, replaySessions } from '../analysis/replay.ts'
import { parseCursor, toCursor } from '../core/cursor.ts'
import { name, project, wholeNumber } from '../core/fields.ts'
import { pageFields } from '../core/pages.ts'
import { sessionComparison } from '../rules/compare-sessions.ts'
import { POLICIES } from '../rules/criterion-states.ts'
import { replayedSession, replayTotals } from '../rules/replay.ts'
import { DETECTORS } from '../rules/replay-rules.ts'
import { describeReplay, sumReplays } from '../rules/replay-sums.ts'
import { operation, worldSlug } from './operation.ts'

export const historyOperations = {
  compareWorlds: operation({
    summary: 'Two sessions side by side: turns, gains, reversals, gates, issues and cost',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project,
      a: worldSlug.describe('the slug of one session'),
      b: worldSlug.describe('the slug of the other'),
    }),
    output: sessionComparison,
    run: (graph, { project, a, b }) => compareWorlds(graph, { project, a, b }),
  }),
  replaySessions: operation({
    summary: 'What the memory would have changed in recorded sessions, with each counted turn and its rule',
    scope: 'read',
    input: z.strictObject({
      project,
      featureId: name.nullish(),
      taskId: name.nullish(),
      policy: z.enum(POLICIES).nullish().describe('default: each of them'),
      stall: z.enum(DETECTORS).default('should_stop').describe('what ends a session; default: should_stop'),
      limit: wholeNumber(1, 200).default(50).describe('sessions, 1 to 200'),
      cursor: pageFields.cursor,
    }),
    output: z.object({
      items: z.array(replayedSession).describe('in the order of their slugs'),
      totals: z.array(replayTotals).describe('of this page, by policy'),
      sentence: z.string().describe('the totals of the first policy'),
      tooLong: z
        .array(z.string())
        .describe(`sessions with more than ${MAX_REPLAYED_TURNS} turns, which are not replayed`),
      nextCursor: z.string().nullable(),
    }),
    run: async (graph, { policy, limit, cursor, ...request }) => {
      const policies = policy == null ? POLICIES : [policy]
      const window = { after: parseCursor(z.string(), cursor), limit }
      const { sessions, tooLong, next } = await replaySessions(graph, { ...request, policies }, window)
      const totals = sumReplays(sessions, policies)
      return {
        items: sessions,
        totals,
        sentence: totals[0] === undefined ? '' : describeReplay(totals[0]),
        tooLong,
        nextCursor: next === null ? null : toCursor(next),
      }
    },
  }),
} as const
