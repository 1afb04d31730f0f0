import * as z from 'zod'
import { examination, examine } from '../maintenance/doctor/examine.ts'
import { forget } from '../maintenance/forget/forget.ts'
import { forgetAnswer, forgetRequest } from '../maintenance/forget/record.ts'
import { operation, project } from './operation.ts'

/** With what an examination has derived so far of a world that one answer was too short for. */
const cursor = z.string().max(900_000).nullish().describe("the last answer's next_cursor")

const repair = z
  .boolean()
  .optional()
  .describe('true: what can be derived from the graph itself is put right; a finding says whether it was')

/** What an administrator does with a graph. */
export const upkeepOperations = {
  examine: operation({
    summary: 'Whether what the graph holds of a project is whole and right, a piece at a time',
    scope: 'admin',
    input: z.strictObject({ project, cursor, repair }),
    output: examination,
    run: (graph, input) => examine(graph, input),
  }),
  examineGraph: operation({
    summary: 'The same of the whole graph, with what belongs to no project',
    scope: 'admin',
    wholeGraph: true,
    input: z.strictObject({ cursor, repair }),
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
}
