// Declares the operations on the specification of a task.
import * as z from 'zod'
import { FORMAT_NAMES, type FormatName } from '../artifacts/specifications/format-names.ts'
import { readCriteriaOfText } from '../artifacts/specifications/read-text.ts'
import { invalidField } from '../core/errors.ts'
import { name, project, wholeNumber } from '../core/fields.ts'
import { declareCriteria, getSpecification } from '../memory/specification/declare.ts'
import {
  type DeclaredInput,
  declaredCriteria,
  specificationSource,
  specificationView,
} from '../memory/specification/specification.ts'
import { warnOfLookAlikes } from '../rules/look-alikes.ts'
import { operation, ROLE_SCOPES } from './operation.ts'

const task = { project, featureId: name, taskId: name }

/** Maximum length of a text in a format; a request over HTTP is shorter. */
const MAX_TEXT_CHARACTERS = 8 * 1024 * 1024

type Stated = {
  featureId: string
  taskId: string
  criteria?: DeclaredInput | null | undefined
  format?: FormatName | null | undefined
  text?: string | null | undefined
}

/** @throws `invalid_request` unless either `criteria` or `format` and `text` are given */
async function criteriaIn({ criteria, format, text, ...names }: Stated): Promise<{
  criteria: DeclaredInput
  warnings: string[]
}> {
  if (criteria != null && format == null && text == null) return { criteria, warnings: [] }
  if (criteria == null && format != null && text != null) return readCriteriaOfText({ format, text }, names)
  throw invalidField('criteria', 'is required, or `format` and `text` instead of it', {
    hint: 'Send {"criteria": [{"text": "…"}]}, or {"format": "markdown", "text": "…"}.',
  })
}

export const specificationOperations = {
  declareCriteria: operation({
    summary: 'Declare what must hold: the criteria of a task. The same list again is the same version',
    scope: 'write',
    input: z.strictObject({
      ...task,
      criteria: declaredCriteria.nullish(),
      format: z.enum(FORMAT_NAMES).nullish().describe('of `text`'),
      text: z
        .string()
        .max(MAX_TEXT_CHARACTERS, 'is longer than 8 MiB')
        .nullish()
        .describe(
          'a specification file, instead of `criteria`; of several tasks the one with `task_id` is declared',
        ),
      source: specificationSource.nullish(),
    }),
    output: specificationView.extend({
      created: z.boolean().describe('false: the newest version lists the same'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('of labels with letters of another alphabet, and of the text'),
    }),
    run: async (graph, { criteria: given, format, text, ...input }, { caller }) => {
      const stated = await criteriaIn({ ...input, criteria: given, format, text })
      const { criteria } = stated
      const view = await declareCriteria(graph, { ...input, criteria, recordedBy: caller?.tokenName })
      const labels = view.criteria.map(({ criterionId }) => criterionId)
      const warnings = [...stated.warnings, ...warnOfLookAlikes(labels)]
      return { ...view, ...(warnings.length > 0 && { warnings }) }
    },
  }),
  getSpecification: operation({
    summary: 'What a task declares must hold, in its newest version or an earlier one',
    scope: 'read',
    roles: ROLE_SCOPES,
    input: z.strictObject({
      ...task,
      version: wholeNumber(1, 1_000_000).nullish().describe('default: the newest'),
    }),
    output: specificationView,
    run: (graph, { version, ...scope }) => getSpecification(graph, scope, version ?? null),
  }),
} as const
