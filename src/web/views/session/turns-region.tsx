// The turns of a session as small multiples, one measure a line, and as a table of the same facts.
import { writeAddress } from '../../address.ts'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { DecisionLegend } from '../../marks/legend.tsx'
import { decisionMark, Mark } from '../../marks/mark.tsx'
import { filterBy } from '../../navigation.ts'
import type { Turn } from '../../service/operations.ts'
import { type Axis, placeTurns } from './turn-axis.ts'
import { MeasureChart, readMeasures } from './turn-measures.tsx'

type Props = { turns: readonly Turn[]; axis: Axis }

export function TurnsRegion({ turns, axis }: Props) {
  const placed = placeTurns(turns, axis)
  const measures = readMeasures(turns)
  return (
    <section aria-label="Turns">
      <div class="region-head">
        <h2>Turns</h2>
        <fieldset class="choice-line">
          <legend>Line of time</legend>
          {(['number', 'clock'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === axis}
              onClick={() => filterBy({ time: each === 'number' ? null : each })}
            >
              {each === 'number' ? 'by turn' : 'by the clock'}
            </button>
          ))}
        </fieldset>
        <DecisionLegend />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too */}
      <section class="multiples" tabIndex={0} aria-label="Measures of the turns">
        <MeasureHead>Decision</MeasureHead>
        <div class="decisions" {...styleOfWidth(placed.width)}>
          {turns.map((turn, i) => (
            <span
              key={turn.turn_number}
              class="decision-at"
              style={{ left: `${placed.xOf(i) - 8}px` }}
              title={`turn ${turn.turn_number}: ${turn.coach_decision}`}
            >
              <Mark of={decisionMark(turn.coach_decision)} />
            </span>
          ))}
        </div>
        {measures.map((measure) => (
          <>
            <MeasureHead key={`head ${measure.name}`}>{measure.name}</MeasureHead>
            <MeasureChart key={measure.name} measure={measure} axis={placed} />
          </>
        ))}
      </section>
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Turns"
          columns={COLUMNS}
          records={turns}
          keyOf={({ turn_number }) => String(turn_number)}
        />
      </details>
    </section>
  )
}

const styleOfWidth = (width: number) => ({ style: { width: `${width}px` } })

const MeasureHead = ({ children }: { children: string }) => <div class="measure-head">{children}</div>

const shown = (value: number | null) => value ?? '–'

const COLUMNS: readonly Column<Turn>[] = [
  {
    head: 'Turn',
    isName: true,
    cell: ({ project, world_slug: world, turn_number: turn }) => (
      <a href={writeAddress({ view: 'turn', project, world, turn })}>{turn}</a>
    ),
  },
  {
    head: 'Decision',
    cell: ({ coach_decision: decision }) => (
      <>
        <Mark of={decisionMark(decision)} /> {decision}
      </>
    ),
  },
  {
    head: 'Duration',
    isNumber: true,
    cell: ({ duration_seconds: seconds }) => (seconds === null ? '–' : describeDuration(seconds)),
  },
  { head: 'Tests passed', isNumber: true, cell: ({ tests_passed }) => shown(tests_passed) },
  { head: 'Tests failed', isNumber: true, cell: ({ tests_failed }) => shown(tests_failed) },
  { head: 'Coverage, %', isNumber: true, isExtra: true, cell: ({ coverage }) => shown(coverage) },
  {
    head: 'Blocking issues',
    isNumber: true,
    cell: ({ issues }) => issues.filter(({ severity }) => severity === 'blocking').length,
  },
  {
    head: 'Gates failed',
    cell: ({ gates }) =>
      Object.entries(gates)
        .filter(([, status]) => status === 'failed')
        .map(([name]) => name)
        .join(', ') || '–',
  },
  {
    head: 'Completed',
    isExtra: true,
    cell: ({ completed_at: at }) => (at === null ? '–' : <Instant at={at} exact />),
  },
]
