/** Declares the request to forget, and its answer. */
import * as z from 'zod'
import { instant, name, project } from '../../core/fields.ts'

export const forgetRequest = z.strictObject({
  project,
  worldSlug: name.nullish().describe('this world alone'),
  featureId: name.nullish().describe('with task_id: all worlds of this task'),
  taskId: name.nullish(),
  sessionId: name.nullish().describe('this session of transcripts alone, with those of its agents'),
  wholeProject: z
    .boolean()
    .nullish()
    .describe(
      'all worlds of the project, and its transcripts; it must be said, to name nothing is not enough',
    ),
  before: instant
    .nullish()
    .describe('only worlds whose newest turn is older, and transcripts of sessions last active before'),
  dryRun: z.boolean().default(true).describe('false: really'),
  cursor: z.string().max(16_384).nullish().describe("of a dry run: the last answer's next_cursor"),
})

export type ForgetRequest = z.output<typeof forgetRequest> & { project: string }

const skippedWorld = z.object({
  worldSlug: z.string(),
  attemptId: z.string().describe("the active attempt's, or the run's where no attempt is active"),
  turnRunId: z.string().nullable(),
})
export type SkippedWorld = z.output<typeof skippedWorld>

export const forgetAnswer = z.object({
  dryRun: z.boolean(),
  done: z.boolean().describe('false: there is more; ask again, a dry run with the cursor'),
  nextCursor: z.string().nullable().describe('of a dry run that is not done'),
  counts: z
    .record(z.string(), z.number())
    .describe(
      'nodes that went with this piece, by label; of a dry run the worlds, turns, transcript sessions and tasks without a world that would go',
    ),
  worlds: z.array(z.string()).describe('slugs of the worlds that are gone with this piece, or would go'),
  skipped: z.array(skippedWorld).describe('worlds where a run or an attempt is active: they stay'),
})
export type ForgetAnswer = z.output<typeof forgetAnswer>
