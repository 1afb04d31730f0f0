/** Neutralizes texts from outside in a report, so that they cannot imitate, reorder or hide lines of the report. */
import { removeHidden, toBlock } from '../../rules/foreign-text.ts'
import type { ReportContent } from './report-content.ts'

/** Returns the same content with neutralized texts. The contexts of the next turn are neutral already. */
export const cleanContent = (content: ReportContent): ReportContent => ({
  ...clean(content),
  details: content.details.map(({ contexts, ...session }) => ({ ...clean(session), contexts })),
})

function clean<T>(content: T): T
function clean(content: unknown): unknown {
  if (typeof content === 'string') return toBlock(content)
  if (Array.isArray(content)) return content.map((item) => clean<unknown>(item))
  if (typeof content !== 'object' || content === null) return content
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [removeHidden(name), clean<unknown>(value)]),
  )
}
