/** Declares the report of an import. */
import * as z from 'zod'

/** The result of an import, or the expected result with `dryRun` (autobuild-artifacts.md, "Answer"). */
export const importReport = z.object({
  tasks: z.number(),
  worlds: z.number().describe('runs of all tasks; each run is a world'),
  turnsCreated: z.number(),
  turnsUnchanged: z.number(),
  turnsSuperseded: z.number(),
  turnsFailed: z.number(),
  specifications: z.number().describe('tasks whose file states criteria; new criteria are declared'),
  verifications: z.number().describe('of all turns read, created or not'),
  promises: z.number().describe('of all turns read, created or not'),
  issues: z.number().describe('of all turns read, created or not'),
  unmapped: z
    .array(z.object({ shape: z.string(), key: z.string(), count: z.number(), example: z.string() }))
    .describe('keys that have no place in a turn record'),
  unread: z
    .array(z.object({ name: z.string(), count: z.number(), example: z.string() }))
    .describe('files of task folders without data for a turn record, by name with N for digits'),
  skipped: z.array(z.object({ file: z.string(), reason: z.string() })),
  warnings: z.array(
    z.object({ task: z.string(), turn: z.number().nullable(), field: z.string(), message: z.string() }),
  ),
  redactions: z.number().describe('secrets masked in the artifacts'),
})

export type ImportReport = z.output<typeof importReport>
