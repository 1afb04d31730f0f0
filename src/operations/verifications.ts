// Declares the operation that adds verifications to a turn, as they are or as test reports.
import * as z from 'zod'
import { type ReportText, verifyByReports } from '../artifacts/test-reports/verify-by-reports.ts'
import { invalidField } from '../core/errors.ts'
import type { Graph } from '../graph/port.ts'
import {
  addVerifications,
  addVerificationsAnswer,
  addVerificationsRequest,
} from '../memory/capture/additions.ts'
import { observationInput } from '../memory/record/observation.ts'
import { getSpecification } from '../memory/specification/declare.ts'
import { resolveTarget } from '../memory/worlds/resolve-target.ts'
import { OBSERVERS, operation } from './operation.ts'

const MAX_REPORTS = 20
/** Maximum length of a report. A request over HTTP is shorter. */
const MAX_REPORT_CHARACTERS = 8 * 1024 * 1024

const reports = z
  .array(z.string().max(MAX_REPORT_CHARACTERS, 'is longer than 8 MiB'))
  .max(MAX_REPORTS, `has more than ${MAX_REPORTS} reports`)
  .nullish()

const { startedAt, tree, dirty, commit, runner, host } = observationInput.shape

const input = addVerificationsRequest.extend({
  verifications: addVerificationsRequest.shape.verifications.nullish(),
  junit: reports.describe('texts of JUnit reports, whose tests prove the declared criteria that they name'),
  tap: reports.describe('texts of TAP reports'),
  vitestJson: reports.describe('texts of JSON reports of vitest or Jest'),
  reportedOn: z
    .strictObject({ startedAt, tree, dirty, commit, runner, host })
    .nullish()
    .describe('with reports: when the tests ran, and on which files'),
})

const reportSummary = z.object({
  skipped: z
    .array(z.object({ criterionId: z.string(), tests: z.array(z.string()) }))
    .describe('skipped tests of criteria; they prove nothing'),
  unmapped: z.array(z.string()).describe('declared criteria that no test names, except those for a person'),
  unused: z.number().describe('number of tests that name no criterion'),
})

type Input = z.output<typeof input>

const listReports = ({ junit, tap, vitestJson }: Input): ReportText[] =>
  [
    { format: 'junit' as const, field: 'junit', texts: junit },
    { format: 'tap' as const, field: 'tap', texts: tap },
    { format: 'vitest' as const, field: 'vitest_json', texts: vitestJson },
  ].flatMap(({ format, field, texts }) =>
    (texts ?? []).map((text, i) => ({ format, text, place: `${field}[${i}]` })),
  )

type Task = { project: string; featureId: string; taskId: string }

/** Reads the reports of a request. Their tests are mapped to the newest specification of the task. */
async function readReports(graph: Graph, task: Task, texts: readonly ReportText[], { reportedOn }: Input) {
  if (reportedOn == null) throw invalidField('reported_on', 'is missing; send the time when the tests ran')
  const { criteria } = await getSpecification(graph, task)
  const declared = criteria.map(({ criterionId, ...criterion }) => ({ ...criterion, label: criterionId }))
  return verifyByReports(declared, texts, reportedOn)
}

export const verificationOperations = {
  addVerifications: operation({
    summary:
      'Add verifications to a turn that has ended: what CI, a command, a late validator or a person saw',
    scope: 'observe',
    roles: OBSERVERS,
    input,
    output: addVerificationsAnswer.extend({
      reports: reportSummary.optional().describe('only with reports: what they do not prove'),
    }),
    run: async (graph, given, { caller }) => {
      const texts = listReports(given)
      const own = given.verifications ?? []
      if (texts.length === 0 && own.length === 0)
        throw invalidField('verifications', 'is missing; send some, or test reports')
      const { junit, tap, vitestJson, reportedOn, ...target } = given
      const task = await resolveTarget(graph, target)
      const read = texts.length === 0 ? null : await readReports(graph, task, texts, given)
      const verifications = [...own, ...(read?.verifications ?? [])]
      const options = { addedBy: caller?.tokenName }
      const answer = await addVerifications(graph, { ...task, verifications }, options)
      return { ...answer, ...(read !== null && { reports: read.summary }) }
    },
  }),
} as const
