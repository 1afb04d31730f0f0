/** The part of the page that draws a report. The build bundles it (scripts/bundle-page.mjs): commands know nothing of views. */
declare module '#report' {
  import type { ReportContent } from './report-content.ts'

  /** A document of HTML that needs nothing beside itself. */
  export function renderReport(content: ReportContent): string
}
