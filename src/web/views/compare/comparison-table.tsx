// Draws the facts and the gains of two sessions side by side.
import type { ComponentChildren } from 'preact'
import { plural } from '../../../core/plural.ts'
import { Bar } from '../../components/bar.tsx'
import { describeDuration } from '../../components/instant.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { SessionLink, TurnLink } from '../../components/view-link.tsx'
import { TurnStrip } from '../../marks/mark.tsx'
import type { Answered, ItemOf } from '../../service/operations.ts'
import { Outcome } from '../sessions/outcome.tsx'

type Comparison = Answered<'compareWorlds'>
type Compared = Comparison['a']
type Session = ItemOf<'listWorlds'>

type Fact = {
  name: string
  show: (compared: Compared, session: Session | undefined) => ComponentChildren
  /** Number whose difference is shown. */
  amount?: (compared: Compared) => number | null
  describe?: (amount: number) => string
}

type Props = {
  project: string
  comparison: Comparison
  /** Sessions with their outcomes and decisions, if the list has them. */
  sessions: readonly Session[]
}

/** Draws the facts of two sessions side by side, with the difference of each number. */
export function ComparisonTable({ project, comparison: { a, b }, sessions }: Props) {
  const listed = (compared: Compared) => sessions.find(({ world_slug }) => world_slug === compared.world_slug)
  return (
    <Table
      label="Comparison"
      records={factsFor(project)}
      toKey={({ name }) => name}
      columns={[
        { head: 'Fact', isName: true, cell: ({ name }) => name },
        { head: 'A', cell: ({ show }) => show(a, listed(a)) },
        { head: 'B', cell: ({ show }) => show(b, listed(b)) },
        {
          head: 'B − A',
          isNumber: true,
          cell: ({ amount, describe = String }) => amount && describeChange(amount(a), amount(b), describe),
        },
      ]}
    />
  )
}

const quiet = (text: string) => <span class="quiet-text">{text}</span>

const factsFor = (project: string): readonly Fact[] => {
  const turnLink = (world: string, turn: number | null) =>
    turn === null ? quiet('never') : <TurnLink {...{ project, world, turn }}>turn {turn}</TurnLink>
  return [
    { name: 'Session', show: ({ world_slug: world }) => <SessionLink project={project} world={world} /> },
    {
      name: 'Task',
      show: ({ feature_id, task_id }) => (
        <>
          <bdi>{feature_id}</bdi> / <bdi>{task_id}</bdi>
        </>
      ),
    },
    {
      name: 'Outcome',
      show: ({ last_decision }, session) =>
        session === undefined ? (last_decision ?? quiet('no turn')) : <Outcome outcome={session.outcome} />,
    },
    {
      name: 'Turns',
      show: ({ turns }, session) => (
        <>
          {turns} {session !== undefined && <TurnStrip turns={session.decisions} />}
        </>
      ),
      amount: ({ turns }) => turns,
    },
    {
      name: 'Proven',
      show: ({ verified, criteria, contested }) => (
        <Bar part={verified} whole={criteria} contested={contested} />
      ),
      amount: ({ verified }) => verified,
    },
    { name: 'First proof', show: ({ world_slug, first_verified_in: turn }) => turnLink(world_slug, turn) },
    {
      name: 'All proven',
      show: ({ world_slug, all_verified_in: turn }) => turnLink(world_slug, turn),
    },
    { name: 'Reversals', show: ({ reversals }) => reversals, amount: ({ reversals }) => reversals },
    {
      name: 'Failed gates',
      show: ({ failed_gates: gates }) =>
        gates.length === 0 ? (
          quiet('none')
        ) : (
          <ul>
            {gates.map(({ gate, turns }) => (
              <li key={gate}>
                <bdi>{gate}</bdi> in {plural(turns, 'turn')}
              </li>
            ))}
          </ul>
        ),
      amount: ({ failed_gates: gates }) => gates.reduce((sum, { turns }) => sum + turns, 0),
    },
    { name: 'Issues', show: ({ issues }) => issues, amount: ({ issues }) => issues },
    { name: 'Still open', show: ({ open_issues: open }) => open, amount: ({ open_issues: open }) => open },
    {
      name: 'Open and blocking',
      show: ({ open_blocking: open }) => open,
      amount: ({ open_blocking: open }) => open,
    },
    {
      name: 'Duration',
      show: ({ seconds }) => (seconds === null ? quiet('unknown') : describeDuration(seconds)),
      amount: ({ seconds }) => seconds,
      describe: describeDuration,
    },
  ]
}

/** `+2`, `−2`, or `=`; nothing if an amount is unknown. */
function describeChange(a: number | null, b: number | null, describe: (amount: number) => string) {
  if (a === null || b === null) return null
  if (a === b) return quiet('=')
  return `${b > a ? '+' : '−'}${describe(Math.abs(b - a))}`
}

/** Draws how many criteria each session had proven after each turn that verified one for the first time. */
export function GainsRegion({ project, comparison: { a, b } }: Omit<Props, 'sessions'>) {
  const turns = [...new Set([...a.gains, ...b.gains].map(({ turn }) => turn))].sort((x, y) => x - y)
  const columnOf = (head: string, session: Compared): Column<number> => ({
    head,
    cell: (turn) => <Gain project={project} session={session} turn={turn} />,
  })
  return (
    <section aria-label="Gains" class="gains">
      <h2>Gains</h2>
      {turns.length === 0 ? (
        <p>No session of the two verified a criterion.</p>
      ) : (
        <Table
          label="Gains by turn"
          records={turns}
          toKey={String}
          columns={[{ head: 'Turn', isName: true, cell: (turn) => turn }, columnOf('A', a), columnOf('B', b)]}
        />
      )}
    </section>
  )
}

function Gain({ project, session, turn }: { project: string; session: Compared; turn: number }) {
  const gain = session.gains.find((each) => each.turn === turn)
  if (gain === undefined) return quiet('–')
  const proven = session.gains.reduce((sum, each) => (each.turn <= turn ? sum + each.gained : sum), 0)
  return (
    <>
      <TurnLink project={project} world={session.world_slug} turn={turn}>
        +{gain.gained}
      </TurnLink>{' '}
      {quiet(`${proven} of ${session.criteria}`)}
    </>
  )
}
