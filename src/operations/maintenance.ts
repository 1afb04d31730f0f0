// Declares the operations that export, restore, examine and forget.
import * as z from 'zod'
import { instant, project, wholeNumber } from '../core/fields.ts'
import type { Graph } from '../graph/port.ts'
import { examination, examine } from '../maintenance/doctor/examine.ts'
import { exportPosition, headerLine, walkLines } from '../maintenance/export/export.ts'
import { readPage } from '../maintenance/export/page.ts'
import { exportPairLines, pairsPosition } from '../maintenance/export/pairs.ts'
import { KINDS } from '../maintenance/export/records.ts'
import { forget } from '../maintenance/forget/forget.ts'
import { forgetAnswer, forgetRequest } from '../maintenance/forget/record.ts'
import { restoreRecords } from '../maintenance/restore/restore.ts'
import { beginReadingAll } from '../maintenance/whole-graph.ts'
import { operation } from './operation.ts'

const pageInput = {
  content: z
    .enum(['records', 'pairs'])
    .default('records')
    .describe('pairs: a line for each turn with a verdict of the Coach, as a training set'),
  since: instant.nullish().describe('what moved since: whole worlds, and sessions of transcripts'),
  limit: wholeNumber(1, 1_000).default(500).describe('lines, 1 to 1,000'),
  cursor: z.string().max(16_000).nullish().describe("the last page's next_cursor"),
}

const pageOutput = z.object({
  lines: z.array(z.string()).describe('each a JSON object; the first one of an export is its header'),
  nextCursor: z.string().nullable().describe('null on the last page'),
})

type PageInput = z.output<z.ZodObject<typeof pageInput>>

async function readExportPage(
  graph: Graph,
  of: string | null,
  input: PageInput,
): Promise<z.input<typeof pageOutput>> {
  const exported = { project: of, since: input.since ?? null }
  if (input.cursor == null) await beginReadingAll(graph, of)
  return input.content === 'pairs'
    ? readPage(input, pairsPosition, (from) => exportPairLines(graph, exported, from))
    : readPage(input, exportPosition, (from) => walkLines(graph, exported, from), [headerLine(exported)])
}

const restored = z.object({
  created: z.number(),
  existing: z.number().describe('stood there already, the same'),
})

const restoredRecords = z.partialRecord(z.enum(KINDS), restored)

const examinationCursor = z.string().max(16_000).nullish().describe("the last answer's next_cursor")

const repair = z
  .boolean()
  .optional()
  .describe('true: what can be derived from the graph itself is put right; a finding says whether it was')

export const maintenanceOperations = {
  examine: operation({
    summary: 'Whether what the graph holds of a project is whole and right, a piece at a time',
    scope: 'admin',
    input: z.strictObject({ project, cursor: examinationCursor, repair }),
    output: examination,
    run: (graph, input) => examine(graph, input),
  }),
  examineGraph: operation({
    summary: 'The same of the whole graph, with what belongs to no project',
    scope: 'admin',
    wholeGraph: true,
    input: z.strictObject({ cursor: examinationCursor, repair }),
    output: examination,
    run: (graph, input) => examine(graph, { ...input, project: null }),
  }),
  forget: operation({
    summary: 'Forget a world, a task or a whole project: really; a dry run unless told otherwise',
    scope: 'admin',
    input: forgetRequest,
    output: forgetAnswer,
    run: (graph, input, { turnLengthThreshold: threshold, log }) => forget(graph, input, { threshold, log }),
  }),
  exportPage: operation({
    summary: 'A page of the lines of a project, to be restored elsewhere; import nothing during the export',
    scope: 'analyst',
    showsWholeMarks: true,
    input: z.strictObject({ project, ...pageInput }),
    output: pageOutput,
    run: (graph, input) => readExportPage(graph, input.project, input),
  }),
  exportGraphPage: operation({
    summary: 'A page of the lines of all projects; import nothing during the export',
    scope: 'analyst',
    wholeGraph: true,
    showsWholeMarks: true,
    input: z.strictObject(pageInput),
    output: pageOutput,
    run: (graph, input) => readExportPage(graph, null, input),
  }),
  restoreRecords: operation({
    summary: 'Restore some lines of an export, in their order: all of them or none',
    scope: 'admin',
    wholeGraph: true,
    input: z.strictObject({
      records: z
        .array(z.unknown())
        .min(1)
        .max(1_000)
        .describe('lines of an export but for header and trailer'),
      continuesTask: z
        .string()
        .nullish()
        .describe(
          'key of the task whose lines go on in the next request; nothing else writes into it until then',
        ),
    }),
    output: z.object({
      records: restoredRecords,
      redactions: z.number().describe('how many secrets were masked in what was sent'),
    }),
    run: (graph, input) => restoreRecords(graph, input.records, input),
  }),
} as const
