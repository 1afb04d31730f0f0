// Draws a report: the views of the page as one document without scripts. It runs in the command line, not in a browser.
import { renderToString } from 'preact-render-to-string'
import type { ReportContent } from '../../cli/report/report-content.ts'
import { ReportDocument } from './report-document.tsx'

/** `src/cli/report/renderer.d.ts` declares this export for the command line. */
export const renderReport = (content: ReportContent): string =>
  `<!doctype html>\n${renderToString(<ReportDocument content={content} />)}\n`
