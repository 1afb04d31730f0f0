/** Reads JSON in the form of PUT /v1/specification. Its criteria are checked when they are declared. Pure. */
import type { Stated, StatedCriterion } from './stated.ts'

export function readJson(source: string): Stated {
  const { value, refused } = parseSource(source)
  if (refused !== undefined) return { tasks: [], warnings: [], refused }
  if (typeof value !== 'object' || value === null || !('criteria' in value) || !Array.isArray(value.criteria))
    return { tasks: [], warnings: [], refused: 'has no list `criteria`' }
  const { criteria, ...names } = value as { criteria: unknown[] } & Record<string, unknown>
  const wrong = criteria.findIndex((each) => typeof toCriterion(each).text !== 'string')
  if (wrong >= 0)
    return { tasks: [], warnings: [], refused: `has a criterion without a text: criteria[${wrong}]` }
  const name = (key: string) => (typeof names[key] === 'string' ? (names[key] as string) : null)
  const task = { taskId: name('task_id'), featureId: name('feature_id'), criteria: criteria.map(toCriterion) }
  return { tasks: [task], warnings: [] }
}

function toCriterion(given: unknown): StatedCriterion {
  if (typeof given === 'string') return { text: given }
  const { criterion_id: criterionId, ...rest } = (given ?? {}) as Record<string, unknown>
  return { ...(criterionId != null && { criterionId }), ...rest } as StatedCriterion
}

/** Parses JSON, also behind a byte order mark. */
export function parseSource(source: string): { value?: unknown; refused?: string } {
  try {
    return { value: JSON.parse(source.replace(/^\uFEFF/, '')) }
  } catch (cause) {
    return { refused: `is not JSON: ${cause instanceof Error ? cause.message : cause}` }
  }
}
