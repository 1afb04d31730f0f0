const LABEL = /\b([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*?[-_])\d+\b/g

/**
 * The criterion labels in an issue's `requirement` ("AC-002, AC-003 (tests)"), as written. A label is
 * one where it begins like the criteria that the turn names, or `AC-` or `criterion_`: `UTF-8` and `TASK-X-004`
 * are none. A range is the two labels that it names.
 */
export function labelsIn(requirement: string, criterionIds: readonly string[]): string[] {
  const prefixes = new Set(['ac-', 'criterion_', 'criterion-'])
  for (const id of criterionIds) {
    for (const [, prefix] of id.matchAll(LABEL)) prefixes.add(lower(prefix))
  }
  const found = [...requirement.matchAll(LABEL)].filter(([, prefix]) => prefixes.has(lower(prefix)))
  return [...new Set(found.map(([label]) => label))]
}

const lower = (prefix: string | undefined): string => (prefix ?? '').toLowerCase()
