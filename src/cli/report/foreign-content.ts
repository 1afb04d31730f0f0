/** Writes the texts from outside that a report shows so that none looks like a line of the report, or reorders or hides others. */
import { removeHidden, toBlock } from '../../rules/foreign-text.ts'
import type { ReportContent } from './report-content.ts'

/** The same content. The contexts of the next turn are such texts already. */
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
