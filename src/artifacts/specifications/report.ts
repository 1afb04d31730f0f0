/** Declares the report of `turngraph specify` (contract: doors.md, 3). */
import * as z from 'zod'
import { CRITERION_KINDS } from '../../rules/values.ts'

const criterion = z.object({
  criterionId: z.string(),
  text: z.string(),
  kind: z.enum(CRITERION_KINDS),
  command: z.array(z.string()).optional().describe('program and arguments whose exit proves it'),
  tests: z.array(z.string()).optional().describe('names of tests that prove it; * is any text'),
})

const task = z.object({
  featureId: z.string().nullable(),
  taskId: z.string().nullable(),
  version: z.number().nullable().describe('null: not declared'),
  criteria: z.array(criterion).describe('those that this file states'),
})

const file = z.object({
  path: z.string(),
  format: z.string().nullable().describe('null: not read'),
  tasks: z.array(task),
  warnings: z.array(z.object({ line: z.number().nullable(), message: z.string() })),
  refused: z.string().optional().describe('why the file, or a task of it, is not declared'),
})

export const specifyReport = z.object({ files: z.array(file) })

export type SpecifyReport = z.output<typeof specifyReport>
export type SpecifiedFile = z.output<typeof file>
