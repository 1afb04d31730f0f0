// Draws the turns of a session as small multiples with one measure per line, and as a table of the same values.
import type { ComponentChildren } from 'preact'
import { Choice } from '../../components/choice.tsx'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Names } from '../../components/names.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { TurnLink } from '../../components/view-link.tsx'
import { DecisionLegend } from '../../marks/legend.tsx'
import { decisionMark, Mark, markClass } from '../../marks/mark.tsx'
import type { Turn } from '../../service/operations.ts'
import { chooseGates, MAX_GATES } from './choose-gates.ts'
import { type Axis, placeTurns, type TurnAxis } from './turn-axis.ts'
import { countBlocking, MeasureChart, readMeasures } from './turn-measures.tsx'

type Props = {
  turns: readonly Turn[]
  axis: Axis
  /** Tokens of each turn whose tokens are known. */
  tokens?: ReadonlyMap<number, number>
  /** Control that chooses the axis, if a choice is possible. */
  children?: ComponentChildren
}

const NO_TOKENS: ReadonlyMap<number, number> = new Map()

export function TurnsRegion({ turns, axis, tokens = NO_TOKENS, children }: Props) {
  const placed = placeTurns(turns, axis)
  const gates = chooseGates(turns)
  const measures = readMeasures(turns, gates.shown, tokens)
  return (
    <section aria-label="Turns">
      <div class="region-head">
        <h2>Turns</h2>
        {children}
        <DecisionLegend />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too */}
      <section class="multiples" tabIndex={0} aria-label="Measures of the turns">
        <MeasureHead>Decision</MeasureHead>
        <DecisionLine turns={turns} axis={placed} />
        {measures.map((measure) => (
          <>
            <MeasureHead key={`head ${measure.name}`}>{measure.name}</MeasureHead>
            <MeasureChart key={measure.name} measure={measure} axis={placed} />
          </>
        ))}
      </section>
      {gates.leftOut > 0 && (
        <p class="cut">
          The {MAX_GATES} gates that failed last are drawn, {gates.leftOut} more are not.
        </p>
      )}
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Turns"
          columns={tokens.size === 0 ? COLUMNS : [...COLUMNS, tokensColumn(tokens)]}
          records={turns}
          toKey={({ turn_number }) => String(turn_number)}
        />
      </details>
    </section>
  )
}

export const AxisChoice = ({ axis }: { axis: Axis }) => (
  <Choice
    legend="Line of time"
    filter="time"
    chosen={axis}
    usual="number"
    options={[
      { value: 'number', text: 'by turn' },
      { value: 'clock', text: 'by the clock' },
    ]}
  />
)

/** Draws the decisions of the turns. Sets positions by attributes, because the policy of a report allows no inline style. */
function DecisionLine({ turns, axis }: { turns: readonly Turn[]; axis: TurnAxis }) {
  const said = turns.map(({ turn_number: turn, coach_decision: decision }) => `turn ${turn}: ${decision}`)
  return (
    <svg
      class="decisions"
      width={axis.width}
      height="20"
      viewBox={`0 0 ${axis.width} 20`}
      role="img"
      aria-label={said.join(', ')}
    >
      {turns.map(({ turn_number: turn, coach_decision: decision }, i) => (
        <foreignObject key={turn} x={axis.toX(i) - 8} y="2" width="16" height="16">
          <span title={said[i]} class={markClass(decisionMark(decision))} />
        </foreignObject>
      ))}
    </svg>
  )
}

const MeasureHead = ({ children }: { children: string }) => (
  <div class="measure-head">
    <bdi>{children}</bdi>
  </div>
)

const shown = (value: number | null) => value ?? '–'

const tokensColumn = (tokens: ReadonlyMap<number, number>): Column<Turn> => ({
  head: 'Tokens',
  isNumber: true,
  cell: ({ turn_number: turn }) => tokens.get(turn)?.toLocaleString('en') ?? '–',
})

const COLUMNS: readonly Column<Turn>[] = [
  {
    head: 'Turn',
    isName: true,
    cell: ({ project, world_slug: world, turn_number: turn }) => <TurnLink {...{ project, world, turn }} />,
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
  { head: 'Coverage, %', isNumber: true, cell: ({ coverage }) => shown(coverage) },
  {
    head: 'Blocking issues',
    isNumber: true,
    cell: countBlocking,
  },
  {
    head: 'Gates failed',
    cell: ({ gates }) => {
      const failed = Object.keys(gates).filter((name) => gates[name] === 'failed')
      return failed.length === 0 ? '–' : <Names of={failed} />
    },
  },
  {
    head: 'Completed',
    cell: ({ completed_at: at }) => <Instant at={at} />,
  },
]
