// Draws the facts of two sessions side by side, with the difference of each number.
import type { ComponentChildren } from 'preact'
import { plural } from '../../../core/plural.ts'
import { Bar } from '../../components/bar.tsx'
import { describeDuration } from '../../components/instant.tsx'
import { ViewLink } from '../../components/view-link.tsx'
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

export function ComparisonTable({ project, comparison: { a, b }, sessions }: Props) {
  const find = ({ world_slug }: Compared) => sessions.find((session) => session.world_slug === world_slug)
  const [listedA, listedB] = [find(a), find(b)]
  return (
    <div class="table-scroll">
      <table class="records comparison" aria-label="Comparison">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Fact</span>
            </th>
            <SessionHead name="A" project={project} session={a} />
            <SessionHead name="B" project={project} session={b} />
            <th scope="col" class="number">
              B − A
            </th>
          </tr>
        </thead>
        <tbody>
          {factsFor(project).map(({ name, show, amount, describe = String }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{show(a, listedA)}</td>
              <td>{show(b, listedB)}</td>
              <td class="number">{amount && describeChange(amount(a), amount(b), describe)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SessionHead({ name, project, session }: { name: string; project: string; session: Compared }) {
  return (
    <th scope="col">
      {name}{' '}
      <ViewLink to={{ view: 'session', project, world: session.world_slug }}>
        <bdi>{session.world_slug}</bdi>
      </ViewLink>
    </th>
  )
}

const quiet = (text: string) => <span class="quiet-text">{text}</span>

const factsFor = (project: string): readonly Fact[] => {
  const turnLink = (world: string, turn: number | null) =>
    turn === null ? (
      quiet('never')
    ) : (
      <ViewLink to={{ view: 'turn', project, world, turn }}>turn {turn}</ViewLink>
    )
  return [
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
