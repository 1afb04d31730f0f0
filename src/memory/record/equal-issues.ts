/** Counts issues of a turn that say the same, so that each is shown once with its number. */

type Says = { severity: string; description: string; suggestion: string | null }

export function countEqual<I extends Says>(issues: readonly I[]): { issue: I; times: number }[] {
  const groups = new Map<string, { issue: I; times: number }>()
  for (const issue of issues) {
    const says = JSON.stringify([issue.severity, issue.description, issue.suggestion])
    const group = groups.get(says) ?? { issue, times: 0 }
    group.times++
    groups.set(says, group)
  }
  return [...groups.values()]
}
