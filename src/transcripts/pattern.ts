/** Between the tools of a pattern, and of a sequence. */
export const ARROW = ' → '

/**
 * The shape of a turn: calls of the same tool in a row collapse, always to `{2+}`, so that three and five reads are
 * one pattern (seed 002, "Pattern fuzzing").
 *
 * @example patternOf(['Grep', 'Read', 'Read', 'Read', 'Edit']) // 'Grep → Read{2+} → Edit'
 */
export function patternOf(tools: readonly string[]): string {
  const shapes: string[] = []
  tools.forEach((tool, i) => {
    if (tool !== tools[i - 1]) shapes.push(tool)
    else if (tool !== tools[i - 2]) shapes[shapes.length - 1] = `${tool}{2+}`
  })
  return shapes.join(ARROW)
}
