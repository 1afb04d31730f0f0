// Draws a report: the views of the page as one document without scripts. It runs in the command line, not in a browser.
import { renderToString } from 'preact-render-to-string'
import type { ReportContent } from '../../cli/report/report-content.ts'
import { ClockContext } from '../components/instant.tsx'
import { Sentence } from '../components/sentence.tsx'
import { LinkContext } from '../components/view-link.tsx'
import { DecisionLegend } from '../marks/legend.tsx'
import { nameSession } from '../session-name.ts'
import styles from '../styles/report.css'
import { describeSessions } from '../views/sessions/sessions-sentence.ts'
import { SessionsTable } from '../views/sessions/sessions-table.tsx'
import { linkWithin } from './anchors.ts'
import { Cuts } from './cuts.tsx'
import { SessionArticle } from './session-article.tsx'

/** Content security policy of a report: no requests, no scripts, one style sheet identified by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${styles.sha256}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function ReportDocument({ content }: { content: ReportContent }) {
  const { project, sessions, details, role } = content
  const title = sessions === null ? nameSession(details[0]?.world.world_slug ?? project) : project
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Turngraph`}</title>
        <style dangerouslySetInnerHTML={{ __html: styles.text }} />
      </head>
      <body>
        <header class="page-head">
          <span class="brand">Turngraph</span>
          <span>
            Project <bdi>{project}</bdi>, as its {role === 'coach' ? 'Coach' : 'Player'} may see it
          </span>
        </header>
        <ClockContext.Provider value="utc">
          <LinkContext.Provider value={linkWithin(content)}>
            <main>
              {sessions !== null && <Overview content={content} sessions={sessions} />}
              {details.map((session, place) => (
                <SessionArticle
                  key={session.world.world_slug}
                  session={session}
                  place={place}
                  outcome={
                    sessions?.items.find(({ world_slug }) => world_slug === session.world.world_slug)
                      ?.outcome ?? null
                  }
                />
              ))}
            </main>
          </LinkContext.Provider>
        </ClockContext.Provider>
      </body>
    </html>
  )
}

type OverviewProps = { content: ReportContent; sessions: NonNullable<ReportContent['sessions']> }

function Overview({ content: { project, cuts }, sessions }: OverviewProps) {
  return (
    <section aria-label="All sessions">
      <Sentence title={project}>{describeSessions(sessions, false)}</Sentence>
      {sessions.items.length > 0 && (
        <>
          <SessionsTable project={project} sessions={sessions.items} />
          <DecisionLegend />
        </>
      )}
      <Cuts of={cuts} />
    </section>
  )
}

/** `src/cli/report/renderer.d.ts` declares this export for the command line. */
export const renderReport = (content: ReportContent): string =>
  `<!doctype html>\n${renderToString(<ReportDocument content={content} />)}\n`
