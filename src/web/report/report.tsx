// Draws a report: the views of the page as one document without scripts. It runs in the command line, not in a browser.
import { renderToString } from 'preact-render-to-string'
import type { ReportContent } from '../../cli/report/report-content.ts'
import { ReportDocument } from './report-document.tsx'

/** Named to the command line by `src/cli/report/renderer.d.ts`. */
export const renderReport = (content: ReportContent): string =>
  `<!doctype html>\n${renderToString(<ReportDocument content={content} />)}\n`
