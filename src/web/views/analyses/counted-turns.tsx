// Draws each turn that a replay counts, with its rule, and links to the turn.
import { plural } from '../../../core/plural.ts'
import { REPLAY_RULES, RULE_MEANINGS } from '../../../rules/replay-rules.ts'
import { describeCounted } from '../../../rules/replay-sums.ts'
import { type Column, Table } from '../../components/table.tsx'
import { ViewLink } from '../../components/view-link.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import { Downloads } from './downloads.tsx'
import type { Counted } from './replay-rows.ts'

type Rule = (typeof REPLAY_RULES)[number]

/** Maximum number of rows that are drawn. The downloads contain all rows. */
const MAX_ROWS = 500

const RULE_NAMES: Readonly<Record<Rule, string>> = {
  after_all_proven: 'After all was proven',
  judged_again: 'Judged again',
  stop: 'Stop',
}

export function CountedTurns({ project, counted }: { project: string; counted: readonly Counted[] }) {
  const search = useSearch()
  const rule = REPLAY_RULES.find((each) => each === search.get('rule')) ?? null
  const rows = rule === null ? counted : counted.filter((each) => each.rule === rule)
  return (
    <section aria-label="Counted turns" class="counted-turns">
      <h2>Counted turns</h2>
      <RuleChoice counted={counted} chosen={rule} />
      {rule !== null && (
        <p class="quiet-text">
          {RULE_NAMES[rule]}: {RULE_MEANINGS[rule]}.
        </p>
      )}
      {rows.length === 0 ? (
        <p>No turn is counted.</p>
      ) : (
        <>
          <Table
            label="Counted turns"
            records={rows.slice(0, MAX_ROWS)}
            toKey={(each) => `${each.world} ${each.turn} ${each.rule}`}
            columns={columnsFor(project)}
            cut={
              rows.length > MAX_ROWS && (
                <>
                  The first {MAX_ROWS} of {plural(rows.length, 'row')} are shown.
                </>
              )
            }
          />
          <Downloads
            name="replay"
            columns={['world', 'turn', 'rule', 'why', 'criteria']}
            rows={rows.map((each) => [
              each.world,
              each.turn,
              each.rule,
              describeCounted(each),
              (each.criteria ?? []).join(', '),
            ])}
          />
        </>
      )}
    </section>
  )
}

function RuleChoice({ counted, chosen }: { counted: readonly Counted[]; chosen: Rule | null }) {
  const count = (rule: Rule) => counted.filter((each) => each.rule === rule).length
  return (
    <fieldset class="choice-line">
      <legend>Rule</legend>
      <button type="button" aria-pressed={chosen === null} onClick={() => filterBy({ rule: null })}>
        all {counted.length}
      </button>
      {REPLAY_RULES.map((rule) => (
        <button
          key={rule}
          type="button"
          title={RULE_MEANINGS[rule]}
          aria-pressed={chosen === rule}
          onClick={() => filterBy({ rule })}
        >
          {RULE_NAMES[rule]} {count(rule)}
        </button>
      ))}
    </fieldset>
  )
}

const columnsFor = (project: string): Column<Counted>[] => [
  {
    head: 'Session',
    isName: true,
    cell: ({ world }) => (
      <ViewLink to={{ view: 'session', project, world }}>
        <bdi>{world}</bdi>
      </ViewLink>
    ),
  },
  {
    head: 'Turn',
    isNumber: true,
    cell: ({ world, turn }) => <ViewLink to={{ view: 'turn', project, world, turn }}>{turn}</ViewLink>,
  },
  { head: 'Rule', cell: ({ rule }) => RULE_NAMES[rule] },
  {
    head: 'Why',
    cell: ({ criteria = [], ...counted }) => (
      <>
        {describeCounted(counted)}
        {criteria.length > 0 && (
          <span class="quiet-text">
            {' '}
            <bdi class="said">{criteria.join(', ')}</bdi>
          </span>
        )}
      </>
    ),
  },
]
