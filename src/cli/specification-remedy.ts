/** Describes how the criteria of a refused file can be declared. */
import type { SpecifiedFile } from '../artifacts/specifications/report.ts'
import { quoteForShell } from '../rules/command-line.ts'

/** Formats whose files can name their feature and task in front matter. */
const WITH_FRONT_MATTER: ReadonlySet<string | null> = new Set(['markdown', 'backlog'])

export function remedyFor({ path, format, tasks }: SpecifiedFile): string | null {
  if (format === null) return null
  const missing = [
    ...(tasks.some(({ featureId }) => featureId === null) ? ['--feature FEATURE'] : []),
    ...(tasks.some(({ taskId }) => taskId === null) ? ['--task TASK'] : []),
  ]
  if (missing.length > 0) {
    const file = path === '-' ? path : quoteForShell(path)
    const command = `turngraph specify ${file} ${missing.join(' ')}`
    if (format === 'gherkin') return `A .feature file cannot name its task. Run \`${command}\`.`
    return WITH_FRONT_MATTER.has(format)
      ? `Run \`${command}\`, or write \`feature_id\` and \`id\` into its front matter.`
      : `Run \`${command}\`.`
  }
  if (tasks.length > 0) return null
  if (format === 'gherkin') return 'Write a `Scenario:` for each criterion.'
  return 'Write a list under a heading "Acceptance Criteria", or name the format with --format.'
}
