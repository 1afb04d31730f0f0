// Declares the operation that returns the rights of the caller's token.
import * as z from 'zod'
import { operation, ROLE_SCOPES, SCOPES } from './operation.ts'

export const callerOperations = {
  describeCaller: operation({
    summary: 'What the caller may do: the scopes of its token, and the project that it is bound to',
    scope: 'read',
    roles: ROLE_SCOPES,
    input: z.strictObject({}),
    output: z.object({
      name: z.string().describe('of the token'),
      scopes: z.array(z.enum(SCOPES)),
      onlyProject: z.string().nullable().describe('the one project that the token reaches; null: all'),
      project: z.string().describe('that of calls that name none'),
    }),
    run: async (_graph, { project }, { caller, onlyProject = null }) => ({
      name: caller?.name ?? 'in process',
      scopes: [...(caller?.scopes ?? SCOPES)],
      onlyProject,
      project,
    }),
  }),
} as const
