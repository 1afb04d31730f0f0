// Draws frequent sequences of calls within turns, next to the patterns of whole turns.
import { AmountBar } from '../../components/amount-bar.tsx'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import { useOperation } from '../../service/use-service.ts'
import { SESSIONS } from './pattern-columns.tsx'

const MAX_SEQUENCES = 20

type Props = { project: string; since: string | null; session: string | null }

export function SequencesRegion({ project, since, session }: Props) {
  const sequences = useOperation('listTranscriptSequences', {
    project,
    limit: MAX_SEQUENCES,
    ...(since !== null && { since }),
    ...(session !== null && { session_id: session }),
  })
  return (
    <Answered of={sequences}>
      {({ items }) => {
        if (items.length === 0) return null
        const most = Math.max(...items.map(({ turns }) => turns))
        return (
          <section aria-label="Sequences of calls">
            <h2>Sequences of 2 to 5 calls</h2>
            <Table
              label="Sequences"
              records={items}
              toKey={({ sequence }) => sequence}
              cut={
                items.length === MAX_SEQUENCES && <>The {items.length} most frequent sequences are shown.</>
              }
              columns={[
                { head: 'Sequence', isName: true, cell: ({ sequence }) => <bdi>{sequence}</bdi> },
                { head: 'Turns', cell: ({ turns }) => <AmountBar amount={turns} most={most} /> },
                SESSIONS,
              ]}
            />
          </section>
        )
      }}
    </Answered>
  )
}
