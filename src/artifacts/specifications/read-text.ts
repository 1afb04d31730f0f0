/** Reads the criteria of one task from a text in one of the formats. */
import { TurngraphError } from '../../core/errors.ts'
import { parseInput } from '../../core/wire-form.ts'
import { type DeclaredInput, declaredCriteria } from '../../memory/specification/specification.ts'
import type { FormatName } from './format-names.ts'
import { readSpecification } from './formats.ts'

export async function readCriteriaOfText(
  { format, text }: { format: FormatName; text: string },
  { featureId, taskId }: { featureId: string; taskId: string },
): Promise<{ criteria: DeclaredInput; warnings: string[] }> {
  const stated = await readSpecification(format, text, { path: '', tasks: true })
  const refuse = (message: string, hint: string) => {
    const details = { problems: [{ path: 'text', message }] }
    return new TurngraphError('invalid_request', `text: ${message}.`, { hint, details })
  }
  if (stated.refused !== undefined) throw refuse(stated.refused, 'Check `format`, or send `criteria`.')
  const { tasks } = stated
  const named = tasks.filter((task) => task.taskId === taskId)
  const task =
    named.find((each) => each.featureId === featureId) ??
    named[0] ??
    (tasks.length === 1 ? tasks[0] : undefined)
  if (task === undefined) {
    const ids = tasks.slice(0, 5).map((each) => each.taskId)
    throw refuse(
      `states ${tasks.length} tasks, and not ${taskId}`,
      `It has ${ids.join(', ')}${tasks.length > 5 ? ' …' : ''}.`,
    )
  }
  const warnings = stated.warnings.map(({ line, message }) =>
    line === null ? message : `line ${line}: ${message}`,
  )
  return { criteria: parseInput(declaredCriteria, task.criteria, 'text'), warnings }
}
