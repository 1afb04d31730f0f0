/** Writes the calls of a turn as text: the pattern that groups turns, and the sequence that tables show. */

export const ARROW = ' → '

/**
 * Returns the pattern of a turn. Consecutive calls of one tool are `{2+}`, however many (seed 002, "Pattern fuzzing").
 * @example formatPattern(['Grep', 'Read', 'Read', 'Read', 'Edit']) // 'Grep → Read{2+} → Edit'
 */
export function formatPattern(tools: readonly string[]): string {
  const shapes: string[] = []
  tools.forEach((tool, i) => {
    if (tool !== tools[i - 1]) shapes.push(tool)
    else if (tool !== tools[i - 2]) shapes[shapes.length - 1] = `${tool}{2+}`
  })
  return shapes.join(ARROW)
}

/**
 * Writes the calls of a turn in order. Consecutive calls of one tool are counted.
 * @example formatSequence(['Grep', 'Bash', 'Bash', 'Bash', 'Edit']) // 'Grep → Bash×3 → Edit'
 */
export function formatSequence(tools: readonly string[]): string {
  const runs: { tool: string; calls: number }[] = []
  for (const tool of tools) {
    const last = runs.at(-1)
    if (last?.tool === tool) last.calls += 1
    else runs.push({ tool, calls: 1 })
  }
  return runs.map(({ tool, calls }) => (calls === 1 ? tool : `${tool}×${calls}`)).join(ARROW)
}

/**
 * Reads a pattern in any printed form, and with `->` instead of `→`, which keyboards lack.
 * @example parsePattern('Grep -> Bash×15 → Edit') // 'Grep → Bash{2+} → Edit'
 */
export function parsePattern(text: string): string {
  const tools = text.split(/→|->/).flatMap((part) => {
    const [, tool = '', several, counted] = /^(.*?)(\{2\+\}|×(\d{1,9}))?$/s.exec(part.trim()) ?? []
    const isRepeated = several !== undefined && (counted === undefined || Number(counted) > 1)
    return isRepeated ? [tool, tool] : [tool]
  })
  return formatPattern(tools)
}

export const isSingleTool = (pattern: string): boolean => !pattern.includes(ARROW)
