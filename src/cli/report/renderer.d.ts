/** Part of the page that draws a report. The build bundles it (scripts/bundle-page.mjs), because commands cannot import views. */
declare module '#report' {
  import type { ReportContent } from './report-content.ts'

  export function renderReport(content: ReportContent): string
}
