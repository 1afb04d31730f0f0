// Names the number of turns that were imported from transcripts, with a link to their patterns.
import { Fragment } from 'preact'
import { plural } from '../../core/plural.ts'
import { writeAddress } from '../address.ts'
import { useAnswer, useSession } from '../service/use-service.ts'

/** Draws nothing if no project has a transcript. */
export function TranscriptsLine({ projects }: { projects: readonly string[] }) {
  const { service } = useSession()
  const { answer } = useAnswer(JSON.stringify(['transcripts', projects]), (signal) =>
    Promise.all(
      projects.map(async (project) => {
        // Each page would count all turns again.
        const input = { project, min_length: 0, limit: 0 }
        const { items } = await service.call('listTranscriptPatterns', input, signal)
        return { project, turns: items.reduce((sum, { count }) => sum + count, 0) }
      }),
    ),
  )
  const imported = (answer ?? []).filter(({ turns }) => turns > 0)
  if (imported.length === 0) return null
  return (
    <p>
      Imported from transcripts:{' '}
      {imported.map(({ project, turns }, i) => (
        <Fragment key={project}>
          {i > 0 && ', '}
          <a href={writeAddress({ view: 'patterns', project })}>
            {plural(turns, 'turn')}
            {projects.length > 1 && (
              <>
                {' '}
                in <bdi>{project}</bdi>
              </>
            )}
          </a>
        </Fragment>
      ))}
    </p>
  )
}
