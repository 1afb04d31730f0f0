/** The names of the formats of specifications (docs/how-to/specifications.md). */
export const FORMAT_NAMES = [
  'markdown',
  'kiro',
  'openspec',
  'spec-kit',
  'gherkin',
  'backlog',
  'beads',
  'task-master',
  'github-issue',
  'json',
] as const

export type FormatName = (typeof FORMAT_NAMES)[number]
