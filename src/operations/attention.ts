// Declares the operations on the sessions that need a person.
import * as z from 'zod'
import { name } from '../core/fields.ts'
import { page, pageFields, readPlaces } from '../core/pages.ts'
import { listProjects } from '../maintenance/whole-graph.ts'
import { attentionItem, listAttention } from '../memory/worlds/attention.ts'
import { loadSummary, sessionSummary } from '../memory/worlds/session-summary.ts'
import { operation, worldSlug } from './operation.ts'

const MAX_PROJECTS = 100

export const attentionOperations = {
  listAttention: operation({
    summary: 'The sessions that need a person, the most urgent first, each with one sentence that says why',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project: name.nullish().describe('default: all projects that the caller may read'),
      limit: pageFields.limit,
      cursor: pageFields.cursor,
    }),
    output: page(attentionItem).describe(
      'of each project, the 1,000 sessions that were active last are examined; of all projects, the first 100 by name',
    ),
    run: async (graph, { project, limit, cursor }, { namedProject = project, onlyProject = null }) => {
      const named = namedProject ?? onlyProject
      const projects =
        named === null ? (await listProjects(graph, null, ['Project'])).slice(0, MAX_PROJECTS) : [named]
      return readPlaces({ limit, cursor }, () => listAttention(graph, projects, new Date()))
    },
  }),
  getSessionSummary: operation({
    summary: 'How a session ended and why, in at most two sentences that consist of facts',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project: name.nullish().describe("default: the connection's project"),
      worldSlug,
    }),
    output: sessionSummary,
    run: (graph, input) => loadSummary(graph, input.project, input.worldSlug, new Date()),
  }),
}
