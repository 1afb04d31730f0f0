// Declares the operations on the specification of a task.
import * as z from 'zod'
import { name, project, wholeNumber } from '../core/fields.ts'
import { declareCriteria, getSpecification } from '../memory/specification/declare.ts'
import {
  declaredCriteria,
  specificationSource,
  specificationView,
} from '../memory/specification/specification.ts'
import { warnOfLookAlikes } from '../rules/look-alikes.ts'
import { operation } from './operation.ts'

const task = { project, featureId: name, taskId: name }

export const specificationOperations = {
  declareCriteria: operation({
    summary: 'Declare what must hold: the criteria of a task. The same list again is the same version',
    scope: 'write',
    input: z.strictObject({ ...task, criteria: declaredCriteria, source: specificationSource.nullish() }),
    output: specificationView.extend({
      created: z.boolean().describe('false: the newest version lists the same'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('of labels: letters of another alphabet look like them'),
    }),
    run: async (graph, input, { caller }) => {
      const view = await declareCriteria(graph, { ...input, recordedBy: caller?.tokenName })
      const warnings = warnOfLookAlikes(view.criteria.map(({ criterionId }) => criterionId))
      return { ...view, ...(warnings.length > 0 && { warnings }) }
    },
  }),
  getSpecification: operation({
    summary: 'What a task declares must hold, in its newest version or an earlier one',
    scope: 'read',
    input: z.strictObject({
      ...task,
      version: wholeNumber(1, 1_000_000).nullish().describe('default: the newest'),
    }),
    output: specificationView,
    run: (graph, { version, ...scope }) => getSpecification(graph, scope, version ?? null),
  }),
} as const
