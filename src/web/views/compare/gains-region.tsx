// Draws how many criteria two sessions had proven after each turn, as steps and as a table.
import { Table } from '../../components/table.tsx'
import { ViewLink } from '../../components/view-link.tsx'
import type { Answered } from '../../service/operations.ts'
import { drawSteps, PICTURE, sumGains } from './gains.ts'

type Comparison = Answered<'compareWorlds'>
type Compared = Comparison['a']

export function GainsRegion({ project, comparison: { a, b } }: { project: string; comparison: Comparison }) {
  const [sumsA, sumsB] = [sumGains(a), sumGains(b)]
  const turns = [...new Set([...a.gains, ...b.gains].map(({ turn }) => turn))].sort((x, y) => x - y)
  return (
    <section aria-label="Gains" class="gains">
      <h2>Gains</h2>
      {turns.length === 0 ? (
        <p>No session of the two verified a criterion.</p>
      ) : (
        <>
          <GainsPicture a={a} b={b} />
          <Table
            label="Gains by turn"
            records={turns}
            toKey={String}
            columns={[
              { head: 'Turn', isName: true, cell: (turn) => turn },
              { head: 'A', cell: (turn) => <Gain project={project} session={a} sums={sumsA} turn={turn} /> },
              { head: 'B', cell: (turn) => <Gain project={project} session={b} sums={sumsB} turn={turn} /> },
            ]}
          />
        </>
      )}
    </section>
  )
}

function GainsPicture({ a, b }: { a: Compared; b: Compared }) {
  const lastTurn = Math.max(a.turns, b.turns)
  const most = Math.max(a.criteria, b.criteria)
  return (
    <figure>
      <figcaption class="legend">
        <Sample of="a" session={a} />
        <Sample of="b" session={b} />
      </figcaption>
      <div class="gains-axes">
        <span class="gains-most">{most}</span>
        <svg
          viewBox={`-0.5 -1 ${PICTURE.width + 1} ${PICTURE.height + 2}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Proven criteria by turn. ${describeEnd('A', a)} ${describeEnd('B', b)}`}
        >
          <path class="gains-ground" d={`M0 0H${PICTURE.width}M0 ${PICTURE.height}H${PICTURE.width}`} />
          <path class="gains-line gains-a" d={drawSteps(a, lastTurn, most)} />
          <path class="gains-line gains-b" d={drawSteps(b, lastTurn, most)} />
        </svg>
        <span class="gains-none">0</span>
        <span class="gains-turns">
          <span>proven criteria</span>
          <span>turn {lastTurn}</span>
        </span>
      </div>
    </figure>
  )
}

const describeEnd = (name: string, { verified, criteria, turns }: Compared): string =>
  `${name}: ${verified} of ${criteria} after turn ${turns}.`

function Sample({ of, session }: { of: 'a' | 'b'; session: Compared }) {
  return (
    <span>
      <svg class="gains-sample" viewBox="0 0 32 8" aria-hidden="true">
        <path class={`gains-line gains-${of}`} d="M0 4H32" />
      </svg>{' '}
      {of.toUpperCase()} <bdi>{session.world_slug}</bdi>
    </span>
  )
}

type GainProps = { project: string; session: Compared; sums: ReadonlyMap<number, number>; turn: number }

function Gain({ project, session, sums, turn }: GainProps) {
  const gain = session.gains.find((each) => each.turn === turn)
  if (gain === undefined) return <span class="quiet-text">–</span>
  return (
    <>
      <ViewLink to={{ view: 'turn', project, world: session.world_slug, turn }}>+{gain.gained}</ViewLink>{' '}
      <span class="quiet-text">
        {sums.get(turn)} of {session.criteria}
      </span>
    </>
  )
}
