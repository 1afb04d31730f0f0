// Declares the operations on transcripts of agents (contract: transcripts.md).
import * as z from 'zod'
import { instant, name, project, text, wholeNumber } from '../core/fields.ts'
import { page, pageFields, readPage, readPlaces } from '../core/pages.ts'
import { COST_GROUPS, costRow, listCost } from '../transcripts/cost.ts'
import { desire, listDesires, listPaths, path, refreshDesires } from '../transcripts/desires.ts'
import { importRoot } from '../transcripts/files.ts'
import { graphStore } from '../transcripts/graph-store.ts'
import { filesImport, importFiles } from '../transcripts/import-files.ts'
import {
  contentsOfTranscripts,
  readOneProgress,
  transcriptContents,
  transcriptProgress,
} from '../transcripts/progress.ts'
import {
  listToolStats,
  listTranscriptPatterns,
  listTranscriptSequences,
  listTranscriptTurns,
  toolStat,
  transcriptPattern,
  transcriptSequence,
  transcriptTurn,
} from '../transcripts/reports.ts'
import { listTranscriptSteps, transcriptStep } from '../transcripts/steps.ts'
import { operation } from './operation.ts'

const MAX_NUMBER = 2 ** 31 - 1
const limit = (usual: number) =>
  wholeNumber(0, MAX_NUMBER).default(usual).describe(`0: all; default ${usual}`)
const since = instant
  .nullish()
  .describe('whole turns that began then or later; an ISO 8601 instant, UTC where it has no zone')
const minLength = wholeNumber(0, MAX_NUMBER)
  .nullish()
  .describe('calls a turn has at least; default: the configured threshold of long turns')
const ofSession = name.nullish().describe('of this session alone')

const file = text.nullish().describe('the file, where one is read: two files may hold one session')

export const transcriptOffset = wholeNumber(0, Number.MAX_SAFE_INTEGER)

export const transcriptOperations = {
  listTranscriptTurns: operation({
    summary: 'Turns of agents, longest first, with their calls in order',
    scope: 'read',
    input: z.strictObject({
      project,
      minLength,
      since,
      sessionId: ofSession,
      pattern: z
        .string()
        .max(65_536)
        .nullish()
        .describe('turns of exactly this pattern, of any length; `->` is `→`, and `Read×5` is `Read{2+}`'),
      limit: limit(50),
      cursor: pageFields.cursor,
    }),
    output: page(transcriptTurn),
    run: (graph, input, { turnLengthThreshold }) =>
      readPlaces(input, (limit) =>
        listTranscriptTurns(graph, {
          ...input,
          limit,
          minLength: input.minLength ?? (input.pattern == null ? turnLengthThreshold : 0),
        }),
      ),
  }),
  listTranscriptSteps: operation({
    summary:
      'The calls of one turn of a transcript, in their order: tool, status, parallel group, duration, error',
    scope: 'read',
    input: z.strictObject({
      project,
      sessionId: name.describe("the session, or a subagent's thread in it: `{session}/{agent}`"),
      index: wholeNumber(0, MAX_NUMBER).describe('the place of the turn in the session, from 0'),
      ...pageFields,
    }),
    output: page(transcriptStep).extend({ turnId: z.string() }),
    run: async (graph, { limit: most, cursor, maxBytes, ...input }) => {
      let turnId = ''
      const page = await readPage(
        { limit: most, cursor, maxBytes },
        z.int(),
        async (after, limit) => {
          const found = await listTranscriptSteps(graph, { ...input, after: after ?? -1, limit })
          turnId = found.turnId
          return found.steps
        },
        (last) => last.sequence,
      )
      return { turnId, ...page }
    },
  }),
  listTranscriptPatterns: operation({
    summary: 'The shapes of turns from a least length on, by how often they occur, of a single tool last',
    scope: 'read',
    input: z.strictObject({
      project,
      minLength,
      since,
      sessionId: ofSession,
      limit: limit(0),
      cursor: pageFields.cursor,
    }),
    output: page(transcriptPattern),
    run: (graph, input, { turnLengthThreshold }) =>
      readPlaces(input, (limit) =>
        listTranscriptPatterns(graph, {
          ...input,
          limit,
          minLength: input.minLength ?? turnLengthThreshold,
        }),
      ),
  }),
  listTranscriptSequences: operation({
    summary: 'Sequences of 2 to 5 calls that stand in three turns or more, of a single tool last',
    scope: 'read',
    input: z.strictObject({
      project,
      since,
      sessionId: ofSession,
      limit: limit(20),
      cursor: pageFields.cursor,
    }),
    output: page(transcriptSequence),
    run: (graph, input) => readPlaces(input, (limit) => listTranscriptSequences(graph, { ...input, limit })),
  }),
  listToolStats: operation({
    summary: 'How long the turns are in which each tool is called',
    scope: 'read',
    input: z.strictObject({ project, since, limit: limit(20), cursor: pageFields.cursor }),
    output: page(toolStat),
    run: (graph, input, { turnLengthThreshold: threshold }) =>
      readPlaces(input, (limit) => listToolStats(graph, { ...input, limit, threshold })),
  }),
  listCost: operation({
    summary: 'Tokens of transcript turns by task, session, model, agent or day',
    scope: 'read',
    input: z.strictObject({
      project,
      by: z.enum(COST_GROUPS).default('task').describe('what the tokens are grouped by; default task'),
      since,
      limit: limit(20),
      cursor: pageFields.cursor,
    }),
    output: page(costRow),
    run: (graph, input) => readPlaces(input, (limit) => listCost(graph, { ...input, limit })),
  }),
  listDesires: operation({
    summary:
      'Patterns of long turns that recur across sessions, of a single tool last: each is worth a better tool',
    scope: 'read',
    input: z.strictObject({ project, limit: limit(0), cursor: pageFields.cursor }),
    output: page(desire),
    run: (graph, input, { turnLengthThreshold: threshold }) =>
      readPlaces(input, (limit) => listDesires(graph, { ...input, limit, threshold })),
  }),
  refreshDesires: operation({
    summary: 'Bring the desires up to date; every import does so, except one that announces more to come',
    scope: 'write',
    input: z.strictObject({ project }),
    output: page(desire),
    run: async (graph, input, { turnLengthThreshold: threshold }) => {
      await refreshDesires(graph, input.project, threshold)
      return { items: await listDesires(graph, { ...input, threshold, limit: 0 }), nextCursor: null }
    },
  }),
  listPaths: operation({
    summary: 'What agents struggle with: failed calls and desires in one list',
    scope: 'read',
    input: z.strictObject({ project, since, limit: limit(20), cursor: pageFields.cursor }),
    output: page(path),
    run: (graph, input, { turnLengthThreshold: threshold }) =>
      readPlaces(input, (limit) => listPaths(graph, { ...input, limit, threshold })),
  }),
  getTranscriptProgress: operation({
    summary: 'From which byte on a transcript is to be sent',
    scope: 'read',
    input: z.strictObject({ project, sessionId: name, path: file }),
    output: transcriptProgress,
    run: async (graph, input) => transcriptProgress.parse(await readOneProgress(graph, input)),
  }),
  countTranscripts: operation({
    summary: 'How many sessions, turns and steps the graph holds of some transcripts, each once',
    scope: 'read',
    input: z.strictObject({
      project,
      sources: z.array(z.strictObject({ sessionId: name, path: file })).max(2_000),
    }),
    output: contentsOfTranscripts,
    run: (graph, { project: of, sources }) =>
      transcriptContents(
        graph,
        sources.map((source) => ({ project: of, ...source })),
      ),
  }),
  importTranscripts: operation({
    summary: 'Import transcripts from a folder of the service, below TURNGRAPH_IMPORT_ROOTS',
    scope: 'write',
    input: z.strictObject({ project, path: text.describe('a folder of transcripts, or one of them') }),
    output: filesImport,
    run: async (graph, input, { turnLengthThreshold, importRoots }) =>
      importFiles(graphStore(graph, turnLengthThreshold), [await importRoot(input.path, importRoots)], input),
  }),
}
