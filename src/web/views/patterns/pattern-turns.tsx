// Draws the turns that follow a pattern, longest first. A click on a turn shows its calls.
import { useState } from 'preact/hooks'
import { Answered } from '../../components/answer.tsx'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { useOperation } from '../../service/use-service.ts'
import { CallsLine } from '../turn/calls-line.tsx'

type Turn = ItemOf<'listTranscriptTurns'>

const MAX_TURNS = 50

export function PatternTurns({ project, pattern }: { project: string; pattern: string }) {
  const turns = useOperation('listTranscriptTurns', { project, pattern, limit: MAX_TURNS })
  const [opened, setOpened] = useState<Turn | null>(null)
  return (
    <section aria-label="Turns of the pattern">
      <h2>
        Turns of <bdi>{pattern}</bdi>
      </h2>
      <Answered of={turns}>
        {({ items }) => (
          <Table
            label="Turns of the pattern"
            records={items}
            toKey={({ turn_id: id }) => id}
            cut={items.length === MAX_TURNS && <>The {MAX_TURNS} longest are shown.</>}
            columns={[
              {
                head: 'Turn',
                isName: true,
                cell: (turn) => (
                  <button
                    type="button"
                    class="quiet"
                    aria-expanded={turn.turn_id === opened?.turn_id}
                    onClick={() => setOpened(turn.turn_id === opened?.turn_id ? null : turn)}
                  >
                    <bdi>{turn.session_id}</bdi>, turn {turn.index}
                  </button>
                ),
              },
              { head: 'Calls', isNumber: true, cell: ({ length }) => length },
              { head: 'Failed', isNumber: true, cell: ({ errors }) => errors },
              { head: 'At once', isNumber: true, cell: ({ parallel_steps: steps }) => steps },
              {
                head: 'Took',
                isNumber: true,
                cell: ({ duration_ms: ms }) => (ms === null ? '–' : describeDuration(ms / 1_000)),
              },
              {
                head: 'Started',
                cell: ({ started_at: at }) => <Instant at={at} />,
              },
            ]}
          />
        )}
      </Answered>
      {opened !== null && (
        <>
          <h3>
            Calls of turn {opened.index} of <bdi>{opened.session_id}</bdi>
          </h3>
          <CallsLine
            key={opened.turn_id}
            project={project}
            session={opened.session_id}
            index={opened.index}
          />
        </>
      )}
    </section>
  )
}
