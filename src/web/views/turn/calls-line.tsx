// Draws the calls of one turn of an agent on a line: parallel ones above each other, failed ones marked; and as a table.
import { Answered } from '../../components/answer.tsx'
import { describeDuration } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import { Mark } from '../../marks/mark.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { useWholeList } from '../../service/use-service.ts'
import { placeCalls } from './place-calls.ts'

type Step = ItemOf<'listTranscriptSteps'>
type Props = { project: string; session: string; index: number }

const ROW = 14

export function CallsLine({ project, session, index }: Props) {
  const steps = useWholeList('listTranscriptSteps', { project, session_id: session, index })
  return (
    <Answered of={steps}>
      {(found) => (
        <>
          <CallsPicture steps={found} />
          <Table
            label="Calls"
            records={found}
            toKey={({ sequence }) => String(sequence)}
            columns={[
              { head: 'Call', isNumber: true, cell: ({ sequence }) => sequence + 1 },
              { head: 'Tool', isName: true, cell: ({ tool }) => <bdi>{tool}</bdi> },
              {
                head: 'Status',
                cell: ({ status }) => (
                  <>
                    {status !== 'ok' && <Mark of="error" />} {status}
                  </>
                ),
              },
              {
                head: 'Duration, ms',
                isNumber: true,
                cell: ({ duration_ms: ms }) => (ms === null ? '–' : Math.round(ms)),
              },
              {
                head: 'At once',
                cell: ({ parallel_group: group }) => (group === null ? '–' : `group ${group}`),
              },
              {
                head: 'Error',
                cell: ({ error }) => <p class="said clamped">{error ?? '–'}</p>,
              },
            ]}
          />
        </>
      )}
    </Answered>
  )
}

const describeMs = (ms: number): string =>
  ms < 10_000 ? `${Math.round(ms)} ms` : describeDuration(ms / 1_000)

function CallsPicture({ steps }: { steps: readonly Step[] }) {
  const { calls, width, rows } = placeCalls(steps)
  const height = rows * ROW + 2
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable region
    <section class="calls" tabIndex={0} aria-label="Calls on a line of time">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${steps.length} calls in their order; the table below lists them`}
      >
        {calls.map(({ step, x, row, width: length }) => (
          <g key={step.sequence}>
            <title>
              {step.tool}: {step.status}
              {step.duration_ms !== null && `, ${describeMs(step.duration_ms)}`}
            </title>
            <rect class="call" x={x} y={1 + row * ROW} width={length} height={ROW - 4} />
            {step.status !== 'ok' && <path class="failed" d={`m${x + 2} ${2 + row * ROW} 8 8m0-8-8 8`} />}
          </g>
        ))}
      </svg>
    </section>
  )
}
