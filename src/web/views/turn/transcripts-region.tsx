// Draws the transcripts that a turn names: each turn of an agent as a line of its calls.
import { useState } from 'preact/hooks'
import { Answered } from '../../components/answer.tsx'
import { describeDuration, Instant } from '../../components/instant.tsx'
import type { ItemOf, Turn } from '../../service/operations.ts'
import { useOperation } from '../../service/use-service.ts'
import { CallsLine } from './calls-line.tsx'

export function TranscriptsRegion({ turn }: { turn: Turn }) {
  const { project, transcript_session_ids: sessions } = turn
  if (sessions.length === 0) return null
  return (
    <section aria-label="Transcripts">
      <h2>Transcripts</h2>
      {sessions.map((session) => (
        <TranscriptSession key={session} project={project} session={session} />
      ))}
    </section>
  )
}

const MAX_TURNS = 200

function TranscriptSession({ project, session }: { project: string; session: string }) {
  const turns = useOperation('listTranscriptTurns', {
    project,
    session_id: session,
    min_length: 0,
    limit: MAX_TURNS,
  })
  return (
    <>
      <h3>
        <bdi>{session}</bdi>
      </h3>
      <Answered of={turns}>
        {({ items }) => (
          <>
            {items.length === 0 && <p class="quiet-text">Its transcript is not imported.</p>}
            <ol class="transcript-turns">
              {items
                .toSorted((a, b) => a.index - b.index)
                .map((one) => (
                  <TranscriptTurn key={one.turn_id} project={project} turn={one} />
                ))}
            </ol>
            {items.length === MAX_TURNS && <p class="cut">The {MAX_TURNS} longest turns are shown.</p>}
          </>
        )}
      </Answered>
    </>
  )
}

function TranscriptTurn({ project, turn }: { project: string; turn: ItemOf<'listTranscriptTurns'> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {turn.kind.replace('_', ' ')} · {turn.length === 1 ? 'one call' : `${turn.length} calls`}
          {turn.errors > 0 && `, ${turn.errors} failed`}
          {turn.duration_ms !== null && ` · ${describeDuration(turn.duration_ms / 1_000)}`}
          {turn.started_at !== null && (
            <>
              {' · '}
              <Instant at={turn.started_at} exact />
            </>
          )}
        </summary>
        {isOpen && <CallsLine project={project} session={turn.session_id} index={turn.index} />}
      </details>
    </li>
  )
}
