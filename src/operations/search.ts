// Declares the search over the texts of a project.
import * as z from 'zod'
import { project, wholeNumber } from '../core/fields.ts'
import { page, pageFields } from '../core/pages.ts'
import { ROLES } from '../memory/criteria/views.ts'
import { MAX_QUERY_CHARACTERS, searchHit, searchMemory } from '../search/search.ts'
import { SEARCH_KINDS } from '../search/text-index.ts'
import { operation } from './operation.ts'

export const searchOperations = {
  search: operation({
    summary:
      'Texts of a project that have all words of a query: summaries, feedback, issues, lessons, blockers, criteria and failed calls',
    scope: 'read',
    roles: ['play', 'judge'],
    readsAsPlayer: true,
    input: z.strictObject({
      project,
      q: z
        .string()
        .min(1)
        .max(MAX_QUERY_CHARACTERS)
        .describe(
          '1 to 16 words; each finds its word and longer ones that begin with it, ignoring case and accents',
        ),
      kind: z.enum(SEARCH_KINDS).nullish().describe('default: all'),
      role: z.enum(ROLES).default('coach').describe('a player finds no failed calls'),
      limit: wholeNumber(1, 100).default(20).describe('1 to 100'),
      cursor: pageFields.cursor,
    }),
    output: page(searchHit),
    run: (graph, input, { search }) => searchMemory(graph, search, input),
  }),
} as const
